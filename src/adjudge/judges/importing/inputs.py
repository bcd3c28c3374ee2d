"""Placeholders → the judge's inputs: names, columns, which is judged, which may be empty."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from adjudge.errors import UsageError
from adjudge.judges.templates import OWN_NAMES, RESERVED

from .findings import ImportFindings
from .naming import label_before, slug, unique
from .options import Options
from .placeholders import Slot

# Far more than any judge shows; a text with more of them is data or code.
MOST_INPUTS = 200
# How far above a placeholder the words about it are sought.
_NEAR = 4000

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
        "candidate_answer", "respuestas", "reponses", "respostas", "ausgabe", "salida",
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
        "requirements", "standard", "key", "steps", "rubrics", "guidelines", "max",
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
_LABEL = re.compile(r"([^\n:：{}<>\[\]]{1,40})[\])*_]*[:：][*_]*\s*$")
_MAY_BE_EMPTY = re.compile(
    r"\boptional|\b(?:may|can|might|will) be (?:empty|missing|absent|blank)"
    r"|\bif (?:any|given|present)\b"
    r"|tùy chọn|tuỳ chọn|có thể (?:để trống|không có)|nếu có|선택 사항|없을 수|비어 있|있는 경우"
    r"|可选|可能为空|如果有|任意|省略可|空の場合",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Inputs:
    """The inputs by name; `of_slot` gives the input of each placeholder by its offset."""

    titles: dict[str, str] = field(default_factory=dict)
    columns: dict[str, list[str]] = field(default_factory=dict)
    of_slot: dict[int, str] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)
    judged: list[str] = field(default_factory=list)
    optional: list[str] = field(default_factory=list)

    def add(self, name: str, title: str, at: int) -> None:
        self.titles.setdefault(name, title)
        self.columns.setdefault(name, [])
        self.first.setdefault(name, at)
        column = re.sub(r"[\W_]+", "_", title.casefold()).strip("_")
        columns = chain.from_iterable(self.columns.values())
        taken = [*self.titles, *(each.casefold() for each in columns)]
        if column not in taken and title.casefold() not in taken:
            self.columns[name].append(title)

    def document(self) -> dict[str, dict[str, object]]:
        """The `inputs` of the judge file."""
        out: dict[str, dict[str, object]] = {}
        for name, title in self.titles.items():
            entry: dict[str, object] = {"title": title.strip() or name}
            entry |= {"required": False} if name in self.optional else {}
            entry |= {"judged": True} if name in self.judged else {}
            entry |= {"columns": self.columns[name]} if self.columns[name] else {}
            out[name] = entry
        return out


def from_slots(text: str, slots: Iterable[Slot]) -> Inputs:
    """Inputs named as the placeholders are; those without a name after the label before them."""
    inputs = Inputs()
    by_title: dict[str, str] = {}
    for slot in slots:
        if slot.name is None:
            continue
        title = slot.name or label_before(text, slot.start)
        name = by_title.get(title) if slot.name else None
        if name is None:
            name = unique(usable(slug(title, fallback="input")), inputs.titles)
            by_title[title] = name
            _refuse_too_many(inputs)
        inputs.of_slot[slot.start] = name
        inputs.add(name, title or name, slot.start)
    return inputs


def from_names(names: Mapping[str, int]) -> Inputs:
    """Inputs for names that already stand in a template, with the offset of each."""
    inputs = Inputs()
    for name, at in names.items():
        inputs.add(name, name, at)
    return inputs


def _refuse_too_many(inputs: Inputs) -> None:
    if len(inputs.titles) >= MOST_INPUTS:
        raise UsageError(
            f"more than {MOST_INPUTS} different placeholders: this reads like data or code. Say"
            " what the signs are with --set style=…, or which names stay text with --set text=NAME."
        )


def usable(name: str) -> str:
    return f"{name}_text" if name in OWN_NAMES | RESERVED else name


def settle(inputs: Inputs, text: str, options: Options, findings: ImportFindings) -> None:
    """Decides which inputs are judged and which may be empty, and tells of all of them."""
    _take_names_in_the_text(inputs, text)
    inputs.judged = _known(options.names("judged"), inputs, "judged")
    set_judged = bool(inputs.judged)
    if not set_judged:
        inputs.judged = [name for name in inputs.titles if _is_judged(name, inputs, text)]
    if not inputs.judged:
        named = [name for name in inputs.titles if set(name.split("_")) & _SPOKEN]
        inputs.judged = named if len(named) == 1 else []
    if not inputs.judged and len(inputs.titles) == 1:
        inputs.judged = list(inputs.titles)
    for name, at in inputs.first.items():
        findings.read("input", _described(name, inputs), at)
    if set_judged:
        findings.add("judged", ", ".join(inputs.judged), "set")
    elif not inputs.judged:
        findings.add(
            "judged",
            "every input counts as judged, since no name tells; --set judged=NAME",
            "default",
        )
    _settle_optional(inputs, text, options, findings)


def _settle_optional(inputs: Inputs, text: str, options: Options, findings: ImportFindings) -> None:
    inputs.optional = _known(options.names("optional"), inputs, "optional")
    if inputs.optional:
        findings.add("may be empty", ", ".join(inputs.optional), "set")
        return
    for name in inputs.titles:
        at = _may_be_empty(name, inputs, text)
        if at is not None:
            inputs.optional.append(name)
            findings.read("may be empty", name, at)
    if not inputs.optional and len(inputs.titles) > 1:
        said = "no input, since the prompt does not say so of any; --set optional=NAME"
        findings.add("may be empty", said, "default")


def _described(name: str, inputs: Inputs) -> str:
    said = [name]
    said += ["(judged)"] if name in inputs.judged else []
    columns = inputs.columns[name]
    return " ".join([*said, f"also from {', '.join(columns)}"] if columns else said)


def _is_judged(name: str, inputs: Inputs, text: str) -> bool:
    """By its name, unless the label before it says more: "True answer: {answer}" is given."""
    own = _parts(inputs.titles[name])
    if sounds_given(own):
        return False
    label = _label(text, inputs.first[name])
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
    found = _LABEL.search(line)
    if found:
        return found[1].strip()
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


def _known(names: Sequence[str], inputs: Inputs, key: str) -> list[str]:
    wanted = [slug(name) for name in names]
    for name in wanted:
        if name not in inputs.titles:
            known = ", ".join(inputs.titles)
            raise UsageError(f"--set {key}={name}: there is no such input (inputs: {known}).")
    return wanted


def _take_names_in_the_text(inputs: Inputs, text: str) -> None:
    """`user_question` in the instructions is another name of the input `question`."""
    for word in dict.fromkeys(re.findall(r"\b[a-z]+_[a-z_]*[a-z]\b", text)):
        owners = [name for name in inputs.titles if word.endswith(f"_{name}")]
        if len(owners) == 1 and word not in inputs.titles:
            taken = [each for columns in inputs.columns.values() for each in columns]
            if word not in taken:
                inputs.columns[owners[0]].append(word)


def _may_be_empty(name: str, inputs: Inputs, text: str) -> int | None:
    """Where its own line, the paragraph above that speaks of it, or a Jinja2 `if` says so."""
    tested = re.search(rf"\{{%[-+]?\s*(?:el)?if\s+{name}\b", text)
    if tested:
        return tested.start()
    at = inputs.first[name]
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    said = _MAY_BE_EMPTY.search(text, start, end if end >= 0 else len(text))
    if said:
        return said.start()
    # The paragraph that the placeholder itself begins is no paragraph above.
    if not text.endswith("\n\n", 0, start):
        return None
    above = text[max(0, start - _NEAR) : start].rstrip()
    paragraph = re.split(r"\n\s*\n", above)[-1]
    said = _MAY_BE_EMPTY.search(paragraph)
    if not said or inputs.titles[name].casefold() not in paragraph.casefold():
        return None
    return max(0, start - _NEAR) + len(above) - len(paragraph) + said.start()
