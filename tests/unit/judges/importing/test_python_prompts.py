"""Prompts in Python files as people write them; the files are parsed and never run."""

from __future__ import annotations

import pytest

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.judges.importing.prompt_text import FoundPrompt, pick_prompt, with_systems
from adjudge.judges.importing.python_prompts import python_prompts

HEAD = "Rate the answer from 1 to 5 and say in one or two sentences what you think of it, please."


def found(code: str) -> dict[str, FoundPrompt]:
    return {prompt.name: prompt for prompt in python_prompts(code, "p.py") if prompt.likely}


def only(code: str) -> FoundPrompt:
    (prompt,) = found(code).values()
    assert not prompt.problem
    return prompt


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (
            f"P = f'''{HEAD} {{question}} / {{row['answer']}}'''",
            f"{HEAD} {{question}} / {{answer}}",
        ),
        (f'P = f"{HEAD} {{item.answer}}"', f"{HEAD} {{answer}}"),
        (f"P = f'''{HEAD} {{messages[-1]['content']}}'''", f"{HEAD} {{content}}"),
        (f'P = f"{HEAD} {{fix(answer)}} {{x.strip()}}"', f"{HEAD} {{answer}} {{x}}"),
        (f'P = f"{HEAD} {{{{1}}}} {{a}}"', f"{HEAD} {{1}} {{a}}"),
        (f'P = "{HEAD} " + question + "\\nAnswer: " + a', f"{HEAD} {{question}}\nAnswer: {{a}}"),
        (f'P = """\n  {HEAD}\n  {{answer}}\n""".strip()', f"{HEAD}\n  {{answer}}"),
        (
            f'import textwrap\nP = textwrap.dedent("""\\\n    {HEAD}\n    {{a}}\n""")',
            f"{HEAD}\n{{a}}\n",
        ),
        (f'P = "{HEAD} %s and %s, 100%%" % (q, a)', f"{HEAD} {{q}} and {{a}}, 100%"),
        (f'P = "{HEAD} %(q)s" % {{"q": q}}', f"{HEAD} {{q}}"),
        (f'P = "{HEAD} {{}} {{}}".format(question, answer)', f"{HEAD} {{question}} {{answer}}"),
        (f'P = ("{HEAD} "\n     "{{answer}}")', f"{HEAD} {{answer}}"),
        (f'P = "\\n".join(["{HEAD}", "Answer:", answer])', f"{HEAD}\nAnswer:\n{{answer}}"),
        (f'P = "{HEAD} <ANSWER>".replace("<ANSWER>", answer)', f"{HEAD} {{answer}}"),
        (f'RULES = "Be fair."\nP = f"{HEAD} {{RULES}} {{a}}"', f"{HEAD} Be fair. {{a}}"),
        (f'P = "{HEAD}"\nP += " Answer: {{answer}}"', f"{HEAD} Answer: {{answer}}"),
        (
            f'from string import Template\nP = Template("{HEAD} $question ${{answer}} $$5")',
            f"{HEAD} {{question}} {{answer}} $5",
        ),
        (f'P = f"{HEAD} {{{{question}}}} {{rows[0]}}"', f"{HEAD} {{question}} {{rows}}"),
        # Doubled braces of an f-string are sent as they stand where they name no input.
        (f'P = f"{HEAD} {{a}} Mark: {{{{grade}}}}"', f"{HEAD} <<a>> Mark: {{grade}}"),
        (f'P = f"{HEAD} {{{{q}}}} {{a}}".format(q=question)', f"{HEAD} {{q}} {{a}}"),
        (f'P = f\'{HEAD} {{"Note: " + note if note else ""}}\'', f"{HEAD} {{note}}"),
        (f'rule = "x"\ndef p(rule):\n    return f"{HEAD} {{rule}}"', f"{HEAD} {{rule}}"),
        (f'try:\n    p = f"{HEAD} {{a}}"\nexcept E:\n    raise\nask(p)', f"{HEAD} {{a}}"),
        (f'for a in rows:\n    p = f"{HEAD} {{a}}"\n    p += "!"\n    ask(p)', f"{HEAD} {{a}}!"),
    ],
)
def test_the_text_as_it_is_sent(code: str, text: str) -> None:
    assert only(code).text == text


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (f'class J:\n    prompt = "{HEAD} {{a}}"', "J.prompt"),
        (f'def build(a):\n    return f"{HEAD} {{a}}"', "build"),
        (
            f'class J:\n    def __init__(self):\n        self.prompt = "{HEAD} {{a}}"',
            "J.__init__.prompt",
        ),
        (f'ask(model, prompt="{HEAD} {{a}}")', "prompt"),
        (f'P = {{"tone": "{HEAD} {{a}}", "n": 3}}', "P.tone"),
        (f'P = PromptTemplate(template="{HEAD} {{a}}", input_variables=["a"])', "P"),
        (f'P = PromptTemplate.from_template("{HEAD} {{a}}")', "P"),
        (f'P = {{}}\nP["tone"] = "{HEAD} {{a}}"', "P.tone"),
        (f'P = {{Kind.TONE.value: "{HEAD} {{a}}"}}', "P.TONE"),
        (f'tone = lambda a: f"{HEAD} {{a}}"', "tone"),
        (f'def ask(a, template="{HEAD} {{a}}"):\n    pass', "ask.template"),
    ],
)
def test_where_a_prompt_may_stand(code: str, name: str) -> None:
    assert only(code).name == name


