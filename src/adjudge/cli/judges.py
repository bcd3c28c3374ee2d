"""`adjudge judges`: list, show, check, draft, new, schema, import, find."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.core.reason import Reason, unread
from adjudge.errors import DefinitionError, UsageError

from . import flags
from .output import print_json

if TYPE_CHECKING:
    from adjudge.core.judge import Judge
    from adjudge.judges import importing
    from adjudge.judges.importing import FoundPrompt, ImportedJudge, Options


@click.group("judges")
def command() -> None:
    """List, show, check, write and import judges."""


@command.command("list")
@flags.json_option
def list_judges(as_json: bool) -> None:
    """List the available judges."""
    from adjudge.judges import registry
    from adjudge.reports.encode import fields, shaped
    from adjudge.reports.renderers.terminal import table

    judges = [registry.get(name) for name in registry.names()]
    if as_json:
        shape = {
            **fields("title", "language", "explain_in", "fingerprint", judge="name"),
            "inputs": lambda judge: list(judge.inputs),
            "criteria": lambda judge: list(judge.rubric.criteria),
            "wordings": lambda judge: list(registry.wordings(judge.name)),
        }
        print_json([shaped(judge, shape) for judge in judges])
        return
    head = ["judge", "worded in", "explains in", "inputs", "criteria"]
    rows = [
        [
            judge.name,
            " ".join(registry.wordings(judge.name)),
            judge.explain_in,
            " ".join(n if spec.required else f"{n}?" for n, spec in judge.inputs.items()),
            " ".join(judge.rubric.criteria),
        ]
        for judge in judges
    ]
    click.echo(table(head, rows))


@command.command("show")
@click.argument("name")
@flags.option(
    "--prompt", is_flag=True, help="Show the prompts that it makes, with {inputs} to fill in."
)
@flags.option("--ask", type=click.Choice(["together", "each"]), help="As for `run`.")
@flags.option("--explain-in", metavar="LANG", help="As for `run`.")
def show(name: str, prompt: bool, ask: str | None, explain_in: str | None) -> None:
    """Show a judge's file, or the prompts that it makes."""
    from adjudge.core.item import Item
    from adjudge.judges import Renderer, registry
    from adjudge.reports.findings.run import prompt_text
    from adjudge.running import RunOptions, load_judge

    if not prompt:
        click.echo(registry.source(name)[1].rstrip())
        return
    judge = load_judge(name, RunOptions(ask=ask, explain_in=explain_in))  # type: ignore[arg-type]
    item = Item("example", {field: f"{{{field}}}" for field in judge.inputs})
    for made in Renderer(judge, b"example").prompts(item):
        click.echo(prompt_text(made))


@command.command("check")
@click.argument("files", nargs=-1, required=True)
def check(files: tuple[str, ...]) -> None:
    """Check judge files. Every problem names the file, line and key, and says what to do."""
    from adjudge.judges import load, registry

    problems = 0
    for file in files:
        try:
            judge = registry.get(file)
        except (DefinitionError, UsageError) as error:
            problems += 1
            click.echo(str(error), err=True)
            continue
        criteria = ", ".join(judge.rubric.criteria)
        click.echo(f"{file}: ok, {judge.name} ({criteria}), fingerprint {judge.fingerprint}")
        if judge.drafted:
            note = Reason("draft.told", judge=judge.name, model=judge.drafted)
            click.echo(f"{file}: note: {note}.", err=True)
        if judge.language.partition("-")[0] not in load.worded_languages():
            known = ", ".join(load.worded_languages())
            click.echo(
                f"{file}: note: built-in sentences are in English, since there are none in"
                f" {judge.language} (there are: {known}).",
                err=True,
            )
    if problems:
        raise DefinitionError(Reason("judge.wrong_files", wrong=problems, count=len(files)))


