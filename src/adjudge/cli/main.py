"""The command `adjudge`."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from contextlib import suppress
from importlib import import_module

import click

from adjudge import __version__
from adjudge.errors import AdjudgeError, UsageError
from adjudge.extras import Extra, require

# Command → what its help says. Its module, of the same name or as below, is imported when it is
# used, which keeps `adjudge --help` quick.
COMMANDS = {
    "init": "Write a working folder from a few questions.",
    "run": "Judge every row of a dataset.",
    "one": "Judge one item given on the command line.",
    "judges": "List, show, check, write and import judges.",
    "runs": "List the runs in the store, or delete one.",
    "show": "Show a run, or one item of it.",
    "export": "Write the verdicts of a run to files.",
    "report": "Write a report on one or two runs, as one page.",
    "label": "Label items of a run by hand, one at a time.",
    "reread": "Read the stored replies again; no model is asked.",
    "calibrate": "Measure how well a judge agrees with people.",
    "disagreements": "Show where a judge and people differ, worst first.",
    "variants": "Find the judge and model that agrees best with people.",
    "improve": "Make a judge agree better with people's labels.",
    "compare": "Compare two runs item by item.",
    "rank": "Rank the systems that a run compared.",
    "panel": "Combine the verdicts of several models or judges.",
    "cascade": "Show what cheap models decided, and what is left to people.",
    "probe": "Find out how far a judge can be trusted.",
    "drift": "Check whether a judge still grades as it did.",
    "read": "Show how one reply is read, step by step.",
    "serve": "Serve the web pages and the HTTP API.",
    "tokens": "Make, list and revoke the tokens of the service.",
    "cache": "Show or clear the cache of replies.",
    "store": "Make, check, copy, add to and compact stores.",
    "models": "List models, check what they can do, download embedded ones.",
    "doctor": "Show what adjudge finds on this machine.",
}
_MODULES = {
    **dict.fromkeys(("calibrate", "disagreements", "compare", "rank", "panel"), "findings"),
    "cache": "runs",
    "show": "runs",
    "read": "one",
    "report": "export",
}

# What commands need beyond the base.
_NEEDS: dict[str, Extra] = {
    **dict.fromkeys(
        ("calibrate", "disagreements", "compare", "rank", "panel", "probe", "variants", "drift"),
        "trust",
    ),
    **dict.fromkeys(("report", "serve"), "web"),
    "improve": "improve",
}
# Shown whatever the settings file says.
_HELP = ("-h", "--help")
_ALL_HELP = (*_HELP, "--help-all")
# Made in advance: there may be no memory for it when it is needed.
_NO_MEMORY = (
    "there is no memory left. What was answered is kept: give it more, or ask for less at once"
    " (--concurrency), and run the same command again."
)


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in COMMANDS:
            return None
        module = import_module(f"adjudge.cli.{_MODULES.get(name, name)}")
        commands = (part for part in vars(module).values() if isinstance(part, click.Command))
        return next(command for command in commands if command.name == name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, 1)
            meant = f" Did you mean {near[0]}?" if near else ""
            ctx.fail(f"There is no command {args[0]!r}.{meant}")
        name, command, rest = super().resolve_command(ctx, args)
        if not ctx.resilient_parsing and not set(_ALL_HELP) & set(rest):
            from . import sources

            known = sources.of(ctx)
            if not isinstance(command, sources.Tolerant):
                known.raise_problems()
            if name in _NEEDS:
                require(_NEEDS[name], f"adjudge {name}")
        return name, command, rest

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except UsageError as error:
            from . import sources

            sources.of(ctx).add_origins(error)
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": list(_HELP)})
@click.version_option(__version__, prog_name="adjudge")
def cli() -> None:
    """Grade text with a language model as the judge.

    \b
    adjudge run answers.csv --judge helpfulness -o scores.csv
    adjudge one --judge helpfulness --set question="…" --set answer="…"
    """


def command() -> None:
    """What the script `adjudge` calls: `main`, and the end of its process."""
    try:
        main()
    except SystemExit as ended:
        _leave_at_once(ended.code)
        raise
    _leave_at_once(0)


def _leave_at_once(code: str | int | None) -> None:
    """Ends a process that was in a Ray cluster once all is written: while such a process takes
    itself apart, threads of Ray may abort it, and its exit code would be lost."""
    if "ray" in sys.modules and not isinstance(code, str):
        atexit._run_exitfuncs()
        with suppress(OSError):  # its reader has gone
            sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)


def main() -> None:
    """Ends with the exit code of the contract: 0, 1, 2, 3 or 130."""
    # Python looks for cycles among everything that was ever imported before it ends: 0.1 s.
    atexit.register(gc.freeze)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A file name may hold bytes that are no text; showing it must not fail.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        cli(prog_name="adjudge", standalone_mode=False)
    except click.exceptions.Exit as ended:
        sys.exit(ended.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except AdjudgeError as error:
        from adjudge.reports.renderers.terminal import printable

        # Servers and data files have a say in messages, but not in what the terminal does.
        click.echo(f"adjudge: {printable(str(error))}", err=True)
        sys.exit(error.exit_code)
    except MemoryError:
        click.echo(f"adjudge: {_NO_MEMORY}", err=True)
        sys.exit(1)
    except (KeyboardInterrupt, click.Abort):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is ending already
        click.echo("adjudge: interrupted; what was answered is kept.", err=True)
        sys.exit(130)
    except OSError as error:
        # click ends the line before it hands an interruption on. Where that fails, the terminal is
        # gone, and with it the reader of this message.
        interrupted = isinstance(error.__context__, KeyboardInterrupt)
        if not interrupted and not isinstance(error, BrokenPipeError):
            raise
        # The reader of our output has gone (`adjudge … | head`): nothing is left to say.
        _say_no_more()
        sys.exit(130 if interrupted else 1)


def _say_no_more() -> None:
    """Python writes out what is left when it ends; a failure then would change the exit code."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
