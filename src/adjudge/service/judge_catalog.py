"""The judges that requests may name, and those that are saved from the pages."""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.errors import AdjudgeError, Conflict, StoreError, UnknownName, UsageError
from adjudge.judges import load_text, registry
from adjudge.judges.editing import changed

from .observability import LOGGER

_ENDINGS = {".yaml", ".yml"}
_VERSIONS = "versions"  # the folder of all that was saved, by judge


class JudgeCatalog:
    """No request makes the service read a file of its choice: on offer are the built-in judges and
    those of the files and folders that `--judges` names. All are checked when the service starts; a
    file is named by the judge in it.

    Judges are saved in the first of these folders, else in `home`, else nowhere; every version
    that was saved stays below it. A file that was named by itself is not written to. What others
    save in this folder is found with the next request.
    """

    def __init__(self, places: Sequence[str] = (), home: Path | None = None) -> None:
        folders = [Path(place) for place in places if Path(place).is_dir()]
        self.folder = next(iter(folders), home)
        self._lock = threading.RLock()
        self._files: dict[str, str] = {}
        self._looked_at = self._folder_state()
        self._judges: dict[str, Judge] = {name: _packaged(name) for name in registry.names()}
        for name in registry.names(worded=True):
            worded = _packaged(name)
            self._judges[worded.name] = worded
            if worded.name != name:
                self._files[worded.name] = name
        kept = [str(home)] if home and home.is_dir() and self.folder == home else []
        for file in _files([*places, *kept]):
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
        self._look_again()
        return self._judges

    def get(self, name: str) -> Judge:
        """UnknownName for one that is not offered."""
        self._look_again()
        name = self._known(name)
        if name not in self._judges:
            raise UnknownName(Reason("form.unknown_judge", name=name, known=tuple(self._judges)))
        return self._judges[name]

    @property
    def wordings(self) -> Mapping[str, Mapping[str, str]]:
        """The judges as people choose them: under each name, the names of its wordings by language,
        its own first."""
        wordings: dict[str, dict[str, str]] = {}
        for name, judge in self._judges.items():
            base, _, worded = self._files.get(name, name).partition("/")
            if worded and base in self._judges:
                wordings[base].setdefault(judge.language, name)
            else:
                wordings[name] = {judge.language: name}
        return wordings

    def source(self, name: str) -> str:
        """What `adjudge run --judge` would be given for it."""
        self.get(name)
        return self._files.get(self._known(name), name)

    def text(self, name: str) -> str:
        """The text of its file."""
        return registry.source(self.source(name))[1]

    def may_save(self, name: str) -> bool:
        """Whether this name is free, or that of a judge in the folder."""
        if self.folder is None:
            return False
        return name not in self._judges or Path(self.source(name)).parent == self.folder

    def save(self, text: str, known: str) -> Judge:
        """Keeps the judge as the next version under its name. `known` is the `state_of` the text
        that it was made from: Conflict where that is not there any more, as somebody else has
        saved one. DefinitionError where the text is no judge."""
        judge = load_text(text, "judge.yaml")
        self._look_again()
        with self._lock:
            if self.folder is None:
                raise UsageError(Reason("form.no_folder"))
            if not self.may_save(judge.name):
                raise UsageError(Reason("form.judge_taken", judge=judge.name))
            if judge.name in self._judges:
                if state_of(self.text(judge.name)) != known:
                    raise Conflict(Reason("form.judge_changed", judge=judge.name))
                text = _next_version(text, judge, self._judges[judge.name])
                judge = load_text(text, "judge.yaml")
            file = Path(self._files.get(judge.name, str(self.folder / f"{judge.name}.yaml")))
            version = f"{hashlib.sha256(str(judge.version).encode()).hexdigest()[:8]}.yaml"
            if str(judge.version).isdecimal():
                version = f"{judge.version}.yaml"
            _write(self.folder / _VERSIONS / judge.name / version, text)
            _write(file, text)
            self._files = {**self._files, judge.name: str(file)}
            self._judges = {**self._judges, judge.name: judge}
        return judge

    def _folder_state(self) -> int:
        """Changes whenever a file is added to the folder, replaced or removed."""
        try:
            return self.folder.stat().st_mtime_ns if self.folder else 0
        except OSError:  # not made yet
            return 0

    def _look_again(self) -> None:
        """Takes what another service, or a person, has saved in the folder since. A file that is
        no judge, or has the name of another one, is left out; the log says so."""
        state = self._folder_state()
        if self.folder is None or state == self._looked_at:
            return
        with self._lock:
            self._looked_at = state
            elsewhere = {
                name: judge
                for name, judge in self._judges.items()
                if Path(self._files.get(name, name)).parent != self.folder
            }
            judges, files = dict(elsewhere), dict(self._files)
            for file in _files([str(self.folder)] if state else []):
                try:
                    judge = registry.get(str(file))
                except AdjudgeError as error:
                    LOGGER.warning("%s", error)
                    continue
                if judge.name in judges:
                    LOGGER.warning("%s", Reason("form.judge_twice", judge=judge.name))
                    continue
                same = self._judges.get(judge.name)
                judges[judge.name] = same if same == judge else judge
                files[judge.name] = str(file)
            self._files, self._judges = files, judges

    def _known(self, name: str) -> str:
        """`NAME/LANG` by the judge's own name, which can stand in an address."""
        base, _, language = name.partition("/")
        if not language or name in self._judges:
            return name
        judge = self._judges.get(base)
        return base if judge and judge.language == language else f"{base}-{language}"


def state_of(text: str) -> str:
    """What differs between two texts of a judge."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _next_version(text: str, judge: Judge, before: Judge) -> str:
    """With a version of its own, where it still has that of the judge before."""
    if judge.version != before.version or not str(judge.version).isdecimal():
        return text
    return changed(text, {"version": str(int(judge.version) + 1)})


def _write(path: Path, text: str) -> None:
    """Complete or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, made = tempfile.mkstemp(suffix=".tmp", dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(made).replace(path)
    except OSError as error:
        raise StoreError(Reason("store.uploads", why=error.strerror).in_file(path)) from None


@cache
def _packaged(name: str) -> Judge:
    return registry.get(name)


def _files(places: Sequence[str]) -> list[Path]:
    files: list[Path] = []
    for place in map(Path, places):
        if place.is_dir():
            files += sorted(file for file in place.iterdir() if file.suffix in _ENDINGS)
        elif place.is_file():
            files.append(place)
        else:
            raise UsageError(Reason("form.no_place").at_option("judges", str(place)))
    return files
