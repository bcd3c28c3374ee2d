"""Which of a prompt's inputs is judged: evidence for and against each, weighed in one place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from adjudge.core.reason import Reason

from .findings import Words
from .naming import slug
from .place_labels import heading_above, label_at
from .roles import Role, role_of, roles_in
from .vocabulary import both_scripts
from .words import SCORES

# What a role in the name of an input says for or against its being judged. The label before it and
# the heading above it say the same, more and less loudly.
_WEIGHTS: Mapping[Role | None, float] = {
    "judged": 9, "answer": 4, "spoken": 1, None: 0, "source": -2, "asked": -3, "rule": -8,
    "expected": -8,
}  # fmt: skip
_LABEL, _HEADING = 1.25, 0.75
_OBJECT = 4.0  # it is what "evaluate", "chấm", "평가" … speaks of
_NAMED = 2.0  # … by its own name
_ENOUGH = 3.0  # from here on it is judged
_CLOSE = 5.0  # less than that below the chosen leaves a doubt
_MUCH_LESS = 6.0  # below the best by this much it is not, though there is enough
_NEVER = frozenset({"expected", "rule"})

_PEOPLE = re.compile(
    r"student|pupil|learner|candidate|applicant|submi|essay|user_?ans|sch[uü]ler|pr[uü]fling"
    r"|alumn|alun|estudiante|[eé]l[eè]ve|[eé]tudiant|candidat|hoc_(?:sinh|vien)|thi_sinh|sinh_vien"
    r"|학생|지원자|수험생|学生|考生|候选人|受験者|生徒|học (?:sinh|viên)|thí sinh|sinh viên",
    re.IGNORECASE,
)
_MODELS = re.compile(
    r"model|solution|sample|muster|modèle|modelo|teacher|instructor|lehrer|enseignant|profess?or"
    r"|giáo viên|교사|선생|교수|教师|老师|先生|教員",
    re.IGNORECASE,
)
# What a search brought up: judged where a question stands beside it, and nothing that answers it.
_RETRIEVED = re.compile(
    r"document|context|passage|chunk|retriev|evidence|snippet|dokument|kontext|ngu_canh"
    r"|문서|문맥|검색|文档|上下文|检索|文書|文脈|検索|tài liệu|ngữ cảnh",
    re.IGNORECASE,
)
# What is no text to judge, though it may be all that a half of a prompt shows.
_MEASURES = re.compile(
    r"\b(?:criteri\w+|rubrics?|guidelines?|examples|examples? (?:str|block|text)|few ?shots?.*"
    r"|format|schema|(?:max|min) \w+|language)$",
    re.IGNORECASE,
)
# A heading over all inputs tells nothing of any.
_ABOUT_ALL = re.compile(
    r"(?:\binputs?|đầu vào|입력|输入|入力|eingabe)\W*"
    r"(?:format|data|dữ liệu|형식|데이터|格式|数据|形式)"
    r"|^\W*(?:inputs|data|(?:dữ liệu )?đầu vào|입력|输入|入力データ?|eingaben)\W*$",
    re.IGNORECASE,
)
# Verbs of judging with their object behind them, and those with it before them.
_VERBS = re.compile(
    r"\b(?:evaluat\w+|rat(?:e|ing)|grad(?:e|ing)|judg(?:e|ing)|scor(?:e|ing)|assess\w*|check"
    r"|review(?=\s(?:the|this|these|an?|each|all|both|whether|if|how)\b)"  # and no label of a text
    r"|verify|determin\w+|decide|compar\w+|classif\w+|tell if|critique|analy[sz]e"
    r"|how (?:\w+ly )?\w+(?=\s(?:the|this|these|both)\b))\b"
    r"|\b(?:bewert\w+|beurteil\w+|prüf\w+|vergleich\w*|évalu\w+|note[rz]\b|jug\w+|compare[rz]?"
    r"|evalú\w+|eval[uú]a\w*|califi\w+|revisa\w*|avali\w+|julg\w+|classifi\w+)"
    r"|(?:đánh giá|chấm(?: điểm)?|so sánh|kiểm tra)|"
    # "Is the comment useful?", "How well does the text …?"
    r"\b(?:is|are|does|do|has|have)(?= (?:the|this|that|these)\b[^.?\n]{3,120}\?)|"
    + both_scripts("评估|评价|评判|评分|打分|判断|比较|对比|审核|评审"),
    re.IGNORECASE,
)
_VERBS_BEHIND = re.compile(
    r"평가|채점|심사|판단|비교|매기|얼마나|評価|採点|判定|比較|審査|どれ(?:ほど|だけ|くらい)|どの程度"
)
_SENTENCE_END = re.compile(r"[.!?。！？;\n]")
_WINDOW = 110
_MOST_WINDOWS = 200  # a task is stated in fewer sentences; behind them come data
_TASK = 30_000  # characters at the beginning and the end in which it is stated
_AS_MEASURE = re.compile(
    r"(?:based on|given|using|against|according to|with respect to|compared (?:to|with)|with the|to"
    r" the|anhand|gemäß|selon|d'après|según|com base|dựa (?:trên|vào)|theo|根据|基于|按照|参照)"
    r"\s*(?:the|a|an|der|des|la|le|el|o|a)?\s*(?:\w+\s){0,2}$",
    re.IGNORECASE,
)
_AS_MEASURE_BEHIND = re.compile(
    r"(?:근거|기반|바탕|토대|기준|참고)(?:으?로|하여)|에 따라|에 비추어"
    r"|に基づ|を基に|をもとに|を参考に|に照らし|に従"
)
_PREDICTED = re.compile(r"pred(?:icted|iction)?_")  # parts of one answer, whatever each is
_TURN = re.compile(r"(?:^|_)(?:[a-exy1-5]|one|two|first|second|left|right|chosen|rejected)(?=_|$)")


@dataclass(frozen=True, slots=True)
class JudgedInputs:
    """The judged inputs; `doubt` says what speaks against the choice, "" where nothing does."""

    names: tuple[str, ...]
    doubt: Words = ""


@dataclass(slots=True)
class _Evidence:
    """What is said about an input; `score` is the sum of it, `meant` that the task speaks of it,
    and `named` that it does so by the input's own name."""

    words: str
    name: Role | None
    label: Role | None
    score: float
    stem: str
    meant: bool = False
    named: bool = False

    @property
    def role(self) -> Role | None:
        return self.label or self.name

    @property
    def never(self) -> bool:
        return bool({self.name, self.label} & _NEVER) and self.score < _ENOUGH


