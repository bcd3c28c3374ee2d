"""What `run` and `show` say where items are judged more than once: samples, panels, cascades."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from adjudge.errors import AdjudgeError, UsageError

if TYPE_CHECKING:
    from adjudge.analysis.cascade import Cascaded
    from adjudge.analysis.paneled import Panel
    from adjudge.kept_run import Run

_LEFT = 10  # items that no model was sure enough of


def echo_samples(run: Run) -> None:
    """How far samples of an item lie apart, and what several models come to together."""
    from adjudge.reports.page import as_text  # noqa: PLC0415 - keeps `adjudge --help` quick

    if repeats := run.repeats():
        from adjudge.reports.repeats import repeats_blocks  # noqa: PLC0415

        click.echo(as_text(repeats_blocks(repeats)))
    if cascaded := _cascade(run):
        from adjudge.reports.cascade import cascade_page  # noqa: PLC0415

        click.echo(as_text(cascade_page(cascaded, _LEFT)))
    if panel := _panel(run):
        from adjudge.reports.panel import panel_summary  # noqa: PLC0415

        click.echo(as_text(panel_summary(panel)))


def samples_dict(run: Run) -> dict[str, object]:
    """The same for `--json`, None for what there is not."""
    from adjudge.reports.repeats import repeats_dict  # noqa: PLC0415

    repeats, cascaded, panel = run.repeats(), _cascade(run), _panel(run)
    shown: dict[str, object] = {"repeats": repeats_dict(repeats) if repeats else None}
    if cascaded:
        from adjudge.reports.cascade import cascade_dict  # noqa: PLC0415

        shown["cascade"] = cascade_dict(cascaded)
    if panel:
        from adjudge.reports.panel import panel_dict  # noqa: PLC0415

        shown["panel"] = panel_dict(panel)
    return {"repeats": None, "panel": None, "cascade": None} | shown


def _cascade(run: Run) -> Cascaded | None:
    if "cascade" not in run.record.manifest.settings:
        return None
    from adjudge.trust import cascade  # noqa: PLC0415

    try:
        return cascade(run)
    except UsageError:  # it has not come to its end, as the first line says
        return None


def _panel(run: Run) -> Panel | None:
    manifest = run.record.manifest
    if len(manifest.models) * len(manifest.judges) < 2 or "cascade" in manifest.settings:
        return None
    from adjudge.trust import panel  # noqa: PLC0415 - loads numpy

    try:
        return panel(run)
    except AdjudgeError:  # there is none; `adjudge panel` says why
        return None
