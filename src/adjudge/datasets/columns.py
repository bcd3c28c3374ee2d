"""Which column feeds which input of the judges."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from adjudge.core.judge import Input
from adjudge.core.reason import Reason
from adjudge.errors import DataError, UsageError

from .bounds import close_name, listed
from .conversations import COLUMNS as CONVERSATIONS
from .conversations import ChatTurn, is_told
from .selectors import ID_COLUMNS, KNOWN_COLUMNS, Selector, is_within, normal_name, splits

# In `--map` the name of the id column, which is no input.
ID = "id"

# What of a conversation feeds which input, where no other column does.
_TURNS = {"question": False, "answer": True}


_TOLD = 10  # inputs without a column that are named one by one
_SENTENCE, _AGAIN = 20, 5  # signs of a text; rows per value from which on it names a group


class NestedOnly(DataError):  # noqa: N818 - says what is the case
    """What would feed a required input holds objects or lists, and nobody said which part to take.

    The message says what to map.
    """


@dataclass(frozen=True)
class ColumnMapping:
    """What of a row feeds each input, and the id; None where ids are made from the content.

    `set_aside` are columns, by input, that would feed one that steers the judge and was not mapped.
    """

    fields: Mapping[str, Selector | ChatTurn]
    id: Selector | None
    set_aside: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def used(self) -> frozenset[str]:
        """The columns that feed an input as a whole."""
        return frozenset(feed.column for feed in self.fields.values() if feed.whole)

    @classmethod
    def plan(
        cls,
        header: Sequence[str],
        inputs: Mapping[str, Input],
        mapping: Mapping[str, str],
        nested: Mapping[str, object] | None = None,
        *,
        explicit: bool = False,
    ) -> ColumnMapping:
        """Feeds the inputs from the columns of `header`.

        In this order: `mapping` (input to column), the input's own name, the names in its
        `columns`, the known names. Case does not count, and space, `-` and `_` are alike. Only
        `mapping` can feed two inputs from one column, and only it can hold paths into columns.
        What steers the judge is fed by `mapping` alone: any data may have a column of that name;
        not so where the columns are `explicit`, an item that somebody wrote for this judge.
        Required inputs choose first, and take none of the `nested` columns (see `nested_cells`) by
        a known name: `input` may hold the question beside other things. Where a question and an
        answer are still wanted and there is one column of conversations, its last message is the
        answer and the rest the question.

        Raises DataError when a required input is left without a column or two columns fit equally
        well, UsageError when `mapping` names an input or a column that there is not.
        """
        plan = _Plan(header, inputs, mapping, nested or {}, explicit=explicit)
        plan.check()
        return cls(fields=plan.fields, id=plan.id_column(), set_aside=plan.set_aside)


@dataclass(frozen=True, slots=True)
class ProposedColumns:
    """By input, the column that is fed to it by its name or as was asked, and what is `proposed`
    for the others: a person looks at that before it holds. `id` is "" where there is none; `asked`
    is what of the mapping the data have."""

    asked: Mapping[str, str]
    matched: Mapping[str, str]
    proposed: Mapping[str, str]
    id: str


def propose_columns(
    rows: Sequence[Mapping[str, object]],
    inputs: Mapping[str, Input],
    mapping: Mapping[str, str],
) -> ProposedColumns:
    """What feeds each input, from the first rows of the data; a choice in `mapping` that names no
    column counts as none."""
    header = list(dict.fromkeys(column for row in rows for column in row))
    nested = {name: cell for row in rows for name, cell in nested_cells(row).items()}
    known = {name: path for name, path in mapping.items() if name in inputs or name == ID}
    there = {
        name: path for name, path in known.items() if any(c in header for c, _ in splits(path))
    }
    plan = _Plan(header, inputs, there, nested, explicit=False, lenient=True)
    ids = plan.id_column()
    lengths = {column: _text_length(rows, column) for column in header}
    texts = sorted(filter(lengths.__getitem__, header), key=lengths.__getitem__, reverse=True)
    texts = [column for column in texts if ids is None or column != ids.column]
    matched = {name: str(feed) for name, feed in plan.fields.items() if isinstance(feed, Selector)}
    matched |= {name: "" for name, feed in plan.fields.items() if isinstance(feed, ChatTurn)}
    return ProposedColumns(there, matched, plan.proposed(texts), "" if ids is None else str(ids))


def _text_length(rows: Sequence[Mapping[str, object]], column: str) -> float:
    """How long the texts of a column are, on average; 0 where they hold no letters, or are short
    and come again and again, as names of groups do."""
    texts = [text for row in rows if isinstance(text := row.get(column), str) and text.strip()]
    if not any(sign.isalpha() for text in texts for sign in text):
        return 0.0
    average = sum(map(len, texts)) / len(texts)
    return 0.0 if average < _SENTENCE and len({*texts}) * _AGAIN <= len(texts) else average


def merge_inputs(judges: Iterable[Mapping[str, Input]]) -> dict[str, Input]:
    """The inputs of several judges as those of one: the strictest of each name."""
    merged: dict[str, Input] = {}
    for inputs in judges:
        for name, spec in inputs.items():
            known = merged.get(name)
            merged[name] = (
                spec
                if known is None
                else replace(
                    known,
                    required=known.required or spec.required,
                    judged=known.judged and spec.judged,
                    columns=tuple(dict.fromkeys(known.columns + spec.columns)),
                    steers=known.steers or spec.steers,
                    parted=known.parted or spec.parted,
                    checklist=known.checklist or spec.checklist,
                )
            )
    return merged


def wanted_names(inputs: Mapping[str, Input], mapping: Mapping[str, str]) -> frozenset[str]:
    """The normal names of all columns that could matter to a plan."""
    names = {*ID_COLUMNS, *CONVERSATIONS}
    names.update(column for path in mapping.values() for column, _ in splits(path))
    for spec in inputs.values():
        names.update(name for names_of in _WAYS for name in names_of(spec))
    return frozenset(map(normal_name, names))


def _by_known_name(spec: Input) -> Sequence[str]:
    return KNOWN_COLUMNS.get(spec.name, ())


# How an input finds a column by itself, the surest way first.
_WAYS: tuple[Callable[[Input], Sequence[str]], ...] = (
    lambda spec: (spec.name,),
    lambda spec: spec.columns,
    _by_known_name,
)


class _Plan:
    """The plan while it is being made."""

    def __init__(
        self,
        header: Sequence[str],
        inputs: Mapping[str, Input],
        mapping: Mapping[str, str],
        nested: Mapping[str, object],
        *,
        explicit: bool,
        lenient: bool = False,
    ) -> None:
        self._lenient = lenient  # the first of several that fit is taken
        self._header, self._mapping, self._nested = header, mapping, nested
        self._named: dict[str, list[str]] = {}
        for column in header:
            self._named.setdefault(normal_name(column), []).append(column)
        self.fields = self._mapped(inputs)
        # An optional input must not take what a required one needs.
        specs = sorted(inputs.values(), key=lambda spec: not spec.required)
        self.set_aside: dict[str, str] = {}
        for way in _WAYS:
            for spec in specs:
                if spec.name in self.fields:
                    continue
                if spec.steers and not explicit:
                    self._set_aside(spec.name, way(spec))
                    continue
                barred = self._nested if spec.required and way is _by_known_name else {}
                selector = self._free(spec.name, way(spec), barred)
                if selector is not None:
                    self.fields[spec.name] = selector
        self._converse(inputs)
        self._missing = [spec for spec in specs if spec.required and spec.name not in self.fields]

    def check(self) -> None:
        """DataError where a required input is left without a column."""
        if self._missing:
            kind = NestedOnly if any(map(self._whole, self._missing)) else DataError
            remedies = tuple(self._remedies(self._missing))
            raise kind(Reason("columns.there", names=listed(self._header), missing=remedies))

    def proposed(self, texts: Sequence[str]) -> dict[str, str]:
        """By input, a column for those that are left without one: by a name that is near, by a path
        into a nested column, else one of `texts`, the columns that hold texts, in their order."""
        taken = {feed.column for feed in self.fields.values()}
        unused = [column for column in self._header if column not in taken]
        proposals: dict[str, str] = {}
        for spec in self._missing:
            near = self._near(spec, unused)
            if near:
                unused.remove(near)
                proposals[spec.name] = near
            elif whole := self._whole(spec):
                names = [name for way in _WAYS for name in way(spec)]
                proposals[spec.name] = path_into(whole, self._nested[whole], names)[1]
        left = [spec for spec in self._missing if spec.name not in proposals]
        free = [column for column in texts if column in unused][: len(left)]
        # What is judged comes before what it is compared with.
        first = sorted(left, key=lambda spec: not spec.judged)[: len(free)]
        left = [spec for spec in left if spec in first]
        order = [column for column in self._header if column in free]
        return proposals | {spec.name: column for spec, column in zip(left, order, strict=False)}

    def id_column(self) -> Selector | None:
        """The column with the ids: the mapped one, else one of the known names."""
        if ID in self._mapping:
            return self._existing(ID, self._mapping[ID])
        return self._free(ID, ID_COLUMNS)

    def _converse(self, inputs: Mapping[str, Input]) -> None:
        """Takes question and answer from a conversation, unless another column feeds either."""
        wanted = [name for name in _TURNS if name in inputs]
        taken = any(name in self.fields for name in wanted)
        columns = self._conversations()
        if len(columns) == 1 and not taken:
            for name in wanted:
                self.fields[name] = ChatTurn(columns[0], last=_TURNS[name])

    def _conversations(self) -> list[str]:
        columns = (column for name in CONVERSATIONS for column in self._columns(name))
        return [column for column in columns if not self._feeds(column)]

    def _mapped(self, inputs: Mapping[str, Input]) -> dict[str, Selector | ChatTurn]:
        for name in self._mapping:
            if name not in inputs and name != ID:
                known = [*inputs, ID]
                close = close_name(name, known)
                flag = _flag(name, self._mapping[name])
                raise UsageError(
                    Reason("columns.like_input", flag=flag, name=name, close=close[0])
                    if close
                    else Reason("columns.no_input", flag=flag, name=name, names=tuple(known))
                )
        return {
            name: self._existing(name, self._mapping[name])
            for name in inputs
            if name in self._mapping
        }

    def _existing(self, name: str, path: str) -> Selector:
        """The column of that name, else the path into the column with the longest name."""
        for column, steps in splits(path):
            alike = self._named.get(normal_name(column), [])
            if column in self._header:
                return Selector(column, steps, path)
            if len(alike) == 1:
                return Selector(alike[0], steps, alike[0] + path.removeprefix(column))
        raise UsageError(self._absent(_flag(name, path), path))

    def _absent(self, flag: Reason, path: str) -> Reason:
        *_, (column, _) = splits(path)
        alike = self._named.get(normal_name(path), [])
        close = alike or close_name(column, self._header)
        names = listed(self._header)
        if not close:
            return Reason("columns.absent", flag=flag, name=column, names=names)
        meant = " / ".join(map(repr, close))
        return Reason("columns.like", flag=flag, name=column, close=meant, names=names)

    def _free(
        self, name: str, candidates: Sequence[str], barred: Container[str] = ()
    ) -> Selector | None:
        """The first candidate's column, unless it is barred or an input has it already."""
        for candidate in candidates:
            columns = [
                column
                for column in self._columns(candidate)
                if column not in barred and not self._feeds(column)
            ]
            if len(columns) > 1 and not self._lenient:
                flags = tuple(_flag(name, column) for column in columns)
                names = listed(columns)
                raise DataError(Reason("columns.several", names=names, name=name, flags=flags))
            if columns:
                return Selector(columns[0])
        return None

    def _set_aside(self, name: str, candidates: Sequence[str]) -> None:
        for column in (column for candidate in candidates for column in self._columns(candidate)):
            self.set_aside.setdefault(name, column)

    def _columns(self, candidate: str) -> list[str]:
        return self._named.get(normal_name(candidate), [])

    def _feeds(self, column: str) -> str | None:
        """The input that has the column, as a whole or a part of it."""
        return next((name for name, used in self.fields.items() if used.column == column), None)

    def _remedies(self, missing: Sequence[Input]) -> Iterator[Reason]:
        used = {feed.column for feed in self.fields.values()}
        unused = [column for column in self._header if column not in used]
        for spec in missing[:_TOLD]:
            name, shared = spec.name, self._shared(spec)
            if whole := self._whole(spec):
                names = [name for way in _WAYS for name in way(spec)]
                kind, path = path_into(whole, self._nested[whole], names)
                ways = {"part": _flag(name, path), "whole": _flag(name, whole)}
                yield Reason("columns.nested", name=name, column=whole, kind=kind, **ways)
            elif shared:
                column, other = shared
                flags = {"one": _flag(other, column), "two": _flag(name, column)}
                yield Reason("columns.shared", name=name, column=column, other=other, **flags)
            elif spec.name in _TURNS and (columns := self._conversations()):
                turns = ChatTurn(columns[0], last=_TURNS[spec.name])
                yield Reason("columns.turn", name=name, flag=_flag(name, str(turns)))
            else:
                near = self._near(spec, unused)
                if near:
                    unused.remove(near)
                yield Reason("columns.none", name=name, flag=_flag(name, near or "COLUMN"))
        if len(missing) > _TOLD:
            yield Reason("columns.more", n=len(missing) - _TOLD)

    def _near(self, spec: Input, unused: Sequence[str]) -> str | None:
        """The column that is likeliest meant: one whose name has a known one in it ("Câu hỏi của
        khách"), the longest first, or one that may be a slip."""
        names = [normal_name(name) for way in _WAYS for name in way(spec)]
        written = {normal_name(column): column for column in unused}
        for name in sorted(names, key=len, reverse=True):
            for normal, column in written.items():
                if is_within(name, normal):
                    return column
        close = (slip for name in names for slip in close_name(name, written))
        return next((written[slip] for slip in close), None)

    def _whole(self, spec: Input) -> str | None:
        """A nested column that fits by its name."""
        columns = (column for name in _by_known_name(spec) for column in self._columns(name))
        return next(
            (name for name in columns if name in self._nested and not self._feeds(name)), None
        )

    def _shared(self, spec: Input) -> tuple[str, str] | None:
        """A column that would fit, and the input that has it."""
        for way in _WAYS:
            for candidate in way(spec):
                for column in self._columns(candidate):
                    if other := self._feeds(column):
                        return column, other
        return None


def _flag(name: str, column: str) -> Reason:
    return Reason("option_value", name="map", value=shlex.quote(f"{name}={column}"))


def nested_cells(cells: Mapping[str, object]) -> dict[str, object]:
    """The cells of a row with objects or lists that are no conversations; empty ones tell nothing.

    Texts that hold JSON are texts.
    """
    return {
        column: value
        for column, value in cells.items()
        if value and isinstance(value, Mapping | list) and not is_told(value)
    }


def path_into(column: str, cell: object, names: Sequence[str]) -> tuple[Reason, str]:
    """What the column holds, in words, and the likeliest path into it for one of these names."""
    if not isinstance(cell, Mapping):
        return Reason("columns.lists"), f"{column}[0]"
    keys = {normal_name(str(key)): str(key) for key in cell}
    wanted = [normal_name(name) for name in names]
    fit = [keys[name] for name in wanted if name in keys]
    close = [keys[key] for name in wanted for key in close_name(name, keys)]
    objects = Reason("columns.objects", names=listed(keys.values()))
    return objects, f"{column}.{next(iter([*fit, *close]), 'KEY')}"
