"""The judge that is probed, and the texts that it is probed with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from adjudge.core.item import Item
from adjudge.core.judge import Input, Judge
from adjudge.datasets.names import KNOWN_COLUMNS, normal
from adjudge.datasets.rows import scan
from adjudge.errors import UsageError
from adjudge.reading.language import detect

from .texts import LANGUAGES, Texts, texts_in

ROWS = 30  # of the user's data, unless they say otherwise
PARAPHRASE = "paraphrase"  # the column of the user's data that rewords the judged text
_ANSWERS = frozenset(map(normal, (*KNOWN_COLUMNS["answer"], *KNOWN_COLUMNS["response"])))
_REFERENCES = frozenset(map(normal, KNOWN_COLUMNS["reference"]))

Fields = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataOptions:
    """How the user's data are taken: `language` of the texts, `author` a column of it."""

    map: Mapping[str, str] = field(default_factory=dict)
    limit: int | None = None
    skip_bad_rows: bool = False
    language: str | None = None
    author: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """`targets` names, by item, the input that probes alter: the judged text, of a pair one side.

    `paraphrases` and `translations` hold the fields to put in place; `contrasts` has the items with
    a good and a weak answer to one question, which of a pair are the same; `authors` says who wrote
    the items. All are empty where that is not known. `source` names the texts.
    """

    judge: Judge
    items: tuple[Item, ...]
    texts: Texts
    source: str
    targets: Mapping[str, str]
    paraphrases: Mapping[str, Fields] = field(default_factory=dict)
    translations: Mapping[str, Fields] = field(default_factory=dict)
    contrasts: tuple[tuple[str, str], ...] = ()
    authors: Mapping[str, str] = field(default_factory=dict)

    @property
    def reference(self) -> str | None:
        """The input that holds the right answer."""
        for spec in self.judge.inputs.values():
            if not spec.judged and is_called(spec, _REFERENCES):
                return spec.name
        return None

    def text(self, item: Item) -> str:
        """The text that probes alter."""
        return item.fields.get(self.targets[item.id], "")


def target_of(judge: Judge, at: int) -> str:
    """The input that probes alter in the item at a place: of a pair each side in turn, else the
    judged input that is called like an answer, else the last one judged."""
    if judge.pair:
        return judge.pair.inputs[at % 2]
    judged = [judge.inputs[name] for name in judge.judged]
    called = [spec.name for spec in judged if is_called(spec, _ANSWERS)]
    return (called or [spec.name for spec in judged])[-1]


def is_called(spec: Input, names: frozenset[str]) -> bool:
    """Whether the input, or a column that feeds it, bears one of the names."""
    return any(normal(name) in names for name in (spec.name, *spec.columns))


def of_data(judge: Judge, data: str, options: DataOptions) -> Subject:
    """The first rows of the user's data."""
    limit = ROWS if options.limit is None else options.limit
    plan = scan(data, [judge.inputs], options.map, limit, options.skip_bad_rows)
    items = tuple(plan.items())
    targets = {item.id: target_of(judge, at) for at, item in enumerate(items)}
    judged = [item.fields.get(targets[item.id], "") for item in items]
    paraphrases = {
        item.id: {targets[item.id]: text}
        for item in items
        if isinstance(text := item.extra.get(PARAPHRASE), str) and text.strip()
    }
    return Subject(
        judge=judge,
        items=items,
        texts=texts_in(options.language or _language(judge, judged)),
        source=data,
        targets=targets,
        paraphrases=paraphrases,
        authors=_authors(items, options.author),
    )


def _language(judge: Judge, texts: Sequence[str]) -> str:
    """The one that most of the texts are in; else the judge's own, else English."""
    found = Counter(filter(None, map(detect, texts)))
    known = [code for code, _ in found.most_common() if code in LANGUAGES]
    return next(iter([*known[:1], *({judge.language} & set(LANGUAGES))]), "en")


def _authors(items: Sequence[Item], column: str | None) -> dict[str, str]:
    if column is None:
        return {}
    authors = {item.id: str(item.extra[column]) for item in items if column in item.extra}
    if not authors:
        known = ", ".join(sorted({name for item in items for name in item.extra})) or "none"
        raise UsageError(f"--author {column}: no row has this column; further columns: {known}.")
    return authors
