"""What commands print."""

from __future__ import annotations

import click


def print_json(value: object) -> None:
    """Indented JSON on stdout, in UTF-8, without a character that a terminal would obey."""
    import json  # noqa: PLC0415 - keeps `adjudge --help` quick

    from adjudge.reports.terminal import printable_json  # noqa: PLC0415

    # Not orjson: it refuses half surrogates, which a reply may hold and which are escaped here.
    click.echo(printable_json(json.dumps(value, ensure_ascii=False, indent=2)))
