"""What is wrong with a judge file is shown in the reader's language, whatever it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest
from tests.unit.judges.conftest import POLITE

from adjudge.core.item import Item
from adjudge.core.judge import Variant
from adjudge.core.reason import Reason, reason_of
from adjudge.errors import AdjudgeError, DefinitionError
from adjudge.judges import load_text, registry, renderer_for
from adjudge.judges.complaints import complaint
from adjudge.judges.load import read_text
from adjudge.judges.yaml_lines import Document, parse
from adjudge.strings import LANGUAGES, reasons, strings_for

from ..security.client import FORM, Client

SCALE = "{type: integer, min: 1, max: 5}"
PROMPT = "prompt: |\n  Look at this.\n  {{ question }}\n  {{ answer }}\n"
RULE = (
    "  - id: insult\n    flag: politeness.insult\n    when: It insults.\n    cap: {politeness: 1}\n"
)
_OTHERS = [code for code in LANGUAGES if code != "en"]


def changed(*pairs: tuple[str, str]) -> str:
    text = POLITE
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def scaled(scale: str) -> str:
    return changed((SCALE, scale))


def prompted(end: str) -> str:
    return f"{POLITE}  {end}\n"


def paired(pair: str) -> str:
    return changed(("reply: text", f"pair: {pair}"))


def formed(form: str) -> str:
    """With a form of the criterion in place of its scale and its rule."""
    return changed((f"    scale: {SCALE}\n", f"    {form}\n"), (RULES, ""))


TRACE = "judged: true, type: trace}"
RULES = POLITE[POLITE.index("rules:") : POLITE.index("reply:")]
EXAMPLE = (
    "examples:\n  - {item: {question: a, answer: b}, scores: {politeness: 2}, "
    "explanations: {politeness: It is.}}\n"
)
# A part of what is said about each file, by its code.
WRONG: dict[str, str] = {
    "judge.several": changed(("guide:", "giude:"), ("version: 1", "version: []")),
    "judge.no_mapping": "- a\n- b",
    "judge.too_long": "# " + "x" * 1_300_000,
    "judge.too_large": "a: 1\n" * 30_000,
    "judge.too_deep": "a: " + "[" * 3000 + "]" * 3000,
    "judge.empty": "",
    "judge.yaml": "a: b: c\n",
    "judge.invisible": "a: x\x07\n",
    "judge.own_alias": "a: &x [*x]\n",
    "judge.no_value": "a: !!int abc\n",
    "judge.key_not_plain": "[a]: 1\n",
    "judge.key_no_text": "true: 1\n",
    "judge.key_twice": changed(("version: 1", "version: 1\nversion: 2")),
    "judge.key_missing": changed(("judge: politeness\n", "")),
    "judge.key_unknown": changed(("reply: text", "zzzzz: 1")),
    "judge.key_like": changed(("guide:", "giude:")),
    "judge.must_be": changed(("{required: true}", "{required: yes}")),
    "judge.takes.version": changed(("version: 1", "version: 1.0")),
    "judge.takes.language": changed(("explain_in: en", "explain_in: klingon")),
    "judge.takes.level": scaled("{type: ordinal, levels: {1: 2, 2: b}}"),
    "judge.takes.explain": changed(("    guide:", "    explain: 5\n    guide:")),
    "judge.takes.limit": changed(("cap: {politeness: 2}", "cap: {politeness: [2]}")),
    "judge.takes.scale": scaled("1-5"),
    "judge.takes.whole": changed(("max: 5}", "max: 5.5}")),
    "judge.takes.number": scaled("{type: number, min: 0, max: a}"),
    "judge.takes.finite": scaled("{type: number, min: 0, max: 1.0e999}"),
    "judge.takes.truth": changed(("{required: true}", "{required: 1}")),
    "judge.takes.mapping": changed(("cap: {politeness: 2}", "cap: 2")),
    "judge.takes.part": changed(("question: {required: true}", "question:")),
    "judge.takes.list": changed(("{required: true}", "{columns: a}")),
    "judge.seen": changed(("version: 1", "version: true")),
    "judge.seen_nothing": changed(("version: 1", "version:")),
    "judge.or": changed(("reply: text", "reply: xml")),
    "judge.none": changed(("    guide:", "    explain: tips\n    guide:")),
    "judge.no_scale": scaled("{type: int, min: 1, max: 5}"),
    "judge.scale_type": scaled("{min: 1, max: 5}"),
    "judge.no_text": changed((PROMPT, "prompt: 5\n")),
    "judge.empty_text": changed((PROMPT, "prompt: ''\n")),
    "judge.blank": changed((PROMPT, "prompt: ' '\n")),
    "judge.half_character": changed(("title: Is", 'title: "\\ud800" #')),
    "judge.too_few": scaled("{type: category, options: [a]}"),
    "judge.too_many": paired("{inputs: [a, b, c], values: [a, b], tie: t}"),
    "judge.too_small": changed(("reply: text", "feedback:\n  tips: {list: true, least: -1}")),
    "judge.choice": changed(("reply: text", "reply: xml")),
    "judge.choice_like": changed(("reply: text", "ask: eech")),
    "judge.no_language": changed(("language: en", "language: English")),
    "judge.one_line": scaled('{type: category, options: ["a\\nb", c]}'),
    "judge.no_name": changed(("judge: politeness", "judge: Politeness")),
    "judge.no_dotted_name": changed(("flag: politeness.insult", "flag: a.b.c")),
    "judge.few_levels": scaled("{type: ordinal, levels: {1: bad}}"),
    "judge.same_label": scaled("{type: ordinal, levels: {1: bad, 2: Bad}}"),
    "judge.number_label": scaled("{type: ordinal, levels: {1: '2', 2: b}}"),
    "judge.min_max": changed(("min: 1, max: 5", "min: 5, max: 1")),
    "judge.same_option": scaled("{type: category, options: [a, A]}"),
    "judge.bounds_no_list": changed(("reply: text", "feedback:\n  tips: {least: 2}")),
    "judge.least_most": changed(
        ("reply: text", "feedback:\n  tips: {list: true, least: 4, most: 2}")
    ),
    "judge.no_bound": changed(("    cap: {politeness: 2}\n", "")),
    "judge.country": changed(("language: en", "language: kr")),
    "judge.same_name": changed(("reply: text", "feedback:\n  politeness: {}")),
    "judge.own_name": changed(("question: {", "criteria: {")),
    "judge.explanation": changed(("reply: text", "feedback:\n  explanation: {}")),
    "judge.same_title": changed(("reply: text", "feedback:\n  tips: {title: politeness}")),
    "judge.column_taken": changed(("{required: true}", "{columns: [answer]}")),
    "judge.no_section": changed(("    guide:", "    explain: tips\n    guide:")),
    "judge.same_rule": changed(("reply: text\n", RULE + "reply: text\n")),
    "judge.flag_taken": changed(("politeness.insult", "score")),
    "judge.off_scale": changed(("cap: {politeness: 2}", "cap: {politeness: 9}")),
    "judge.no_order": scaled("{type: category, options: [a, '2']}"),
    "judge.no_criterion": changed(("politeness.insult", "polite.insult")),
    "judge.no_input": changed(("reply: text", "prepare: [{input: a, do: agent_trace}]")),
    "judge.one_of_pair": paired("{inputs: [answer, answer], values: [a, b], tie: t}"),
    "judge.pair_values": paired("{inputs: [question, answer], values: [a, b], tie: a}"),
    "judge.pair_scale": paired("{inputs: [question, answer], values: [a, b], tie: tie}"),
    "judge.no_prompt": changed((PROMPT, "verbatim: true\n")),
    "judge.system_shows": changed(("prompt: |", "system: 'Q {{ question }}'\nprompt: |")),
    "judge.breaks_fence": changed(("{{ answer }}", "{{ answer | upper }}")),
    "judge.never_shown": changed(("  {{ answer }}\n", "")),
    "judge.depends": f"{POLITE}likelihood: '{{{{ given[0].text }}}}:'\n",
    "judge.prompt_long": prompted("x" * 1_100_001),
    "judge.prompt_signs": prompted("{{ " + " ~ ".join(3000 * ["1"]) + " }}"),
    "judge.prompt_deep": prompted("{{ " + 2000 * "(" + "1" + 2000 * ")" + " }}"),
    "judge.unknown_filter": prompted("{{ answer | shout }}"),
    "judge.syntax": prompted("{{ answer }"),
    "judge.other_files": prompted("{% include 'x' %}"),
    "judge.large_number": prompted("{{ 100001 }}"),
    "judge.unknown_name": prompted("{{ zzzzz }}"),
    "judge.name_like": prompted("{{ anwser }}"),
    "judge.many_steps": prompted(
        "{% for i in range(9000) %}{% for j in range(900) %}{% endfor %}{% endfor %}"
    ),
    "judge.many_characters": prompted("{{ 'x'.ljust(99999).replace(' ', 'y'.ljust(9999)) }}"),
    "judge.no_power": prompted("{{ 2 ** 3 }}"),
    "judge.numbers_end": prompted("{{ 100000 * 100000 * 100000 * 100000 }}"),
    "judge.no_product": prompted("{{ 'a' * 3 }}"),
    "judge.not_allowed": prompted("{{ ''.__class__.__name__ }}"),
    "judge.undefined": prompted("{{ criteria[7].title }}"),
    "judge.unfilled": prompted("{{ 1 / 0 }}"),
    "yaml.mapping": "a: b: c\n",
    "yaml.entries": "a: - b\n",
    "yaml.colon": "a: 1\nb\nc: 2\n",
    "yaml.sign": "a:\n\tb: 1\n",
    "yaml.block": "a:\n  - b\n  c: 1\n",
    "yaml.bracket": "a: [b, c: d\ne: f\n",
    "yaml.content": "a: ]\n",
    "yaml.letter": "a: *\n",
    "yaml.start": "{a: 1}\nb: 2\n",
    "yaml.end": 'a: "b\n',
    "yaml.document": "a: 1\n---\nb: 2\n",
    "yaml.alias": "a: *b\n",
    "yaml.anchor": "a: &b 1\nc: &b 2\n",
    "yaml.escape": 'a: "\\d"\n',
    "yaml.use_spaces": "a:\n\tb: 1\n",
    "yaml.one_judge": "a: 1\n---\nb: 2\n",
    "yaml.quote_star": "a: *b\n",
    "yaml.check": "a: b: c\n",
    "jinja.end_in": prompted("{% for c in criteria %}"),
    "jinja.end_before": prompted("{{ answer"),
    "jinja.tag_in": prompted("{% for c in criteria %}{% foo %}{% endfor %}"),
    "jinja.tag": prompted("{% foo %}"),
    "jinja.no_tag": prompted("{% 5 %}"),
    "jinja.sign": prompted("{{ answer ? 1 }}"),
    "jinja.instead": prompted("{{ (answer] }}"),
    "jinja.unexpected": prompted("{{ answer }"),
    "jinja.token": prompted("{{ answer question }}"),
    "jinja.print_end": prompted("{{ answer question }}"),
    "jinja.tag_end": prompted("{% if answer question %}{% endif %}"),
    "jinja.expression": prompted("{{ }}"),
    "jinja.comment": prompted("{# answer"),
    "jinja.filter": prompted("{{ answer | shout }}"),
    "jinja.test": prompted("{{ answer is loud }}"),
    "jinja.undefined": f"{POLITE}likelihood: '{{{{ nothing }}}}'\n",
    "jinja.attribute": prompted("{{ criteria[0].nothing }}"),
    "jinja.element": prompted("{{ criteria[7].title }}"),
    "jinja.unsafe": prompted("{{ ''.__class__.__name__ }}"),
    "jinja.operands": prompted("{{ 1 + 'a' }}"),
    "jinja.joined": prompted("{{ 'a' + 1 }}"),
    "jinja.no_list": prompted("{% for i in 5 %}{% endfor %}"),
    "jinja.no_call": prompted("{{ judge_title() }}"),
    "jinja.parameter": prompted("{% macro m(x) %}{{ x }}{% endmacro %}{{ m() }}"),
    "jinja.zero": prompted("{{ 1 / 0 }}"),
    "jinja.range": prompted("{% for i in range(100000 + 100000) %}{% endfor %}"),
    "judge.takes.checklist": formed("checklist: 5"),
    "judge.takes.question": formed("checklist: [5]"),
    "judge.takes.required": changed(("    guide:", "    required: [1]\n    guide:")),
    "judge.two_forms": formed("checklist: [Is it?]\n    claims: {against: [question]}"),
    "judge.form_scale": changed(("    guide:", "    checklist: [Is it?]\n    guide:")),
    "judge.claims_alone": changed(
        (SCALE, "{type: number, min: 0, max: 1}\n    claims: {against: [question]}")
    ),
    "judge.errors_alone": formed("errors: {from: [answer]}\n    evidence: {from: [answer]}"),
    "judge.errors_scale": formed(
        "scale: {type: number, min: -50, max: 5}\n    errors: {from: [answer]}"
    ),
    "judge.list_place": formed("rubric: {score: share}"),
    "judge.no_points": formed("checklist: [{text: Is it?, points: 0}]"),
    "judge.sum_scale": formed("checklist: {from: questions, score: sum}"),
    "judge.no_overall": changed(("    guide:", "    required: true\n    guide:")),
    "judge.no_threshold": changed(("reply: text", "overall: {from: min, pass: much}")),
    "judge.overall_taken": changed(
        ("  politeness:\n", "  overall:\n"),
        ("politeness.insult", "overall.insult"),
        ("cap: {politeness: 2}", "cap: {overall: 2}"),
        ("reply: text", "overall: {from: min}"),
    ),
    "judge.no_weight": changed(
        ("    guide:", "    weight: -1\n    guide:"),
        ("reply: text", "overall: {from: weighted_mean}"),
    ),
    "judge.no_turns": changed(("judged: true}", "judged: true, turns: each}")),
    "judge.one_turned": changed(
        ("{required: true}", "{judged: true, type: conversation, turns: last}"),
        ("judged: true}\n", "judged: true, type: conversation, turns: last}\n"),
    ),
    "judge.turned_pair": changed(
        ("judged: true}", "judged: true, type: conversation, turns: last}"),
        ("reply: text", "pair: {inputs: [question, answer], values: [a, b], tie: t}"),
    ),
    "judge.turned_scale": changed(
        ("judged: true}", "judged: true, type: conversation, turns: each}"),
        (SCALE, "{type: category, options: [a, b]}"),
        (RULES, ""),
    ),
    "judge.match_or_fact": formed("trajectory: {input: answer}"),
    "judge.needs_trace": formed("trajectory: {fact: steps}"),
    "judge.few_traces": formed("trajectory: {match: strict}"),
    "judge.no_trace": formed("trajectory: {fact: steps, input: answer}"),
    "judge.trace_binary": changed(
        (SCALE, f"{SCALE}\n    trajectory: {{fact: steps, most: 3}}"), ("judged: true}", TRACE)
    ),
    "judge.trace_number": changed(
        (SCALE, "{type: binary}\n    trajectory: {fact: steps}"),
        ("judged: true}", TRACE),
        (RULES, ""),
    ),
    "judge.first_nothing": changed((", judged: true", ""), ("reply: text", "first: answer")),
    "judge.first_verbatim": changed(("reply: text", "first: answer\nverbatim: true")),
    "judge.no_examples": changed(("reply: text", "nearest: 2")),
    "judge.examples_verbatim": changed(("reply: text", f"verbatim: true\n{EXAMPLE}")),
    "judge.example_lacks": changed(("reply: text", EXAMPLE.replace("question: a, ", ""))),
    "judge.example_unscored": changed(
        ("reply: text", EXAMPLE.replace("{politeness: It is.}", "{tone: It is.}"))
    ),
}


def codes(reason: Reason) -> Iterator[str]:
    yield reason.code
    for value in reason.fields.values():
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Reason):
                yield from codes(part)


# Said where no file is pasted.
ELSEWHERE: dict[str, Callable[[Path], object]] = {
    "judge.no_file": lambda folder: read_text(folder / "none.yaml"),
    "text.not_utf8": lambda folder: read_text(written(folder, b"judge: \xff")),
    "text.unreadable": read_text,
    "judge.unknown": lambda _: registry.source("zzzzz"),
    "judge.like": lambda _: registry.source("helpfulnes"),
    "judge.one_text": lambda _: likely(POLITE.replace("{required: true}", "{judged: true}")),
    "judge.no_reference": lambda _: likely(POLITE, "reference"),
    "judge.no_source": lambda _: likely(changed(("  question: {required: true}\n", ""), ASKED)),
    "judge.changed": lambda _: registry.source(replace(load_text(POLITE, "p.yaml"), title="x")),
    "judge.no_judge": lambda _: registry.source(5),  # type: ignore[arg-type]
    "judge.no_yaml": lambda _: registry.source({"judge": object()}),
    "judge.slow": lambda _: raised(Reason("judge.slow")),  # how slow it is depends on the machine
    "judge.wrong_files": lambda _: raised(Reason("judge.wrong_files", wrong=1, count=2)),
    "judge.unfit": lambda _: raised(complaint(load(POLITE), {"type": "new", "loc": (), "msg": ""})),
    "place.template_item": lambda _: prompts(
        prompted("{{ [1][0 if answer | length > 999 else 5] }}")
    ),
}
ASKED = ("  {{ question }}\n", "")


def written(folder: Path, content: bytes) -> Path:
    path = folder / "judge.yaml"
    path.write_bytes(content)
    return path


def likely(text: str, variant: Variant = "forward") -> None:
    judge = load_text(text, "judge.yaml")
    renderer_for(replace(judge, method="likelihood", variant=variant), b"")


def prompts(text: str) -> None:
    renderer_for(load_text(text, "judge.yaml"), b"").prompts(Item("a", {}))


def load(text: str) -> Document:
    return parse(text, "judge.yaml")


def raised(reason: Reason) -> None:
    raise DefinitionError(reason)


_QUOTED = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"|\{.*\}|\[.*?\]")
_ENGLISH = {
    "ko": re.compile(r"[A-Za-z]+(?: [A-Za-z]+){2}"),  # names stand one by one
    "vi": re.compile(r"\b(?:the|is|are|must|not|of|and|or|has|found|expected|with|which|cannot)\b"),
}


def assert_no_english(language: str, text: str) -> None:
    """But for what is quoted from the file."""
    assert text.strip()
    assert not _ENGLISH[language].search(_QUOTED.sub("…", text)), text


@pytest.mark.parametrize("code", WRONG)
def test_the_check_of_a_file(visit: Client, code: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        load_text(WRONG[code], "judge.yaml")
    assert code in set(codes(reason_of(caught.value))), str(caught.value)
    fields = urlencode({"csrf": visit.mark(), "text": WRONG[code]}).encode()
    for language in _OTHERS:
        answer = visit("POST", "/judges/edit", fields, FORM | {"Accept-Language": language})
        assert answer.status == 200
        assert f'<html lang="{language}"' in answer.text
        problems = re.findall(r'<li>.*?<span dir="auto">(.*?)</span>', answer.text)
        assert len(problems) == len(caught.value.problems)
        for problem in problems:
            assert_no_english(language, unescape(problem))


@pytest.mark.parametrize("code", ELSEWHERE)
def test_what_is_said_elsewhere(tmp_path: Path, code: str) -> None:
    with pytest.raises(AdjudgeError) as caught:
        ELSEWHERE[code](tmp_path)
    reason = reason_of(caught.value)
    assert code in set(codes(reason))
    for language in _OTHERS:
        # What the system says, and names, are not translated.
        assert_no_english(language, strings_for(language).reason(reason.with_texts(lambda _: "…")))


def test_no_kind_of_problem_is_left_out() -> None:
    keys = (key for key in reasons("en").entries if key.startswith(("judge.", "yaml.", "jinja.")))
    known = {re.sub(r"\.(says|remedy|one|other)$", "", key) for key in keys}
    assert known - {*WRONG, *ELSEWHERE} == set()
