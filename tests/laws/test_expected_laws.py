"""Against a model that is known to the last token: what is weighed is true, whatever is cut how."""

from __future__ import annotations

import json
import math
import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.reading import asked
from tests.unit.reading.probabilities.shown_tokens import HIDING, SHOWN, Top, shown
from tests.unit.reading.probabilities.token_tree import Ways, reply_of, weighed

from adjudge.core.reply import Reply, TokenLogprob
from adjudge.core.scale import Integer, Number, Ordinal, Scale
from adjudge.core.score import Outcome
from adjudge.reading import CriterionReading
from adjudge.reading.probabilities.tokens import spell_tokens

EXACT = 1e-9
HUNDRED = "{type: integer, min: 0, max: 100}"
UNLIKE = "{type: category, options: [good, bad, ugly]}"
ALIKE = "{type: category, options: [more, more or less, moderate, less]}"
NUMBERS = {
    asked.LEVELS: range(1, 5),
    asked.FIVE: range(1, 6),
    asked.TEN: range(1, 11),
    HUNDRED: range(101),
}
GRID = [f"{tenths / 10:.1f}" for tenths in range(101)]
ENDS = ["}", ",", "\n", " }"]
# Nothing that a value's name begins with: a beginning that only one value has is taken for it.
NOT_VALUES = ["?", "-7", "[[", "@4"]


def scale_of(scale: str) -> Scale:
    return asked.judge_of(scale).rubric.criteria["quality"].scale


def shares_of(texts: list[str], dice: random.Random) -> dict[str, float]:
    """A distribution over the texts in which none is impossible."""
    weights = [dice.random() ** 3 + 1e-6 for _ in texts]
    return {text: weight / math.fsum(weights) for text, weight in zip(texts, weights, strict=True)}


@st.composite
def ways_of(draw: st.DrawFn, texts: list[str], cut: str) -> tuple[Ways, dict[str, float]]:
    """Ways to write each text, and how likely each text is.

    `cut` is "whole" for a text a token, "signs" for a sign a token, or "anywhere". Values of no
    scale take a part of the probability, and each value may end in several ways.
    """
    dice = random.Random(draw(st.integers(0, 2**32)))  # noqa: S311 - of a made-up model
    shares = shares_of([*texts, *NOT_VALUES], dice)
    ways: dict[tuple[str, ...], float] = {}
    for text, share in shares.items():
        inner = range(1, len(text))
        edges = {
            "whole": [],
            "signs": list(inner),
            "anywhere": [place for place in inner if dice.random() < 0.5],
        }[cut]
        tokens = [text[a:b] for a, b in zip([0, *edges], [*edges, len(text)], strict=True)]
        for end, part in ((dice.choice(ENDS), 0.75), ("\n\n", 0.25)):
            ways[(*tokens, end)] = share * part
    return ways, {text: shares[text] for text in texts}


def sampled_from(draw: st.DrawFn, ways: Ways) -> tuple[str, ...]:
    """One way that writes a value."""
    return draw(st.sampled_from([way for way in ways if "".join(way[:-1]) not in NOT_VALUES]))


def weights(found: CriterionReading) -> dict[str, float]:
    """What each value weighs before the weights are made to sum to one."""
    assert found.distribution is not None, found.why
    assert math.fsum(found.distribution.values()) == pytest.approx(1.0, abs=EXACT)
    return {name: share * (found.mass or 0.0) for name, share in found.distribution.items()}


def ask(draw: st.DrawFn, scale: str, ways: Ways) -> tuple[CriterionReading, tuple[str, ...]]:
    way = sampled_from(draw, ways)
    reply = reply_of(ways, way, ("quality: ",))
    return weighed(scale, reply, form="text"), way


def check_exact(scale: str, found: CriterionReading, truth: dict[str, float]) -> None:
    own = scale_of(scale)
    assert weights(found) == pytest.approx(truth, abs=EXACT)
    if isinstance(own, Integer | Ordinal | Number):
        mean = math.fsum(float(value) * p for value, p in truth.items()) / sum(truth.values())
        assert found.value == pytest.approx(mean, abs=EXACT)


@given(st.data(), st.sampled_from(sorted(NUMBERS)))
def test_values_of_one_token_are_exact(data: st.DataObject, scale: str) -> None:
    ways, truth = data.draw(ways_of([str(value) for value in NUMBERS[scale]], "whole"))
    found, _ = ask(data.draw, scale, ways)
    check_exact(scale, found, truth)


@given(st.data())
def test_a_grid_of_decimals_of_one_token_is_exact(data: st.DataObject) -> None:
    ways, truth = data.draw(ways_of(GRID, "whole"))
    found, _ = ask(data.draw, asked.ANY_TEN, ways)
    check_exact(asked.ANY_TEN, found, truth)


@given(st.data(), st.sampled_from([asked.LEVELS, asked.FIVE, asked.YES_NO, UNLIKE]))
def test_values_that_begin_unlike_are_exact_however_they_are_cut(
    data: st.DataObject, scale: str
) -> None:
    own = scale_of(scale)
    texts = [own.write(value) for value in own.values() or ()]
    ways, truth = data.draw(ways_of(texts, "anywhere"))
    found, _ = ask(data.draw, scale, ways)
    check_exact(scale, found, truth)


@given(st.data())
def test_ten_in_two_tokens_is_exact_where_it_was_begun(data: st.DataObject) -> None:
    ways, truth = data.draw(ways_of([str(value) for value in range(1, 11)], "signs"))
    found, way = ask(data.draw, asked.TEN, ways)
    if way[0] != "1":
        truth = {value: p for value, p in truth.items() if value not in {"1", "10"}}
    check_exact(asked.TEN, found, truth)