def choose_judged(
    titles: Mapping[str, str], first: Mapping[str, int], text: str
) -> JudgedInputs | None:
    """The inputs that are judged; None where nothing tells. `first` is where each stands."""
    labels = {name: label_at(text, at) for name, at in first.items()}
    if len(titles) == 1:
        [(name, title)] = titles.items()
        return _alone(name, title, labels[name], text)
    known = {name: _evidence(titles[name], labels[name], text, first[name]) for name in titles}
    for name, named in _objects(text, titles, labels, known).items():
        known[name].score += _OBJECT + (_NAMED if named else 0)
        known[name].meant, known[name].named = True, named
    for stem, alike in _by_label(labels).items():
        for name in alike:
            known[name].stem = stem
    _share_among_pairs(known)
    enough = {name for name, evidence in known.items() if evidence.score >= _ENOUGH}
    enough -= {name for name in enough if any(_is_of_person(other, name) for other in enough)}
    enough -= _beside_a_pair(enough, known)
    if not enough:
        return _weakly(known)
    best = max(known[name].score for name in enough)
    chosen = [name for name in titles if name in enough and known[name].score > best - _MUCH_LESS]
    models = _models(chosen, known)
    chosen = _strongest([name for name in chosen if name not in models], known)
    return JudgedInputs(tuple(chosen), _doubt(chosen, enough - models, known))


def _beside_a_pair(enough: set[str], known: Mapping[str, _Evidence]) -> set[str]:
    """Where two texts of a kind are compared, what stands beside them is what they are about, such
    as the code that both explain; unless the prompt says that it is judged."""
    stems = Counter(known[name].stem for name in enough)
    alone = {name for name in enough if stems[known[name].stem] == 1}
    named_so = any("judged" in {known[name].name, known[name].label} for name in alone)
    return alone if max(stems.values(), default=0) == 2 and not named_so else set()


def _is_of_person(name: str, bare: str) -> bool:
    """Whether two inputs are called user_answer and answer: the bare one is what was asked for."""
    return name.endswith(f"_{bare}") and bool(_PEOPLE.search(name))


