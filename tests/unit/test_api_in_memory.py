"""The Python front with what a notebook has: data frames, dicts, functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import adjudge
from adjudge.errors import DataError, DefinitionError, OtherEncoding, UsageError

JUDGE: dict[str, Any] = {
    "judge": "politeness",
    "version": 1,
    "title": "Is the reply polite?",
    "language": "en",
    "explain_in": "any",
    "inputs": {"question": {"required": True}, "answer": {"required": True, "judged": True}},
    "criteria": {
        "polite": {
            "title": "Politeness",
            "guide": "Is it polite?",
            "scale": {"type": "integer", "min": 1, "max": 5},
        }
    },
    "reply": "text",
}
FRAME = pd.DataFrame({"question": ["How?", "Why?"], "answer": ["Gladly.", "Go away."]})


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class Heard:
    """Keeps what a run says."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def started(self, planned: object, *, resumed: bool, already: int) -> None: ...
    def verdict(self, verdict: object) -> None: ...
    def counted(self, progress: object) -> None: ...
    def stopping(self) -> None: ...

    def note(self, text: str) -> None:
        self.notes.append(text)


def keen(messages: list[dict[str, str]]) -> str:
    return f"Politeness: {1 if 'Go away' in messages[-1]['content'] else 5}"


def test_from_a_data_frame_to_a_data_frame() -> None:
    run = adjudge.run(FRAME, judge=JUDGE, model=keen)
    frame = run.to_pandas(tidy=True, with_inputs=True)
    assert dict(zip(frame["data.answer"], frame["value"], strict=True)) == {
        "Gladly.": 5.0,
        "Go away.": 1.0,
    }
    assert run.record.manifest.models == ("keen",)
    assert run.record.manifest.data == "pandas.DataFrame"
    run.close()


def test_a_run_by_a_named_function_goes_on() -> None:
    asked = []

    def counted(messages: list[dict[str, str]]) -> str:
        asked.append(messages)
        return keen(messages)

    for rows in (FRAME, FRAME.to_dict("records")):
        model = adjudge.function_model(counted, name="acme-v3")
        adjudge.run(rows, judge=JUDGE, model=model).close()
    assert len(asked) == 2


def test_a_function_without_a_name_is_asked_each_time_and_it_is_said() -> None:
    ids, heard = set(), Heard()
    for _ in range(2):
        run = adjudge.run(FRAME, judge=JUDGE, model=keen, watcher=heard)
        ids.add(run.id)
        run.close()
    assert len(ids) == 2
    assert any("can be continued from Python only" in note for note in heard.notes)
    assert any("adjudge.function_model" in note for note in heard.notes)


def test_labels_in_memory_calibrate() -> None:
    frame = FRAME.assign(id=["q1", "q2"])
    run = adjudge.run(frame, judge=JUDGE, model=keen)
    labels = [{"item": "q1", "polite": 5}, {"item": "q2", "polite": 2}]
    found = adjudge.calibrate(run, labels=pd.DataFrame(labels)).criteria["polite"]
    assert found.n == 2
    assert run.import_labels(labels, rater="ana").labels == 2
    run.close()


def test_labels_in_another_encoding_are_read_after_a_warning() -> None:
    run = adjudge.run(FRAME.assign(id=["q1", "q2"]), judge=JUDGE, model=keen)
    text = "item,rater,polite\nq1,배송 담당자 김민수,5\nq2,배송 담당자 김민수,2\n"
    Path("people.csv").write_bytes(text.encode("cp949"))
    said = r"people\.csv is read as CP949 \(Korean, EUC-KR\); if that is wrong, name it"
    with pytest.warns(OtherEncoding, match=said):
        assert adjudge.calibrate(run, labels="people.csv").criteria["polite"].n == 2
    with pytest.warns(OtherEncoding, match=said):
        assert run.import_labels("people.csv").labels == 2
    assert run.import_labels("people.csv#encoding=cp949").labels == 2
    run.close()


def test_a_judge_may_be_a_judge_a_dict_or_a_path() -> None:
    item = {"question": "How?", "answer": "Gladly."}
    loaded = adjudge.load(JUDGE)
    Path("politeness.yaml").write_text(__import__("json").dumps(JUDGE))
    for judge in (JUDGE, loaded, "politeness.yaml", Path("politeness.yaml")):
        verdict = adjudge.judge(judge, item, model=keen)
        assert (verdict.scores["polite"].value, verdict.fingerprint) == (5, loaded.fingerprint)


def test_a_dict_is_checked_like_a_file() -> None:
    wrong = JUDGE | {"criteria": {"polite": JUDGE["criteria"]["polite"] | {"scale": {"type": "x"}}}}
    with pytest.raises(DefinitionError, match=r"criteria\.polite\.scale"):
        adjudge.load(wrong)
    with pytest.raises(DefinitionError, match="what no judge file can hold"):
        adjudge.load(JUDGE | {"title": object()})
    with pytest.raises(UsageError, match="give a name, a file, a Judge or a dict"):
        adjudge.load(7)  # type: ignore[arg-type]


def test_a_dict_keeps_what_yaml_would_take_for_something_else() -> None:
    scale = {"type": "category", "options": ["no", "on", "1e5", "007", "~"]}
    criterion = JUDGE["criteria"]["polite"] | {"scale": scale}
    judge = adjudge.load(JUDGE | {"criteria": {"polite": criterion}})
    assert judge.rubric.criteria["polite"].scale.values() == ("no", "on", "1e5", "007", "~")


def test_a_judge_that_was_changed_is_refused() -> None:
    from dataclasses import replace

    changed = replace(adjudge.load(JUDGE), explain_in="ko")
    with pytest.raises(UsageError, match="changed in Python"):
        adjudge.judge(changed, {"question": "a", "answer": "b"}, model=keen)


def test_rows_in_memory_that_are_wrong_are_named_before_anything_is_asked() -> None:
    def never(messages: list[dict[str, str]]) -> str:
        raise AssertionError

    with pytest.raises(DataError, match="row 2"):
        adjudge.run([{"question": "a", "answer": "b"}, 3], judge=JUDGE, model=never)


def test_a_cluster_sees_neither_rows_nor_functions() -> None:
    with pytest.raises(UsageError, match="cannot see them"):
        adjudge.run(FRAME, judge=JUDGE, model=keen, engine="ray")
    with pytest.raises(UsageError, match="cannot call it"):
        adjudge.run("data.jsonl", judge=JUDGE, model=keen, engine="ray")
