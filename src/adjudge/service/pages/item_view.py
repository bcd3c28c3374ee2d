"""What the item page shows of each verdict: scores, replies, prompts, with texts marked and cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from adjudge.core.judge import Judge
from adjudge.core.prompt import Prompt
from adjudge.core.reason import Reason, reason_of
from adjudge.core.reply import Reply
from adjudge.core.rubric import Rule
from adjudge.core.score import Quotation, Score, ScorePart
from adjudge.core.verdict import Call, Cut, Verdict
from adjudge.errors import UsageError
from adjudge.judges.prepare import cut_texts
from adjudge.reading import read_reply, source_text, span_in_field
from adjudge.run_handle import Run
from adjudge.stores import Entry

Span = tuple[int, int]

LONGEST_TEXT = 20_000  # characters of one text on a page
_LEAST = 400  # of the parts between two marks


class Piece(NamedTuple):
    """A part of a text: plain, marked by `names`, or so many characters `left_out`."""

    text: str
    names: tuple[str, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class ShownText:
    """A text as it stands on the page; `name` leads to the whole of it where it is `cut`."""

    name: str
    pieces: tuple[Piece, ...]
    length: int

    @property
    def cut(self) -> bool:
        return any(piece.left_out for piece in self.pieces)


class PageTexts:
    """The texts of a page, each under a name of its own that leads to the whole of a cut one."""

    def __init__(self) -> None:
        self.whole: dict[str, str] = {}

    def show(self, name: str, text: str, marks: Mapping[str, Span] | None = None) -> ShownText:
        self.whole[name] = text
        return ShownText(name, pieces(text, marks or {}), len(text))


def pieces(text: str, marks: Mapping[str, Span], most: int = LONGEST_TEXT) -> tuple[Piece, ...]:
    """The text in parts, so that each mark (a name and where it is, in characters) is seen.

    If marks overlap, the shared part has all their names.
    """
    spans = {name: span for name, span in marks.items() if 0 <= span[0] < span[1] <= len(text)}
    ends = sorted({0, len(text), *(end for span in spans.values() for end in span)})
    room = max(_LEAST, most // max(1, len(ends) - 1))
    parts: list[Piece] = []
    for start, end in pairwise(ends):
        names = tuple(name for name, span in spans.items() if span[0] <= start and end <= span[1])
        parts += _within(text[start:end], names, room)
    return tuple(parts)


def _within(text: str, names: tuple[str, ...], room: int) -> list[Piece]:
    """The beginning and the end of what is longer than `room`."""
    if len(text) <= room:
        return [Piece(text, names)]
    end = room // 4
    begin = room - end
    left_out = Piece("", left_out=len(text) - room)
    return [Piece(text[:begin], names), left_out, Piece(text[-end:], names)]


_PARTS = 30  # of one text, shown each by itself


class QuotationView(NamedTuple):
    """A quotation in the text around it, marked; the quotation alone where it stands nowhere."""

    quotation: Quotation
    title: str
    shown: ShownText


class PartView(NamedTuple):
    """A question with its answer, or a claim with its verdict and what is quoted for it."""

    part: ScorePart
    quoted: QuotationView | None


class ScoreView(NamedTuple):
    """A criterion's score; `rule` is the one that changed it, where the judge names it."""

    name: str
    title: str
    score: Score
    rule: Rule | None
    explanation: ShownText | None
    evidence: tuple[QuotationView, ...] = ()
    parts: tuple[PartView, ...] = ()


class ReplyView(NamedTuple):
    """A reply, and the question that asked for it again where it is not the first."""

    question: ShownText | None
    reply: ShownText
    counted: bool


class CallView(NamedTuple):
    call: Call
    turns: tuple[ReplyView, ...]


class PromptView(NamedTuple):
    """One call's messages by role; `target` is the text whose likelihood was asked for."""

    criterion: str | None
    order: str | None
    messages: tuple[tuple[str, ShownText], ...]
    target: ShownText | None


