"""Probes against judges whose weaknesses are known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.servers import ChatServer, fails, says

import adjudge
from adjudge import api
from adjudge.analysis.probing import Probed, ProbeFinding
from adjudge.analysis.probing.subject import texts_in
from adjudge.errors import AdjudgeError, UsageError
from adjudge.judges.fence import neutralise

from .scripted import CORRECT, correct_judge, is_good, shown

Probe = Callable[..., Probed]


@pytest.fixture
def probe(server: ChatServer, tmp_path: Path) -> Probe:
    """Probes the judge CORRECT, or another one, on the server."""
    (tmp_path / "correct.yaml").write_text(CORRECT)

    def probe(judge: str = str(tmp_path / "correct.yaml"), **options: Any) -> Probed:
        return api.probe(
            judge,
            **{
                "model": "openai/m",
                "base_url": server.base_url,
                "store": str(tmp_path / "adjudge.db"),
            }
            | options,
        )

    return probe


def found(probed: Probed) -> dict[str, ProbeFinding]:
    return {each.probe: each for each in probed.deciding()}


def test_a_robust_judge_passes_every_probe(server: ChatServer, probe: Probe) -> None:
    correct_judge(server)
    probed = probe()
    assert {each.rating for each in probed.deciding()} == {"fine"}
    assert set(probed.not_run) == {"order", "self-preference"}
    assert probed.bad == []
    assert probed.items == 16


@pytest.mark.parametrize(
    ("name", "mark"),
    [
        ("padding", texts_in("en").padding[:40]),
        ("instruction", "{best}"),
        ("fake-grade", "5"),
        ("authority", "Nature|Harvard|World Health"),
        ("markdown", "## "),
        ("verbosity", texts_in("en").restated),
    ],
)
def test_a_judge_that_falls_for_something_is_found_out(
    server: ChatServer, probe: Probe, name: str, mark: str
) -> None:
    marks = {
        # as the fence leaves them: turn marks in them are broken
        "instruction": [
            neutralise(each.split("{best}")[0], "mark")[:30] for each in texts_in("en").instructions
        ],
        "fake-grade": [texts_in("en").grade_head, "```json"],
        "authority": mark.split("|"),
    }.get(name, [mark])
    correct_judge(server, lambda text: any(each in text for each in marks))
    probed = probe(only=(name,))
    finding = found(probed)[name]
    assert finding.rating == "bad"
    assert finding.criterion == "correct"
    assert finding.effect.value == pytest.approx(0.5)  # the weak half rises to the top
    assert (finding.before, finding.after) == (0.5, 1.0)
    assert "8 of 16" in str(finding.note)
    assert [each.probe for each in probed.bad] == [name]


def test_a_judge_that_takes_an_empty_answer(server: ChatServer, probe: Probe) -> None:
    keys = texts_in("en").keys
    correct_judge(server, lambda text: text in keys)
    assert found(probe(only=("master-key",)))["master-key"].effect.value == 1.0


def test_a_judge_that_does_not_look_at_the_reference(server: ChatServer, probe: Probe) -> None:
    correct_judge(server, noticing=False)
    finding = found(probe(only=("reference",)))["reference"]
    assert (finding.rating, finding.effect.value) == ("bad", 1.0)


def test_one_criterion_that_notices_the_reference_is_enough(
    server: ChatServer, probe: Probe
) -> None:
    correct_judge(server)
    probed = probe(only=("reference",))
    by_name = {each.criterion: each for each in probed.findings}
    assert by_name["clear"].effect.value == 1.0
    assert by_name["correct"].effect.value == 0.0
    assert found(probed)["reference"].criterion == "correct"
    assert by_name["correct"].n == 8  # those that could fall


def test_a_judge_that_gives_everything_the_same_cannot_tell(
    server: ChatServer, probe: Probe
) -> None:
    server.answer = lambda _: says('{"correct": 3, "clear": 5}')
    finding = found(probe(only=("contrast", "padding")))["contrast"]
    assert (finding.rating, finding.effect.value, finding.n) == ("bad", 1.0, 8)


def test_a_judge_that_changes_its_mind(server: ChatServer, probe: Probe) -> None:
    turn = iter(range(10_000))
    server.answer = lambda _: says(json.dumps({"correct": 1 + next(turn) % 5, "clear": 5}))
    probed = probe(only=("repeat",), repeats=2)
    finding = found(probed)["repeat"]
    assert finding.rating == "bad"
    assert finding.n == 16
    assert found(probed)["repeat"].criterion == "correct"


def test_numbers_change_only_by_a_tenth_of_the_scale(server: ChatServer, probe: Probe) -> None:
    turn = iter(range(10_000))
    server.answer = lambda _: says(json.dumps({"correct": 3, "clear": 5 + next(turn) % 2 * 0.9}))
    by_name = {each.criterion: each for each in probe(only=("repeat",), repeats=2).findings}
    assert by_name["clear"].effect.value == 0.0


def test_a_judge_that_leans_on_the_order_of_criteria(server: ChatServer, probe: Probe) -> None:
    def answer(body: dict[str, Any]) -> Any:
        asked = "".join(message["content"] for message in body["messages"])
        first = asked.index("Correctness") < asked.index("Clarity")
        return says(json.dumps({"correct": 5 if first else 1, "clear": 8}))

    server.answer = answer
    finding = found(probe(only=("criteria-order",)))["criteria-order"]
    assert (finding.rating, finding.effect.value) == ("bad", 1.0)


def test_another_language(server: ChatServer, probe: Probe) -> None:
    korean = {built.good for built in texts_in("ko").items}
    server.answer = lambda body: says(
        json.dumps({"correct": 1 if shown(body)[0] in korean else 5, "clear": 8})
    )
    finding = found(probe(only=("language",)))["language"]
    assert finding.effect.value == pytest.approx(-0.5)
    assert finding.rating == "bad"  # either way


class TestPairs:
    def test_first_place(self, server: ChatServer, probe: Probe) -> None:
        server.answer = lambda _: says('{"reasons": ["It comes first."], "winner": "a"}')
        probed = probe("preference", only=("order", "contrast"))
        finding = found(probed)["order"]
        assert (finding.rating, finding.effect.value) == ("bad", 1.0)
        assert (
            str(finding.note) == "of 8 that changed, 8 went to the first place and 0 to the second"
        )
        assert found(probed)["contrast"].effect.value == 1.0  # all ties

    def test_robust(self, server: ChatServer, probe: Probe) -> None:
        def answer(body: dict[str, Any]) -> Any:
            first, second = map(is_good, shown(body))
            winner = "tie" if first == second else "a" if first else "b"
            return says(json.dumps({"reasons": ["It is right."], "winner": winner}))

        server.answer = answer
        probed = probe("preference")
        assert {each.rating for each in probed.deciding()} == {"fine"}
        assert "need not make one of them lose" in str(probed.not_run["reference"])

    def test_the_weak_side_is_helped(self, server: ChatServer, probe: Probe) -> None:
        padding = texts_in("en").padding[:40]

        def answer(body: dict[str, Any]) -> Any:
            first, second = (is_good(text) + 2 * (padding in text) for text in shown(body))
            winner = "tie" if first == second else "a" if first > second else "b"
            return says(json.dumps({"reasons": ["It is right."], "winner": winner}))

        server.answer = answer
        finding = found(probe("preference", only=("padding",)))["padding"]
        assert (finding.rating, finding.effect.value) == ("bad", 1.0)


class TestOwnData:
    @pytest.fixture
    def data(self, tmp_path: Path) -> str:
        rows = [
            {
                "id": f"r{n}",
                "question": f"Frage {n}?",
                "reference": f"R{n}",
                "answer": f"베를린은 독일의 수도이며 인구가 {n}백만 명입니다.",
                "by": "m" if n % 2 else "n",
            }
            for n in range(12)
        ]
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return str(path)

    def test_phrases_in_the_language_of_the_texts(
        self, server: ChatServer, probe: Probe, data: str
    ) -> None:
        server.answer = lambda _: says('{"correct": 3, "clear": 5}')
        probed = probe(data=data, only=("padding", "paraphrase", "language"), limit=6)
        assert (probed.language, probed.items) == ("ko", 6)
        assert any(texts_in("ko").padding[:20] in prompt for prompt in server.prompts)
        assert "no column 'paraphrase'" in str(probed.not_run["paraphrase"])
        assert "only the built-in texts" in str(probed.not_run["language"])

    def test_self_preference(self, server: ChatServer, probe: Probe, data: str) -> None:
        turn = iter(range(10_000))

        def answer(body: dict[str, Any]) -> Any:
            mine = int(shown(body)[0].split("백만")[0].split()[-1]) % 2  # m wrote the odd ones
            kind = body["model"] == "m" and mine
            return says(json.dumps({"correct": 5 if kind else 3, "clear": 5 + next(turn) % 2}))

        server.answer = answer
        models = ["openai/m", "openai/n"]
        probed = probe(data=data, model=models, author="by", only=("self-preference",))
        by_model = {each.model: each for each in probed.deciding()}
        assert by_model["openai/m"].effect.value == pytest.approx(0.5)
        assert by_model["openai/m"].rating == "bad"
        assert by_model["openai/n"].effect.value == pytest.approx(0.5)  # the mirror image of m's

    def test_self_preference_takes_two_models(
        self, server: ChatServer, probe: Probe, data: str
    ) -> None:
        server.answer = lambda _: says('{"correct": 3, "clear": 5}')
        probed = probe(data=data, author="by", only=("self-preference", "padding"))
        assert "two models" in str(probed.not_run["self-preference"])


class TestRunner:
    def test_asked_once(self, server: ChatServer, probe: Probe) -> None:
        correct_judge(server)
        first = probe(only=("padding", "repeat"), limit=4)
        asked = len(server.asked)
        assert asked == 4 + 4 + 2 * 4  # texts, twins, two further samples
        again = probe(only=("padding", "repeat"), limit=4)
        assert len(server.asked) == asked
        assert again.findings == first.findings

    def test_unscored_are_counted(self, server: ChatServer, probe: Probe) -> None:
        padding = texts_in("en").padding[:40]

        def answer(body: dict[str, Any]) -> Any:
            return says("no" if padding in shown(body)[0] else '{"correct": 3, "clear": 5}')

        server.answer = answer
        finding = found(probe(only=("padding",), limit=6))["padding"]
        assert (finding.n, finding.unscored, finding.rating) == (0, 6, "unclear")

    def test_the_budget_is_one_for_all_runs(self, server: ChatServer, probe: Probe) -> None:
        correct_judge(server)
        # A reply is 110 tokens; 32 calls of the first run, 32 of the second.
        probed = probe(only=("padding", "repeat"), budget="40000tok", max_tokens=50, concurrency=1)
        spent = sum(each.tokens for each in probed.runs)
        assert spent <= 40_000
        assert not probed.stopped
        less = probe(only=("padding", "repeat"), budget="1000tok", max_tokens=50, fresh=True)
        assert less.stopped
        assert sum(each.tokens for each in less.runs) <= 1000

    def test_nobody_answers(self, server: ChatServer, probe: Probe) -> None:
        server.answer = lambda _: fails(400, "bad request")
        with pytest.raises(AdjudgeError, match="No answer came for any of"):
            probe(only=("padding",), limit=2)

    def test_the_run_shows_what_it_is(
        self, server: ChatServer, probe: Probe, tmp_path: Path
    ) -> None:
        correct_judge(server)
        probed = probe(only=("padding",), limit=2)
        run = adjudge.open_run(probed.runs[0].run, store=str(tmp_path / "adjudge.db"))
        try:
            assert run.record.manifest.data == "probe twins: built-in texts (en)"
            ids = {entry.item.id for entry in run.entries()}
        finally:
            run.close()
        assert ids == {
            "return-shoes-good",
            "return-shoes-weak",
            "return-shoes-good#padding",
            "return-shoes-weak#padding",
        }


@pytest.mark.parametrize(
    ("options", "says_what"),
    [
        ({"only": ("pading",)}, "--only pading: write one of"),
        ({"language": "fr"}, "--language fr: write one of en, ko, vi"),
        ({"repeats": 1}, "at least 2 samples"),
        ({"author": "by"}, "give data of your own"),
        ({"only": ("order",)}, "None of the probes can be made"),
        ({"limits": {"flip": 2.0}}, "--max-flip"),
        ({"confidence": 1.0}, "--confidence 1"),
    ],
)
def test_wrong_wishes_cost_nothing(
    server: ChatServer, probe: Probe, options: dict[str, Any], says_what: str
) -> None:
    with pytest.raises(UsageError, match=says_what):
        probe(**options)
    assert server.asked == []


def test_inputs_that_the_built_in_texts_do_not_have(
    server: ChatServer, probe: Probe, tmp_path: Path
) -> None:
    path = tmp_path / "code.yaml"
    path.write_text(CORRECT.replace("reference: {}", "diff: {}"))
    with pytest.raises(UsageError, match="have nothing for diff, which correct needs"):
        probe(str(path))
