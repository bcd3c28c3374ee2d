"""`adjudge judges import`: an existing prompt becomes a judge file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from adjudge.errors import UsageError


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", metavar="NAME", help="The judge's name; by default the file's.")
# No variables: elsewhere --out names files and --set fields.
@click.option("-o", "--out", default=".", metavar="DIR", help="Folder to write to.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Instead of inferring.")
@click.option("--harden", is_flag=True, help="Add fences and the form of the reply.")
@click.option("--pick", metavar="CONSTANT", help="Which text of a .py or .json file.")
@click.option(
    "--placeholders",
    "marks",
    type=click.Choice(["angle", "square"]),
    help="Take <x> or [x] as placeholders.",
)
def command(
    file: Path, name: str | None, out: str, pick: str | None, settings: tuple[str, ...], **how: Any
) -> None:
    """Turn an existing judge prompt into NAME.yaml, its text kept to the letter.

    Prints what was inferred, from which words, and what was not found.
    """
    from adjudge.judges import importing  # noqa: PLC0415
    from adjudge.reading.language import detect  # noqa: PLC0415

    source = importing.read_source(file, pick)
    options = importing.Options(
        name=name or _name_of(file, source.constant),
        detect=detect,
        settings=importing.parse_settings(settings),
        **how,
    )
    origin = f"{file.name}, {source.constant}" if source.constant else file.name
    imported = importing.import_prompt(source.text, options, origin)
    path = Path(out) / f"{options.name}.yaml"
    _write(path, imported.text)
    for line in imported.findings.lines():
        click.echo(line)
    click.echo(f"written: {path}")
    click.echo(f"Look it over, then: adjudge judges show {path} --prompt", err=True)


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
