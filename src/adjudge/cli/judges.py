"""`adjudge judges`: list, show, check, new, schema, import, find."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.core.reason import Reason
from adjudge.errors import DefinitionError, UsageError

from . import flags
from .output import print_json

if TYPE_CHECKING:
    from adjudge.core.judge import Judge
    from adjudge.judges.importing import FoundPrompt, ImportedJudge, Options


@click.group("judges")
def command() -> None:
    """List, show, check and write judges."""


@command.command("list")
@flags.json_option
def list_judges(as_json: bool) -> None:
    """List the judges that can be named."""
    from adjudge.judges import registry  # noqa: PLC0415
    from adjudge.reports.renderers.terminal import table  # noqa: PLC0415

    judges = [registry.get(name) for name in registry.names()]
    if as_json:
        shown = [
            {
                "judge": judge.name,
                "title": judge.title,
                "language": judge.language,
                "explain_in": judge.explain_in,
                "inputs": list(judge.inputs),
                "criteria": list(judge.rubric.criteria),
                "fingerprint": judge.fingerprint,
            }
            for judge in judges
        ]
        print_json(shown)
        return
    head = ["judge", "prompt in", "explains in", "inputs", "criteria"]
    rows = [
        [
            judge.name,
            judge.language,
            judge.explain_in,
            " ".join(n if spec.required else f"{n}?" for n, spec in judge.inputs.items()),
            " ".join(judge.rubric.criteria),
        ]
        for judge in judges
    ]
    click.echo(table(head, rows))


@command.command("show")
@click.argument("name")
@flags.option("--prompt", is_flag=True, help="The prompts that it makes, with {inputs} to fill in.")
@flags.option("--ask", type=click.Choice(["together", "each"]), help="As for `run`.")
@flags.option("--explain-in", metavar="LANG", help="As for `run`.")
def show(name: str, prompt: bool, ask: str | None, explain_in: str | None) -> None:
    """Show a judge's file, or the prompts that it makes."""
    from adjudge.core.item import Item  # noqa: PLC0415
    from adjudge.judges import Renderer, registry  # noqa: PLC0415
    from adjudge.reports.findings.run import prompt_text  # noqa: PLC0415
    from adjudge.running import RunOptions, load_judge  # noqa: PLC0415

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
    """Check judge files; every problem is named with file, line, key and remedy."""
    from adjudge.judges import load, registry  # noqa: PLC0415

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
        if judge.language.partition("-")[0] not in load.worded_languages():
            known = ", ".join(load.worded_languages())
            click.echo(
                f"{file}: note: built-in sentences are in English, since there are none in"
                f" {judge.language} (there are: {known}).",
                err=True,
            )
    if problems:
        raise DefinitionError(Reason("judge.wrong_files", wrong=problems, count=len(files)))


@command.command("new")
@click.argument("name")
# No variable: elsewhere --out names files.
@click.option("-o", "--out", default=".", metavar="DIR", help="Folder to write to.")
def new(name: str, out: str) -> None:
    """Write NAME.yaml, a commented judge to start from."""
    from importlib.resources import files  # noqa: PLC0415

    from adjudge.judges import load_text  # noqa: PLC0415

    text = files("adjudge.judges").joinpath("new.yaml").read_text("utf-8").replace("NAME", name)
    path = Path(out) / f"{name}.yaml"
    load_text(text, str(path))  # a name that no judge can have is refused before it is written
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(Reason("command.there", path=str(path))) from None
    except OSError as error:
        why = Reason("command.unwritable", why=error.strerror)
        raise UsageError(why.in_file(path)) from None
    click.echo(f"written: {path}")
    click.echo(f"Change it, then: adjudge judges check {path}", err=True)


