"""A prompt as it was found in a file: its text, its system text, and where it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from .findings import ImportQuestion
from .placeholders import Style
from .vocabulary import both_scripts

# Shorter texts are keys, file names and labels.
_SHORTEST_PROMPT = 80
_BETWEEN = "\n\n"  # is sent with neither
_SYSTEM_ROLES = frozenset({"system", "developer", "systemmessage"})
_USER_ROLES = frozenset({"user", "human", "humanmessage"})
# Words of a name that say which part of a prompt a text is, or that it is one.
_PART_WORDS = frozenset(
    ["system", "sys", "user", "human", "prompt", "prompts", "template", "message", "msg", "text",
     "content", "instruction", "instructions", "get", "build", "make", "create", "base"]
)  # fmt: skip
_APART = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# `"key": {}` is an empty object, and "Key: {}" a place.
_PLACE = re.compile(r"\{\w|\{\{\s*[\w#$/&]|\{%|(?<!\":)(?<!\": )\{\}|\{\$|\$\{|\$[a-z]|%s|%\(|<<\w")
# Words of those who grade; a text without any asks for no verdict.
_JUDGES = re.compile(
    both_scripts("评分|打分|评价|评估|评审|更好|比较")
    + r"|\b(?:evaluat|grad(?:e|ing)|scor(?:e|ing)|rat(?:e|ing)|judg|assess|impartial|better"
    r"|compar|vergleich|verdict|criteri|rubric"
    r"|bewert"
    r"|note[rz]?\b|évalu|califica|puntu|evalú|avali|pontu|nota\b)"
    r"|평가|심사|더 나은|점수|채점|판정|chấm|giám khảo|tốt hơn|điểm|đánh giá|评分|打分|评价"
    r"|评估|更好|比较|評価|採点|比較|どちら|スコア",
    re.IGNORECASE,
)
_LEAST_WORDS_OF_JUDGING = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPrompt:
    """A prompt of a file. `style` is how its placeholders are written, None where that has to be
    inferred; `scale` is what the file itself names as the answers, as for --set scale; `line` is
    where it begins, 0 where that is not known. `problem` says why it cannot be imported, `note`
    what to know about where it stood."""

    name: str
    text: str
    system: str = ""
    line: int = 0
    style: Style | None = None
    scale: str = ""
    problem: Reason | None = None
    note: Reason | None = None

    @property
    def whole(self) -> str:
        """System and user text in one, for inference; the user text begins at `system_end`."""
        return f"{self.system}{_BETWEEN}{self.text}" if self.system else self.text

    @property
    def system_end(self) -> int:
        return len(self.system) + len(_BETWEEN) if self.system else 0

    @property
    def settings(self) -> dict[str, str]:
        """What the file itself settles, as --set would."""
        known = {"style": self.style or "", "scale": self.scale}
        return {key: value for key, value in known.items() if value}

    @property
    def likely(self) -> bool:
        """Whether it is as long as a prompt is, and made of words."""
        text = self.whole
        cjk = re.search(r"[\u3040-\u30ff\u4e00-\u9fff]{10}", text)
        return len(text) >= _SHORTEST_PROMPT and (len(text.split()) >= 12 or bool(cjk))

    @property
    def has_place(self) -> bool:
        """Whether there is a place for a text: what has none is a document, or half a prompt."""
        return bool(_PLACE.search(self.whole) or self.problem)

    @property
    def judges(self) -> bool:
        """Whether it speaks as those who grade do."""
        return len(_JUDGES.findall(self.whole)) >= _LEAST_WORDS_OF_JUDGING

    @property
    def first_words(self) -> str:
        words = " ".join(self.text.split())
        return words if len(words) <= 60 else f"{words[:60].rstrip()}…"


def from_messages(name: str, messages: Sequence[tuple[str, FoundPrompt]]) -> FoundPrompt | None:
    """One prompt out of a conversation: the system messages, then the user's; None where there is
    neither. What the assistant says in between cannot be sent in one question."""
    known = [(role.casefold(), part) for role, part in messages]
    system = [part for role, part in known if role in _SYSTEM_ROLES]
    user = [part for role, part in known if role in _USER_ROLES]
    if not user:
        system, user = [], system  # a judge asks in the user's message
    if not user:
        return None
    others = [role for role, _ in known if role not in _SYSTEM_ROLES | _USER_ROLES]
    problem = next((part.problem for _, part in known if part.problem), None)
    if others or not _follow(known):
        roles = tuple(role for role, _ in known)
        problem = problem or Reason("import.messages", count=len(known), roles=roles)
    styles = {part.style for _, part in known} - {None}
    return FoundPrompt(
        name=name,
        text="\n\n".join(part.text for part in user),
        system="\n\n".join(part.text for part in system),
        line=user[0].line,
        style=styles.pop() if len(styles) == 1 else None,
        problem=problem,
    )


def _follow(messages: Sequence[tuple[str, FoundPrompt]]) -> bool:
    """Whether system messages go before those of the user: two texts that are sent one after the
    other say what one text of both says."""
    from_user = [role in _USER_ROLES for role, _ in messages]
    return from_user == sorted(from_user)


def with_systems(prompts: Sequence[FoundPrompt]) -> list[FoundPrompt]:
    """Texts whose names say that they belong together as one prompt: `JUDGE_SYSTEM` has no place
    for a text, `judge_prompt` has, and no other text beside them is called so."""
    groups: dict[tuple[str, frozenset[str]], list[FoundPrompt]] = {}
    for prompt in prompts:
        path, _, last = prompt.name.removesuffix(".content").rpartition(".")
        words = frozenset(re.findall(r"[a-z]+|\d+", _APART.sub("_", last).casefold()))
        groups.setdefault((path, words - _PART_WORDS), []).append(prompt)
    systems: dict[str, FoundPrompt] = {}
    for group in groups.values():
        system = [prompt for prompt in group if _is_system(prompt)]
        user = [prompt for prompt in group if prompt.has_place and not prompt.system]
        said = [prompt for prompt in user if _called(prompt, "user|human")]
        if not system and len(said) == 1:  # a system text may show texts of its own
            system = [prompt for prompt in user if _called(prompt, "sys(?:tem)?")]
            user = said if len(user) == 2 else []
        if len(system) == len(user) == 1:
            systems[user[0].name] = system[0]
    if not systems:
        return _only_pair(prompts)
    taken = {id(system) for system in systems.values()}
    return [
        replace(prompt, system=systems[prompt.name].text) if prompt.name in systems else prompt
        for prompt in prompts
        if id(prompt) not in taken
    ]


def _only_pair(prompts: Sequence[FoundPrompt]) -> list[FoundPrompt]:
    """The one text of a file that is called a system text and speaks as those who grade do goes
    with the one prompt beside it: no name says otherwise."""
    systems = [prompt for prompt in prompts if _is_system(prompt)]
    places = [prompt for prompt in prompts if prompt.has_place]
    users = [prompt for prompt in places if prompt.likely or prompt.judges] or places
    # A template and the same one filled in by its function differ by the names of their places.
    texts = {re.sub(r"\{[^{}]*\}", "{}", prompt.text) for prompt in users}
    if len(systems) != 1 or len(texts) != 1 or not systems[0].judges or users[0].system:
        return list(prompts)
    note = Reason("import.note.only_system", name=systems[0].name)
    return [
        replace(one, system=systems[0].text, note=note) if one in users else one
        for one in prompts
        if one is not systems[0]
    ]


def _is_system(prompt: FoundPrompt) -> bool:
    return _called(prompt, "sys(?:tem)?|instructions?") and (
        bool(prompt.text.strip()) and not prompt.has_place and not prompt.system
    )


def _called(prompt: FoundPrompt, words: str) -> bool:
    """Whether the last part of its name has one of these words in it."""
    last = prompt.name.removesuffix(".content").rpartition(".")[2]
    return bool(re.search(rf"(?i)(?<![a-z])(?:{words})(?![a-z])", _APART.sub("_", last)))


def pick_prompt(prompts: Sequence[FoundPrompt], pick: str | None, where: str) -> FoundPrompt:
    """The prompt named; where none is named, the only one that looks like a prompt.

    Raises UsageError that lists the names with their first words where several could be meant.
    """
    if pick is None:
        by_text: dict[str, FoundPrompt] = {}
        for prompt in prompts:
            known = by_text.get(prompt.whole)
            constant = prompt.name.isupper() and not (known and known.name.isupper())
            # The name of a constant says most.
            if prompt.likely and (known is None or constant or (prompt.note and not known.note)):
                by_text[prompt.whole] = prompt
        likely = list(by_text.values())
        places = [prompt for prompt in likely if prompt.has_place]
        if len(places) == 1 and [prompt for prompt in likely if prompt.judges] == places:
            likely = places
        if not likely:  # a short one, where no other text has a place
            likely = [prompt for prompt in prompts if prompt.has_place]
            likely = likely if all(_JUDGES.search(prompt.whole) for prompt in likely) else []
        if len(likely) == 1:
            return _importable(likely[0], where)
        raise several(likely or prompts, where)
    fitting = (
        [prompt for prompt in prompts if prompt.name == pick]
        or [prompt for prompt in prompts if prompt.name.endswith(f".{pick}")]
        or [prompt for prompt in prompts if prompt.name.startswith(f"{pick}.")]
    )
    if len(fitting) == 1:
        return _importable(fitting[0], where)
    problem = Reason("import.pick.ambiguous") if fitting else Reason("import.pick.not_there")
    raise _asked(
        fitting or prompts, Reason("import.pick.missed", pick=pick, why=problem, where=where)
    )


def several(
    offered: Sequence[FoundPrompt], where: str, why: Reason | None = None
) -> ImportQuestion:
    """What is asked where the one that is meant has to be named: those with places for texts, where
    some have any."""
    offered = [prompt for prompt in offered if prompt.likely and prompt.has_place] or offered
    if any(prompt.likely for prompt in offered):
        return _asked(offered, why or Reason("import.pick.several", where=where))
    return _asked(offered, Reason("import.pick.unlike", where=where))


def _asked(offered: Sequence[FoundPrompt], why: Reason) -> ImportQuestion:
    """With the names and their first words, then all names in one line for --pick."""
    rows = tuple(f"  {prompt.name}: “{prompt.first_words}”" for prompt in offered[:20])
    names = tuple(prompt.name for prompt in offered[:60])
    return ImportQuestion("pick", Reason("import.pick.name", why=why, rows=rows, names=names))


def _importable(prompt: FoundPrompt, where: str) -> FoundPrompt:
    if prompt.problem:
        why = Reason("import.unfit", name=prompt.name, why=prompt.problem)
        raise UsageError(why.in_file(where, prompt.line or None))
    return prompt
