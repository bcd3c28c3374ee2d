from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from adjudge.errors import UsageError
from adjudge.judges.importing import ImportedJudge
from adjudge.judges.importing.options import parse_scale
from adjudge.judges.importing.scales import find_scale

Import = Callable[..., ImportedJudge]


def whole(low: int, high: int) -> dict[str, Any]:
    return {"type": "integer", "min": low, "max": high}


def choice(*options: str) -> dict[str, Any]:
    return {"type": "category", "options": list(options)}


def real(low: float, high: float) -> dict[str, Any]:
    return {"type": "number", "min": low, "max": high}


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("Rate it on a scale of 1-5.", real(1, 5)),
        ("Rate it on a scale from 1 to 10.", real(1, 10)),
        ("Give a score between 0 and 100.", real(0, 100)),
        ("Give a score between 0 and 1 as a float.", real(0, 1)),
        ('Reply with {"score": <number between 0 and 1>}.', real(0, 1)),
        ('Responde con {"score": <número entre 0 y 1>}.', real(0, 1)),
        ("Fluency (1–7): how well it reads.", real(1, 7)),
        ("Give 1 to 5 stars.", real(1, 5)),
        ("Rate from 1 (worst) to 5 (best).", real(1, 5)),
        ("Your score: -2 to 2", real(-2, 2)),
        ("Chấm điểm từ 0.0 đến 10.0.", real(0, 10)),
        ("Theo thang điểm từ 1 đến 5.", real(1, 5)),
        ("1부터 5까지 점수를 매기세요.", real(1, 5)),
        ("1점에서 5점 사이로 평가하세요.", real(1, 5)),
        ("점수는 1~10점입니다.", real(1, 10)),
        ("请从1到5打分。", real(1, 5)),
        ("评分范围为1分至10分。", real(1, 10)),
        ("1から5で評価してください。", real(1, 5)),
        ("1点から10点までのスコア", real(1, 10)),
        ("Chấm CHẶT CHẼ, KHÔNG dễ dãi: 'score' (một trong 0, 0.5, 0.75, 1.0)", real(0, 1)),
        ("根拠を評価し、0.0から1.0の数値だけを返してください。", real(0, 1)),
        ("Bewerte auf einer Skala von 1-6.", real(1, 6)),
        ("Please rate the reply on a scale of\n1 to 7.", real(1, 7)),
        ("Assign a score of 1, 2, 3 or 4.", whole(1, 4)),
        ("Return a verdict of 1 if it holds and 0 if it does not.", {"type": "binary"}),
        ("Give an integer 1..5 for the draft.", whole(1, 5)),
        ("Output TRUE, FALSE or NOT ENOUGH INFO.", choice("TRUE", "FALSE", "NOT ENOUGH INFO")),
        ("Is it consistent? Y or N.", {"type": "binary"}),
        ("Welche ist besser? Antworte mit „A“, „B“ oder „gleich“.", choice("A", "B", "gleich")),
        ("输出“选择：A”、“选择：B”或“选择：平局”。", choice("A", "B", "平局")),
        ("属于哪一类：A. 完全正确 B. 部分正确 C. 错误。只输出字母。", choice("A", "B", "C")),
        ("Is it (A) a subset, (B) a superset or (C) the same? Give the letter.", choice(*"ABC")),
        ("상, 중, 하 중 하나만 출력하세요.", choice("상", "중", "하")),
        ("重要度を大、小、皆無のいずれかで答えてください。", choice("大", "小", "皆無")),
        ("请给出: 甲、乙、丙之一。", choice("甲", "乙", "丙")),
        ("「支持」「反駁」「不明」のいずれかで判定してください。", choice("支持", "反駁", "不明")),
        ("Trả về 1 nếu nó nêu nguồn, ngược lại trả về 0.", {"type": "binary"}),
        ('Answer with either "factual" or "made up".', choice("factual", "made up")),
        ('Respond with "good", "fair" or "poor".', choice("good", "fair", "poor")),
        ("Grade it as PASS or FAIL.", choice("PASS", "FAIL")),
        ("Say whether it is either helpful or harmful.", choice("helpful", "harmful")),
        ('Trả lời "đúng" hoặc "sai".', choice("đúng", "sai")),
        ("“정확” 또는 “부정확”으로 답하세요.", choice("정확", "부정확")),
        ("请回答“正确”或“错误”。", choice("正确", "错误")),
        ("「適切」または「不適切」と答えてください。", choice("適切", "不適切")),
        ("Answer 'yes' or 'no'.", {"type": "binary"}),
        ("예 또는 아니오로 답하세요.", {"type": "binary"}),
        ("Trả lời có hoặc không.", {"type": "binary"}),
        ("请回答是或否。", {"type": "binary"}),
        ("「はい」か「いいえ」で答えてください。", {"type": "binary"}),
        (
            'Output "[[A]]" if A is better, "[[B]]" if B is better and "[[C]]" for a tie.',
            {"type": "category", "options": ["A", "B", "C"]},
        ),
    ],
)
def test_scales_in_words(text: str, scale: dict[str, Any]) -> None:
    found = find_scale(text)
    assert found is not None
    assert found.scale == scale


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("Bewerte die Antwort auf einer Skala von 1 bis 5.", real(1, 5)),
        ("Vergib zwischen 0 und 10 Punkten.", real(0, 10)),
        ("Notez la réponse de 1 à 10.", real(1, 10)),
        ("Attribue une note entre 0 et 10.", real(0, 10)),
        ("Donne une note sur 20.", real(0, 20)),
        ("Califica de 0 a 10 la respuesta.", real(0, 10)),
        ("Asigna una puntuación entre 0 y 100.", real(0, 100)),
        ("Dê uma nota de 0 a 10.", real(0, 10)),
        ("Đưa ra một số nguyên từ 0 đến 50 điểm.", whole(0, 50)),
        ("답변을 10점 만점으로 평가하세요.", real(0, 10)),
        ("Chấm theo thang điểm 10.", real(0, 10)),
        ("满分10分，请打分。", real(0, 10)),
        ("100点満点で採点してください。", real(0, 100)),
        ("５段階で評価してください。", whole(1, 5)),
        ("回答を1,2,3,4,5の5段階で採点してください。", whole(1, 5)),
        ("Rate the answer out of 10.", real(0, 10)),
        ("Clarity: ?/5", real(0, 5)),
        ("Score: X/10", real(0, 10)),
        ("Score from 1 to 10. Give a score of 0 if it is empty.", real(0, 10)),
        ("1~10의 점수를 준다. 다른 언어라면 점수는 0점 처리된다.", real(0, 10)),
        ("Rate it from 0 to 5. Return -1 if the text is missing.", real(-1, 5)),
        ("Score 1-5. Deduct a score of 0 for nothing.", real(1, 5)),
        ("9-10: excellent\n7-8: good\n4-6: fair\n0-3: bad", real(0, 10)),
        ("- **1.0** → all of it\n- **0.75** → most\n- **0.0** → nothing", real(0, 1)),
        ("A score from 0 to 1 (0 = useless, 1 = perfect).", real(0, 1)),
        ("Answer TRUE or FALSE.", {"type": "binary"}),
        ('"verdict": "yes|no"', {"type": "binary"}),
        ("Answer [[1]] if it is right and [[0]] if not.", {"type": "binary"}),
        ("Answer 'yes' if it matches. Answer 'no' otherwise.", {"type": "binary"}),
        ("Réponds par « oui » ou « non ».", {"type": "binary"}),
        ('Reply with exactly one of: "A", "B" ou "tie".', choice("A", "B", "tie")),
        ('{"winner": "A" | "B" | "tie"}', choice("A", "B", "tie")),
        ("veredicto: CORRECTA | INCOMPLETA", choice("CORRECTA", "INCOMPLETA")),
        ("결과: [pass 또는 fail]", choice("pass", "fail")),
        ("选择：A/B/平局", choice("A", "B", "平局")),
        ("Say which is better: A/SAME/B", choice("A", "SAME", "B")),
        ('Pick "A++", "A+", "tie", "B+" or "B++".', choice("A++", "A+", "tie", "B+", "B++")),
        (
            'Respond with "Response 1", "Response 2" or "Tie".',
            choice("Response 1", "Response 2", "Tie"),
        ),
        ("Grade it as one of:\nA: CORRECT\nB: WRONG\nC: NOT_TRIED", choice("A", "B", "C")),
        ("Choose one option:\n(A) It is a subset.\n(B) It is a superset.", choice("A", "B")),
        ("Respond with PASS, FAIL, or UNSURE.", choice("PASS", "FAIL", "UNSURE")),
        ('Antworte mit "richtig" oder "falsch".', choice("richtig", "falsch")),
    ],
)
def test_scales_as_they_stand_in_public_prompts(text: str, scale: dict[str, Any]) -> None:
    found = find_scale(text)
    assert found is not None
    assert found.scale == scale


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("1 = Không đạt, 2 = Ranh giới, 3 = Đạt", ["Không đạt", "Ranh giới", "Đạt"]),
        ("Bewerte: 0 (schlecht), 1 (mittel), 2 (gut).", ["schlecht", "mittel", "gut"]),
        ("５段階から選ぶ。\n1. 退屈 - つまらない\n2. 普通 - まあ\n3. 面白い - よい", None),
        ("One star: bad\nTwo stars: fine\nThree stars: great", ["bad", "fine", "great"]),
    ],
)
def test_levels_without_lines_of_their_own_sign(text: str, levels: list[str] | None) -> None:
    found = find_scale(text)
    assert found is not None
    assert found.scale["type"] == "ordinal"
    if levels:
        assert list(found.scale["levels"].values()) == levels


