"""Commit first: what a judge writes of its own before it sees the judged text.

Its own answer to the question, or its own list of what a good answer must do. The request holds
nothing but the inputs that are not judged, so it is the same for every answer to a question, and
its reply is kept and paid for once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from adjudge.core.judge import Judge
from adjudge.core.prompt import FirstQuestion, Message, Prompt
from adjudge.core.verdict import Verdict

from .fence import fence

FIRST = "first"  # the `order` of such a prompt


def first_question(
    judge: Judge, item: str, shown: Mapping[str, str], notice: str, mark: str
) -> FirstQuestion | None:
    """The question for an item; None for a judge that commits to nothing.

    `shown` are the texts as a prompt may hold them, `notice` is what it says about their fences.
    """
    if judge.first is None:
        return None
    phrases = judge.wording.further["first"]
    inputs = [
        f"{spec.title}:\n{shown[name]}"
        for name, spec in judge.inputs.items()
        if shown[name] and not spec.judged
    ]
    asked = "\n\n".join(inputs)
    # Where nothing is fenced, the request is the same for all judges that commit to the same.
    system = [phrases[judge.first], *([notice] if mark in asked else [])]
    messages = (Message("system", "\n\n".join(system)), Message("user", asked))
    # No sample: all repeats of all answers to a question share one.
    prompt = Prompt(
        messages=messages, criteria=(), item=item, order=FIRST, judge=judge.name, mark=mark
    )
    return FirstQuestion(prompt, phrases[f"{judge.first}_shown"], mark)


def requests(prompts: Sequence[Prompt]) -> Sequence[Prompt]:
    """What can be asked at once: the prompts, or what has to be asked before all of them."""
    first = prompts[0].first
    return [first.prompt] if first else [prompt for prompt in prompts if prompt.messages]


def committed(prompt: Prompt, text: str) -> Prompt:
    """The prompt with what the model wrote first, as it is then asked."""
    first = prompt.first
    if first is None:
        return prompt
    own = fence("own_text", text.strip(), first.mark)
    return replace(prompt.with_more(f"{first.intro}\n{own}"), first=None)


def asked_prompts(prompts: Sequence[Prompt], verdict: Verdict) -> list[Prompt]:
    """The prompts as they were asked: what came first, and all others with what it brought."""
    own = next((call.own_text for call in verdict.calls if call.own_text is not None), None)
    if own is None:
        return list(prompts)
    return [*requests(prompts), *(committed(prompt, own) for prompt in prompts)]