def _alone(name: str, title: str, label: str, text: str) -> JudgedInputs | None:
    """The one input of a prompt is what it judges, unless it is what others are judged by: then
    the judged text is missing, as in a system text without the user's."""
    said = role_of(label)
    measure = slug(title) in SCORES or _MEASURES.search(title.replace("_", " "))
    if measure and said in {None, "rule", "expected"}:
        return None
    if (said or role_of(title)) == "asked":
        spoken = [roles for window, _ in _windows(text) if (roles := list(roles_in(window)))]
        firsts = {roles[0][1] for roles in islice(spoken, _MOST_WINDOWS)}
        if "answer" in firsts and "asked" not in firsts:
            return None
    return JudgedInputs((name,))


def _strongest(names: Sequence[str], known: Mapping[str, _Evidence]) -> list[str]:
    """One text, or those that are alike (answer_a and answer_b): few judges have two of a kind."""
    best = max(known[name].score for name in names)
    stems = {known[name].stem for name in names if known[name].score == best}
    return [name for name in names if known[name].stem in stems]


def _evidence(title: str, label: str, text: str, at: int) -> _Evidence:
    name, said = role_of(title), None if _ABOUT_ALL.search(label) else role_of(label)
    if slug(title) == "target" and said == "answer":
        name = None  # what a translation goes to, and not what an answer should be
    above = heading_above(text, at, label) if said is None else ""
    heading = None if _ABOUT_ALL.search(above) else role_of(above)
    heading = None if heading == "rule" else heading
    predicted = None if _TURN.search(title) else _PREDICTED.match(title)
    said, heading = (None, None) if predicted else (said, heading)
    score = _WEIGHTS[name] + _LABEL * _WEIGHTS[said] + _HEADING * _WEIGHTS[heading]
    stem = predicted[0] if predicted else _stem(slug(title), label)
    return _Evidence(f"{title} {label}", name, said or heading, score, stem)


def _doubt(chosen: Sequence[str], enough: set[str], known: Mapping[str, _Evidence]) -> Words:
    several = {known[name].stem for name in chosen}
    if len(several) > 1:
        return f"several could be meant: {', '.join(chosen)}"
    if set(chosen) != enough:
        return Reason("import.doubt.could_be", names=tuple(sorted(enough - set(chosen))))
    rivals = _rivals(chosen, known)
    if rivals:
        return Reason("import.doubt.could_be", names=tuple(rivals))
    against = [
        name for name in chosen if {known[name].name, known[name].label} & {*_NEVER, "asked"}
    ]
    return Reason("import.doubt.disagree", name=against[0]) if against else ""


def _rivals(chosen: Sequence[str], known: Mapping[str, _Evidence]) -> list[str]:
    """Inputs that speak against the chosen: the task names them and not the chosen; or they come
    close, since nobody knows what they are and the chosen is but some text; or nobody knows what
    either is."""
    best = max(known[name].score for name in chosen)
    named = any(known[name].named for name in chosen)
    weak = known[chosen[0]].role == "spoken"
    unknown = known[chosen[0]].role is None
    return [
        name
        for name, evidence in known.items()
        if name not in chosen
        and not evidence.never
        and (
            (evidence.named and not named)
            or (unknown and evidence.role is None)
            or (evidence.score > best - _CLOSE and (evidence.meant or (weak and not evidence.role)))
        )
    ]


def _weakly(known: Mapping[str, _Evidence]) -> JudgedInputs | None:
    """Where no name, label or verb is clear: what is left when others are ruled out."""
    open_names = [name for name, evidence in known.items() if not evidence.never]
    best = max((known[name].score for name in open_names), default=0)
    leading = [name for name in open_names if known[name].score == best > 0]
    rest = [name for name in open_names if known[name].role not in {"asked", "source"}]
    meant = [name for name in open_names if known[name].meant]
    if any(known[name].named and known[name].role != "source" for name in meant):
        leading, rest = ([one for one in names if one in meant] for names in (leading, rest))
    sources = [name for name in open_names if _RETRIEVED.search(known[name].words)]
    if all(evidence.role is None for evidence in known.values()) and not meant:
        return JudgedInputs(tuple(known), Reason("import.doubt.alike"))
    ways = (
        (open_names, _RULED_OUT),
        (leading, _RULED_OUT),
        (rest, _RULED_OUT),
        (meant, Reason("import.doubt.task")),
        (sources, Reason("import.doubt.no_answer_beside")),
    )
    for names, doubt in ways:
        if names and len({known[name].stem for name in names}) == 1:
            if (
                {known[names[0]].name, known[names[0]].label} <= {"asked", None}
                and not meant
                and (known[names[0]].role)
            ):
                return None  # what answers it is judged, and is not among the inputs
            others = [known[name].role for name in open_names if name not in names]
            sure = known[names[0]].role == "spoken" and names is not sources
            sure = sure and None not in others
            return JudgedInputs(tuple(names), "" if sure else doubt)
    alike = meant and len({known[name].role for name in meant}) == 1
    return JudgedInputs(tuple(meant), Reason("import.doubt.task_all")) if alike else None