@command.command("draft")
@click.argument("data")
@flags.model_option(multiple=False)
@click.option("--name", default="drafted", show_default=True, metavar="NAME", help="Its name.")
@click.option("--language", default="en", show_default=True, metavar="LANG", help="Its language.")
@click.option(
    "--per-item", is_flag=True, help="A checklist per item, in a copy of the data, not a rubric."
)
@click.option("-n", "--limit", type=click.IntRange(1), metavar="N", help="Only the first N rows.")
@flags.map_option
@flags.base_url_option
# No variable: elsewhere --out names files.
@click.option("-o", "--out", default=".", metavar="DIR", help="Folder to write to.")
def draft(
    out: str, data: str, per_item: bool, model: str, mapping: tuple[str, ...], **wanted: Any
) -> None:
    """Let a model propose a rubric for DATA, or a checklist per item, as a file to edit.

    Writes NAME.yaml, and with --per-item also NAME.jsonl: the rows of DATA with the column
    `checklist`. The judge is marked as drafted until you delete that line.
    """
    from adjudge.api import draft_judge

    path = Path(out) / f"{wanted['name']}.yaml"
    wanted["map"] = flags.pairs(mapping, "map")
    made = draft_judge(data, model=model, per_item=per_item, **wanted)
    _write(path, made.judge, with_folder=True)
    click.echo(f"written: {path}")
    if per_item:
        rows = path.with_suffix(".jsonl")
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in made.rows)
        _write(rows, "".join(lines))
        click.echo(f"written: {rows}")
    for item in made.without:
        click.echo(f"no checklist for item {item}", err=True)
    click.echo(f"Read and change it, then delete `drafted`: adjudge judges check {path}", err=True)


@command.command("new")
@click.argument("name")
# No variable: elsewhere --out names files.
@click.option(
    "-o", "--out", default=".", metavar="DIR", help="Folder to write to; - is standard output."
)
def new(name: str, out: str) -> None:
    """Write NAME.yaml, a commented judge to start from."""
    from adjudge.judges import load_text
    from adjudge.judges.registry import starter

    if not re.fullmatch(r"[a-z][a-z0-9_-]*", name):  # before it is read as something else in YAML
        raise UsageError(Reason("judge.no_name", text=name))
    text = starter(name)
    if out == "-":
        click.echo(text, nl=False)
        return
    path = Path(out) / f"{name}.yaml"
    load_text(text, str(path))  # a name that no judge can have is refused before it is written
    _write(path, text)
    click.echo(f"written: {path}")
    click.echo(f"Change it, then: adjudge judges check {path}", err=True)


@command.command("schema")
def schema() -> None:
    """Print the JSON Schema of judge files."""
    from adjudge.judges.spec import JudgeFile

    shown = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    print_json(shown | JudgeFile.model_json_schema())


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", metavar="NAME", help="Name of the judge.  [default: the name of the file]")
# No variables: elsewhere --out names files and --set fields.
@click.option("-o", "--out", default=".", metavar="DIR", help="Folder to write to.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set a value instead of inferring it.",
)
@click.option("--harden", is_flag=True, help="Add fences and the form of the reply.")
@click.option(
    "--pick",
    metavar="NAME",
    help="Which prompt, if the file contains several, or is a file of settings.",
)
@click.option(
    "--placeholders",
    "style",
    type=click.Choice(["angle", "square"]),
    help="Take <x> or [x] as placeholders.",
)
@click.option(
    "--try",
    "replies",
    type=click.Path(path_type=Path),
    metavar="REPLYFILE",
    help="Show how existing replies would be read; write nothing.",
)
@flags.json_option
def import_prompt(  # noqa: PLR0913, PLR0917 - one per option of the command
    file: Path,
    name: str | None,
    out: str,
    pick: str | None,
    settings: tuple[str, ...],
    replies: Path | None,
    as_json: bool,
    style: str | None,
    harden: bool,
) -> None:
    """Turn an existing judge prompt into NAME.yaml and keep its exact wording.

    Prints what was inferred, from which words, and what was not found. REPLYFILE contains one
    reply, or one per line as JSON ({"reply": "…"}).
    """
    from adjudge.judges import importing
    from adjudge.reading import detect_language

    source = _source(file, pick)
    options = importing.Options(
        name=name or _name_of(file, source.name),
        detect=detect_language,
        settings=source.settings
        | ({"style": style} if style else {})
        | importing.parse_settings(settings),
        harden=harden,
    )
    origin = f"{file.name}, {source.name}" if source.name else file.name
    imported = _imported(source, options, origin)
    tried = _tried(imported.judge, replies) if replies else []
    path = Path(out) / f"{options.name}.yaml"
    if not replies:
        _write(path, imported.text, with_folder=True)
    if as_json:
        findings = [finding.document() for finding in imported.findings.all]
        written = None if replies else str(path)
        print_json({"written": written, "findings": findings, "replies": tried})
        return
    for line in imported.findings.lines():
        click.echo(line)
    for at, reading in enumerate(tried, 1):
        for criterion, score in reading.items():
            value = score["value"]
            plain = f"{value:g}" if isinstance(value, float) else value
            said = plain if score["why"] is None else f"not read: {score['why']}"
            click.echo(f"reply {at}: {criterion}: {said}")
    if replies:
        return
    click.echo(f"written: {path}")
    click.echo(f"Look it over, then: adjudge judges show {path} --prompt", err=True)