class CutView(NamedTuple):
    """What was cut out of an input before it was judged; `texts` are the parts, by kind, where they
    are at hand."""

    input: str
    cut: Cut
    texts: tuple[tuple[str, ShownText], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictView:
    """`problem` says why the prompts cannot be shown, None where they are."""

    judge: Judge
    verdict: Verdict
    scores: tuple[ScoreView, ...]
    feedback: tuple[tuple[str, tuple[ShownText, ...]], ...]
    calls: tuple[CallView, ...]
    prompts: tuple[PromptView, ...]
    cuts: tuple[CutView, ...]
    problem: Reason | None


def verdict_views(
    run: Run, judges: Mapping[str, Judge], entries: Sequence[Entry], texts: PageTexts
) -> list[VerdictView]:
    """One for each entry, in their order."""
    views = []
    for number, entry in enumerate(entries):
        prompts: Sequence[Prompt] = ()
        problem = None
        try:
            prompts = run.prompts(entry)
        except UsageError as error:
            problem = reason_of(error)
        judged = JudgedItem(judges[entry.verdict.judge], entry.verdict, entry.item.fields)
        views.append(verdict_view(judged, prompts, texts, number, problem))
    return views


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """`fields` are the item's texts as they were given."""

    judge: Judge
    verdict: Verdict
    fields: Mapping[str, str]


def verdict_view(
    judged: JudgedItem,
    prompts: Sequence[Prompt],
    texts: PageTexts,
    number: int = 0,
    problem: Reason | None = None,
) -> VerdictView:
    """`number` tells its texts from those of other verdicts on the page."""
    return VerdictView(
        judge=judged.judge,
        verdict=judged.verdict,
        scores=_scores(judged, f"explanation/{number}", texts),
        feedback=_feedback(judged, f"feedback/{number}", texts),
        calls=tuple(
            CallView(
                call, _turns(call, _marks(judged, call, prompts), f"reply/{number}/{place}", texts)
            )
            for place, call in enumerate(judged.verdict.calls)
        ),
        prompts=prompt_views(prompts, f"prompt/{number}", texts),
        cuts=_cuts(judged, f"cut/{number}", texts),
        problem=problem,
    )


def _scores(judged: JudgedItem, where: str, texts: PageTexts) -> tuple[ScoreView, ...]:
    rules = {rule.id: rule for rule in judged.judge.rubric.rules}
    return tuple(
        ScoreView(
            name,
            judged.judge.rubric.title(name),
            score,
            rules.get(score.rule or ""),
            texts.show(f"{where}/{name}", score.explanation) if score.explanation else None,
            tuple(
                _quoted(judged, quotation, f"{where}/{name}/quote/{number}", texts)
                for number, quotation in enumerate(score.evidence)
            ),
            tuple(
                PartView(
                    part,
                    _quoted(judged, part.quotation, f"{where}/{name}/part/{number}", texts)
                    if part.quotation
                    else None,
                )
                for number, part in enumerate(score.parts)
            ),
        )
        for name, score in judged.verdict.scores.items()
    )


_AROUND = 80  # characters of the text on either side of a quotation


def _quoted(
    judged: JudgedItem, quotation: Quotation, where: str, texts: PageTexts
) -> QuotationView:
    inputs, start, end = judged.judge.inputs, quotation.start, quotation.end
    name = quotation.input or ""
    title = inputs[name].title if name in inputs else name
    text = source_text(judged.fields.get(name, ""), quotation.source)
    if start is None or end is None or end > len(text):
        return QuotationView(quotation, title, texts.show(where, quotation.quote))
    begin = max(0, start - _AROUND)
    excerpt = text[begin : end + _AROUND]
    marks = {title: (start - begin, end - begin)}
    return QuotationView(quotation, title, texts.show(where, excerpt, marks))


def quotation_marks(verdicts: Iterable[JudgedItem]) -> dict[str, dict[str, Span]]:
    """By input, where the quotations of all verdicts stand in its text, by criterion and number."""
    marks: dict[str, dict[str, Span]] = {}
    for judged in verdicts:
        for name, score in judged.verdict.scores.items():
            quoted = [part.quotation for part in score.parts if part.quotation]
            for number, quotation in enumerate([*score.evidence, *quoted], 1):
                span = span_in_field(quotation, judged.fields)
                if span and quotation.input:
                    title = f"{judged.judge.rubric.title(name)} {number}"
                    marks.setdefault(quotation.input, {}).setdefault(title, span)
    return marks


def _feedback(
    judged: JudgedItem, where: str, texts: PageTexts
) -> tuple[tuple[str, tuple[ShownText, ...]], ...]:
    """The sections by title; one that serves as an explanation already is not shown twice."""
    sections, verdict = judged.judge.feedback, judged.verdict
    explanations = {score.explanation for score in verdict.scores.values()}
    said = {
        name: section if isinstance(section, str) else "\n".join(section)
        for name, section in verdict.feedback.items()
    }
    return tuple(
        (
            sections[name].title if name in sections else name,
            tuple(
                texts.show(f"{where}/{name}/{number}", text)
                for number, text in enumerate([section] if isinstance(section, str) else section)
            ),
        )
        for name, section in verdict.feedback.items()
        if said[name] not in explanations
    )


def _turns(
    call: Call, marks: Mapping[str, Span], where: str, texts: PageTexts
) -> tuple[ReplyView, ...]:
    turns = []
    for number, reply in enumerate(call.replies):
        asked = call.questions[number - 1] if number else None
        question = texts.show(f"{where}/{number}/question", asked) if asked else None
        counted = number == call.counted_reply
        shown = texts.show(f"{where}/{number}", reply, marks if counted else {})
        turns.append(ReplyView(question, shown, counted))
    return tuple(turns)


def _marks(judged: JudgedItem, call: Call, prompts: Sequence[Prompt]) -> dict[str, Span]:
    """Where the scores of this call were read in its reply, by the criterion's title."""
    title = judged.judge.rubric.title
    marks = {
        title(name): score.span
        for name, score in judged.verdict.scores.items()
        if score.span and call.criterion in {None, name} and call.order in {None, _order(score)}
    }
    if marks or call.order is None:
        return marks
    # A score of a pair keeps one of its two places; the other one is read again.
    for prompt in prompts:
        if (prompt.criterion, prompt.order) == (call.criterion, call.order) and call.replies:
            again = read_reply(judged.judge, prompt, Reply(text=call.replies[call.counted_reply]))
            return {title(name): one.span for name, one in again.scores.items() if one.span}
    return {}


def _order(score: Score) -> str:
    """Of a pair, the order that the place belongs to: the first, unless the second failed."""
    return "ba" if score.reason and score.reason.fields.get("order") == "ba" else "ab"


def _cuts(judged: JudgedItem, where: str, texts: PageTexts) -> tuple[CutView, ...]:
    cut_out = cut_texts(judged.judge, judged.fields)
    return tuple(
        CutView(
            name,
            cut,
            tuple(
                (kind, texts.show(f"{where}/{name}/{place}", text))
                for place, (kind, text) in enumerate(_a_few(cut_out.get(name, ())))
            ),
        )
        for name, cut in judged.verdict.cuts.items()
    )


def _a_few(parts: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The parts; of more than a page can show, the last ones are made one."""
    rest = parts[_PARTS:]
    return [*parts[:_PARTS], *([("text", "\n\n".join(text for _, text in rest))] if rest else [])]


def prompt_views(prompts: Sequence[Prompt], where: str, texts: PageTexts) -> tuple[PromptView, ...]:
    return tuple(
        PromptView(
            prompt.criterion,
            prompt.order,
            tuple(
                (message.role, texts.show(f"{where}/{number}/{place}", message.content))
                for place, message in enumerate(prompt.messages)
            ),
            texts.show(f"{where}/{number}/target", prompt.target) if prompt.target else None,
        )
        for number, prompt in enumerate(prompts)
    )
