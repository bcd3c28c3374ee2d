"""Writes the pages of docs/ that come out of the code; --check only says which are out of date.

docs/cli.md holds the help of every command, docs/judge.schema.json the form of a judge file; the
pages of reference.py every public function, the HTTP API and the judge file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from adjudge.cli.help_groups import GroupedCommand
from adjudge.cli.main import cli
from adjudge.judges.spec import JudgeFile

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

from reference import http_page, judge_page, python_page  # noqa: E402 - beside this file

HEAD = """# Command line

`make docs` writes this page from the help of the commands. To change it, change their help.

Defaults come from environment variables (`ADJUDGE_` and the name of the flag, e.g.
`ADJUDGE_MAX_UNSCORED=2%` for `--max-unscored`), from `.env`, and from `adjudge.toml`: see
[configuration](configuration.md).

Exit codes:

- 0: everything worked.
- 1: an error stopped the work: the model cannot be used or answered nothing, the store failed, or
  there is no memory left. `doctor`: something would stop a run.
- 2: wrong usage, settings, judge file or data. Nothing was spent.
- 3: the command came to its end, but the result is not good enough: a `--gate` failed, a mean is
  below the `--baseline`, more than `--max-unscored` is unscored, or the `--budget` was used up
  before all was asked. `probe`: a probe is clearly beyond its limit, or all are unclear.
  `improve`: no judge was shown to be better, and the old one stays.
- 130: interrupted by Ctrl-C, SIGTERM or SIGHUP. What was answered is kept, and the same command
  continues.
"""


def commands(
    command: click.Command, name: str = "adjudge", above: click.Context | None = None
) -> Iterator[click.Context]:
    """The command and everything below it, each in a context of its own."""
    context = click.Context(
        command, info_name=name, parent=above, terminal_width=80, **command.context_settings
    )
    yield context
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            if found:
                yield from commands(found, below, context)


def command_page() -> str:
    parts = [HEAD]
    for context in commands(cli):
        command = context.command
        whole = isinstance(command, GroupedCommand)
        help_text = command.help_in_full(context) if whole else command.get_help(context)
        parts.append(f"## {context.command_path}\n\n```text\n{help_text}\n```\n")
    return "\n".join(parts)


def schema_page() -> str:
    """The same as `adjudge judges schema`."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    schema = head | JudgeFile.model_json_schema()
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


PAGES = {
    "cli.md": command_page,
    "judge.schema.json": schema_page,
    "reference-python.md": python_page,
    "reference-http.md": http_page,
    "reference-judge-file.md": judge_page,
}


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: generate.py [--check]\n")
        return 2
    old = 0
    for name, make in PAGES.items():
        path, text = DOCS / name, make()
        if path.exists() and path.read_text("utf-8") == text:
            continue
        old += 1
        if arguments:
            sys.stderr.write(f"docs/{name} is out of date; write it again: make docs\n")
        else:
            path.write_text(text, "utf-8")
            sys.stderr.write(f"written: docs/{name}\n")
    return 1 if arguments and old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
