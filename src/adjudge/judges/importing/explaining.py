"""Whether a prompt asks for the reasons of a score."""

from __future__ import annotations

from functools import lru_cache

from adjudge.errors import UsageError

from .findings import ImportFindings
from .options import Options
from .words import ASKS_WHY, SCORE_ALONE


@lru_cache(maxsize=2)  # asked for the same text by both below
def _asked(text: str) -> tuple[int | None, int | None]:
    """Where reasons are asked for, and where nothing but the score is."""
    matches = (ASKS_WHY.search(text), SCORE_ALONE.search(text))
    asked, alone = (match.start() if match else None for match in matches)
    return asked, alone


def is_explained(text: str, options: Options) -> bool:
    """As set, else whether reasons are asked for and not forbidden elsewhere."""
    setting = options.get("explain")
    if setting is None:
        asked, alone = _asked(text)
        return asked is not None and alone is None
    if setting not in {"yes", "no"}:
        raise UsageError(f"--set explain={setting}: write yes or no.")
    return setting == "yes"


def tell(
    by_criterion: dict[str, bool | str], text: str, options: Options, to: ImportFindings
) -> None:
    """Reports for which criteria an explanation is expected, and which words say so.

    A text in the place of a truth names the section that explains the score; it was told already.
    """
    setting = options.get("explain")
    if setting:
        to.set("explanation", setting)
    if setting or any(isinstance(how, str) for how in by_criterion.values()):
        return
    asked, alone = _asked(text)
    silent = [name for name, how in by_criterion.items() if how is False]
    about = f" for {', '.join(silent)}" if len(silent) < len(by_criterion) else ""
    if asked is not None and len(silent) < len(by_criterion):
        to.read("explanation", "asked for", asked)
    if silent and alone is not None and not about:
        to.read("explanation", "none", alone)
    elif silent:
        to.assume("explanation", f"none expected{about}, since none is asked for", "explain")
