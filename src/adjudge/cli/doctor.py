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

    from .doctor_settings import Finding


@click.command("doctor", cls=sources.Tolerant)
@flags.store_option
@flags.option("--all", "all_of_them", is_flag=True, help="Also what is not set, or at its default.")
@flags.json_option
@click.pass_context
def command(context: click.Context, store: str, all_of_them: bool, as_json: bool) -> None:
    """Show the settings in effect and who set them, and what is there: keys, models, store.

    No key is shown and nothing is sent. Exit 1 when something would stop a run.
    """
    from adjudge.reports.renderers.terminal import table  # noqa: PLC0415 - keeps `adjudge --help` quick

    findings = _findings(context, store, all_of_them=all_of_them)
    if as_json:
        print_json([_as_dict(finding) for finding in findings])
    else:
        rows = [[row.state, row.what, row.says, row.origin or ""] for row in findings]
        click.echo(table(["", "what", "found", "set by"], rows))
    wrong = sum(finding.state == "wrong" for finding in findings)
    if wrong:
        raise AdjudgeError(Reason("command.doctor", count=wrong))


def _findings(context: click.Context, store: str, *, all_of_them: bool) -> list[Finding]:
    from adjudge.models import providers  # noqa: PLC0415

    from . import doctor_machine as machine  # noqa: PLC0415
    from . import doctor_settings as configured  # noqa: PLC0415

    known, tree = sources.of(context), sources.tree(context.find_root().command)
    settings = configured.effective(known, tree)
    return [
        *_versions(),
        *configured.files(known),
        *_in_use(store, configured.settings(known, settings, all_of_them=all_of_them)),
        *configured.variables(known, tree, machine.complaints()),
        *configured.keys(known, providers(), all_of_them=all_of_them),
        *configured.ways_out(known),
        *machine.models(settings),
        *machine.store(store),
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
    import platform  # noqa: PLC0415

    from adjudge import __version__  # noqa: PLC0415
    from adjudge.models import providers  # noqa: PLC0415

    from .doctor_settings import Finding  # noqa: PLC0415

    return [
        Finding("adjudge", __version__),
        Finding("Python", f"{platform.python_version()} on {platform.system()}"),
        Finding("providers", " ".join(providers())),
    ]


def _as_dict(finding: Finding) -> dict[str, object]:
    return {
        "what": finding.what,
        "found": finding.says,
        "ok": finding.state != "wrong",
        "state": finding.state,
        "set_by": finding.origin,
    }
