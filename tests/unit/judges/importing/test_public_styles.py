"""Judge prompts in the styles of well-known ones import as meant, and read replies in their form.

MT-bench, Prometheus, RAGAS, LangChain, OpenAI evals, DeepEval, Arena-Hard, AlpacaEval, TruLens,
Phoenix, LogicKor and AlignBench: their placeholders and forms, in words of our own.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from adjudge.core.item import Item
from adjudge.core.reply import Reply
from adjudge.core.scale import Binary, Category, Integer, Number, Scale
from adjudge.judges.importing import KEYS, ImportedJudge, Options, import_prompt
from adjudge.judges.render import Renderer
from adjudge.reading import detect_language
from adjudge.reading.read import read

from . import public_styles as styles


@dataclass(frozen=True)
class Meant:
    """How a prompt is to be understood, with a reply in its form and what that says."""

    text: str
    language: str
    judged: tuple[str, ...]
    scales: dict[str, Scale]
    reply: str
    values: tuple[object, ...]
    why: str | None = None
    form: str = "text"


MEANT = {
    "mt_bench_single": Meant(
        styles.MT_SINGLE, "en", ("answer",), {"rating": Number(1, 10)},
        "It answers what was asked and adds a caveat.\n\nRating: [[8]]", (8,),
        "It answers what was asked and adds a caveat.",
    ),
    "mt_bench_pair": Meant(
        styles.MT_PAIR, "en", ("answer_a", "answer_b"), {"score": Category(("A", "B", "C"))},
        "Both know the date, but B invents a name.\n\n[[A]]", ("A",),
        "Both know the date, but B invents a name.",
    ),
    "prometheus": Meant(
        styles.PROMETHEUS, "en", ("orig_response",), {"score": Integer(1, 5)},
        "Feedback: The response covers all but one detail. [RESULT] 4", (4,),
    ),
    "ragas_faithfulness": Meant(
        styles.RAGAS, "en", ("statement",), {"verdict": Binary()},
        '{"reason": "The context says the opposite.", "verdict": 0}', (False,),
        "The context says the opposite.", "json",
    ),
    "langchain_qa": Meant(
        styles.LANGCHAIN, "en", ("result",), {"grade": Category(("CORRECT", "INCORRECT"))},
        "GRADE: INCORRECT", ("INCORRECT",),
    ),
    "openai_closedqa": Meant(
        styles.CLOSEDQA, "en", ("completion",), {"score": Binary()},
        "It names both causes, as the criterion wants.\n\nY\n\nY", (True,),
    ),
    "deepeval_geval": Meant(
        styles.DEEPEVAL, "en", ("actual_output",), {"score": Number(0, 10)},
        '```json\n{"reason": "It skips the second step.", "score": 6}\n```', (6,),
        "It skips the second step.", "json",
    ),
    "arena_hard": Meant(
        styles.ARENA_HARD, "en", ("answer_1", "answer_2"),
        {"score": Category(("A>>B", "A>B", "A=B", "B>A", "B>>A"))},
        "Mine is 42, and A says 41.\n\nMy final verdict is: [[B>A]]", ("B>A",),
        "Mine is 42, and A says 41.",
    ),
    "alpaca_eval": Meant(
        styles.ALPACA, "en", ("output_1", "output_2"), {"score": Category(("a", "b"))},
        "Output (b)", ("b",),
    ),
    "trulens_relevance": Meant(
        styles.TRULENS, "en", ("response",), {"score": Number(0, 3)},
        "Criteria: relevance\nSupporting Evidence: It names the place.\nScore: 3", (3,),
    ),
    "phoenix_hallucination": Meant(
        styles.PHOENIX, "en", ("output",), {"score": Category(("factual", "hallucinated"))},
        "hallucinated", ("hallucinated",),
    ),
    "logickor": Meant(
        styles.LOGICKOR, "ko", ("answer",), {"score": Number(1, 10)},
        "- 평가: 질문의 핵심을 잘 짚었습니다.\n- 점수: 8", (8,),
    ),
    "vietnamese": Meant(
        styles.VIETNAMESE, "vi", ("ban_dich",), {"diem": Integer(1, 5)},
        "Nhận xét: Bản dịch giữ đúng ý của câu gốc.\nĐiểm: 4", (4,),
        "Bản dịch giữ đúng ý của câu gốc.",
    ),
    "alignbench": Meant(
        styles.ALIGNBENCH, "zh", ("answer",),
        dict.fromkeys(("factuality", "criterion_2", "clarity", "overall"), Number(1, 10)),
        "回答基本正确。\n{'事实正确性': 9, '满足用户需求': 6, '清晰度': 8, '综合得分': 7}",
        (9, 6, 8, 7),
        form="json",
    ),
    "japanese": Meant(
        styles.JAPANESE, "ja", ("answer",), {"score": Integer(1, 5)},
        "理由：質問に正しく答えています。\n評価点：4", (4,), "質問に正しく答えています。",
    ),
}  # fmt: skip


def _take(text: str) -> ImportedJudge:
    return import_prompt(text, Options(name="style", detect=detect_language), "style.txt")


@pytest.fixture(params=MEANT)
def meant(request: pytest.FixtureRequest) -> Meant:
    return MEANT[request.param]


def test_it_is_understood(meant: Meant) -> None:
    judge = _take(meant.text).judge
    assert {name: each.scale for name, each in judge.rubric.criteria.items()} == meant.scales
    assert (judge.judged, judge.language, judge.reply) == (meant.judged, meant.language, meant.form)


def test_its_text_is_kept(meant: Meant) -> None:
    judge = _take(meant.text).judge
    marks = {name: f"<{at}>" for at, name in enumerate(judge.inputs)}
    [prompt] = Renderer(judge, b"secret").prompts(Item("1", marks))
    sent = prompt.messages[-1].content
    assert all(mark in sent for mark in marks.values())
    # What stands before the first brace has nothing to be filled in.
    assert sent.startswith(meant.text[: meant.text.index("{")].rstrip("$"))


def test_a_reply_in_its_form_is_read(meant: Meant) -> None:
    judge = _take(meant.text).judge
    reading = read(judge, tuple(judge.rubric.criteria), Reply(text=meant.reply))
    assert tuple(found.value for found in reading.scores.values()) == meant.values
    if meant.why:
        assert [found.explanation for found in reading.scores.values()] == [meant.why]


def test_every_inference_names_its_words_or_its_remedy(meant: Meant) -> None:
    findings = _take(meant.text).findings.all
    told = {each.what for each in findings}
    assert {"placeholders", "input", "reply", "scale", "language", "explain in"} <= told
    assert {"explanation"} <= told
    for finding in findings:
        if finding.certainty in {"stated", "likely"}:
            assert finding.line >= 1
            assert finding.words
        if finding.certainty == "assumed":
            assert finding.key in KEYS
        assert bool(finding.doubt) == (finding.certainty == "likely")


def test_options_that_differ_by_case_alone_are_no_scale() -> None:
    """Names of models, "m" or "M", cannot be told apart in a reply."""
    text = 'Name the better output, either "m" or "M", and nothing else.\n{output_1}\n{output_2}'
    with pytest.raises(Exception, match="--set scale="):
        _take(text)
