"""What went wrong, in the reader's language; in English where it is only known as a text."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.core.reason import Reason
from adjudge.strings import OptionNames, Strings

# Option → the title of its field in the form for a new run.
_FIELDS = {
    "map": "new_run.map",
    "skip-bad-rows": "new_run.skip_bad_rows",
    "keep-texts": "new_run.no_texts",
    "limit": "new_run.limit",
    "repeat": "new_run.repeat",
    "explain-in": "new_run.explain_in",
    "budget": "new_run.budget",
}


@dataclass(frozen=True, slots=True)
class ProblemLine:
    """`lang` is "en" for English on a page of another language, "" for the language of the page."""

    text: str
    lang: str = ""


def problem_lines(
    say: Strings, problem: Reason, kind: str = "", options: OptionNames | None = None
) -> list[ProblemLine]:
    """The lines of the problem. Before English that has to stay, a sentence of the page's language
    says what it is about: `kind` is the kind of an HttpProblem, "" where that is not known."""
    lines = say.reason(problem, options).splitlines()
    if say.language == "en" or not _is_text(problem):
        return [ProblemLine(line) for line in lines]
    about = f"problem.about.{kind or 'any'}"
    lead = ProblemLine(say(about if about in say else "problem.about.any"))
    return [lead, *(ProblemLine(line, "en" if line.strip() else "") for line in lines)]


def _is_text(problem: Reason) -> bool:
    """Whether it is known as a mere text, in whatever place."""
    while problem.code.startswith("place.") and isinstance(why := problem.fields["why"], Reason):
        problem = why
    return not problem.code


class FormFields(OptionNames):
    """Options by the titles of their fields in the form for a new run; `absent` has those that the
    form does not have."""

    def __init__(self, say: Strings) -> None:
        self._say = say
        self.absent: dict[str, None] = {}

    def __getitem__(self, name: str) -> str:
        if name in _FIELDS:
            return f"“{self._say(_FIELDS[name])}”"
        self.absent[f"--{name}"] = None
        return f"--{name}"

    def left_out(self) -> list[ProblemLine]:
        """That the form does not have them, if there are any."""
        if not self.absent:
            return []
        return [ProblemLine(self._say("new_run.not_here", flags=", ".join(self.absent)))]
