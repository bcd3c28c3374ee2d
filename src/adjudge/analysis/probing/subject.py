"""The judge that is probed, and the texts that it is probed with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from adjudge.core.item import Item
from adjudge.core.judge import Input, Judge
from adjudge.core.reason import Reason
from adjudge.datasets import scan, single_item
from adjudge.datasets.selectors import KNOWN_COLUMNS, normal_name
from adjudge.errors import DataError, UsageError
from adjudge.reading import detect_language
from adjudge.running import RunOptions

ROWS = 30  # of the user's data, unless they say otherwise
PARAPHRASE = "paraphrase"  # the column of the user's data that rewords the judged text
_ANSWERS = frozenset(map(normal_name, (*KNOWN_COLUMNS["answer"], *KNOWN_COLUMNS["response"])))
_REFERENCES = frozenset(map(normal_name, KNOWN_COLUMNS["reference"]))

Fields = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """`targets` names, by item, the input that probes alter: the judged text, of a pair one side.

    `paraphrases` and `translations` hold the fields to put in place; `contrasts` has the items with
    a good and a weak answer to one question, which of a pair are the same; `authors` says who wrote
    the items. All are empty where that is not known. `source` names the texts.
    """

    judge: Judge
    items: tuple[Item, ...]
    texts: ProbeTexts
    source: Reason
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
    return any(normal_name(name) in names for name in (spec.name, *spec.columns))


def of_data(
    judge: Judge,
    data: str,
    options: RunOptions,
    *,
    language: str | None = None,
    author: str | None = None,
) -> Subject:
    """The first rows of the user's data. `language` is that of the texts, found out by itself;
    `author` is the column that says who wrote them."""
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
        texts=texts_in(language or _language(judge, judged)),
        source=Reason.of(data),
        targets=targets,
        paraphrases=paraphrases,
        authors=_authors(items, author),
    )


def _language(judge: Judge, texts: Sequence[str]) -> str:
    """The one that most of the texts are in; else the judge's own, else English."""
    counts = Counter(filter(None, map(detect_language, texts)))
    known = [code for code, _ in counts.most_common() if code in LANGUAGES]
    return next(iter([*known[:1], *({judge.language} & set(LANGUAGES))]), "en")


def _authors(items: Sequence[Item], column: str | None) -> dict[str, str]:
    if column is None:
        return {}
    authors = {item.id: str(item.extra[column]) for item in items if column in item.extra}
    if not authors:
        known = tuple(sorted({name for item in items for name in item.extra})) or ("none",)
        raise UsageError(Reason("query.no_column", known=known).at_option("author", column))
    return authors


LANGUAGES = ("en", "ko", "vi")
# Whose set of the same texts the probe `language` takes.
OTHER = {"en": "ko", "ko": "en", "vi": "en"}


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """One question with an answer that is good, one that is wrong, and the good one reworded."""

    id: str
    question: str
    reference: str
    good: str
    weak: str
    paraphrase: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeTexts:
    """`keys` stand in place of an answer, everything else is added to one. In `instructions` and
    `grade_line`, {best} is the top of the judge's scale and {criterion} a criterion's title."""

    language: str
    padding: str
    restated: str
    keys: tuple[str, ...]
    instructions: tuple[str, ...]
    pair_instructions: tuple[str, ...]
    grade_head: str
    grade_line: str
    authority: tuple[str, ...]
    polish_title: str
    polish_lead: str
    polish_close: str
    items: tuple[BuiltIn, ...]


@cache
def texts_in(language: str) -> ProbeTexts:
    """The texts of one of LANGUAGES."""
    path = files("adjudge.analysis.probing") / "sets" / f"{language}.yaml"
    content: Mapping[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    plain: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in content.items()
        if name != "items"
    }
    items = tuple(BuiltIn(**entry) for entry in content["items"])
    return ProbeTexts(language=language, items=items, **plain)


def of_built_in(judge: Judge, language: str | None, limit: int | None) -> Subject:
    """The built-in texts in a language, by default the judge's own or English.

    Of each question a judge of one text sees the good and the weak answer, one item each; a judge
    of pairs sees both, and the weak one is altered. UsageError where the judge wants an input that
    the texts do not have.
    """
    if limit is not None and limit < 1:
        raise UsageError(Reason("form.no_row", n=limit))
    chosen = language or (judge.language if judge.language in LANGUAGES else "en")
    made = list(_items(judge, texts_in(chosen)))[:limit]
    items, elsewhere = [item for item, *_ in made], _items(judge, texts_in(OTHER[chosen]))
    ids = {item.id for item in items}
    return Subject(
        judge=judge,
        items=tuple(items),
        texts=texts_in(chosen),
        source=Reason("built_in", language=chosen),
        targets={item.id: target for item, target, _ in made},
        paraphrases={item.id: reworded for item, _, reworded in made if reworded},
        contrasts=tuple(
            (item.id, weak)
            for item in items
            if (weak := item.id.replace("-good", "-weak")) in ids
            and (judge.pair or item.id.endswith("-good"))
        ),
        translations={item.id: item.fields for item, *_ in elsewhere if item.id in ids},
    )


def _items(judge: Judge, texts: ProbeTexts) -> Iterator[tuple[Item, str, Fields | None]]:
    """Each item, the input that probes alter, and what rewords it."""
    for at, built in enumerate(texts.items):
        asked = {"question": built.question, "reference": built.reference}
        if judge.pair:
            weak = target_of(judge, at)
            (good,) = (name for name in judge.pair.inputs if name != weak)
            item = _item(judge, built.id, asked | {good: built.good, weak: built.weak})
            yield item, weak, {good: built.paraphrase}
            continue
        asked["source"] = f"{built.question}\n\n{built.reference}"
        target, reworded = target_of(judge, at), built.paraphrase
        for name, text in (("good", built.good), ("weak", built.weak)):
            item = _item(judge, f"{built.id}-{name}", asked | {target: text})
            yield item, target, {target: reworded} if name == "good" else None


def _item(judge: Judge, name: str, cells: dict[str, str]) -> Item:
    try:
        return single_item({"id": name} | cells, judge.inputs)
    except DataError:
        fed = {name for name in cells if name in judge.inputs and judge.inputs[name].type == "text"}
        wanted = [n for n, spec in judge.inputs.items() if spec.required and n not in fed]
        raise UsageError(
            Reason("probes.built_in", wanted=tuple(wanted), judge=judge.name)
        ) from None
