"""A prompt as it was found in a file: its text, its system text, and where it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.errors import UsageError

from .placeholders import Style

# Shorter texts are keys, file names and labels.
_SHORTEST_PROMPT = 80
_BETWEEN = "\n\n"  # is sent with neither
_SYSTEM_ROLES = frozenset({"system", "developer", "systemmessage"})
_USER_ROLES = frozenset({"user", "human", "humanmessage"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPrompt:
    """A prompt of a file. `style` is how its placeholders are written, None where that has to be
    inferred; `scale` is what the file itself names as the answers, as for --set scale; `line` is
    where it begins, 0 where that is not known. `problem` says why it cannot be imported."""

    name: str
    text: str
    system: str = ""
    line: int = 0
    style: Style | None = None
    scale: str = ""
    problem: str = ""

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
    def first_words(self) -> str:
        words = " ".join(self.text.split())
        return words if len(words) <= 60 else f"{words[:60].rstrip()}…"


def from_messages(name: str, messages: Sequence[tuple[str, FoundPrompt]]) -> FoundPrompt | None:
    """One prompt out of a conversation: the system messages, then the user's; None where there is
    no user message. What the assistant says in between cannot be sent in one question."""
    known = [(role.casefold(), part) for role, part in messages]
    system = [part for role, part in known if role in _SYSTEM_ROLES]
    user = [part for role, part in known if role in _USER_ROLES]
    if not user:
        return None
    others = [role for role, _ in known if role not in _SYSTEM_ROLES | _USER_ROLES]
    problem = next((part.problem for _, part in known if part.problem), "")
    if others or len(user) > 1:
        problem = problem or (
            f"a conversation of {len(known)} messages ({', '.join(role for role, _ in known)});"
            " a judge asks one question, with a system text before it"
        )
    styles = {part.style for _, part in known} - {None}
    return FoundPrompt(
        name=name,
        text="\n\n".join(part.text for part in user),
        system="\n\n".join(part.text for part in system),
        line=user[0].line,
        style=styles.pop() if len(styles) == 1 else None,
        problem=problem,
    )


def pick_prompt(prompts: Sequence[FoundPrompt], pick: str | None, where: str) -> FoundPrompt:
    """The prompt named; where none is named, the only one that looks like a prompt.

    Raises UsageError that lists the names with their first words where several could be meant.
    """
    if pick is None:
        likely = [prompt for prompt in prompts if prompt.likely]
        if len(likely) == 1:
            return _importable(likely[0], where)
        offered = likely or list(prompts)
        said = "several prompts" if likely else "no text that looks like a prompt"
        raise UsageError(f"{where}: holds {said}.{_listed(offered)}")
    fitting = [prompt for prompt in prompts if prompt.name == pick] or [
        prompt for prompt in prompts if prompt.name.rpartition(".")[2] == pick
    ]
    if len(fitting) == 1:
        return _importable(fitting[0], where)
    problem = "is ambiguous" if fitting else "is not there"
    raise UsageError(f"--pick {pick}: {problem} in {where}.{_listed(fitting or prompts)}")


def _listed(offered: Sequence[FoundPrompt]) -> str:
    """Names with their first words, then all names in one line for --pick."""
    rows = [f"  {prompt.name}: “{prompt.first_words}”" for prompt in offered[:20]]
    names = ", ".join(prompt.name for prompt in offered[:60]) or "none"
    return "\n".join(["", *rows, f"Name one with --pick NAME: {names}."])


def _importable(prompt: FoundPrompt, where: str) -> FoundPrompt:
    if prompt.problem:
        line = f", line {prompt.line}" if prompt.line else ""
        raise UsageError(
            f"{where}{line}, {prompt.name}: {prompt.problem}. Write the prompt as it is sent into a"
            " text file of its own, with {name} for each text that changes, and import that."
        )
    return prompt
