"""Every form in which a prompt names its scale is understood in every language.

A row per form, a sentence per language. A form that one language lacks is a hole in the
vocabulary.
"""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.judges.importing.scales import find_scale
from adjudge.judges.importing.vocabulary import LANGUAGES

BINARY = {"type": "binary"}


def real(low: float, high: float) -> dict[str, Any]:
    return {"type": "number", "min": low, "max": high}


def whole(low: int, high: int) -> dict[str, Any]:
    return {"type": "integer", "min": low, "max": high}


def choice(*options: str) -> dict[str, Any]:
    return {"type": "category", "options": list(options)}


FORMS: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "a scale from, to": (real(1, 5), {
        "en": "Rate how clear it is on a scale from 1 to 5.",
        "ko": "얼마나 명확한지 1점에서 5점까지의 척도로 매기세요.",
        "vi": "Hãy chấm độ rõ ràng theo thang điểm từ 1 đến 5.",
        "zh": "请在1到5的量表上评价其清晰程度。",
        "ja": "わかりやすさを1から5の尺度で評価してください。",
        "de": "Bewerte die Klarheit auf einer Skala von 1 bis 5.",
        "fr": "Évaluez la clarté sur une échelle de 1 à 5.",
        "es": "Evalúa la claridad en una escala del 1 al 5.",
        "pt": "Avalie a clareza em uma escala de 1 a 5.",
    }),
    "a score from, to": (real(0, 10), {
        "en": "Give it a score from 0 to 10.",
        "ko": "0부터 10까지 점수를 주세요.",
        "vi": "Cho điểm từ 0 đến 10.",
        "zh": "请给出0至10分的评分。",
        "ja": "0点から10点のスコアをつけてください。",
        "de": "Vergib eine Punktzahl von 0 bis 10.",
        "fr": "Donnez une note de 0 à 10.",
        "es": "Asigna una nota de 0 a 10.",
        "pt": "Atribua uma nota de 0 a 10.",
    }),
    "between": (real(0, 100), {
        "en": "Assign a score between 0 and 100.",
        "ko": "0점과 100점 사이의 점수를 부여하세요.",
        "vi": "Chấm điểm trong khoảng 0 đến 100.",
        "zh": "打一个介于0和100之间的分数。",
        "ja": "0と100の間のスコアを付けてください。",
        "de": "Vergib eine Note zwischen 0 und 100.",
        "fr": "Attribuez une note entre 0 et 100.",
        "es": "Otorga una puntuación entre 0 y 100.",
        "pt": "Dê uma pontuação entre 0 e 100.",
    }),
    "a range in brackets": (real(1, 10), {
        "en": "Score (1-10):",
        "ko": "점수 (1~10):",
        "vi": "Điểm (1-10):",
        "zh": "评分（1-10分）：",
        "ja": "スコア（1〜10点）：",
        "de": "Punkte (1–10):",
        "fr": "Note (1-10) :",
        "es": "Puntuación (1-10):",
        "pt": "Nota (1-10):",
    }),
    "an interval": (real(0, 1), {
        "en": "The score lies in [0, 1].",
        "ko": "점수는 [0, 1] 범위입니다.",
        "vi": "Điểm nằm trong [0, 1].",
        "zh": "分数属于 [0, 1]。",
        "ja": "スコアは [0, 1] です。",
        "de": "Der Score liegt in [0, 1].",
        "fr": "La note est dans [0, 1].",
        "es": "La nota está en [0, 1].",
        "pt": "A nota fica em [0, 1].",
    }),
    "the highest alone": (real(0, 20), {
        "en": "Rate the essay out of 20.",
        "ko": "글을 20점 만점으로 평가하세요.",
        "vi": "Chấm bài viết theo thang điểm 20.",
        "zh": "请给作文打分，满分20分。",
        "ja": "作文を20点満点で採点してください。",
        "de": "Bewerte den Aufsatz mit maximal 20 Punkten.",
        "fr": "Donnez à la rédaction une note sur 20.",
        "es": "Califica la redacción sobre 20.",
        "pt": "Dê à redação no máximo 20 pontos, com nota máxima de 20.",
    }),
    "a number of steps": (whole(1, 5), {
        "en": "Judge it on a 5-point Likert scale.",
        "ko": "5단계로 평가하세요.",
        "vi": "Đánh giá theo thang 5 mức.",
        "zh": "请按5个等级评价。",
        "ja": "5段階で評価してください。",
        "de": "Bewerte auf einer 5-stufigen Skala.",
        "fr": "Évaluez sur une échelle de 5 points.",
        "es": "Evalúa con una escala de 5 puntos.",
        "pt": "Avalie com uma escala de 5 pontos.",
    }),
    "whole numbers": (whole(1, 7), {
        "en": "Answer with an integer score from 1 to 7.",
        "ko": "1부터 7까지의 정수로 점수를 주세요.",
        "vi": "Cho điểm là số nguyên từ 1 đến 7.",
        "zh": "请给出1到7之间的整数评分。",
        "ja": "1から7までの整数で採点してください。",
        "de": "Vergib eine ganze Zahl von 1 bis 7 als Note.",
        "fr": "Donnez comme note un nombre entier de 1 à 7.",
        "es": "Da como nota un número entero del 1 al 7.",
        "pt": "Dê como nota um número inteiro de 1 a 7.",
    }),
    "levels in a sentence": ({"type": "ordinal"}, {
        "en": "Rate it: 1 = poor, 2 = fair, 3 = good.",
        "ko": "평가: 1 = 나쁨, 2 = 보통, 3 = 좋음.",
        "vi": "Đánh giá: 1 = kém, 2 = khá, 3 = tốt.",
        "zh": "评分：1=差，2=一般，3=好。",
        "ja": "評価：1＝悪い、2＝普通、3＝良い。".replace("＝", "="),
        "de": "Bewertung: 1 (schlecht), 2 (mittel), 3 (gut).",
        "fr": "Note : 1 = mauvais, 2 = moyen, 3 = bon.",
        "es": "Nota: 1 = malo, 2 = regular, 3 = bueno.",
        "pt": "Nota: 1 = ruim, 2 = regular, 3 = bom.",
    }),
    "levels by line": ({"type": "ordinal"}, {
        "en": "Score 1: poor\nScore 2: fair\nScore 3: good",
        "ko": "1점: 나쁨\n2점: 보통\n3점: 좋음",
        "vi": "1 điểm: kém\n2 điểm: khá\n3 điểm: tốt",
        "zh": "1分：差\n2分：一般\n3分：好",
        "ja": "1点：悪い\n2点：普通\n3点：良い",
        "de": "1 Punkt: schlecht\n2 Punkte: mittel\n3 Punkte: gut",
        "fr": "1 point : mauvais\n2 points : moyen\n3 points : bon",
        "es": "1 punto: malo\n2 puntos: regular\n3 puntos: bueno",
        "pt": "1 ponto: ruim\n2 pontos: regular\n3 pontos: bom",
    }),
    "both ends with words": (real(1, 5), {
        "en": "Give a rating where 1 is the worst and 5 is the best.",
        "ko": "1은 최저, 5는 최고로 점수를 매기세요.",
        "vi": "Cho điểm, trong đó 1 là tệ nhất và 5 là tốt nhất.",
        "zh": "请打分，1表示最差，5表示最好。",
        "ja": "1が最低、5が最高として採点してください。",
        "de": "Vergib eine Note, wobei 1 die schlechteste und 5 die beste ist.",
        "fr": "Donnez une note où 1 est la pire et 5 est la meilleure.",
        "es": "Da una nota donde 1 es lo peor y 5 es lo mejor.",
        "pt": "Dê uma nota em que 1 é o pior e 5 é o melhor.",
    }),
    "a zero beside the range": (real(0, 5), {
        "en": "Score from 1 to 5. Give a score of 0 if it is empty.",
        "ko": "1~5점으로 채점하세요. 비어 있으면 0점을 부여하세요.",
        "vi": "Chấm từ 1 đến 5 điểm. Nếu bỏ trống thì cho 0 điểm.",
        "zh": "打1到5分。如果为空，给0分。",
        "ja": "1点から5点で採点してください。空の場合は0点とする。",
        "de": "Vergib 1 bis 5 Punkte. Gib 0 Punkte, wenn nichts da steht.",
        "fr": "Notez de 1 à 5. Donnez 0 si la réponse est vide.",
        "es": "Puntúa de 1 a 5. Asigna 0 si está vacía.",
        "pt": "Dê nota de 1 a 5. Atribua 0 se estiver vazia.",
    }),
    "one if, else zero": (BINARY, {
        "en": "Return 1 if it is right, 0 otherwise.",
        "ko": "맞으면 1, 그렇지 않으면 0을 출력하세요.",
        "vi": "Trả về 1 nếu đúng, 0 nếu sai.",
        "zh": "如果正确输出1，否则输出0。",
        "ja": "正しければ1を出力、それ以外は0を出力してください。",
        "de": "Gib 1 aus, wenn es stimmt, sonst 0.",
        "fr": "Réponds 1 si c'est juste, 0 sinon.",
        "es": "Responde 1 si es cierto, 0 en caso contrario.",
        "pt": "Responda 1 se estiver certo, 0 caso contrário.",
    }),
    "yes or no": (BINARY, {
        "en": "Answer yes or no.",
        "ko": "예 또는 아니오로 답하세요.",
        "vi": "Trả lời có hoặc không.",
        "zh": "请回答是或否。",
        "ja": "はいかいいえで答えてください。",
        "de": "Antworte mit ja oder nein.",
        "fr": "Réponds par oui ou non.",
        "es": "Responde sí o no.",
        "pt": "Responda sim ou não.",
    }),
    "two quoted words": ({"type": "category"}, {
        "en": 'Answer with "correct" or "incorrect".',
        "ko": '"정답" 또는 "오답"으로 답하세요.',
        "vi": 'Trả lời "đạt" hoặc "không đạt".',
        "zh": "请回答“正确”或“错误”。",
        "ja": "「正解」または「不正解」と答えてください。",
        "de": 'Antworte mit "richtig" oder "falsch".',
        "fr": "Réponds par « correct » ou « incorrect ».",
        "es": 'Responde "correcto" o "incorrecto".',
        "pt": 'Responda "correto" ou "incorreto".',
    }),
    "two of a pair and a tie": (choice("A", "B", "tie"), {
        "en": 'Output "A", "B" or "tie".',
        "ko": '"A", "B" 또는 "tie"를 출력하세요.',
        "vi": 'Trả về "A", "B" hoặc "tie".',
        "zh": "请输出“A”、“B”或“tie”。",
        "ja": "「A」「B」または「tie」を出力してください。",
        "de": 'Gib "A", "B" oder "tie" aus.',
        "fr": 'Réponds "A", "B" ou "tie".',
        "es": 'Responde "A", "B" o "tie".',
        "pt": 'Responda "A", "B" ou "tie".',
    }),
    "a word by its condition": (choice("PASS", "FAIL"), {
        "en": 'Say "PASS" if it holds, otherwise "FAIL".',
        "ko": '맞으면 "PASS", 아니면 "FAIL"을 출력하세요.',
        "vi": 'Nếu đạt thì trả về "PASS", ngược lại "FAIL".',
        "zh": "如果通过，输出“PASS”，否则输出“FAIL”。",
        "ja": "基準を満たす場合は「PASS」、それ以外は「FAIL」と出力。",
        "de": 'Wenn es stimmt, antworte "PASS", sonst "FAIL".',
        "fr": 'Si c\'est juste, réponds "PASS", sinon "FAIL".',
        "es": 'Si se cumple, responde "PASS"; de lo contrario "FAIL".',
        "pt": 'Se estiver certo, responda "PASS"; caso contrário, "FAIL".',
    }),
    "one of a list": (choice("alpha", "beta", "gamma"), {
        "en": "Choose exactly one of: alpha, beta, gamma",
        "ko": "다음 중 하나: alpha, beta, gamma",
        "vi": "Chọn một trong các nhãn: alpha, beta, gamma",
        "zh": "只能是以下类别之一：alpha、beta、gamma",
        "ja": "次のいずれか：alpha、beta、gamma",
        "de": "Wähle eine der folgenden Klassen: alpha, beta, gamma",
        "fr": "Choisis l'une des classes suivantes : alpha, beta, gamma",
        "es": "Elige una de las siguientes clases: alpha, beta, gamma",
        "pt": "Escolha uma das seguintes classes: alpha, beta, gamma",
    }),
}  # fmt: skip

