from __future__ import annotations

from collections.abc import Callable

import pytest

from adjudge.errors import UsageError
from adjudge.judges.importing import ImportedJudge
from adjudge.judges.importing.placeholders import escaped_json, find_style

Import = Callable[..., ImportedJudge]
Sent = Callable[..., list[str]]

ASKED = "Rate the answer from 1 to 5.\n"


@pytest.mark.parametrize(
    ("text", "style"),
    [
        ("Q: {question} A: {answer}", "format"),
        ('Q: {question} Reply {{"score": 1}}', "format"),
        ('Q: {question} Reply {"score": 1}', "replace"),
        ('Q: {question} Reply {"a": {"score": 1}}', "replace"),
        ("Q: {{question}}", "mustache"),
        ("Q: {{$question}}", "mustache"),
        ("Q: {$question}", "braced"),
        ('Q: {{ question }} Reply {"score": 1}', "mustache"),
        ("Q: {{{question}}} A: {{answer}}", "mustache"),
        ("Q: {{question}}{% if context %}{{context}}{% endif %}", "jinja"),
        ("Q: {{ question | trim }}", "jinja"),
        ("Q: ${question}", "dollar"),
        ('Q: ${question} Reply {"score": 1}', "dollar"),
        ("Q: {question}, it costs ${price}", "format"),
        ("Q: %s", "percent"),
        ("Q: %{question}", "percent"),
        ("Q: $question", "bare"),
        ("It costs $money", "none"),
        ("Q: %(question)s", "percent"),
        ("Q: {{question}}, about %d words", "mustache"),
        ("Q: %s Reply {score}", "percent"),
        ("Q: {question:.10s} A: {answer!r}", "format"),
        ("Q: {question} Reply {score: 1-5}", "replace"),
        ("Q: {question} Reply {", "replace"),
        ("Q: {} A: {}", "format"),
        ('Q: {{Question}} Write it in "boxed{}"', "mustache"),
        ("100% sure, 5%d", "none"),
        ("Nothing here", "none"),
    ],
)
def test_the_style_is_told_by_the_text(text: str, style: str) -> None:
    assert find_style(text) == style


def test_a_jinja_template_stays_as_it_is(take: Import) -> None:
    text = (
        ASKED + "{% if pictures %}{{ _shared.pictures }}{% endif %}\n\n{{ _shared.tone }}\n"
        'Question: {{ turns[-1]["content"] }}\nAnswer: {{ answer | trim }}\n'
    )
    imported = take(text)
    assert imported.judge.prompt == text
    assert imported.judge.absent == ("_shared", "pictures")
    assert list(imported.judge.inputs) == ["turns", "answer"]
    notes = [str(finding.value) for finding in imported.findings.all if finding.certainty is None]
    assert any(note.startswith("_shared, pictures lies in another file") for note in notes)


def test_a_switch_that_shows_words_of_its_own_is_an_input(take: Import) -> None:
    text = "{% if strict %}Be strict. {{ _shared.x }}{% endif %}Answer: {{ answer }}"
    imported = take(ASKED + text)
    assert imported.judge.absent == ("_shared",)
    assert list(imported.judge.inputs) == ["strict", "answer"]


def test_fields_of_one_object_are_inputs_of_their_own(take: Import, sent: Sent) -> None:
    text = f"{ASKED}Question: {{{{ row.question }}}}\nAnswer: {{{{ row.answer | trim }}}}\n"
    imported = take(text)
    assert imported.judge.judged == ("answer",)
    assert sent(imported.judge, question="Q", answer=" A ") == [f"{ASKED}Question: Q\nAnswer: A\n"]


def test_hardened_it_is_sent_with_the_same_blanks(take: Import, sent: Sent) -> None:
    text = ASKED + "{% if question %}\n  Q: {{ question }}\n{% endif %}\nAnswer: {{ answer }} #}"
    (plain,) = sent(take(text).judge, question="Q", answer="A")
    (hardened,) = sent(take(text, harden=True).judge, question="Q", answer="A")
    assert plain.partition("Answer")[0] in hardened
    assert hardened.endswith(">>> #}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [('{{"a": 1}}', True), ("{{ name }}", False), ('{"a": 1}', False), ('{{"a": {1}', False)],
)
def test_doubled_json_without_placeholders(text: str, expected: bool) -> None:
    assert escaped_json(text) is expected


@pytest.mark.parametrize(
    "text",
    [
        "Question: {question}\nAnswer: {answer}\n",
        "Question: {{question}}\nAnswer: {{ answer }}\n",
        "Question: {{$question}}\nAnswer: {{$answer}}\n",
        "Question: %{question}\nAnswer: %{answer}\n",
        "Question: $question\nAnswer: $answer\n",
        "Question: {{{question}}}\nAnswer: {{{ answer }}}\n",
        "Question: ${question}\nAnswer: ${answer}\n",
        "Question: %s\nAnswer: %s\n",
        "Question: %(question)s\nAnswer: %(answer)s\n",
        "[Question]\n{}\n\n[Answer]\n{}\n",
        "### Question:\n{0}\n### The answer:\n{1}\n",
    ],
)
def test_every_style_gives_the_same_inputs(
    text: str, take: Import, sent: Callable[..., list[str]]
) -> None:
    judge = take(ASKED + text).judge
    assert list(judge.inputs) == ["question", "answer"]
    assert judge.judged == ("answer",)
    [shown] = sent(judge, question="{{ why }}", answer="%s {x}")
    assert shown.startswith(ASKED)
    assert "{{ why }}" in shown
    assert "%s {x}" in shown
    assert len(shown.split("\n")) == len((ASKED + text).split("\n"))


