"""Which of a prompt's inputs is judged, by their names and the labels before them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .naming import slug

# The parts of a name that tell what the judge is to grade, and those that tell the opposite.
_JUDGED = frozenset(
    [
        "answer", "answers", "response", "responses", "output", "outputs", "summary", "completion",
        "generated", "generation", "prediction", "predicted", "reply", "candidate", "translation",
        "hypothesis", "essay", "submission", "actual", "solution", "assistant", "agent", "chatbot",
        "cau_tra_loi", "tra_loi", "tom_tat", "ban_dich", "bai_lam", "antwort", "story",
        "continuation", "code", "result", "resultado", "resultat", "ergebnis", "ket_qua",
        "copie", "artifact", "statement", "claim", "student", "user_text", "usertext",
        "user_answer", "transcript",
        "candidat", "respuesta", "reponse", "resposta", "ensayo", "redacao", "redaccion",
        "aufsatz", "losung",
        "schuler", "prufling", "alumno", "aluno", "eleve", "estudiante", "bai_viet",
        "hoc_sinh", "hoc_vien", "thi_sinh",
        "zusammenfassung", "ubersetzung", "resumen", "traduccion", "resumo", "traducao",
        "resume", "traduction",
        "steps_taken", "trajectory", "interview", "review", "text_to_evaluate", "llm_message",
        "bot_message", "assistant_message", "agent_message",
        "affirmation", "afirmacion", "afirmacao", "behauptung", "aussage",
        "draft", "report",
        "candidate_answer", "phan_hoi", "loi_giai", "feedback_text", "message_to_evaluate",
        "rewrite", "paraphrase", "caption", "answer_text", "respuestas", "reponses",
        "respostas", "ausgabe", "salida",
        "saida", "sortie",
    ]
)  # fmt: skip
# The same in words without Latin letters, as they stand in labels.
_SAYS_JUDGED = re.compile(
    r"답변|응답|제출|작성한|모델 출력|요약문|번역문|회답|학생|사용자 답|지원자|回答|答案|学生"
    r"|考生|候选人|作文|译文|摘要|输出|応答|解答|受験者|要約|翻訳|提出"
    r"|(?:câu|bài) (?:trả lời|làm|viết|dịch)|học (?:sinh|viên)|thí sinh|ứng viên|trợ lý"
)
_SAYS_GIVEN = re.compile(
    r"질문|문제|정답|모범|기대|예상 답|참고|참조|기준|문맥|맥락|배경|원문|지시|问题|題目|题目"
    r"|参考|标准|正确答案|期望|预期|上下文|背景|原文|评分|要求"
    r"|質問|問題|正解|模範|参照|参考|期待|基準|文脈|指示|背景"
    r"|câu hỏi|đề bài|mong đợi|kỳ vọng|đáp án (?:đúng|mẫu|chuẩn)|chuẩn|mẫu|tham (?:khảo|chiếu)"
    r"|ngữ cảnh|bối cảnh|tiêu chí|\bfact"
    r"|musterlösung|erwartet|referenz|frage|aufgabe|kontext|kriteri|attendu|référence|question"
    r"|contexte|consigne|corrigé"
    r"|esperad|referencia|pregunta|contexto|gabarito|referência|pergunta|enunciado"
    r"|modelo de respuesta",
    re.IGNORECASE,
)
_GIVEN = frozenset(
    [
        "question", "source", "context", "reference", "true", "gold", "golden", "expected",
        "ground", "truth", "correct", "ideal", "target", "document", "fact", "history", "input",
        "instruction", "instructions", "query", "focus", "criteria", "criterion", "rubric",
        "chuan", "mau", "ref", "original", "sample", "example", "references", "knowledge",
        "documents", "contexts", "passage",
        "prompt", "task", "topic", "title", "description", "mong_doi", "ky_vong", "dap_an",
        "cau_hoi", "de_bai",
        "musterlosung", "muster", "erwartet", "erwartete", "referenz", "frage", "aufgabe",
        "kontext", "kriterien",
        "attendu", "attendue", "contexte", "consigne", "esperada", "esperado", "referencia",
        "pregunta", "contexto",
        "gabarito", "pergunta", "enunciado", "expectedanswer", "correctanswer",
        "referenceanswer", "modelanswer",
        "groundtruth", "expectedoutput", "type", "tarea", "tema", "tache", "requirement",
        "requirements", "request", "evidence", "chunk", "chunks", "passages", "retrieved",
        "yeu_cau", "ngu_canh", "boi_canh", "tieu_chi", "sujet", "thema", "instruccion",
        "instrucao", "goal", "scenario", "policy", "conversation_history", "chat_history",
        "background", "metadata", "language", "standard", "key", "steps", "rubrics",
        "guidelines", "max",
    ]
)  # fmt: skip
# Judged where nothing else is.
_SPOKEN = frozenset(
    ["conversation", "dialogue", "dialog", "chat", "messages", "text", "content", "article",
     "article_text", "texto", "texte",
     "van_ban", "hoi_thoai"]
)  # fmt: skip
# Never judged, whatever else a name says.
_EXPECTED = frozenset(
    ["expected", "reference", "references", "gold", "golden", "truth", "ideal", "ref",
     "correct", "target", "musterlosung",
     "gabarito", "referenz", "referencia", "expectedanswer", "correctanswer", "groundtruth"]
)  # fmt: skip
# What a search found: judged where a question stands beside it, and nothing that answers it.
_FOUND_TEXTS = frozenset(
    ["document", "documents", "context", "contexts", "passage", "passages", "chunk", "chunks",
     "retrieved", "retrieval", "evidence", "kontext", "contexte", "contexto", "ngu_canh", "snippet"]
)  # fmt: skip
_ASKED = frozenset(
    ["question", "query", "input", "instruction", "task", "prompt", "request", "frage", "pregunta",
     "pergunta", "cau_hoi", "topic", "goal"]
)  # fmt: skip
# Who hands in what is judged.
_PEOPLE = frozenset(
    ["student", "user", "candidate", "learner", "submission", "submitted", "essay", "schuler",
     "prufling", "alumno", "aluno", "eleve", "estudiante", "hoc_sinh", "hoc_vien", "thi_sinh"]
)  # fmt: skip
_LABEL = re.compile(r"([^\n:：{}<>\[\]]{1,60})[\])*_]*\s?[:：][*_]*\s*[\"'“«`]{0,3}\s?$")


@dataclass(frozen=True, slots=True)
class JudgedInputs:
    """The judged inputs; `named` says whether their own names tell, else `why` tells what did."""

    names: tuple[str, ...]
    named: bool = True
    why: str = ""


def choose_judged(  # noqa: PLR0911 - a way of telling each
    titles: Mapping[str, str], first: Mapping[str, int], text: str
) -> JudgedInputs | None:
    """The inputs that are judged; None where nothing tells. `first` is where each stands."""
    labels = {name: _label(text, at) for name, at in first.items()}
    judged = [name for name in titles if _is_judged(titles[name], labels[name])]
    if judged:
        return JudgedInputs(tuple(_without_models(judged, titles, labels)))
    spoken = [name for name in titles if set(name.split("_")) & _SPOKEN]
    if len(spoken) == 1:
        return JudgedInputs(tuple(spoken))
    if len(titles) == 1:
        return JudgedInputs(tuple(titles))
    references = {name for name in titles if _is_given(titles[name], labels[name])}
    rest = [name for name in titles if name not in references]
    if len(rest) == 1:
        return JudgedInputs(
            tuple(rest), named=False, why="not named so; the other inputs are what it is judged by"
        )
    if not any(_parts_of(titles[name]) & (_EXPECTED | _ASKED | _FOUND_TEXTS) for name in titles):
        return JudgedInputs(tuple(titles), named=False, why="no name tells the inputs apart")
    passages = [name for name in titles if _parts_of(titles[name]) & _FOUND_TEXTS]
    asked = [name for name in titles if _parts_of(titles[name]) & _ASKED]
    if len(passages) == 1 and asked:
        return JudgedInputs(
            tuple(passages), named=False, why="not named so; there is no answer beside it"
        )
    return None


def _is_judged(title: str, label: str) -> bool:
    """By its name, unless the label before it says more: "True answer: {answer}" is given."""
    own = _parts(title)
    if sounds_given(own):
        return False
    said = slug(label)
    if not said and not label:
        return sounds_judged(own)
    if _SAYS_GIVEN.search(label) or (sounds_given(said) and not sounds_judged(own)):
        # "사용자 답변" beside "기대 답변": the label of the expected one says so itself.
        return False
    if set(said.split("_")) & (
        _GIVEN - {"task", "key", "title", "description", "steps", "standard"}
    ):
        return False
    return sounds_judged(own) or sounds_judged(said) or bool(_SAYS_JUDGED.search(label.casefold()))


def _label(text: str, at: int) -> str:
    """The label before a placeholder, in its own line or in the one above that ends in a colon or
    is a heading; "" where there is none."""
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at]
    label = _LABEL.search(line)
    if label:
        return label[1].strip()
    if line.strip(" \t\"'`<>*{("):
        return ""
    above = text[max(0, start - 200) : start].rstrip()
    row = above.rpartition("\n")[2].strip()
    if row.startswith("```"):
        row = above[: len(above) - len(row)].rstrip().rpartition("\n")[2].strip()
    marked = re.fullmatch(
        r"(?:#+|\*\*|\[|【|<+|-+|=+)?\s*(?P<label>[^\n]{1,50}?)\s*(?:[:：]?\*\*|\]|】|>+|-+|=+"
        r"|[:：])*",
        row,
    )
    heading = row.startswith(("#", "**", "[", "【", "<", "---", "===")) or row.endswith((":", "："))
    return marked["label"].strip("#*[]【】<>:：- =") if heading and marked else ""


def _without_models(
    judged: Sequence[str], titles: Mapping[str, str], labels: Mapping[str, str]
) -> list[str]:
    """Beside what a student handed in, a model answer is the one to compare with."""
    said = {name: _parts_of(titles[name]) | set(slug(labels[name]).split("_")) for name in judged}
    people = [name for name in judged if said[name] & _PEOPLE]
    if not people:
        return list(judged)
    return [name for name in judged if name in people or not said[name] & {"model", "solution"}]


def _is_given(title: str, label: str) -> bool:
    """Whether it is a question, a context, a rubric or an expected answer."""
    parts = _parts_of(title) | set(slug(label).split("_"))
    return bool(parts & _GIVEN) or bool(_SAYS_GIVEN.search(label))


def sounds_like_input(title: str) -> bool:
    """Whether a name is one of those that inputs have, judged or given."""
    parts = _parts_of(title)
    return bool(parts & (_JUDGED | _GIVEN | _SPOKEN)) and len(title.split()) <= 3


def _parts_of(title: str) -> set[str]:
    name = _parts(title)
    return {*name.split("_"), name}


def _parts(name: str) -> str:
    """expectedAnswer → expected_answer."""
    return slug(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name))


def sounds_given(name: str) -> bool:
    """Whether a name is that of something the judged text is compared with."""
    return bool(set(name.split("_")) & _EXPECTED)


def sounds_judged(name: str) -> bool:
    """Whether a name is that of the graded text: "agent_answer", but not "true_answer"."""
    parts = set(name.split("_"))
    answers = parts & _JUDGED or any(word in name for word in _JUDGED if "_" in word)
    return bool(answers) and not parts & (_GIVEN - {"task", "steps", "prompt", "key"})
