"""Prompts in JavaScript and TypeScript files as people write them; the files are never run."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.errors import UsageError
from adjudge.judges.importing import Options, import_prompt, read_source
from adjudge.judges.importing.prompt_text import FoundPrompt
from adjudge.judges.importing.script_prompts import script_prompts
from adjudge.reading import detect_language

HEAD = "Rate the answer from 1 to 5 and say in one or two sentences what you think of it, please."


def found(code: str) -> dict[str, FoundPrompt]:
    return {prompt.name: prompt for prompt in script_prompts(code, "p.ts") if prompt.likely}


def only(code: str) -> FoundPrompt:
    (prompt,) = found(code).values()
    assert not prompt.problem
    return prompt


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (f"const P = `{HEAD}\n${{answer}}`;", f"{HEAD}\n${{answer}}"),
        (f"const P = `{HEAD} ${{row.answer ?? 'none'}}`", f"{HEAD} ${{row.answer}}"),
        (f"const P = `{HEAD} ${{JSON.stringify(rows)}}`", f"{HEAD} ${{rows}}"),
        (f'const P = `{HEAD} ${{a ? `<${{a}}>` : "}}"}}`', f"{HEAD} ${{a}}"),
        (f"const P = '{HEAD}\\n' + question + \"!\"", f"{HEAD}\n${{question}}!"),
        (f"const P = `\n  {HEAD}\n`.trim();", HEAD),
        (f"const P = ['{HEAD}', '', `A: ${{a}}`].join('\\n');", f"{HEAD}\n\nA: ${{a}}"),
        (f"// don't read `this`\nconst P = /[`'\"]/g, Q = `{HEAD} ${{a}}`", f"{HEAD} ${{a}}"),
        (f"const P = `{HEAD} \\`x\\` \\u00e9 ${{a}}`", f"{HEAD} `x` \u00e9 ${{a}}"),
        (
            f'const P = `{HEAD} {{{{answer}}}} {{"score": 1}}`',
            f'{HEAD} {{{{answer}}}} {{"score": 1}}',
        ),
    ],
)
def test_texts(code: str, text: str) -> None:
    assert only(code).text == text


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (f"export const JUDGE: string = `{HEAD}`", "JUDGE"),
        (f"const all = {{ 'strict': `{HEAD}` }}", "strict"),
        (f"function build(a) {{\n  return `{HEAD}`;\n}}", "build"),
        (f"const build = (a: string) => `{HEAD}`", "build"),
        (f"class Judge {{\n  async grade(a) {{\n    const p = `{HEAD}`;\n  }}\n}}", "grade.p"),
    ],
)
def test_names(code: str, name: str) -> None:
    assert list(found(code)) == [name]


@pytest.mark.parametrize(
    "code",
    [
        f"const P = intro.map(f)[0] + `{HEAD} ${{a}}`",
        f"const P = `{HEAD} ${{a}}` + (b ? 'x' : 'y')",
        f"const P = [intro, `{HEAD}`, `${{a}}`].join(' ')",
    ],
)
def test_one_addend_is_never_taken_for_the_whole(code: str) -> None:
    assert {bool(prompt.problem) for prompt in found(code).values()} == {True}


def test_a_system_and_a_user_text_are_one_prompt(tmp_path: Path) -> None:
    path = tmp_path / "judge.ts"
    path.write_text(
        "async function judge(question, reply) {\n"
        "  return model.create({\n"
        "    system: `You are a strict judge. You grade replies and rate them by what they say.`,\n"
        "    messages: [{ role: 'user', content: `Question: ${question}\\nReply: ${reply}\\n"
        "Grade the reply with PASS or FAIL, and judge nothing else; answer in one word.` }],\n"
        "  });\n}\n",
        "utf-8",
    )
    prompt = read_source(path)
    assert prompt.system.startswith("You are a strict judge.")
    options = Options(name="x", detect=detect_language, settings=prompt.settings)
    judge = import_prompt(prompt, options).judge
    assert (list(judge.inputs), judge.judged) == (["question", "reply"], ("reply",))


def test_several_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "judge.js"
    path.write_text(f"const ONE = `{HEAD} ${{a}}`;\nconst TWO = `{HEAD}! ${{a}}`;\n", "utf-8")
    with pytest.raises(UsageError, match="--pick NAME: ONE, TWO"):
        read_source(path)
    assert read_source(path, "TWO").text == f"{HEAD}! ${{a}}"