_RULED_OUT = Reason("import.doubt.ruled_out")


def _share_among_pairs(known: Mapping[str, _Evidence]) -> None:
    """answer_a and answer_b are judged both or not at all."""
    stems: dict[str, list[_Evidence]] = {}
    for evidence in known.values():
        if evidence.role in {None, "answer", "spoken", "judged"}:
            stems.setdefault(evidence.stem, []).append(evidence)
    for alike in stems.values():
        best = max(evidence.score for evidence in alike)
        for evidence in alike:
            evidence.score = best


def _stem(name: str, label: str) -> str:
    """What texts that stand beside each other share: answer_a and answer_b, "Response 1" and
    "Response 2", whatever the placeholders below such labels are called."""
    called = name if _TURN.search(name) else slug(label)
    return (_TURN.sub("", called) or "pair") if _TURN.search(called) else name


def _by_label(labels: Mapping[str, str]) -> dict[str, list[str]]:
    """The inputs below "Response A" and "Response B", whatever they are called."""
    stems: dict[str, list[str]] = {}
    for name, label in labels.items():
        if _TURN.search(slug(label)):
            stems.setdefault(_TURN.sub("", slug(label)) or "pair", []).append(name)
    return {stem: names for stem, names in stems.items() if len(names) > 1}


def _models(judged: Sequence[str], known: Mapping[str, _Evidence]) -> set[str]:
    """Beside what a student handed in, a model answer is the one to compare with."""
    people = {name for name in judged if _PEOPLE.search(known[name].words)}
    models = {name for name in judged if _MODELS.search(known[name].words)}
    return models - people if people else set()


def _objects(
    text: str,
    titles: Mapping[str, str],
    labels: Mapping[str, str],
    known: Mapping[str, _Evidence],
) -> dict[str, bool]:
    """The inputs that verbs of judging have for their object, and whether by their own names."""
    objects: dict[str, bool] = {}
    for window, last in islice(_windows(text), _MOST_WINDOWS):
        mentions = sorted(_mentions(window, titles, labels, known), reverse=last)
        called = {names for _, own, names in mentions if own}
        for at, _, names in mentions:
            if _AS_MEASURE_BEHIND.search(window, at) if last else _AS_MEASURE.search(window[:at]):
                continue
            for name in names:
                objects[name] = objects.get(name, False) or (name,) in called
            break
    return objects


def _windows(text: str) -> Iterator[tuple[str, bool]]:
    """What stands behind each verb in its sentence, and before each that comes last (`True`)."""
    text = text if len(text) <= 2 * _TASK else f"{text[:_TASK]}\n{text[-_TASK:]}"
    for match in _VERBS.finditer(text):
        window = text[match.end() : match.end() + _WINDOW]
        yield _SENTENCE_END.split(window, maxsplit=1)[0], False
    for match in _VERBS_BEHIND.finditer(text):
        window = text[max(0, match.start() - _WINDOW) : match.start()]
        yield _SENTENCE_END.split(window)[-1], True


def _mentions(
    window: str,
    titles: Mapping[str, str],
    labels: Mapping[str, str],
    known: Mapping[str, _Evidence],
) -> Iterator[tuple[int, bool, tuple[str, ...]]]:
    """Where a window speaks of which inputs: by their own words (`True`), or by their role."""
    folded = window.casefold()
    own: list[tuple[int, int, str]] = []
    for name, title in titles.items():
        for words in {title.replace("_", " ").casefold(), labels[name].casefold()}:
            at = folded.find(words) if len(words) > (3 if words.isascii() else 1) else -1
            if at >= 0:
                own.append((at, at + len(words), name))
    heads = {at for at, _, _ in own}
    # Of a "dialogue turn" the turn is meant.
    first = {at for at, end, _ in own if end + 1 in heads and folded[end] == " "}
    for at, _, name in own:
        if at not in first:
            yield at, True, (name,)
    for at, role, _ in roles_in(window):
        names = tuple(name for name, evidence in known.items() if evidence.role == role)
        if (names or role == "answer") and at not in first:
            yield at, False, names if role not in _NEVER else ()
