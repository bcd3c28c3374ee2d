"""Replies in a file that goes with a repository: written by `--record`, used alone by `--offline`.

A line per request, as JSON, in the order of models, judges and items: a diff shows what changed.
Its key is a hash over all that shapes the reply. The mark around judged texts differs from store to
store and so stands in the file under a name; nothing else of a store, and no key, is in there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reason import Reason
from adjudge.core.reply import NO_USAGE, Reply, TokenLogprob
from adjudge.errors import DataError, ProviderError
from adjudge.models import Capabilities, Model
from adjudge.models.prices import FREE, Price

_MARK = "STORE-MARK"  # stands in the file for the mark of the store
_COUNTS = ("input_tokens", "output_tokens", "cached_tokens", "cost_usd")
_CAN = tuple(field.name for field in fields(Capabilities))
Line = dict[str, Any]


def portable_key(model: str, prompt: Prompt, sampling: Sampling) -> str:
    """32 hexadecimal digits over everything that shapes the reply, the same on every machine."""
    request = [
        model,
        _messages(prompt.messages, prompt.mark),
        prompt.schema,
        sampling,
        prompt.sample,
        prompt.target,
        (check := prompt.check) and [_messages(check.messages, prompt.mark), check.yes, check.no],
    ]
    try:
        content = orjson.dumps(request, default=dict)
    except TypeError:  # half of a surrogate pair
        content = repr(request).encode(errors="surrogatepass")
    return blake2b(content, digest_size=16).hexdigest()


def _messages(messages: tuple[Message, ...], mark: str) -> list[dict[str, str]]:
    return [{"role": m.role, "content": _unmarked(m.content, mark)} for m in messages]


def _unmarked(text: str, mark: str) -> str:
    return text.replace(mark, _MARK) if mark else text


class Recording:
    """The replies of one file. `find` looks one up, `keep` adds one, `save` writes what is new.

    `offline`: only these replies are used, and one that is missing is an error.
    """

    def __init__(self, path: str | Path, *, offline: bool) -> None:
        self.path, self.offline = Path(path), offline
        content = _read(self.path, needed=offline)
        self.hash = blake2b(content, digest_size=8).hexdigest()
        self._models, self._lines = _parse(content, self.path)
        self._new: dict[str, Line] = {}
        self._new_models: dict[str, Line] = {}

    def model(self, name: str) -> Model:
        """What stands for a model whose replies were recorded; DataError where none were."""
        line = self._models.get(name) or next(
            (line for line in self._models.values() if name in line.get("asked_as", ())), None
        )
        if line is None:
            there = tuple(self._models)
            raise DataError(
                Reason("recording.no_model", model=name, known=there).in_file(self.path)
            )
        can, name = line["capabilities"], line["model"]
        known = {part: value for part, value in can.items() if part in _CAN}
        pair = tuple(known.get("bytes_per_token") or Capabilities().bytes_per_token)
        capabilities = Capabilities(**{**known, "bytes_per_token": pair, "cached": False})
        return RecordedModel(name, f"recording {name} {self.hash}", capabilities)

    def has(self, model: str, prompt: Prompt, sampling: Sampling) -> bool:
        return portable_key(model, prompt, sampling) in self._lines

    def find(self, model: str, prompt: Prompt, sampling: Sampling) -> Reply | None:
        """The reply, without usage: it was paid for when it was recorded."""
        line = self._lines.get(portable_key(model, prompt, sampling))
        if line is None:
            return None
        mark = prompt.mark or _MARK
        logprobs = line.get("logprobs")
        return Reply(
            text=line["reply"].replace(_MARK, mark),
            finish=line.get("finish", "stop"),
            refusal=line.get("refusal"),
            logprobs=None
            if logprobs is None
            else tuple(TokenLogprob(*token) for token in logprobs),
        )

    def missing(self, prompt: Prompt) -> Reason:
        """Why a request cannot be answered: which row it is about."""
        return missing_in_cache(prompt).in_file(self.path)

    def know(self, model: Model, asked_as: str) -> None:
        """What prompts are made by goes with the replies, as it is before the first of them."""
        names = {asked_as, *self._models.get(model.name, {}).get("asked_as", ())} - {model.name}
        known = {name: getattr(model.capabilities, name) for name in _CAN}
        line = {"model": model.name, "asked_as": sorted(names), "capabilities": known}
        self._models[model.name] = self._new_models[model.name] = line

    def keep(self, model: Model, prompt: Prompt, sampling: Sampling, reply: Reply) -> None:
        """A reply that is there already stays as it is: the file changes only where requests do."""
        key = portable_key(model.name, prompt, sampling)
        if key in self._lines:
            return
        line: Line = {
            "key": key,
            "model": model.name,
            "judge": prompt.judge,
            "item": prompt.item,
            "criterion": prompt.criterion,
            "order": prompt.order,
            "sample": prompt.sample,
            "temperature": sampling.temperature,
            "messages": _messages(prompt.messages, prompt.mark),
            **({"target": prompt.target} if prompt.target is not None else {}),
            "reply": _unmarked(reply.text, prompt.mark),
            "finish": reply.finish,
            **({"refusal": reply.refusal} if reply.refusal is not None else {}),
            "usage": {name: getattr(reply.usage, name) for name in _COUNTS},
        }
        if reply.usage is NO_USAGE:
            del line["usage"]
        if reply.logprobs is not None:
            line["logprobs"] = [[t.token, t.logprob, t.top, t.piece] for t in reply.logprobs]
        self._lines[key] = self._new[key] = line

    def save(self, *, replaces: bool = True) -> None:
        """Adds what is new to what the file holds now: others may have written meanwhile.

        A new line takes the place of the one about the same thing whose request has changed, unless
        several requests about it belong together (`replaces` is False).
        """
        if self.offline or not self._new:
            return
        with _locked(self.path.resolve().parent):
            models, lines = _parse(_read(self.path, needed=False), self.path)
            models |= self._new_models
            places = {_place(line) for line in self._new.values()} if replaces else set()
            kept = {key: line for key, line in lines.items() if _place(line) not in places}
            kept |= self._new
            rows = [models[name] for name in sorted(models)]
            rows += sorted(kept.values(), key=_order)
            text = b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
            partial = self.path.with_name(f".{self.path.name}.{os.getpid()}")
            partial.write_bytes(text)
            partial.replace(self.path)
        self._new.clear()


def missing_in_cache(prompt: Prompt, place: str = "") -> Reason:
    """The row whose request nobody has answered, and whether it is a question about a reply."""
    further = len(prompt.messages) > 1 and prompt.messages[-2].role == "assistant"
    where = Reason("recording.at", place=place) if place else ""
    if further:
        return Reason("recording.no_further", item=prompt.item, judge=prompt.judge, where=where)
    return Reason("recording.no_reply", item=prompt.item, judge=prompt.judge, where=where)


@dataclass(slots=True)
class RecordedModel(Model):
    """Stands for a model that is not there; its replies come from a recording alone."""

    name: str
    identity: str
    capabilities: Capabilities
    price: Price | None = FREE

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:  # noqa: ARG002 - not there
        raise ProviderError(missing_in_cache(prompt), fatal=True)

    async def aclose(self) -> None:
        """It holds nothing."""


def _place(line: Line) -> tuple[object, ...]:
    """What a line is about."""
    about = (line.get(name) for name in ("model", "judge", "item", "criterion", "order", "sample"))
    return (*about, line.get("temperature"), len(line["messages"]))


def _order(line: Line) -> tuple[str, ...]:
    numbers = (f"{line.get('sample') or 0:06}", f"{len(line['messages']):06}")
    names = (str(line.get(name) or "") for name in ("model", "judge", "item", "criterion", "order"))
    return (*names, *numbers, line["key"])


def _read(path: Path, *, needed: bool) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        if not needed:
            return b""
        why = Reason("recording.no_file")
    except OSError as error:
        why = Reason("recording.unreadable", why=error.strerror)
    raise DataError(why.in_file(path))


def _parse(content: bytes, path: Path) -> tuple[dict[str, Line], dict[str, Line]]:
    """Lines about models by name, and replies by key; DataError names a line that is neither."""
    models: dict[str, Line] = {}
    lines: dict[str, Line] = {}
    for number, text in enumerate(content.splitlines(), 1):
        if not text.strip():
            continue
        try:
            line = orjson.loads(text)
            if "capabilities" in line:
                models[line["model"]] = line
            elif isinstance(line["messages"], list) and isinstance(line["reply"], str):
                lines[line["key"]] = line
            else:
                raise KeyError("reply")  # noqa: TRY301 - one place tells of all
        except (orjson.JSONDecodeError, KeyError, TypeError):
            raise DataError(Reason("recording.broken").in_file(path, number)) from None
    return models, lines


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One writer at a time: the workers of a test session share a file."""
    if sys.platform == "win32":
        yield
        return
    import fcntl  # noqa: PLC0415 - not on every system

    place = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems have no locks
            fcntl.flock(place, fcntl.LOCK_EX)
        yield
    finally:
        os.close(place)
