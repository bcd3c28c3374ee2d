"""The judges that requests may name: no request makes the service read a file of its choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.errors import UnknownName, UsageError
from adjudge.judges import load_text, registry

_ENDINGS = {".yaml", ".yml"}


class JudgeCatalog:
    """The built-in judges and those of the files and folders that `--judges` names.

    All are checked when the service starts; a file is named by the judge in it.
    """

    def __init__(self, places: Sequence[str] = ()) -> None:
        self._files: dict[str, str] = {}
        self._judges: dict[str, Judge] = {name: _packaged(name) for name in registry.names()}
        for file in _files(places):
            judge = registry.get(str(file))
            if judge.name in self._judges:
                raise UsageError(
                    Reason("form.judge_twice", judge=judge.name).at_option("judges", str(file))
                )
            self._judges[judge.name] = judge
            self._files[judge.name] = str(file)

    @property
    def judges(self) -> Mapping[str, Judge]:
        """By name, the built-in ones first."""
        return self._judges

    def get(self, name: str) -> Judge:
        """UnknownName for one that is not offered."""
        if name not in self._judges:
            raise UnknownName(Reason("form.unknown_judge", name=name, known=tuple(self._judges)))
        return self._judges[name]

    def source(self, name: str) -> str:
        """What `adjudge run --judge` would be given for it."""
        self.get(name)
        return self._files.get(name, name)


@cache
def _packaged(name: str) -> Judge:
    return registry.get(name)


def _files(places: Sequence[str]) -> list[Path]:
    files: list[Path] = []
    for place in map(Path, places):
        if place.is_dir():
            inside = sorted(file for file in place.iterdir() if file.suffix in _ENDINGS)
            if not inside:
                raise UsageError(Reason("form.no_yaml").at_option("judges", str(place)))
            files += inside
        elif place.is_file():
            files.append(place)
        else:
            raise UsageError(Reason("form.no_place").at_option("judges", str(place)))
    return files


INLINE_NAME = "definition"  # what messages call it


class InlineJudge(NamedTuple):
    text: str


@lru_cache(maxsize=32)  # reading one takes tens of milliseconds
def load_inline_judge(definition: InlineJudge) -> Judge:
    """DefinitionError names the line."""
    return load_text(definition.text, INLINE_NAME)
