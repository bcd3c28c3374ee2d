"""Prompts in Python files as people write them; the files are parsed and never run."""

from __future__ import annotations

import pytest

from adjudge.judges.importing.prompt_text import FoundPrompt
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
    ],
)
def test_where_a_prompt_may_stand(code: str, name: str) -> None:
    assert only(code).name == name


@pytest.mark.parametrize(
    "code",
    [
        (
            f'M = [{{"role": "system", "content": "{HEAD}"}},\n'
            '     {"role": "user", "content": f"A: {a}"}]'
        ),
        f'M = ChatPromptTemplate.from_messages([("system", "{HEAD}"), ("human", "A: {{a}}")])',
        f'M = [SystemMessage(content="{HEAD}"), HumanMessage(content=f"A: {{a}}")]',
        (
            f'go(messages=[{{"role": "system", "content": "{HEAD}"}},\n'
            '             {"role": "user", "content": "A: " + a}])'
        ),
    ],
)
def test_system_and_user_texts_are_one_prompt(code: str) -> None:
    prompt = only(code)
    assert (prompt.system, prompt.text) == (HEAD, "A: {a}")


def test_what_only_running_tells_is_named() -> None:
    code = f'P = "{HEAD}"\nfor x in xs:\n    P += f"- {{x}}"\n'
    (prompt,) = found(code).values()
    assert "loop" in prompt.problem


def test_a_conversation_is_no_single_question() -> None:
    turns = ", ".join(
        f'{{"role": "{role}", "content": "{HEAD}"}}' for role in ("user", "assistant", "user")
    )
    (prompt,) = found(f"M = [{turns}]").values()
    assert "conversation of 3 messages" in prompt.problem


def test_docstrings_are_no_prompts() -> None:
    assert not found(f'def f():\n    """{HEAD}"""\n    return 1')
