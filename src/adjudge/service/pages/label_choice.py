"""What the address of a labelling page says: who labels what, and from which question on."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import cast, get_args
from urllib.parse import quote, unquote, urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request

from adjudge.analysis.labelling import Labelling, Pick

RATER_COOKIE = "adjudge_rater"
LONGEST_NAME = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Fields as they were written; `problem` is the key of what is wrong with them, None if
    nothing is. `at` is the place of a question, None to begin with the first open one."""

    judge: str
    rater: str
    pick: str
    n: str
    seed: str
    criteria: tuple[str, ...]
    at: int | None

    @property
    def problem(self) -> str | None:
        if not self.rater or len(self.rater) > LONGEST_NAME or not _printable(self.rater):
            return "label.problem.rater"
        if self.pick not in get_args(Pick):
            return "label.problem.pick"
        if self.n and not (_whole(self.n) and int(self.n) > 0):
            return "label.problem.n"
        return None if _whole(self.seed) else "label.problem.seed"

    @property
    def labelling(self) -> Labelling:
        """To be asked for only where there is no problem."""
        return Labelling(
            rater=self.rater,
            pick=cast(Pick, self.pick),
            criteria=self.criteria,
            limit=int(self.n) if self.n else None,
            seed=int(self.seed),
        )

    def query(self, at: int | None = None) -> str:
        """The address's query for the same choice, from the question in this place on."""
        given = [
            ("judge", self.judge),
            ("rater", self.rater),
            ("pick", self.pick),
            ("n", self.n),
            ("seed", "" if self.seed == "0" else self.seed),
            *(("criterion", name) for name in self.criteria),
            ("at", "" if at is None else str(at)),
        ]
        return urlencode([(name, value) for name, value in given if value])


def choice_of(params: QueryParams) -> Choice:
    at = params.get("at", "")
    return Choice(
        judge=params.get("judge", ""),
        rater=params.get("rater", "").strip(),
        pick=params.get("pick") or "random",
        n=params.get("n", "").strip(),
        seed=params.get("seed", "").strip() or "0",
        criteria=tuple(dict.fromkeys(filter(None, params.getlist("criterion")))),
        at=int(at) if _whole(at) else None,
    )


def proposed_rater(request: Request) -> str:
    """The name used last in this browser, else the one of the token."""
    access = getattr(request.state, "access", None)
    return unquote(request.cookies.get(RATER_COOKIE, "")) or getattr(access, "name", "")


def as_cookie(rater: str) -> str:
    return quote(rater)


def _whole(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9


def _printable(text: str) -> bool:
    """Without signs that cannot be seen or stored: line breaks, halves of surrogate pairs."""
    return not any(unicodedata.category(sign) in {"Cc", "Cs"} for sign in text)
