"""Item → Prompts: the exact messages of every call that a judge makes about an item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.profile import PLAIN, Profile
from adjudge.core.prompt import Message, Prompt
from adjudge.core.scale import Ordinal
from adjudge.core.verdict import Cut
from adjudge.errors import DefinitionError

from . import reply_form, templates
from .facts import facts
from .fence import fence, make_mark, neutralise, quotes_another
from .prepare import shown
from .template_budget import together

Order = str | None


@dataclass(frozen=True, slots=True)
class _Static:
    """What the calls for the same criteria share, made once: it is the cacheable prefix."""

    criteria: tuple[str, ...]
    messages: tuple[Message, ...]
    names: Mapping[str, Any]
    schema: Mapping[str, object] | None


class BadTemplate(DefinitionError):  # noqa: N818 - a kind of DefinitionError, named by its cause
    """A template cannot be rendered. `key` is system or prompt, `line` the line in its text."""

    def __init__(self, judge: str, key: str, failed: templates.TemplateFailed, item: str) -> None:
        about = f" for the item {item!r}" if item else ""
        super().__init__(f"judge {judge}, line {failed.line} of `{key}`{about}: {failed.problem}")
        self.key, self.line, self.problem = key, failed.line, failed.problem


class Renderer:
    """Makes the prompts of one judge for a kind of model. `secret` is the store's; see fence.py."""

    def __init__(self, judge: Judge, secret: bytes, profile: Profile = PLAIN) -> None:
        self.judge, self._profile = judge, profile
        self._language_bound = reply_form.binds_language(judge, profile)
        self.mark = make_mark(secret, judge.name)
        self._orders: tuple[Order, ...] = ("ab", "ba") if judge.pair else (None,)
        with together():
            self._calls = [self._static(criteria) for criteria in judge.calls()]

    def prompts(
        self, item: Item, sample: int = 0, cuts: Mapping[str, Cut] | None = None
    ) -> list[Prompt]:
        """One prompt a call: for every group of criteria, in every order.

        `cuts` are by input, and in characters of the prepared texts.
        """
        texts, left_out = shown(self.judge, item.fields, cuts or {})
        about = Prompt(
            messages=(),
            criteria=(),
            item=item.id,
            sample=sample,
            cuts=left_out,
            texts=tuple(texts.values()),
        )
        found = facts(self.judge, texts) if self._profile.facts else ""
        with together():
            prompts = [
                self._prompt(static, replace(about, order=order), self._shown(texts, order))
                for static in self._calls
                for order in self._orders
            ]
        if not found:
            return prompts
        return [prompt.with_more(neutralise(found, self.mark)) for prompt in prompts]

    def _prompt(self, static: _Static, about: Prompt, texts: Mapping[str, str]) -> Prompt:
        inputs = [
            {"name": name, "title": spec.title, "text": texts[name]}
            for name, spec in self.judge.inputs.items()
        ]
        user = self._rendered("prompt", {**static.names, **texts, "inputs": inputs}, about.item)
        return replace(
            about,
            # A verbatim prompt is kept to the letter, white space at its edges included.
            messages=(
                *static.messages,
                Message("user", user if self.judge.verbatim else user.strip()),
            ),
            criteria=static.criteria,
            schema=static.schema,
            criterion=static.criteria[0] if self.judge.ask == "each" else None,
            language_bound=self._language_bound,
        )

    def _rendered(self, key: str, names: Mapping[str, object], item: str = "") -> str:
        text = self.judge.prompt if key == "prompt" else self.judge.system
        try:
            return templates.rendered(text, names)
        except templates.TemplateFailed as failed:
            raise BadTemplate(self.judge.name, key, failed, item) from None

    def _shown(self, texts: Mapping[str, str], order: Order) -> dict[str, str]:
        """The texts as the template sees them: swapped for the order, neutralised, fenced."""
        shown = dict(texts)
        if self.judge.pair and order == "ba":
            first, second = self.judge.pair.inputs
            shown[first], shown[second] = shown[second], shown[first]
        if self.judge.verbatim:
            return shown
        for name, spec in self.judge.inputs.items():
            fenced = spec.judged or quotes_another(shown[name])
            if fenced and (shown[name] or spec.required):
                shown[name] = fence(name, shown[name], self.mark)
            else:
                shown[name] = neutralise(shown[name], self.mark)
        return shown

    def _static(self, criteria: tuple[str, ...]) -> _Static:
        judge = self.judge
        names = self._names(criteria)
        system = self._rendered("system", names) if judge.system else ""
        if not judge.verbatim:
            system = system.strip()
            # A prompt of the user's own that does not place these itself gets them first of all.
            used = templates.names_in(judge.prompt) | templates.names_in(judge.system)
            added = [names[key] for key in ("fence_notice", "reply_form") if key not in used]
            system = "\n\n".join(filter(None, [system, *added]))
        messages = (Message("system", system),) if system else ()
        return _Static(criteria, messages, names, reply_form.schema(judge, criteria, self._profile))

    def _names(self, criteria: tuple[str, ...]) -> dict[str, Any]:
        """What a template may use besides the inputs; docs/judge-files.md lists them."""
        judge, phrases = self.judge, self.judge.wording.phrases
        asked = [judge.rubric.criteria[name] for name in criteria]
        return {
            "judge_title": judge.title,
            "phrases": phrases,
            "explain_language": ""
            if judge.explain_in == "any"
            else judge.wording.name_of(judge.explain_in),
            "criteria": [
                {
                    "name": criterion.name,
                    "title": criterion.title,
                    "guide": criterion.guide,
                    "steps": criterion.steps,
                    "scale": criterion.scale.words(phrases),
                    "levels": [
                        {"value": value, "label": level.label, "meaning": level.meaning}
                        for value, level in sorted(criterion.scale.levels.items())
                    ]
                    if isinstance(criterion.scale, Ordinal)
                    else [],
                }
                for criterion in asked
            ],
            "flags": [
                {"name": rule.flag, "when": rule.when} for rule in judge.rubric.flags_of(criteria)
            ],
            "feedback": [
                {"name": spec.name, "title": spec.title, "guide": spec.guide, "list": spec.list}
                for spec in judge.feedback.values()
            ],
            "fence_notice": phrases["fence_notice"].format(mark=self.mark),
            "reply_form": reply_form.words(judge, criteria, self._profile),
            "inputs": [],
        }
