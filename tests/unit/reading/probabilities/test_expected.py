"""A score is weighed by what the model might have written in its place."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.unit.reading import asked
from tests.unit.reading.probabilities.shown_tokens import HIDING, SHOWN, Top, shown
from tests.unit.reading.probabilities.token_tree import Ways, reply_of, weighed

from adjudge.core.judge import Judge
from adjudge.core.reply import Reply, TokenLogprob
from adjudge.core.scale import Value
from adjudge.core.score import Outcome
from adjudge.reading import CriterionReading, apply_rules, expected_reading
from adjudge.reading.read import read

JSON = ('{"quality":', " ")
HUNDRED_WHOLE = "{type: integer, min: 0, max: 100}"


def one_token(**shares: float) -> Ways:
    """Each value in a token, then the end of the object; `_4` for 4, as Python wants it."""
    return {(name.removeprefix("_"), "}"): share for name, share in shares.items()}


def check(found: CriterionReading, value: Value, shares: dict[str, float], mass: float) -> None:
    assert found.outcome is Outcome.SCORED, found.why
    assert found.value == pytest.approx(value, abs=1e-9)
    assert found.distribution == pytest.approx(shares, abs=1e-9)
    assert found.confidence == pytest.approx(max(shares.values()), abs=1e-9)
    assert found.mass == pytest.approx(mass, abs=1e-9)


def test_the_mean_of_the_values_by_their_probabilities() -> None:
    ways = one_token(_3=0.1, _4=0.6, _5=0.3)
    check(
        weighed(asked.FIVE, reply_of(ways, ("4", "}"), JSON)),
        4.2,
        {"3": 0.1, "4": 0.6, "5": 0.3},
        1.0,
    )


def test_what_is_no_value_is_left_out_and_told() -> None:
    ways = one_token(_4=0.4, _5=0.4, _7=0.1, null=0.1)
    check(
        weighed(asked.FIVE, reply_of(ways, ("5", "}"), JSON)), 4.5, {"4": 0.5, "5": 0.5}, mass=0.8
    )


def test_spaces_quotes_and_marks_around_a_value_add_up() -> None:
    ways: Ways = {
        (" 4", "\n"): 0.3,
        ("4", "\n"): 0.1,
        (" **4**", "\n"): 0.1,
        (" 5", "\n"): 0.2,
        (" 5/5", "\n"): 0.2,
        (" **", "5", "\n"): 0.1,
    }
    found = weighed(asked.FIVE, reply_of(ways, (" 4", "\n"), ("Score:",)), form="text")
    check(found, 40 / 9, {"4": 5 / 9, "5": 4 / 9}, mass=0.9)  # what follows " **" is not known


SPLIT: Ways = {("1", "}"): 0.12, ("1", "0", "}"): 0.18, ("8", "}"): 0.6, ("9", "}"): 0.1}


@pytest.mark.parametrize("sampled", [("1", "}"), ("1", "0", "}")])
def test_a_number_of_two_tokens_is_followed_to_its_end(sampled: tuple[str, ...]) -> None:
    shares = {"1": 0.12, "8": 0.6, "9": 0.1, "10": 0.18}
    check(weighed(asked.TEN, reply_of(SPLIT, sampled, JSON)), 7.62, shares, mass=1.0)


def test_a_beginning_that_was_not_followed_is_not_guessed() -> None:
    """ "1" may have become 1 or 10."""
    shares = {"8": 6 / 7, "9": 1 / 7}
    check(weighed(asked.TEN, reply_of(SPLIT, ("8", "}"), JSON)), 57 / 7, shares, mass=0.7)


def test_a_tokenizer_that_has_ten_for_a_token_means_one_by_one() -> None:
    ways = one_token(_1=0.1, _8=0.6, _10=0.3)
    shares = {"1": 0.1, "8": 0.6, "10": 0.3}
    check(weighed(asked.TEN, reply_of(ways, ("8", "}"), JSON)), 7.9, shares, mass=1.0)


def test_a_longer_number_than_any_token_seen_stays_open() -> None:
    """ "10" may have become 100."""
    ways: Ways = {("85", "}"): 0.7, ("10", "}"): 0.1, ("9", "}"): 0.2}
    found = weighed(HUNDRED_WHOLE, reply_of(ways, ("85", "}"), JSON))
    check(found, (85 * 7 + 9 * 2) / 9, {"9": 2 / 9, "85": 7 / 9}, mass=0.9)


def test_a_first_digit_that_begins_only_one_value_means_it() -> None:
    ways: Ways = {("1", "0", "}"): 0.5, ("9", "}"): 0.5}
    found = weighed("{type: integer, min: 5, max: 10}", reply_of(ways, ("9", "}"), JSON))
    check(found, 9.5, {"9": 0.5, "10": 0.5}, mass=1.0)


def test_decimals_are_followed_and_other_whole_parts_are_not_guessed() -> None:
    ways: Ways = {
        ("8", ".", "5", "}"): 0.4,
        ("8", ".", "0", "}"): 0.1,
        ("8", "}"): 0.1,
        ("7", ".", "5", "}"): 0.4,
    }
    found = weighed(asked.ANY_TEN, reply_of(ways, ("8", ".", "5", "}"), JSON))
    check(found, 25 / 3, {"8.0": 1 / 3, "8.5": 2 / 3}, mass=0.6)


def test_where_a_whole_number_was_written_others_are_taken_as_whole() -> None:
    ways = one_token(_7=0.25, _8=0.5, _9=0.25)
    shares = {"7.0": 0.25, "8.0": 0.5, "9.0": 0.25}
    check(weighed(asked.ANY_TEN, reply_of(ways, ("8", "}"), JSON)), 8.0, shares, mass=1.0)


def test_the_end_of_a_scale_needs_no_decimals() -> None:
    ways: Ways = {("10", ".", "0", "}"): 0.5, ("9", ".", "5", "}"): 0.5}
    found = weighed(asked.ANY_TEN, reply_of(ways, ("9", ".", "5", "}"), JSON))
    check(found, 9.75, {"9.5": 0.5, "10.0": 0.5}, mass=1.0)


def test_labels_of_levels_and_their_numbers_add_up() -> None:
    ways: Ways = {
        (" excell", "ent", "\n"): 0.4,
        (" 4", "\n"): 0.1,
        (" Helpful", "\n"): 0.2,
        (" un", "helpful", "\n"): 0.2,
        (" awful", "\n"): 0.1,
    }
    found = weighed(
        asked.LEVELS, reply_of(ways, (" excell", "ent", "\n"), ("Score:",)), form="text"
    )
    check(found, 3.0 / 0.9, {"2": 2 / 9, "3": 2 / 9, "4": 5 / 9}, mass=0.9)


def test_yes_and_no_stay_what_they_are() -> None:
    """The likelier one is the value, also where the model happened to write the other."""
    ways = one_token(true=0.3, false=0.6, null=0.1)
    found = weighed(asked.YES_NO, reply_of(ways, ("true", "}"), JSON))
    assert found.value is False
    check(found, False, {"no": 2 / 3, "yes": 1 / 3}, mass=0.9)


def test_of_names_the_likeliest_is_the_value() -> None:
    ways: Ways = {("A", '"}'): 0.3, ("B", '"}'): 0.3, ("t", "ie", '"}'): 0.3, ("none", '"}'): 0.1}
    found = weighed(asked.PAIR, reply_of(ways, ("B", '"}'), ('{"quality": "',)))
    assert found.value == "B"  # of equally likely ones the one that was written
    assert found.distribution == pytest.approx({"A": 1 / 3, "B": 1 / 3, "tie": 1 / 3})
    assert found.mass == pytest.approx(0.9)


def test_names_that_begin_alike_are_told_apart_where_they_part() -> None:
    ways: Ways = {
        ("A", ">", "B", "]]"): 0.3,
        ("A", ">>", "B", "]]"): 0.2,
        ("A", "=", "B", "]]"): 0.1,
        ("B", ">", "A", "]]"): 0.4,
    }
    found = weighed(
        asked.ARENA, reply_of(ways, ("A", ">>", "B", "]]"), ("Verdict: ", "[[")), form="text"
    )
    assert found.distribution == pytest.approx({"A>>B": 2 / 3, "A=B": 1 / 3})
    assert found.mass == pytest.approx(0.3)  # "A>" may go on as "A>>B", "B>" may too


def test_a_sign_between_two_options_decides_and_is_not_guessed() -> None:
    ways: Ways = {("A", ">>", "B", "]]"): 0.5, ("B", ">>", "A", "]]"): 0.5}
    found = weighed(asked.PAIR, reply_of(ways, ("A", ">>", "B", "]]"), ("[[",)), form="text")
    assert (found.outcome, found.raw) == (Outcome.UNREADABLE, "A")


@pytest.mark.parametrize(
    ("before", "token", "after"),
    [
        (("<think>", "Score: 1", "</think>", "\n", "Score:"), " 4", ()),
        (("점수", ": "), "4", ("점",)),
        (("Score: 5", "점 만점에", " "), "4", ("점",)),
        (("| quality |",), " 4", (" |",)),
        (("<score>",), "4", ("</score>",)),
        (("So I would give it a score", " of"), " 4", (" out of", " 5", ".")),
        (("[[",), "4", ("]]",)),
        (("```json\n", '{"quality"', ":"), ' "4', ('/5"}', "\n```")),
        (("Score:", " **"), "４", ("**",)),
    ],
)
def test_a_value_is_found_wherever_the_reader_reads_it(
    before: tuple[str, ...], token: str, after: tuple[str, ...]
) -> None:
    other = token.replace("4", "2").replace("４", "２")
    ways: Ways = {(token, *after): 0.75, (other, *after): 0.25}
    found = weighed(asked.FIVE, reply_of(ways, (token, *after), before), form="text")
    check(found, 3.5, {"2": 0.25, "4": 0.75}, mass=1.0)


def test_a_character_put_together_of_pieces_has_no_probability_of_its_own() -> None:
    """As llama.cpp shows it: the alternatives are those of the last piece."""
    pieced = TokenLogprob("４", -0.01, {"\ufffd": -0.01})
    reply = Reply(text="Score: ４", logprobs=(TokenLogprob("Score: ", 0.0, {}), pieced))
    found = weighed(asked.FIVE, reply, form="text")
    assert (found.outcome, found.raw) == (Outcome.UNREADABLE, 4)


def test_pieces_of_characters_elsewhere_do_no_harm() -> None:
    reply = reply_of(
        one_token(_4=0.5, _2=0.5),
        ("4", "}"),
        ('{"why": "', "\ufffd", "\ufffd", " \ufffd", "\ufffd", '",', ' "quality": '),
    )
    found = weighed(asked.FIVE, replace(reply, text='{"why": "좋 은", "quality": 4}'))
    check(found, 3.0, {"2": 0.5, "4": 0.5}, mass=1.0)


SPLIT_REPLY = '{"why": "좋은 👍", "quality": 4}'


@pytest.mark.parametrize("how", ["told", *SHOWN])
def test_a_split_character_elsewhere_costs_no_score(how: str) -> None:
    """However the pieces of the thumb are shown, and be they the only ones."""
    thumb = "👍".encode()
    pieces = ['{"why": "좋은'.encode(), b" " + thumb[:3], thumb[3:], b'", "quality":', b" "]
    tokens: list[tuple[bytes, Top]] = [(piece, {piece: 0.0}) for piece in pieces]
    tokens += [(b"4", {b"4": math.log(0.5), b"2": math.log(0.5)}), (b"}", {b"}": 0.0})]
    found = weighed(asked.FIVE, Reply(text=SPLIT_REPLY, logprobs=shown(tokens, how)))
    check(found, 3.0, {"2": 0.5, "4": 0.5}, mass=1.0)


def full_width(how: str) -> tuple[TokenLogprob, ...]:
    """A digit of two tokens, behind a space: 4 in full width, 5 and 4 as they usually are."""
    four, five = "４".encode(), "５".encode()
    begun = {b" " + four[:2]: math.log(0.5), b" 4": math.log(0.25), b" 5": math.log(0.25)}
    ended = {four[2:]: math.log(0.75), five[2:]: math.log(0.25)}
    label: Top = {b"Score:": 0.0}
    return shown([(b"Score:", label), (b" " + four[:2], begun), (four[2:], ended)], how)


@pytest.mark.parametrize("how", sorted({"told", *SHOWN} - HIDING))
def test_a_digit_of_pieces_is_as_likely_as_all_of_them(how: str) -> None:
    """Its siblings part from it at the last piece."""
    found = weighed(asked.FIVE, Reply(text="Score: ４", logprobs=full_width(how)), form="text")
    shares = {"4": 0.25 + 0.5 * 0.75, "5": 0.25 + 0.5 * 0.25}
    check(found, 4 * shares["4"] + 5 * shares["5"], shares, mass=1.0)


@pytest.mark.parametrize("how", sorted(HIDING))
def test_a_digit_of_pieces_that_nobody_tells_is_not_guessed(how: str) -> None:
    found = weighed(asked.FIVE, Reply(text="Score: ４", logprobs=full_width(how)), form="text")
    assert (found.outcome, found.raw) == (Outcome.UNREADABLE, 4)


def test_pieces_shown_as_nothing_before_the_character_that_they_make() -> None:
    """As vLLM has it since 0.13: what is written last is as likely as all pieces together."""
    tokens = (
        TokenLogprob("Score:", 0.0, {}),
        TokenLogprob("", math.log(0.5), {"": math.log(0.5), " 5": math.log(0.5)}),
        TokenLogprob(" ４", math.log(0.8), {" ４": math.log(0.8), " ３": math.log(0.2)}),
    )
    found = weighed(asked.FIVE, Reply(text="Score: ４", logprobs=tokens), form="text")
    check(found, 0.4 * 4 + 0.1 * 3 + 0.5 * 5, {"3": 0.1, "4": 0.4, "5": 0.5}, mass=1.0)


@pytest.mark.parametrize("scale", [asked.FIVE, asked.TEN])
def test_a_split_unit_behind_a_number_ends_it(scale: str) -> None:
    """On a scale to 10 only what follows tells 1 from 10."""
    unit = "점".encode()
    tokens: list[tuple[bytes, Top]] = [
        (b"Score: ", {b"Score: ": 0.0}),
        (b"1", {b"1": math.log(0.5), b"3": math.log(0.5)}),
        (unit[:1], {unit[:1]: 0.0}),
        (unit[1:], {unit[1:]: 0.0}),
    ]
    for how in ("told", "escaped"):
        reply = Reply(text="Score: 1점", logprobs=shown(tokens, how))
        check(weighed(scale, reply, form="text"), 2.0, {"1": 0.5, "3": 0.5}, mass=1.0)
    hidden = weighed(
        asked.FIVE, Reply(text="Score: 1점", logprobs=shown(tokens, "marked")), form="text"
    )
    check(hidden, 2.0, {"1": 0.5, "3": 0.5}, mass=1.0)


def test_thoughts_before_a_split_character() -> None:
    """The first token of the reply is not the first of all."""
    tokens: list[tuple[bytes, Top]] = [(each, {each: 0.0}) for each in (b"Hm, 4", b"?")]
    tokens += [(each, {each: 0.0}) for each in (b"\xec\xa2", b"\x8b", b", ", b"score: ")]
    tokens += [(b"4", {b"4": math.log(0.5), b"2": math.log(0.5)}), (b"<end>", {b"<end>": 0.0})]
    for how in ("told", "marked", "left out"):
        reply = Reply(text="좋, score: 4", logprobs=shown(tokens, how))
        check(weighed(asked.FIVE, reply, form="text"), 3.0, {"2": 0.5, "4": 0.5}, mass=1.0)


def test_too_little_known_is_unreadable_and_says_how_much() -> None:
    ways = one_token(_4=0.2, _5=0.11, null=0.69)
    found = weighed(asked.FIVE, reply_of(ways, ("4", "}"), JSON), least_mass=0.5)
    assert (found.outcome, found.value, found.raw) == (Outcome.UNREADABLE, None, 4)
    assert "cover only 31%" in str(found.why)
    assert found.mass == pytest.approx(0.31)


@pytest.mark.parametrize("logprobs", [None, ()])
def test_without_probabilities_nothing_is_made_up(
    logprobs: tuple[TokenLogprob, ...] | None,
) -> None:
    found = weighed(asked.FIVE, Reply(text='{"quality": 4}', logprobs=logprobs))
    assert (found.outcome, found.value, found.raw) == (Outcome.UNREADABLE, None, 4)
    assert "no probabilities" in str(found.why)


def test_tokens_of_another_text_are_refused() -> None:
    reply = reply_of(one_token(_4=1.0), ("4", "}"), JSON)
    found = weighed(asked.FIVE, replace(reply, text='{"quality": 4 }'))
    assert found.outcome is Outcome.UNREADABLE


@pytest.mark.parametrize("text", ["I cannot tell.", '{"quality": 9}', ""])
def test_what_was_not_scored_is_left_as_it_is(text: str) -> None:
    judge = asked.judge_of(asked.FIVE)
    reply = Reply(text=text)
    reading = read(judge, ("quality",), reply)
    assert expected_reading(judge, ("quality",), reply, reading, 0.5) == reading


def test_every_criterion_has_tokens_of_its_own() -> None:
    judge = asked.judge_of(asked.FIVE, form="json", criteria=("quality", "tone"))
    one = reply_of({("4", ","): 0.5, ("2", ","): 0.5}, ("4", ","), ('{"quality": {"score": ',))
    two = reply_of(
        {("4", "}"): 0.9, ("3", "}"): 0.1},
        ("4", "}"),
        (' "explanation": "x"}, "tone": {"score": ',),
    )
    reply = Reply(
        text=f"{one.text}{two.text}}}",
        logprobs=(*(one.logprobs or ()), *(two.logprobs or ()), TokenLogprob("}", 0.0, {})),
    )
    criteria = ("quality", "tone")
    scores = expected_reading(judge, criteria, reply, read(judge, criteria, reply), 0.5).scores
    assert [scores[name].value for name in criteria] == pytest.approx([3.0, 3.9])


def test_rules_bound_the_expected_score_and_leave_its_distribution(politeness: Judge) -> None:
    shares = {"3": 0.2, "4": 0.8}
    found = CriterionReading(
        outcome=Outcome.SCORED, value=3.8, raw=4, distribution=shares, confidence=0.8, mass=1.0
    )
    free, bound = (
        apply_rules(politeness.rubric, {"politeness": found}, {"insult": flag})["politeness"]
        for flag in (False, True)
    )
    assert (free.value, free.raw, free.label) == (3.8, 3.8, None)
    assert (bound.raw, bound.rule is not None) == (3.8, True)
    assert bound.value != 3.8
    assert free.distribution == bound.distribution == shares
    assert free.confidence == bound.confidence == 0.8


def test_the_unit_of_yes_and_no_is_the_probability_of_yes() -> None:
    judge = asked.judge_of(asked.YES_NO)
    found = weighed(asked.YES_NO, reply_of(one_token(true=0.4, false=0.6), ("true", "}"), JSON))
    score = apply_rules(judge.rubric, {"quality": found}, {})["quality"]
    assert (score.value, score.unit) == (False, pytest.approx(0.4))
