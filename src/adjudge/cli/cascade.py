"""`adjudge cascade`: what cheap models decided, and what is left to people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from adjudge.errors import UsageError

from . import flags
from .output import print_json

if TYPE_CHECKING:
    from adjudge.analysis.cascade import Cascaded


@click.command("cascade")
@click.argument("run", default="latest")
@flags.option(
    "--left",
    is_flag=True,
    help="In files: only the items that no model decided and nobody has labelled.",
)
@flags.option(
    "--top",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    metavar="N",
    help="So many of the items that are left to people.",
)
@flags.option(
    "-o",
    "--out",
    multiple=True,
    metavar="FILE",
    help="Write the report (.md), or a row an item (.csv .jsonl .json .parquet). Repeatable.",
)
@flags.store_option
@flags.json_option
def command(
    run: str, left: bool, top: int, out: tuple[str, ...], store: str, as_json: bool
) -> None:
    """Show what became of RUN, made by `adjudge run DATA --cascade small,large`.

    RUN is an id, a unique beginning of one, or `latest`.
    """
    from adjudge.reports.cascade import cascade_dict, cascade_page  # noqa: PLC0415
    from adjudge.reports.page import as_text  # noqa: PLC0415
    from adjudge.trust import cascade  # noqa: PLC0415 - keeps `adjudge --help` quick

    files = [Path(name) for name in out]
    for path in files:
        _check_file(path)
    found = cascade(run, store=store)
    if as_json:
        print_json(cascade_dict(found) | {"files": list(out)})
    else:
        click.echo(as_text(cascade_page(found, top)).lstrip("\n"))
    for path in files:
        _write(path, found, left=left, top=top)
        if not as_json:
            click.echo(f"written: {path}")


def _check_file(path: Path) -> None:
    from adjudge.reports.cascade import ENDINGS  # noqa: PLC0415
    from adjudge.reports.formats import check_path  # noqa: PLC0415

    if path.suffix.casefold() not in (".md", *ENDINGS):
        raise UsageError(f"{path}: write the report as .md, or items as {' '.join(ENDINGS)}.")
    check_path(path)


def _write(path: Path, found: Cascaded, *, left: bool, top: int) -> None:
    from adjudge.reports.cascade import cascade_page, cascade_rows  # noqa: PLC0415
    from adjudge.reports.formats import write_file  # noqa: PLC0415
    from adjudge.reports.page import write_page  # noqa: PLC0415

    if path.suffix.casefold() == ".md":
        write_page(path, cascade_page(found, top))
    else:
        write_file(path, lambda: cascade_rows(found, left_only=left))
