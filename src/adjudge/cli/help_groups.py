"""Help in groups: what is judged, how, within which limits, what comes out. Rare flags are behind
`--help-all`.

A new flag is a word in one of the groups; in none it stands under "More".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from .sources import key_of

_GROUPS: Mapping[str, str] = {
    "What": "judge model set map sheet encoding limit skip-bad-rows shard data labels only language"
    " author name tag match unpaired criterion slice group judge-a model-a judge-b model-b"
    " try-judge",
    "How": "base-url ask explain-in method logprobs variant repeat samples stop-when-stable cascade"
    " agree delta within anchors alpha temperature seed shorten engine ray-address workers batch"
    " no-cache offline record fresh writer rounds confidence detect measure way"
    " held-out tries shots split-seed",
    "Limits": "budget max-tokens timeout concurrency rpm tpm price max-unscored gate baseline"
    " max-flip max-gain max-shift max-accepted max-unnoticed max-preference",
    "Output": "out columns with-inputs dry-run write-baseline summary annotations keep keep-texts"
    " movers store json quiet no-progress",
}
_GROUP_OF = {name: title for title, names in _GROUPS.items() for name in names.split()}
_MORE = "More"
_RARE_NAMES = """
    shard engine ray-address workers stop-when-stable cascade labels agree delta within logprobs
    variant shorten price seed batch keep-texts keep no-progress rpm tpm temperature ask
    skip-bad-rows fresh no-cache timeout annotations
"""
_RARE = frozenset(_RARE_NAMES.split())


class GroupedCommand(click.Command):
    """A command with many flags; `--help` shows the usual ones in groups, `--help-all` all."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self.params.append(
            click.Option(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_show_all,
                help="Show every flag and exit.",
            )
        )

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter, *, rare: bool = False
    ) -> None:
        groups: dict[str, list[tuple[str, str]]] = {title: [] for title in (*_GROUPS, _MORE)}
        hidden = 0
        for option in self.get_params(ctx):
            shown = option.get_help_record(ctx)
            if not isinstance(option, click.Option) or shown is None:
                continue
            key = key_of(option)
            if key in _RARE and not rare and not option.required:
                hidden += 1
            else:
                groups[_GROUP_OF.get(key, _MORE)].append(shown)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
        if hidden:
            formatter.write_paragraph()
            flags = "flag" if hidden == 1 else "flags"
            formatter.write_text(f"`{ctx.command_path} --help-all` shows {hidden} more {flags}.")

    def help_in_full(self, ctx: click.Context) -> str:
        formatter = ctx.make_formatter()
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        self.format_options(ctx, formatter, rare=True)
        return formatter.getvalue().rstrip("\n")


def _show_all(ctx: click.Context, _option: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        assert isinstance(ctx.command, GroupedCommand)  # noqa: S101 - it adds the flag itself
        click.echo(ctx.command.help_in_full(ctx))
        ctx.exit()
