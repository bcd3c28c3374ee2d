"""Item → Prompts: the exact messages of every call that a judge makes about an item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from adjudge.core.checklist import ChecklistQuestion, read_checklist
from adjudge.core.conversation import judged_turns
from adjudge.core.item import Item
from adjudge.core.judge import GradedExample, Input, Judge
from adjudge.core.prompt import PLAIN, Message, Profile, Prompt, ReferenceCheck
from adjudge.core.scale import Ordinal
from adjudge.core.verdict import Cut

from . import reply_form, templates
from .examples import ExampleChooser, examples_text
from .facts import TextFacts, about_truth, facts
from .fence import fence, fenced_entries, make_mark, neutralise, quotes_another
from .first import first_question
from .likelihood import LikelihoodRenderer
from .numbered import NumberedText
from .parted import PartedText, Show
from .prepare import explanation_language, shown_texts
from .reference_check import check
from .template_sandbox import sharing_time
from .templates import BadTemplate
from .trajectory import computed_scores

Order = str | None
_KEPT = 256  # sets of examples whose messages are kept ready
Lists = Mapping[str, tuple[ChecklistQuestion, ...]]


@dataclass(frozen=True, slots=True)
class _Static:
    """What the calls for the same criteria share, made once: it is the cacheable prefix."""

    criteria: tuple[str, ...]
    messages: tuple[Message, ...]
    names: Mapping[str, Any]
    schema: Mapping[str, object] | None
    before: str = ""  # what the item's own part begins with


class _About(NamedTuple):
    """What all prompts about an item share; the fields are those of a Prompt."""

    item: str
    sample: int
    texts: tuple[str, ...]
    cuts: Mapping[str, Cut]
    questions: Lists
    quotable: Mapping[str, str]


def item_questions(judge: Judge, fields: Mapping[str, str]) -> Lists:
    """The checklists that come with an item, by criterion; NoChecklist where one cannot be read."""
    return {
        name: read_checklist(fields[column])
        for name, column in judge.listed.items()
        if fields.get(column, "").strip()
    }


def quotable_texts(
    judge: Judge, fields: Mapping[str, str], texts: Mapping[str, str]
) -> dict[str, str]:
    """What quotations are looked for in: the item's own texts, turns and steps as shown."""
    shown = ("conversation", "trace")
    return {
        name: texts[name] if judge.inputs[name].type in shown else fields.get(name, "")
        for name in judge.quoted
    }


