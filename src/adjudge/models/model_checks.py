"""What a check found out about a model, kept beside the weights and used whenever it is opened."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path

import orjson
import platformdirs

from .base import Model

_FACTS = ("json_schema", "patterns", "logprobs", "likelihood", "seed", "context")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCheck:
    """About the model of this `identity`, as of `date` (ISO 8601).

    None stands for what was not tried, or could not be found out. `seed` means that a seed repeats
    a reply, `ways` is the model's own record of what its server takes.
    """

    identity: str
    date: str
    json_schema: bool | None = None
    patterns: bool | None = None
    logprobs: bool | None = None
    likelihood: bool | None = None
    seed: bool | None = None
    context: int | None = None
    ways: Mapping[str, str | None]


def save_check(check: ModelCheck) -> Path:
    """Written in one step. What this check could not find out is kept from an earlier one."""
    before = load_check(check.identity)
    if before is not None:
        known = {name: getattr(before, name) for name in _FACTS if getattr(check, name) is None}
        check = replace(check, **known)
    path = _path(check.identity)
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_suffix(f".{os.getpid()}")
    written.write_bytes(orjson.dumps(asdict(check), option=orjson.OPT_INDENT_2))
    return written.replace(path)


def load_check(identity: str) -> ModelCheck | None:
    """None where nothing is kept, or where it is in a form of another version."""
    return _load(_path(identity))


def _load(path: Path) -> ModelCheck | None:
    with suppress(OSError, ValueError, TypeError):
        return ModelCheck(**orjson.loads(path.read_bytes()))
    return None


def saved_checks() -> list[ModelCheck]:
    """Everything that was ever found, by identity."""
    checks = filter(None, map(_load, _path("").parent.glob("*.json")))
    return sorted(checks, key=lambda check: check.identity)


def apply_check(model: Model) -> None:
    """Gives the model what an earlier check found out about it."""
    check = load_check(model.identity)
    if check is None:
        return
    facts = {name: getattr(check, name) for name in _FACTS if name != "likelihood"}
    facts = {name: value for name, value in facts.items() if value is not None}
    # Only forms that this version still knows.
    if model.ways.keys() == check.ways.keys():
        model.ways = check.ways
    model.capabilities = replace(model.capabilities, **facts)
    if check.likelihood is False:
        model.likelihoods = None


def _path(identity: str) -> Path:
    base = os.environ.get("ADJUDGE_CACHE") or platformdirs.user_cache_dir("adjudge", False)
    name = blake2b(identity.encode(), digest_size=12).hexdigest()
    return Path(base).expanduser() / "findings" / f"{name}.json"