@given(st.data())
def test_digit_by_digit_only_what_was_followed_is_known(data: st.DataObject) -> None:
    ways, truth = data.draw(ways_of([str(value) for value in range(101)], "signs"))
    found, way = ask(data.draw, HUNDRED, ways)
    known = {v: p for v, p in truth.items() if v == "0" or v[0] == way[0]}
    if way[:2] != ("1", "0"):
        known = {v: p for v, p in known.items() if v not in {"10", "100"}}
    check_exact(HUNDRED, found, known)


@given(st.data())
def test_decimals_are_exact_behind_the_whole_part_that_was_written(data: st.DataObject) -> None:
    ways, truth = data.draw(ways_of(GRID, "signs"))
    found, way = ask(data.draw, asked.ANY_TEN, ways)
    whole = "".join(way).split(".")[0]
    known = {v: p for v, p in truth.items() if v.split(".")[0] == whole}
    if whole == "1":
        known |= {"10.0": truth["10.0"]}  # behind 1 and 0 only the end of the scale can come
    check_exact(asked.ANY_TEN, found, known)


@given(st.data())
def test_nothing_weighs_more_than_it_is_likely(data: st.DataObject) -> None:
    ways, truth = data.draw(ways_of(["more", "more or less", "moderate", "less"], "anywhere"))
    found, way = ask(data.draw, ALIKE, ways)
    for value, weight in weights(found).items():
        assert weight <= truth[value] + EXACT
    assert (found.mass or 0) <= math.fsum(truth.values()) + EXACT
    assert weights(found)["".join(way[:-1])] > 0


@given(st.data(), st.floats(0, 1))
def test_below_the_least_mass_there_is_no_value(data: st.DataObject, least: float) -> None:
    ways, truth = data.draw(ways_of([str(value) for value in range(1, 6)], "whole"))
    way = sampled_from(data.draw, ways)
    found = weighed(asked.FIVE, reply_of(ways, way, ("quality: ",)), form="text", least_mass=least)
    mass = math.fsum(truth.values())
    if abs(mass - least) > EXACT:
        assert (found.outcome is Outcome.SCORED) == (mass > least)
    assert (found.value is None) == (found.outcome is not Outcome.SCORED)


# Tokens as they come, some of a value and some of halves of characters.
TOKENS = st.sampled_from(
    ["Score:", " ", "4", "1", "0", "10", ".5", ",", "\n", '"', '{"', 'quality"', "}", "**", "[[",
     "]]", "/5", " out of", "A", ">>", "B", "t", "ie", "yes", "No", "excel", "lent", "four", "예",
     "\ufffd", "４", "5점 만점에 ", "<think>", "</think>", "", "-", "½", "[", "(", "A is better"]
)  # fmt: skip
SCALES = [*NUMBERS, asked.ANY_TEN, asked.ZERO_ONE, asked.YES_NO, asked.PAIR, asked.ARENA, ALIKE]


@given(
    st.lists(st.tuples(TOKENS, st.dictionaries(TOKENS, st.floats(-30, 0.001)))),
    st.sampled_from(SCALES),
    st.sampled_from(["json", "text"]),
)
@settings(max_examples=500)
def test_whatever_comes_it_is_weighed_on_the_scale_or_not_at_all(
    tokens: list[tuple[str, dict[str, float]]], scale: str, form: str
) -> None:
    tokens = [("Score: ", {}), *tokens] if len(tokens) < 5 else tokens
    logprobs = tuple(TokenLogprob(token, top.get(token, -1.0), top) for token, top in tokens)
    reply = Reply(text="".join(token for token, _ in tokens), logprobs=logprobs)
    found, own = weighed(scale, reply, form=form), scale_of(scale)
    if found.value is None:
        assert found.why
        return
    assert 0 < (found.mass or 0) <= 1
    assert math.fsum(weights(found).values()) == pytest.approx(found.mass)
    unit = own.unit(found.value)
    assert unit is None or 0 <= unit <= 1


@given(st.lists(st.text(min_size=1, max_size=4), min_size=1), st.data())
def test_tokens_lie_where_they_were_cut(tokens: list[str], data: st.DataObject) -> None:
    """Also behind tokens that are no part of the text."""
    skipped = data.draw(st.integers(0, len(tokens) - 1))
    text = "".join(tokens[skipped:])
    found = spell_tokens([TokenLogprob(token, 0.0, {}) for token in tokens], text)
    assert found is not None
    for token in found:
        assert token.known
        if token.start >= 0:
            assert text.encode()[token.start : token.end] == token.token.token.encode()


@given(
    st.text(st.sampled_from("좋은é👍 ok４😊ư\\x")),
    st.lists(st.integers(0, 60)),
    st.sampled_from(["told", *SHOWN]),
)
def test_a_character_that_is_cut_costs_no_score(text: str, cuts: list[int], how: str) -> None:
    """Wherever a reply is cut, and however its pieces are shown."""
    before = json.dumps({"why": text}, ensure_ascii=False)[:-1] + ', "quality": '
    data = before.encode()
    edges = sorted({0, *(cut for cut in cuts if cut < len(data)), len(data)})
    certain: list[tuple[bytes, Top]] = [(data[a:b], {data[a:b]: 0.0}) for a, b in pairwise(edges)]
    top = {b"4": math.log(0.75), b"2": math.log(0.25)}
    tokens = shown([*certain, (b"4", top), (b"}", {b"}": 0.0})], how)
    found = weighed(asked.FIVE, Reply(text=before + "4}", logprobs=tokens))
    if found.value is None and how in HIDING:
        return
    assert found.value == pytest.approx(3.5, abs=EXACT)
    assert found.mass == pytest.approx(1.0, abs=EXACT)