@pytest.mark.parametrize(
    "code",
    [
        (
            f'M = [{{"role": "system", "content": "{HEAD}"}},\n'
            '     {"role": "user", "content": f"Answer: {a}"}]'
        ),
        f'M = ChatPromptTemplate.from_messages([("system", "{HEAD}"), ("human", "Answer: {{a}}")])',
        f'M = [SystemMessage(content="{HEAD}"), HumanMessage(content=f"Answer: {{a}}")]',
        f'M = [Turn(role="system", content="{HEAD}"), Turn(role="user", content="Answer: {{a}}")]',
        (
            f'M = [HumanMessage(content=[{{"type": "text", "text": "Answer: {{a}}"}}]),\n'
            f'     SystemMessage("{HEAD}")]'
        ),
        f'S = "{HEAD}"\nM = lambda a: [("system", S), ("user", f"Answer: {{a}}")]',
        f'TONE_SYSTEM = "{HEAD}"\ndef tone_prompt(a):\n    return f"Answer: {{a}}"',
        f'SYSTEM_PROMPT = "{HEAD}"\nUSER_PROMPT = "Answer: {{a}}"',
        f'toneSystem = SystemMessage(content="{HEAD}")\ntone = PromptTemplate("Answer: {{a}}")',
        (
            f'go(messages=[{{"role": "system", "content": "{HEAD}"}},\n'
            '             {"role": "user", "content": "Answer: " + a}])'
        ),
        f'TONE_INSTRUCTIONS = "{HEAD}"\nTONE_PROMPT = "Answer: {{a}}"',
        (
            f'judge = (ChatPromptTemplate.from_messages([("system", "{HEAD}"),'
            ' ("human", "Answer: {a}")]) | model | parser)'
        ),
    ],
)
def test_system_and_user_texts_are_one_prompt(code: str) -> None:
    (prompt,) = with_systems(list(python_prompts(code, "p.py")))
    assert (prompt.system, prompt.text) == (HEAD, "Answer: {a}")


def test_texts_of_other_names_are_no_system_text() -> None:
    code = f'A_SYSTEM = C_SYSTEM = "{HEAD}"\nB_PROMPT = C = "{{b}}"\nC_USER = "{{c}}"'
    assert not any(prompt.system for prompt in with_systems(python_prompts(code, "p.py")))


def test_choices_beside_messages_are_the_scale() -> None:
    turns = f'[Turn(role="user", content="{HEAD} {{a}}")]'
    code = f'P = Grader(messages={turns}, choices={{"ok": 1, "bad": 0}})'
    assert only(code).scale == "ok/bad"


