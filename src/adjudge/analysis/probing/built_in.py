"""The built-in texts as items of the judge that is probed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.datasets.items import single_item
from adjudge.errors import DataError, UsageError

from .subject import Fields, Subject, target_of
from .texts import LANGUAGES, OTHER, Texts, texts_in


@dataclass(frozen=True, slots=True)
class _Made:
    """An item, the input that probes alter, and what rewords it."""

    item: Item
    target: str
    paraphrase: Fields | None


def of_built_in(judge: Judge, language: str | None, limit: int | None) -> Subject:
    """The built-in texts in a language, by default the judge's own or English.

    Of each question a judge of one text sees the good and the weak answer, one item each; a judge
    of pairs sees both, and the weak one is altered. UsageError where the judge wants an input that
    the texts do not have.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"--limit {limit}: at least 1 row must be read")
    chosen = language or (judge.language if judge.language in LANGUAGES else "en")
    made = list(_items(judge, texts_in(chosen)))[:limit]
    elsewhere = {each.item.id: each.item.fields for each in _items(judge, texts_in(OTHER[chosen]))}
    return Subject(
        judge=judge,
        items=tuple(each.item for each in made),
        texts=texts_in(chosen),
        source=f"built-in texts ({chosen})",
        targets={each.item.id: each.target for each in made},
        paraphrases={each.item.id: each.paraphrase for each in made if each.paraphrase},
        contrasts=tuple(_contrasts(judge, [each.item.id for each in made])),
        translations={each.item.id: elsewhere[each.item.id] for each in made},
    )


def _items(judge: Judge, texts: Texts) -> Iterator[_Made]:
    for at, built in enumerate(texts.items):
        asked = {"question": built.question, "reference": built.reference}
        if judge.pair:
            weak = target_of(judge, at)
            (good,) = (name for name in judge.pair.inputs if name != weak)
            item = _item(judge, built.id, asked | {good: built.good, weak: built.weak})
            yield _Made(item, weak, {good: built.paraphrase})
            continue
        asked["source"] = f"{built.question}\n\n{built.reference}"
        target = target_of(judge, at)
        good_one = _item(judge, f"{built.id}-good", asked | {target: built.good})
        yield _Made(good_one, target, {target: built.paraphrase})
        weak_one = _item(judge, f"{built.id}-weak", asked | {target: built.weak})
        yield _Made(weak_one, target, None)


def _contrasts(judge: Judge, ids: list[str]) -> Iterator[tuple[str, str]]:
    if judge.pair:
        yield from ((each, each) for each in ids)
        return
    for good in ids:
        weak = f"{good.removesuffix('-good')}-weak"
        if good.endswith("-good") and weak in ids:
            yield good, weak


def _item(judge: Judge, name: str, cells: dict[str, str]) -> Item:
    try:
        return single_item({"id": name} | cells, judge.inputs)
    except DataError:
        wanted = [n for n, spec in judge.inputs.items() if spec.required and n not in cells]
        raise UsageError(
            f"The built-in texts have nothing for {', '.join(wanted)}, which {judge.name} needs:"
            f" give data of your own, adjudge probe DATA --judge {judge.name}."
        ) from None