NO_SCALE: dict[str, dict[str, str]] = {
    "how sure the judge is": {
        "en": "State your confidence from 0 to 100.",
        "ko": "신뢰도를 0에서 100까지 적으세요.",
        "vi": "Ghi độ tin cậy từ 0 đến 100.",
        "zh": "请给出0到100的置信度：置信度0到100。",
        "ja": "確信度を0から100で書いてください。",
        "de": "Nenne deine Konfidenz von 0 bis 100.",
        "fr": "Indiquez votre confiance de 0 à 100.",
        "es": "Indica tu confianza de 0 a 100.",
        "pt": "Indique sua confiança de 0 a 100.",
    },
    "what is counted": {
        "en": "Write 1-2 sentences.",
        "ko": "1-2문장으로 쓰세요.",
        "vi": "Viết 1-2 câu.",
        "zh": "写1-2句话。",
        "ja": "1-2文で書いてください。",
        "de": "Schreibe 1-2 Sätze.",
        "fr": "Écrivez 1-2 phrases.",
        "es": "Escribe 1-2 frases.",
        "pt": "Escreva 1-2 frases.",
    },
}  # fmt: skip

CASES = [(form, code) for form in FORMS for code in LANGUAGES]


@pytest.mark.parametrize(("form", "code"), CASES)
def test_every_form_in_every_language(form: str, code: str) -> None:
    meant, sentences = FORMS[form]
    scale = find_scale(sentences[code])
    assert scale is not None
    assert {key: scale.scale[key] for key in meant} == meant


@pytest.mark.parametrize(
    ("what", "code"), [(what, code) for what in NO_SCALE for code in LANGUAGES]
)
def test_what_is_no_scale_in_any_language(what: str, code: str) -> None:
    assert find_scale(NO_SCALE[what][code]) is None