@pytest.mark.parametrize(
    "text",
    [
        'Typos are fine, for example "Jon Smith", "John Smyth" or "Jon Smyth".',
        "Do NOT say both / neither are good.",
        "Compare the input/output pairs of the question/answer set.",
        "State your confidence from 0 to 100.",
    ],
)
def test_examples_and_asides_are_no_choice(text: str) -> None:
    assert find_scale(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "List 2-3 specific strengths.",
        "Write 1-2 sentences.",
        "It happened in 1990-1995.",
        "Say whether the answer is good.",
        "1. Read the question.\n2. Read the answer.\n3. Compare.",
        "Chapters 4-9 matter.",
        'The keys "name", "output" and "id" stand in the file.',
        "It quotes “now” or “then” in passing.",
        "Bring 1, 2 or 3 apples.",
        "Step one.\n1-5 follow later",
    ],
)
def test_other_numbers_are_no_scale(text: str) -> None:
    assert find_scale(text) is None


LEVELS = {1: "poor", 2: "fair", 3: "good"}


@pytest.mark.parametrize(
    "text",
    [
        "1: poor\n2: fair\n3: good",
        "- 3: good\n- 2: fair\n- 1: poor",
        "1 = poor\n2 = fair\n3 = good",
        "1 - poor\n2 - fair\n3 - good",
        "**1**: poor\n**2**: fair\n**3**: good",
        "Score 1: poor\nScore 2: fair\nScore 3: good",
        "1: The essay is poor.\n2: The essay is fair.\n3: The essay is good.",
    ],
)
def test_labelled_levels(text: str) -> None:
    found = find_scale(text)
    assert found is not None
    assert found.scale == {"type": "ordinal", "levels": LEVELS}


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("1점: 매우 나쁨\n2점: 보통\n3점: 매우 좋음", ["매우 나쁨", "보통", "매우 좋음"]),
        ("1 điểm: kém\n2 điểm: khá\n3 điểm: tốt", ["kém", "khá", "tốt"]),
        ("1分：差\n2分：一般\n3分：好", ["差", "一般", "好"]),
        ("1点：悪い\n2点：普通\n3点：良い", ["悪い", "普通", "良い"]),
    ],
)
def test_labelled_levels_in_other_languages(text: str, labels: list[str]) -> None:
    found = find_scale(text)
    assert found is not None
    assert list(found.scale["levels"].values()) == labels


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("-2: much worse\n-1: worse\n0: same\n1: better\n2: much better\n", [-2, -1, 0, 1, 2]),
        ("2 = right\n1 = partly\n0 = wrong\n-1 = cannot be judged\n", [-1, 0, 1, 2]),
        ("Compare (-1 = worse, 0 = same, 1 = better).", [-1, 0, 1]),
        ("-1: bad\n-2: fair\n-3: good\n", [1, 2, 3]),  # bullets
        ("- 0: bad\n- 1: fair\n- 2: good\n", [0, 1, 2]),
    ],
)
def test_levels_below_zero(text: str, values: list[int]) -> None:
    found = find_scale(f"Rate it.\n{text}")
    assert found is not None
    assert sorted(found.scale["levels"]) == values


