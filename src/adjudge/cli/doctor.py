"""`adjudge doctor`: what is set up, from where, and what is missing. Sends nothing anywhere."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from adjudge.core.reason import Reason
from adjudge.errors import AdjudgeError
from adjudge.settings.secrets import without_secrets

from . import flags, sources
from .output import print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .doctor_checks import Finding


@click.command("doctor", cls=sources.Tolerant)
@flags.store_option
@flags.option(
    "--all",
    "all_of_them",
    is_flag=True,
    help="Also show settings that are not set or have their default.",
)
@flags.json_option
@click.pass_context
def command(context: click.Context, store: str, all_of_them: bool, as_json: bool) -> None:
    """Show all settings and where they come from, and the keys, models and store that are there.

    No key is shown and nothing is sent. The exit code is 1 if something would stop a run.
    """
    from adjudge.reports.encode import fields, shaped
    from adjudge.reports.renderers.terminal import table

    findings = _findings(context, store, all_of_them=all_of_them)
    if as_json:
        shape = {
            **fields("what", found="says", state="state", set_by="origin"),
            "ok": lambda finding: finding.state != "wrong",
        }
        print_json([shaped(finding, shape) for finding in findings])
    else:
        rows = [[row.state, row.what, row.says, row.origin or ""] for row in findings]
        click.echo(table(["", "what", "found", "set by"], rows))
    wrong = sum(finding.state == "wrong" for finding in findings)
    if wrong:
        raise AdjudgeError(Reason("command.doctor", count=wrong))


def _findings(context: click.Context, store: str, *, all_of_them: bool) -> list[Finding]:
    from adjudge.models import providers

    from . import doctor_checks as checks

    known, tree = sources.of(context), sources.tree(context.find_root().command)
    settings = checks.effective(known, tree)
    return [
        *_versions(),
        *checks.files(known),
        *_in_use(store, checks.settings(known, settings, all_of_them=all_of_them)),
        *checks.variables(known, tree, checks.complaints()),
        *checks.keys(known, providers(), all_of_them=all_of_them),
        *checks.network(known),
        *checks.models(settings),
        checks.optional_parts(),
        *checks.store(store),
    ]


def _in_use(store: str, findings: Iterator[Finding]) -> Iterator[Finding]:
    """The settings; the store in the settings is not the one that is looked at below."""
    for finding in findings:
        typed = flags.is_typed("store")
        overridden = typed and finding.what.partition(" ")[0] == "--store" and finding.state == "ok"
        yield (
            replace(finding, says=f"{finding.says}; here --store {without_secrets(store)}")
            if overridden
            else finding
        )


def _versions() -> list[Finding]:
    import platform

    from adjudge import __version__
    from adjudge.models import providers

    from .doctor_checks import Finding

    return [
        Finding("adjudge", __version__),
        Finding("Python", f"{platform.python_version()} on {platform.system()}"),
        Finding("providers", " ".join(providers())),
    ]
