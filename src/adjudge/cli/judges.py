"""`adjudge judges`: list, show, check, new, schema."""

from __future__ import annotations

from pathlib import Path

import click

from adjudge.errors import DefinitionError, UsageError

from . import flags, judges_import
from .output import print_json


@click.group("judges")
def command() -> None:
    """List, show, check and write judges."""


command.add_command(judges_import.command)


@command.command("list")
@flags.json_option
def list_judges(as_json: bool) -> None:
    """List the judges that can be named."""
    from adjudge.judges import registry  # noqa: PLC0415
    from adjudge.reports.text import table  # noqa: PLC0415

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
    from adjudge.judges import registry  # noqa: PLC0415
    from adjudge.judges.render import Renderer  # noqa: PLC0415
    from adjudge.reports.text import prompt_text  # noqa: PLC0415
    from adjudge.running.options import RunOptions  # noqa: PLC0415
    from adjudge.running.plan import load_judge  # noqa: PLC0415

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
    from adjudge.judges import registry, wording  # noqa: PLC0415

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
        if judge.language.partition("-")[0] not in wording.languages():
            known = ", ".join(wording.languages())
            click.echo(
                f"{file}: note: built-in sentences are in English, since there are none in"
                f" {judge.language} (there are: {known}).",
                err=True,
            )
    if problems:
        raise DefinitionError(f"{problems} of {len(files)} judge files are wrong.")


@command.command("new")
@click.argument("name")
# No variable: elsewhere --out names files.
@click.option("-o", "--out", default=".", metavar="DIR", help="Folder to write to.")
def new(name: str, out: str) -> None:
    """Write NAME.yaml, a commented judge to start from."""
    from importlib.resources import files  # noqa: PLC0415

    from adjudge.judges.load import load_text  # noqa: PLC0415

    text = files("adjudge.judges").joinpath("new.yaml").read_text("utf-8").replace("NAME", name)
    path = Path(out) / f"{name}.yaml"
    load_text(text, str(path))  # a name that no judge can have is refused before it is written
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{path} is there already; choose another name.") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}.") from None
    click.echo(f"written: {path}")
    click.echo(f"Change it, then: adjudge judges check {path}", err=True)


@command.command("schema")
def schema() -> None:
    """Print the JSON Schema of judge files."""
    from adjudge.judges.spec import JudgeFile  # noqa: PLC0415

    shown = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    print_json(shown | JudgeFile.model_json_schema())