class Renderer:
    """Makes the prompts of one judge for a kind of model. `secret` is the store's; see fence.py."""

    def __init__(self, judge: Judge, secret: bytes, profile: Profile = PLAIN) -> None:
        self.judge, self._profile, self._secret = judge, profile, secret
        self._by_language: dict[str, Renderer] = {}
        self._computes = any(c.trajectory is not None for c in judge.rubric.criteria.values())
        self._language_bound = reply_form.binds_language(judge, profile)
        self.mark = make_mark(secret, judge.name)
        self._notice = judge.wording.phrases["fence_notice"].format(mark=self.mark)
        self._orders: tuple[Order, ...] = ("ab", "ba") if judge.pair else (None,)
        self._quoted, self._listed = judge.quoted, judge.listed
        self._chooser = ExampleChooser(judge) if judge.examples else None
        # By what the system message shows of examples and lists: most items are shown the same.
        self._calls: dict[tuple[object, ...], list[_Static]] = {}
        with sharing_time():
            self._statics(tuple(range(len(judge.examples))), {})

    def prompts(
        self, item: Item, sample: int = 0, cuts: Mapping[str, Cut] | None = None
    ) -> list[Prompt]:
        """One prompt per call: for every group of criteria, in every order.

        `cuts` are by input, and in characters of the prepared texts.
        """
        texts, left_out = shown_texts(self.judge, item.fields, cuts or {})
        language = explanation_language(self.judge, texts)
        if language is not None:
            prompts = self._explaining(language).prompts(item, sample, cuts)
            return [replace(prompt, explain_in=language) for prompt in prompts]
        lists = item_questions(self.judge, item.fields) if self._listed else {}
        quotable = quotable_texts(self.judge, item.fields, texts) if self._quoted else {}
        about = _About(item.id, sample, tuple(texts.values()), left_out, lists, quotable)
        differences = facts(self.judge, texts) if self._profile.facts else TextFacts()
        chosen = self._chooser.choose(item.fields) if self._chooser else ()
        with sharing_time():
            prompts = [
                prompt
                for turn, part in self._by_turn(item, texts)
                for prompt in self._of_turn(turn, part, about, chosen)
            ]
        if self._computes:
            computed = computed_scores(self.judge, item.fields)
            nothing = Prompt(messages=(), criteria=(), item=item.id, sample=sample, cuts=left_out)
            prompts = [replace(prompt, computed=computed) for prompt in prompts or [nothing]]
            if not prompts[0].messages:
                return prompts
        if self.judge.first:
            fenced = self._shown(texts, None)
            first = first_question(self.judge, item.id, fenced, self._notice, self.mark)
            prompts = [replace(prompt, first=first) for prompt in prompts]
        if not (self._profile.facts or self._profile.check):
            return prompts
        question = None
        if self._profile.check:
            fenced = self._shown(texts, None)
            question = check(self.judge, texts, fenced, self._notice, error=differences.error)
        judged = "\n".join(texts[name] for name, spec in self.judge.inputs.items() if spec.judged)
        prompts = [
            replace(prompt, schema=reply_form.claim_per_sentence(prompt.schema, judged))
            for prompt in prompts
        ]
        return [self._helped(prompt, differences.text, question) for prompt in prompts]

    def _plain(self, lists: Lists) -> Lists:
        """The questions as a prompt shows them: the data may have anybody's text in them."""
        return {
            name: tuple(replace(one, text=neutralise(one.text, self.mark)) for one in questions)
            for name, questions in lists.items()
        }

    def _by_turn(
        self, item: Item, texts: Mapping[str, str]
    ) -> Iterator[tuple[int | None, Mapping[str, str]]]:
        """The texts once, or as they were at each turn that is judged."""
        turned = self.judge.turned
        if turned is None:
            yield None, texts
            return
        whole = texts[turned.name]
        for number in judged_turns(item.fields[turned.name], turned.turns, turned.role):
            shown = whole
            if isinstance(whole, NumberedText) and whole.entries:
                shown = NumberedText(whole.entries[:number])
            yield number, {**texts, turned.name: shown}

    def _of_turn(
        self, turn: int | None, texts: Mapping[str, str], about: _About, chosen: tuple[int, ...]
    ) -> Iterator[Prompt]:
        for static in self._statics(chosen, about.questions):
            for order in self._orders:
                prompt = self._prompt(static, about, order, self._shown(texts, order))
                if turn is not None and self.judge.turned:
                    words = self.judge.wording.further["turns"]["turn"].format(number=turn)
                    prompt = replace(
                        prompt.with_more(words), turn=turn, role=self.judge.turned.role
                    )
                yield prompt

    def _explaining(self, language: str) -> Renderer:
        """The same for items whose explanations are in this language."""
        if language not in self._by_language:
            judge = self.judge.explaining(language)
            self._by_language[language] = Renderer(judge, self._secret, self._profile)
        return self._by_language[language]

    def _helped(self, prompt: Prompt, compared: str, question: ReferenceCheck | None) -> Prompt:
        """With what was found in the two texts, where the prompt asks whether one is right."""
        if not about_truth(self.judge, prompt.criteria):
            return prompt
        if compared:
            prompt = prompt.with_more(neutralise(compared, self.mark))
        return replace(prompt, check=question) if question else prompt

    def _prompt(
        self, static: _Static, about: _About, order: Order, texts: Mapping[str, str]
    ) -> Prompt:
        inputs = [
            {"name": name, "title": spec.title, "text": texts[name]}
            for name, spec in self.judge.inputs.items()
            if not spec.checklist
        ]
        user = self._rendered("prompt", {**static.names, **texts, "inputs": inputs}, about.item)
        if static.before:
            user = f"{static.before}\n\n{user}"
        return Prompt(
            # A verbatim prompt is kept to the letter, white space at its edges included.
            messages=(
                *static.messages,
                Message("user", user if self.judge.verbatim else user.strip()),
            ),
            criteria=static.criteria,
            schema=static.schema,
            item=about.item,
            order=order,
            sample=about.sample,
            texts=about.texts,
            cuts=about.cuts,
            criterion=static.criteria[0] if self.judge.ask == "each" else None,
            language_bound=self._language_bound,
            questions=about.questions,
            quotable=about.quotable,
            judge=self.judge.name,
            mark="" if self.judge.verbatim else self.mark,
        )

    def _rendered(self, key: str, names: Mapping[str, object], item: str = "") -> str:
        text = self.judge.prompt if key == "prompt" else self.judge.system
        try:
            absent, trimmed = self.judge.absent, not self.judge.verbatim
            return templates.rendered(text, names, absent, trimmed=trimmed)
        except templates.TemplateFailed as failed:
            raise BadTemplate.of(self.judge.name, key, failed, item) from None

    def _shown(self, texts: Mapping[str, str], order: Order) -> dict[str, str]:
        """The texts as the template sees them: swapped for the order, neutralised, fenced."""
        shown_texts = dict(texts)
        if self.judge.pair and order == "ba":
            first, second = self.judge.pair.inputs
            shown_texts[first], shown_texts[second] = shown_texts[second], shown_texts[first]
        for name, spec in self.judge.inputs.items():
            show = self._show(spec, shown_texts[name])
            if spec.parted:
                shown_texts[name] = PartedText(shown_texts[name], show)
            else:
                shown_texts[name] = show(shown_texts[name])
        return shown_texts

    def _show(self, spec: Input, text: str) -> Show:
        """How the text and its parts are shown."""
        if self.judge.verbatim:
            return str
        if isinstance(text, NumberedText):
            return lambda part: fenced_entries(spec.name, part, self.mark)
        fenced = spec.judged or quotes_another(text)
        if fenced and (text or spec.required):
            return lambda part: fence(spec.name, part, self.mark)
        return lambda part: neutralise(part, self.mark)

    def _statics(self, chosen: tuple[int, ...], lists: Lists) -> list[_Static]:
        """Per call; `chosen` are the numbers of the examples that are shown, `lists` the checklists
        that came with the item."""
        key = (chosen, *lists.items())
        statics = self._calls.get(key)
        if statics is None:
            if len(self._calls) >= _KEPT:
                self._calls.clear()
            judge = self.judge.with_questions(self._plain(lists))
            examples = [judge.examples[number] for number in chosen]
            statics = [self._static(judge, criteria, examples) for criteria in judge.calls()]
            self._calls[key] = statics
        return statics

    def _static(
        self, judge: Judge, criteria: tuple[str, ...], examples: Sequence[GradedExample]
    ) -> _Static:
        before = ""
        names = self._names(judge, criteria, examples)
        system = self._rendered("system", names) if judge.system else ""
        if not judge.verbatim:
            system = system.strip()
            # A prompt of the user's own that does not place these itself gets them first of all.
            used = templates.names_in(judge.prompt) | templates.names_in(judge.system)
            keys = ("fence_notice", "reply_form", "graded_examples")
            added = {key: names[key] for key in keys if key not in used}
            if judge.nearest:  # they differ from item to item, and all else stays the same
                before = added.pop("graded_examples", "")
            system = "\n\n".join(filter(None, [system, *added.values()]))
        messages = (Message("system", system),) if system else ()
        schema = reply_form.schema(judge, criteria, self._profile)
        return _Static(criteria, messages, names, schema, before)

    def _names(
        self, judge: Judge, criteria: tuple[str, ...], examples: Sequence[GradedExample]
    ) -> dict[str, Any]:
        """What a template may use beside the inputs; docs/judge-files.md lists them."""
        phrases = judge.wording.phrases
        asked = [judge.rubric.criteria[name] for name in criteria]
        return {
            "judge_title": judge.title,
            "phrases": phrases,
            "explain_language": ""
            if judge.explain_in in ("any", "data")
            else judge.wording.name_of(judge.explain_in),
            "criteria": [
                {
                    "name": criterion.name,
                    "title": criterion.title,
                    "guide": criterion.guide,
                    "steps": criterion.steps,
                    "scale": reply_form.scale_words(judge, criterion),
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
            "fence_notice": self._notice,
            "reply_form": reply_form.words(judge, criteria, self._profile),
            "graded_examples": examples_text(judge, criteria, examples, self.mark)
            if examples
            else "",
            "inputs": [],
        }


PromptRenderer = Renderer | LikelihoodRenderer


def renderer_for(judge: Judge, secret: bytes, profile: Profile = PLAIN) -> PromptRenderer:
    """`secret` is the store's; see fence.py. `profile` is the model's that will be asked."""
    if judge.method == "likelihood":
        return LikelihoodRenderer(judge)
    return Renderer(judge, secret, profile)
