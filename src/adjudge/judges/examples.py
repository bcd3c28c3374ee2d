"""Graded examples in a prompt: all of a judge's in their order, or those most like the item.

Which are most like it is worked out here, by BM25 over the texts of the inputs: the same item gets
the same examples everywhere, and nothing is asked of anybody. An item is never shown as an example
for itself.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

from adjudge.core.judge import GradedExample, Judge
from adjudge.core.rubric import Criterion

from .fence import fence, neutralise
from .reply_form import EXPLANATION, SCORE

_K1, _B = 1.2, 0.75  # how soon a repeated word counts no more, and how much length is held against
_WORD = re.compile(r"\w+")
# Scripts whose words are not parted by spaces, or, as in Korean, grow endings: pairs of characters.
_UNPARTED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)


def example_text(value: object) -> str:
    """A text of an example; lists and objects become JSON, as those of the data do."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def terms(text: str) -> list[str]:
    """What two texts are compared by: words, and pairs of characters where words run together."""
    text = unicodedata.normalize("NFKC", text).casefold()
    parts: list[str] = []
    for word in _WORD.findall(text):
        at = 0
        for run in _UNPARTED.finditer(word):
            signs, before, at = run[0], word[at : run.start()], run.end()
            parts += [before, *(signs[i : i + 2] for i in range(max(1, len(signs) - 1)))]
        parts.append(word[at:])
    return [part for part in parts if part]


class ExampleChooser:
    """Says which examples of a judge an item is shown, by their numbers, the likest first."""

    def __init__(self, judge: Judge) -> None:
        self._nearest = judge.nearest
        self._inputs = tuple(judge.inputs)
        self._contents = [self._content(example.item) for example in judge.examples]
        self._numbers = tuple(range(len(judge.examples)))
        if self._nearest:
            counts = [Counter(terms("\n".join(content))) for content in self._contents]
            lengths = [sum(count.values()) for count in counts]
            average = sum(lengths) / len(lengths) or 1.0
            holders = Counter(term for count in counts for term in count)
            self._weights = [
                {
                    term: math.log(1 + (len(counts) - holders[term] + 0.5) / (holders[term] + 0.5))
                    * (times * (_K1 + 1))
                    / (times + _K1 * (1 - _B + _B * length / average))
                    for term, times in count.items()
                }
                for count, length in zip(counts, lengths, strict=True)
            ]

    def choose(self, fields: Mapping[str, str]) -> tuple[int, ...]:
        content = self._content(fields)
        others = [number for number in self._numbers if self._contents[number] != content]
        if not self._nearest:
            return tuple(others)
        asked = set(terms("\n".join(content)))
        like = {
            number: sum(self._weights[number].get(term, 0.0) for term in sorted(asked))
            for number in others
        }
        return tuple(sorted(others, key=lambda number: -like[number])[: self._nearest])

    def _content(self, fields: Mapping[str, str]) -> tuple[str, ...]:
        texts = (fields.get(name, "") for name in self._inputs)
        return tuple(unicodedata.normalize("NFC", text).strip() for text in texts)


def examples_text(
    judge: Judge, criteria: Sequence[str], examples: Sequence[GradedExample], mark: str
) -> str:
    """The examples as a prompt shows them, each with the reply that would have been right.

    Those that have no score of the criteria asked for are left out; "" where none is left.
    """
    phrases = judge.wording.further["examples"]
    blocks: list[str] = []
    for example in examples:
        asked = [judge.rubric.criteria[name] for name in criteria if name in example.scores]
        if not asked:
            continue
        texts = [
            f"{spec.title}:\n{fence(name, text, mark) if spec.judged else neutralise(text, mark)}"
            for name, spec in judge.inputs.items()
            if (text := example.item.get(name, "")).strip()
        ]
        heading = phrases["heading"].format(number=len(blocks) + 1)
        reply = _reply(judge, asked, example, together=len(criteria) > 1)
        blocks.append("\n\n".join([heading, *texts, f"{phrases['reply']}\n{reply}"]))
    return "\n\n".join([phrases["intro"], *blocks]) if blocks else ""


def _reply(
    judge: Judge, asked: Sequence[Criterion], example: GradedExample, *, together: bool
) -> str:
    """In the form that the judge asks for."""
    if judge.reply == "text":
        return "\n".join(_rows(judge, asked, example, together=together))
    sections: dict[str, object] = {}
    groups: dict[str, dict[str, object]] = {}
    for criterion in asked:
        why = example.explanations.get(criterion.name)
        group: dict[str, object] = {SCORE: example.scores[criterion.name]}
        if why and criterion.explain is True:
            reasons = {EXPLANATION: why}
            group = {**group, **reasons} if judge.score_first else {**reasons, **group}
        elif why and isinstance(criterion.explain, str):
            listed = judge.feedback[criterion.explain].list
            sections[criterion.explain] = [why] if listed else why
        groups[criterion.name] = group
    if together:
        return json.dumps({**groups, **sections}, ensure_ascii=False)
    (name, group), *_ = groups.items()
    alone = {name if key == SCORE else key: value for key, value in group.items()}
    whole = {**alone, **sections} if judge.score_first else {**sections, **alone}
    return json.dumps(whole, ensure_ascii=False)


def _rows(
    judge: Judge, asked: Sequence[Criterion], example: GradedExample, *, together: bool
) -> list[str]:
    phrases, rows = judge.wording.phrases, []
    for criterion in asked:
        if together:
            rows.append(f"### {criterion.title}")
        why = example.explanations.get(criterion.name)
        score = f"{phrases['score_label']}: {criterion.scale.write(example.scores[criterion.name])}"
        reasons = [f"{phrases['explanation_label']}: {why}"] if why else []
        rows += [score, *reasons] if judge.score_first else [*reasons, score]
    return rows