@pytest.mark.parametrize(
    ("marks", "text"), [("angle", "<question> <answer>"), ("square", "[question] [answer]")]
)
def test_marks_count_only_when_asked_for(
    marks: str, text: str, take: Import, sent: Callable[..., list[str]]
) -> None:
    judge = take(ASKED + text, style=marks).judge
    assert sent(judge, question="q", answer="a") == [ASKED + "q a"]
    with pytest.raises(UsageError, match="found no placeholder"):
        take(ASKED + text)


def test_a_label_in_another_language_names_the_input(take: Import) -> None:
    judge = take("1점에서 5점으로 평가하세요.\n질문: %s\n답변: %s\n").judge
    assert list(judge.inputs) == ["question", "answer"]
    assert judge.inputs["question"].columns == ("질문",)


def test_a_vietnamese_name_loses_its_marks(take: Import) -> None:
    judge = take("Chấm điểm từ 1 đến 5.\n{{câu hỏi}}\n{{câu trả lời}}\n").judge
    assert list(judge.inputs) == ["cau_hoi", "cau_tra_loi"]
    assert judge.judged == ("cau_tra_loi",)


def test_the_same_name_twice_is_one_input(take: Import, sent: Callable[..., list[str]]) -> None:
    judge = take(ASKED + "{answer} and again {answer}").judge
    assert sent(judge, answer="x") == [ASKED + "x and again x"]


def test_the_same_label_twice_is_two_inputs(take: Import) -> None:
    assert list(take(ASKED + "Answer: %s\nAnswer: %s").judge.inputs) == ["answer", "answer_2"]


def test_a_placeholder_that_is_none_stays_text(
    take: Import, sent: Callable[..., list[str]]
) -> None:
    judge = take(ASKED + "{answer}\nEnd with: Score: {score}", text="score").judge
    assert sent(judge, answer="x") == [ASKED + "x\nEnd with: Score: {score}"]


def test_a_name_of_the_reply_is_pointed_out(take: Import) -> None:
    report = "\n".join(take(ASKED + "{answer}\nEnd with: Score: {score}").findings.lines())
    assert "--set text=score" in report


def test_what_looks_like_another_style_is_pointed_out(take: Import) -> None:
    report = "\n".join(take(ASKED + "{answer} and {{x}}").findings.lines())
    assert "{{x}} is left as text" in report


def test_names_that_templates_reserve_are_changed(take: Import) -> None:
    judge = take(ASKED + "{criteria} {answer}").judge
    assert list(judge.inputs) == ["criteria_text", "answer"]


def test_jinja_keeps_its_logic_and_its_blanks(take: Import, sent: Callable[..., list[str]]) -> None:
    text = ASKED + "{% if context %}\n  C: {{ context }}\n  {% endif %}\nA: {{ answer }}\n"
    judge = take(text, optional="context").judge
    assert sent(judge, context="c", answer="a") == [ASKED + "\n  C: c\n  \nA: a\n"]
    assert sent(judge, answer="a") == [ASKED + "\nA: a\n"]


def test_handlebars_blocks_are_refused_with_a_remedy(take: Import) -> None:
    with pytest.raises(UsageError, match=r"line 2: '{{#if context}}'.*Jinja2"):
        take(ASKED + "{{#if context}}{{context}}{{/if}}{{answer}}")


def test_broken_jinja_is_named(take: Import) -> None:
    with pytest.raises(UsageError, match="line 2: not valid Jinja2"):
        take(ASKED + "{% if x %}{{ answer }}")


def test_an_unknown_style_lists_the_known(take: Import) -> None:
    with pytest.raises(UsageError, match="format, replace, mustache"):
        take(ASKED + "{x}", style="smarty")


def test_doubled_braces_of_str_format_become_single(
    take: Import, sent: Callable[..., list[str]]
) -> None:
    judge = take(ASKED + '{answer}\n{{"score": 3}}').judge
    assert sent(judge, answer="x") == [ASKED + 'x\n{"score": 3}']


def test_what_shapes_a_field_is_dropped_and_pointed_out(
    take: Import, sent: Callable[..., list[str]]
) -> None:
    imported = take(ASKED + "{answer!r:.5s}")
    assert sent(imported.judge, answer="long text") == [ASKED + "long text"]
    assert "{answer!r:.5s}: the text is put in as it is" in "\n".join(imported.findings.lines())


def test_line_ends_of_windows_are_kept(take: Import, sent: Callable[..., list[str]]) -> None:
    text = "Rate it:\r\n1: poor\r\n2: good\r\n{answer}\r\n"
    judge = take(text).judge
    assert sent(judge, answer="x\r\ny") == [text.replace("{answer}", "x\r\ny")]
    assert judge.rubric.criteria["score"].scale.label(1) == "poor"


def test_hardened_prompts_get_a_fence_and_the_form(
    take: Import, sent: Callable[..., list[str]]
) -> None:
    judge = take(ASKED + "{answer}", harden=True).judge
    [shown] = sent(judge, answer="x")
    assert "<<<" in shown
    assert not judge.verbatim