def _source(file: Path, pick: str | None) -> FoundPrompt:
    """The prompt in the file; on a terminal it is asked which of several is meant."""
    from adjudge.judges import importing

    while True:
        try:
            return importing.read_source(file, pick)
        except importing.ImportQuestion as question:
            pick = _answer(question)


def _imported(source: FoundPrompt, options: Options, origin: str) -> ImportedJudge:
    """The import; on a terminal what the prompt does not tell is asked, one question at a time."""
    from adjudge.judges import importing

    asked: importing.ImportQuestion | None = None
    while True:
        try:
            return importing.import_prompt(source, options, origin)
        except importing.ImportQuestion as question:
            asked = question
        except UsageError as error:  # an answer that is none
            if asked is None:
                raise
            click.echo(str(error), err=True)
        answer = {asked.key: _answer(asked)}
        options = replace(options, settings={**options.settings, **answer})


def _answer(question: importing.ImportQuestion) -> str:
    """Raises the question itself where nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise question
    click.echo(str(question), err=True)
    return str(click.prompt(question.key)).strip()


def _tried(judge: Judge, file: Path) -> list[dict[str, dict[str, Any]]]:
    """How each reply of the file would be read: value, outcome and reason by criterion."""
    from adjudge.core.reply import Reply
    from adjudge.reading.read import read
    from adjudge.reports.encode import fields, shaped

    shape = {
        **fields("value", "outcome"),
        "why": lambda score: None if score.outcome.value == "scored" else str(score.why),
    }
    readings = [
        read(judge, tuple(judge.rubric.criteria), Reply(text=reply)) for reply in _replies(file)
    ]
    return [
        {name: shaped(score, shape) for name, score in reading.scores.items()}
        for reading in readings
    ]


def _replies(file: Path) -> list[str]:
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(unread(error).in_file(file)) from None
    if file.suffix not in {".jsonl", ".ndjson"}:
        return [text]
    try:
        rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        return [row if isinstance(row, str) else str(row["reply"]) for row in rows]
    except (ValueError, KeyError, TypeError):
        raise UsageError(Reason("command.reply_lines").in_file(file)) from None


@command.command("find")
@click.argument("folder", type=click.Path(path_type=Path))
@flags.json_option
def find(folder: Path, as_json: bool) -> None:
    """List the judge prompts in a folder, and what an import would make of them."""
    from adjudge.judges import importing
    from adjudge.reading import detect_language
    from adjudge.reports.encode import fields, shaped

    if not folder.is_dir():
        raise UsageError(Reason("command.no_folder").in_file(folder))
    judges = list(importing.find_judges(folder, detect_language))
    if as_json:
        shape = {
            "file": lambda judge: str(judge.file),
            "line": lambda judge: judge.prompt.line or 1,
            **fields(name="prompt.name", first_words="prompt.first_words"),
            **fields("criteria", "judged"),
            "problem": lambda judge: judge.problem or None,
        }
        print_json([shaped(judge, shape) for judge in judges])
        return
    for judge in judges:
        click.echo(f"{judge.file}:{judge.prompt.line or 1}  {judge.prompt.name}".rstrip())
        click.echo(f"  “{judge.prompt.first_words}”")
        for criterion, scale in judge.criteria.items():
            click.echo(f"  {criterion}: {scale}")
        if judge.problem:
            click.echo(f"  cannot be imported as it is: {judge.problem}")
    able = sum(not judge.problem for judge in judges)
    click.echo(f"{len(judges)} look like judge prompts; {able} can be imported as they are.")


def _name_of(file: Path, constant: str) -> str:
    """The name of the constant or the file, as far as a judge can have it."""
    words = (constant.rpartition(".")[2] or file.stem).casefold()
    name = re.sub(r"[^a-z0-9_-]+", "_", words).strip("_-")
    if not name or not name[0].isalpha():
        raise UsageError(Reason("command.judge_name", name=words))
    return name


def _write(path: Path, text: str, *, with_folder: bool = False) -> None:
    try:
        if with_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(Reason("command.there", path=str(path))) from None
    except OSError as error:
        why = Reason("command.unwritable", why=error.strerror)
        raise UsageError(why.in_file(path)) from None