@pytest.mark.parametrize("block", ["for x in xs:", "if x:", "while x:"])
def test_what_only_running_tells_is_named(block: str) -> None:
    code = f'P = "{HEAD}"\n{block}\n    P += f"- {{x}}"\n'
    (prompt,) = found(code).values()
    assert prompt.problem == Reason("import.branches")


def test_a_conversation_is_no_single_question() -> None:
    turns = ", ".join(
        f'{{"role": "{role}", "content": "{HEAD}"}}' for role in ("user", "assistant", "user")
    )
    (prompt,) = found(f"M = [{turns}]").values()
    roles = ("user", "assistant", "user")
    assert prompt.problem == Reason("import.messages", count=3, roles=roles)


def test_docstrings_are_no_prompts() -> None:
    assert not found(f'def f():\n    """{HEAD}"""\n    return 1')


def test_an_empty_object_in_a_system_text_is_no_place() -> None:
    code = f"A_SYSTEM = '''{HEAD} {{\"must\": {{}}}}'''\nA_USER = \"Answer: {{a}}\""
    (prompt,) = with_systems(list(python_prompts(code, "p.py")))
    assert prompt.system.startswith(HEAD)


def test_a_system_text_may_show_texts_of_its_own() -> None:
    code = f'def f(r, a):\n    system_prompt = f"{HEAD} {{r}}"\n    user_prompt = f"Answer: {{a}}"'
    (prompt,) = with_systems(list(python_prompts(code, "p.py")))
    assert (prompt.system, prompt.text) == (f"{HEAD} {{r}}", "Answer: {a}")


HELPER = "You are a friendly helper who books tables and knows all of the menus by heart."
GRADER = "You are a judge. Grade the answer from 1 to 5 and give reasons for your grade."


@pytest.mark.parametrize(("system", "sent"), [(GRADER, GRADER), (HELPER, "")])
def test_the_only_system_text_of_a_file_goes_with_its_only_prompt(system: str, sent: str) -> None:
    code = (
        f'BASE_SYSTEM = "{system}"\nGRADE_TEMPLATE = """Question asked by the user: {{question}}\n'
        f'Answer: {{answer}}\n{HEAD}"""\n'
        "def ask(q, a):\n    p = GRADE_TEMPLATE.format(question=q, answer=a)\n"
    )
    pairs = [prompt for prompt in with_systems(python_prompts(code, "p.py")) if prompt.has_place]
    assert [prompt.system for prompt in pairs] == [sent] * len(pairs)
    assert pairs
    assert all(("SYSTEM" in str(prompt.note)) == bool(sent) for prompt in pairs)


def test_a_chat_prompt_says_how_its_places_are_written() -> None:
    code = (
        f'p = ChatPromptTemplate.from_messages([("user", "{HEAD} {{{{answer}}}}")],\n'
        '    template_format="mustache")\n'
    )
    assert "mustache" in [prompt.style for prompt in python_prompts(code, "p.py")]


def test_of_two_names_of_one_text_the_constant_is_offered() -> None:
    code = (
        f'template = "{HEAD} {{answer}}"\nONE = PromptTemplate(template=template)\n'
        f'template = "Then {HEAD} {{a}}"\nTWO = PromptTemplate(template=template)\n'
    )
    with pytest.raises(UsageError, match=r"NAME: ONE, TWO\."):
        pick_prompt(python_prompts(code, "p.py"), None, "p.py")


def test_a_system_text_of_another_file_is_left_out_and_told() -> None:
    code = (
        f'text = f"{HEAD} {{answer}}"\nask([{{"role": "system", "content": RULES_OF_IT}},\n'
        '     {"role": "user", "content": text}])\n'
    )
    prompt = pick_prompt(python_prompts(code, "p.py"), None, "p.py")
    assert (prompt.system, prompt.text) == ("", f"{HEAD} {{answer}}")
    assert str(prompt.note).startswith("RULES_OF_IT, the system text, lies in another file")
