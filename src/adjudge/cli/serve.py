"""`adjudge serve`: the web pages and the HTTP API on one port."""

from __future__ import annotations

import re
import sys
from typing import Any

import click

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from . import flags

_SIZES = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}


@click.command("serve")
@flags.option("--host", metavar="ADDRESS", default="127.0.0.1", help="Where to listen.")
@flags.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8484,
    metavar="N",
    help="The port; 0 takes a free one.",
)
@flags.model_option(multiple=True)
@flags.option(
    "--judges",
    multiple=True,
    metavar="FILE|DIR",
    help="Judge files beside the built-in ones; pages save in the first folder. Repeatable.",
)
@flags.base_url_option
@flags.option("--require-token", is_flag=True, help="Require a token on this machine too.")
@flags.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="A name of the service in browsers, e.g. behind a proxy. Repeatable.",
)
@flags.option(
    "--rate",
    type=click.IntRange(1),
    default=6000,
    metavar="N",
    help="Requests per minute and token, if the token has no rate of its own.",
)
@flags.option(
    "--max-body",
    metavar="SIZE",
    default="32MB",
    help="The largest body of a request, with data files.",
)
@flags.option(
    "-j",
    "--concurrency",
    type=click.IntRange(1),
    default=64,
    metavar="N",
    help="Requests in flight at once to one model.",
)
@flags.option(
    "--timeout", default=120.0, metavar="S", help="Maximum seconds for one request to a model."
)
@flags.store_option
@flags.option(
    "--log",
    type=click.Choice(["json", "text", "off"]),
    help="A line per request on stderr.  [default: text on a terminal, otherwise json]",
)
@flags.option("--open", "opens", is_flag=True, help="Open the pages in the browser.")
def command(opens: bool, **options: Any) -> None:
    """Serve the web pages and the HTTP API on one port.

    The service listens only on this machine; any other address needs tokens (adjudge tokens new).
    When it is ready, it prints its URL to standard output. Ctrl-C or SIGTERM stops it: requests in
    progress get their answers, and runs continue when it is started again.

    \b
    adjudge serve -m openai/gpt-4o-mini -m embedded
    """
    from adjudge.service.options import ServeOptions
    from adjudge.service.server import serve

    # Threads that read the store want the interpreter for a moment only, but often.
    sys.setswitchinterval(0.001)
    chosen = ServeOptions(
        models=options.pop("model"),
        allowed_hosts=options.pop("allow_host"),
        body=_bytes(options.pop("max_body")),
        log=options.pop("log") or ("text" if sys.stderr.isatty() else "json"),
        **options,
    )

    def listening(url: str) -> None:
        click.echo(f"adjudge: {url}", err=True)
        click.echo(url)
        sys.stdout.flush()
        if opens:
            click.launch(url)

    serve(chosen, listening)


def _bytes(text: str) -> int:
    """What `32MB`, `500k` or a bare number of bytes stands for."""
    match = re.fullmatch(r"(\d+)\s*([kmg]?)b?", text.strip().casefold())
    if not match or not int(match[1]):
        raise UsageError(Reason("command.size").at_option("max-body", text))
    return int(match[1]) * _SIZES[match[2]]