def test_levels_with_meanings() -> None:
    found = find_scale(
        "- A score of 0 (no) means it is off topic.\n- A score of 1 (yes) means it fits."
    )
    assert found is not None
    assert found.scale["levels"][0] == {"label": "no", "meaning": "it is off topic"}


def test_levels_told_in_sentences_are_whole_numbers() -> None:
    found = find_scale(
        "1: The reply has nothing at all to do with it and misleads its reader\n"
        "2: The reply has most of what was asked and reads quite well on the whole"
    )
    assert found is not None
    assert found.scale == whole(1, 2)


def test_some_levels_of_a_wider_range_are_not_the_scale() -> None:
    found = find_scale("Score from 1 to 10.\n1: poor\n2: weak\n")
    assert found is not None
    assert found.scale == real(1, 10)


def test_a_rival_is_reported(take: Import) -> None:
    text = "Rate from 1 to 5. Rate from 1 to 5. Once we scored from 1 to 10.\n{answer}"
    imported = take(text)
    assert "1 to 10 stands there too" in "\n".join(imported.findings.lines())


def test_no_scale_is_an_error_with_a_remedy(take: Import) -> None:
    with pytest.raises(UsageError, match="--set scale="):
        take("Say how good it is.\n{answer}")


@pytest.mark.parametrize(
    ("given", "scale"),
    [
        ("1-5", whole(1, 5)),
        ("0.0-10.0", real(0, 10)),
        ("-1..1", whole(-1, 1)),
        ("yes/no", {"type": "binary"}),
        ("a/b/tie", {"type": "category", "options": ["a", "b", "tie"]}),
        ("1=bad, 2=good", {"type": "ordinal", "levels": {1: "bad", 2: "good"}}),
    ],
)
def test_scales_that_are_set(given: str, scale: dict[str, Any]) -> None:
    assert parse_scale(given) == scale


@pytest.mark.parametrize("given", ["good", "1=", "x=bad"])
def test_no_scale_at_all(given: str) -> None:
    with pytest.raises(UsageError, match="no scale"):
        parse_scale(given)
