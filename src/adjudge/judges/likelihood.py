"""Item → what a model is given, and the text whose likelihood is asked for.

The texts stand as they are, without fences: nobody is asked to do anything here. The source comes
first and the criterion after it, so that all criteria of an item, and all texts about one source,
share what they begin with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.prompt import Message, Prompt
from adjudge.core.reason import Reason
from adjudge.core.verdict import Cut
from adjudge.errors import UsageError

from . import templates
from .prepare import shown_texts
from .template_sandbox import sharing_time
from .templates import BadTemplate

# Variant → its parts.
PARTS: Mapping[str, tuple[str, ...]] = {
    "forward": ("forward",),
    "pmi": ("forward", "alone"),
    "back": ("back",),
    "reference": ("reference",),
    "f": ("reference", "to_reference"),
    "source-f": ("forward", "back"),
}
_REFERENCE = "reference"
_BY_REFERENCE = ("reference", "f")  # variants that need one; the others need a source
# In no language of its own: the titles and the guide are the judge's.
TEMPLATE = """\
{% for each in given %}{{ each.title }}: {{ each.text }}

{% endfor %}{{ criterion.guide }}
{{ asked_title }}:"""


class LikelihoodRenderer:
    """Makes the questions of one judge about likelihoods."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        judged = [_the_judged(judge)]
        source = [name for name in judge.inputs if name not in (*judged, _REFERENCE)]
        _check(judge, source)
        # Part → the inputs that are given, and those that are asked about.
        self._sides: Mapping[str, tuple[list[str], list[str]]] = {
            "forward": (source, judged),
            "alone": ([], judged),
            "back": (judged, source),
            "reference": ([_REFERENCE], judged),
            "to_reference": (judged, [_REFERENCE]),
        }

    def prompts(
        self, item: Item, sample: int = 0, cuts: Mapping[str, Cut] | None = None
    ) -> list[Prompt]:
        """For every part of the variant, every criterion."""
        texts, left_out = shown_texts(self.judge, item.fields, cuts or {})
        with sharing_time():
            return [
                replace(self._prompt(part, criterion, texts, item.id, sample), cuts=left_out)
                for part in PARTS[self.judge.variant]
                for criterion in self.judge.rubric.asked
            ]

    def shared(self, item: Item) -> tuple[str, ...]:
        """The texts that its prompts begin with: items that have the same ones share these."""
        prefix, _ = self._sides[PARTS[self.judge.variant][0]]
        return tuple(item.fields.get(name, "") for name in prefix)

    def _prompt(
        self, part: str, criterion: str, texts: Mapping[str, str], item: str, sample: int
    ) -> Prompt:
        prefix, targets = self._sides[part]
        before = self._prefix(criterion, {name: texts[name] for name in prefix}, targets[0], item)
        wanted = "\n\n".join(texts[name].strip() for name in targets if texts[name].strip())
        if prefix == [_REFERENCE] and not texts[_REFERENCE].strip():
            wanted = ""  # how likely a text is after nothing is no answer here
        return Prompt(
            messages=(Message("user", before),),
            criteria=(criterion,),
            item=item,
            criterion=criterion,
            order=part,
            sample=sample,
            judge=self.judge.name,
            target=wanted and f" {wanted}",
        )

    def _prefix(self, criterion: str, texts: Mapping[str, str], target: str, item: str) -> str:
        of = self.judge.rubric.criteria[criterion]
        names = {
            "given": [
                {"title": self.judge.inputs[name].title, "text": text.strip()}
                for name, text in texts.items()
                if text.strip()
            ],
            "criterion": {"title": of.title, "guide": of.guide, "steps": of.steps},
            "asked_title": self.judge.inputs[target].title,
        }
        try:
            return templates.rendered(self.judge.likelihood or TEMPLATE, names).rstrip()
        except templates.TemplateFailed as failed:
            raise BadTemplate.of(self.judge.name, "likelihood", failed, item) from None


def _the_judged(judge: Judge) -> str:
    judged = judge.judged
    if judge.pair or len(judged) != 1:
        raise UsageError(Reason("judge.one_text", judge=judge.name, count=len(judged)))
    return judged[0]


def _check(judge: Judge, source: list[str]) -> None:
    if judge.variant in _BY_REFERENCE and _REFERENCE not in judge.inputs:
        about = {"variant": judge.variant, "judge": judge.name, "name": _REFERENCE}
        raise UsageError(Reason("judge.no_reference", **about))
    if judge.variant not in _BY_REFERENCE and not source:
        raise UsageError(Reason("judge.no_source", variant=judge.variant, judge=judge.name))