@command.command("schema")
def schema() -> None:
    """Print the JSON Schema of judge files."""
    from adjudge.judges.spec import JudgeFile  # noqa: PLC0415

    shown = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    print_json(shown | JudgeFile.model_json_schema())


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", metavar="NAME", help="The judge's name; by default the file's.")
# No variables: elsewhere --out names files and --set fields.
@click.option("-o", "--out", default=".", metavar="DIR", help="Folder to write to.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Instead of inferring.")
@click.option("--harden", is_flag=True, help="Add fences and the form of the reply.")
@click.option(
    "--pick",
    metavar="NAME",
    help="Which prompt of a file that holds several, or of a file of settings.",
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
    help="Show how replies in hand would be read; nothing is written.",
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
    """Turn an existing judge prompt into NAME.yaml, its text kept to the letter.

    Prints what was inferred, from which words, and what was not found. REPLYFILE holds one reply,
    or one per line as JSON ({"reply": "…"}).
    """
    from adjudge.judges import importing  # noqa: PLC0415
    from adjudge.reading import detect_language  # noqa: PLC0415

    source = importing.read_source(file, pick)
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
        _write(path, imported.text)
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


def _imported(source: FoundPrompt, options: Options, origin: str) -> ImportedJudge:
    """The import; on a terminal what the prompt does not tell is asked, one question at a time."""
    from adjudge.judges import importing  # noqa: PLC0415

    while True:
        try:
            return importing.import_prompt(source, options, origin)
        except importing.ImportQuestion as question:
            if not (sys.stdin.isatty() and sys.stdout.isatty()):
                raise
            click.echo(str(question), err=True)
            answer = importing.parse_settings([f"{question.key}={click.prompt(question.key)}"])
            options = replace(options, settings={**options.settings, **answer})


def _tried(judge: Judge, file: Path) -> list[dict[str, dict[str, Any]]]:
    """How each reply of the file would be read: value, outcome and reason by criterion."""
    from adjudge.core.reply import Reply  # noqa: PLC0415
    from adjudge.reading.read import read  # noqa: PLC0415

    out = []
    for reply in _replies(file):
        scores = read(judge, tuple(judge.rubric.criteria), Reply(text=reply)).scores
        out.append(
            {
                name: {
                    "value": score.value,
                    "outcome": score.outcome.value,
                    "why": None if score.outcome.value == "scored" else str(score.why),
                }
                for name, score in scores.items()
            }
        )
    return out


def _replies(file: Path) -> list[str]:
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: cannot be read: {error}.") from None
    if file.suffix not in {".jsonl", ".ndjson"}:
        return [text]
    try:
        rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        return [row if isinstance(row, str) else str(row["reply"]) for row in rows]
    except (ValueError, KeyError, TypeError):
        raise UsageError(f'{file}: write one {{"reply": "…"}} per line.') from None


@command.command("find")
@click.argument("folder", type=click.Path(path_type=Path))
@flags.json_option
def find(folder: Path, as_json: bool) -> None:
    """List what in a folder looks like a judge prompt, and what an import would make of it."""
    from adjudge.judges import importing  # noqa: PLC0415
    from adjudge.reading import detect_language  # noqa: PLC0415

    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no such folder.")
    judges = list(importing.find_judges(folder, detect_language))
    if as_json:
        print_json(
            [
                {
                    "file": str(judge.file),
                    "line": judge.prompt.line or 1,
                    "name": judge.prompt.name,
                    "first_words": judge.prompt.first_words,
                    "criteria": judge.criteria,
                    "judged": list(judge.judged),
                    "problem": judge.problem or None,
                }
                for judge in judges
            ]
        )
        return
    for judge in judges:
        click.echo(f"{judge.file}:{judge.prompt.line or 1}  {judge.prompt.name}".rstrip())
        click.echo(f"  “{judge.prompt.first_words}”")
        for criterion, scale in judge.criteria.items():
            click.echo(f"  {criterion}: {scale}")
        if judge.problem:
            click.echo(f"  not as it is: {judge.problem}")
    able = sum(not judge.problem for judge in judges)
    click.echo(f"{len(judges)} look like judge prompts; {able} can be imported as they are.")


def _name_of(file: Path, constant: str) -> str:
    """The name of the constant or the file, as far as a judge can have it."""
    words = (constant.rpartition(".")[2] or file.stem).casefold()
    name = re.sub(r"[^a-z0-9_-]+", "_", words).strip("_-")
    if not name or not name[0].isalpha():
        raise UsageError(f"no judge can be called {words!r}; name it with --name.")
    return name


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{path} is there already; choose another --name or -o.") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}.") from None
