"""`adjudge tokens`: who may use the service from another machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from adjudge.settings.secrets import without_secrets

from . import flags
from .output import opened_store, print_json

if TYPE_CHECKING:
    from adjudge.stores import TokenScope


@click.group("tokens")
def command() -> None:
    """Make, list and revoke the tokens of `adjudge serve`."""


@command.command("new")
@click.argument("name")
@flags.option(
    "--scope",
    type=click.Choice(["read", "judge", "admin"]),
    default="judge",
    help="What it may do. read: look. judge: also judge, run and label. admin: also make tokens and"
    " delete runs.",
)
@flags.option(
    "--rate",
    type=click.IntRange(1),
    metavar="N",
    help="Requests per minute.  [default: that of `adjudge serve --rate`]",
)
@flags.store_option
@flags.json_option
def new(name: str, scope: TokenScope, rate: int | None, store: str, as_json: bool) -> None:
    """Make a token called NAME and print it. It is shown only once; the store keeps its hash."""
    from adjudge.service.security.tokens import create_token, token_dict

    with opened_store(store, must_exist=False) as opened:
        token, kept = create_token(opened, name, scope, rate)
    if as_json:
        print_json(token_dict(kept) | {"token": token})
        return
    click.echo(
        f"token {kept.id} ({scope}) is in {without_secrets(store)}; it is not shown again:",
        err=True,
    )
    click.echo(token)


@command.command("list")
@flags.store_option
@flags.json_option
def list_tokens(store: str, as_json: bool) -> None:
    """List the tokens, also revoked ones, without their secrets."""
    from adjudge.reports.renderers.terminal import printable, table
    from adjudge.service.security.tokens import token_dict

    with opened_store(store) as opened:
        tokens = opened.tokens.all()
    if as_json:
        print_json([token_dict(token) for token in tokens])
        return
    if not tokens:
        click.echo("no token yet; `adjudge tokens new NAME` makes one", err=True)
        return
    rows = [
        [
            token.id,
            printable(token.name),
            token.scope,
            f"{token.rate:,}" if token.rate else "",
            _time(token.created),
            f"revoked {_time(token.revoked)}" if token.revoked else "valid",
        ]
        for token in tokens
    ]
    click.echo(table(["id", "name", "scope", "requests/min", "made (UTC)", ""], rows))


@command.command("revoke")
@click.argument("token_id", metavar="ID")
@flags.store_option
@flags.json_option
def revoke(token_id: str, store: str, as_json: bool) -> None:
    """Revoke a token; a running service rejects it within five seconds."""
    from adjudge.service.security.tokens import find_token, token_dict

    with opened_store(store) as opened:
        before = find_token(opened, token_id)
        opened.tokens.revoke(before.id)
        after = find_token(opened, token_id)
    if as_json:
        print_json(token_dict(after))
    elif before.revoked:
        click.echo(f"token {before.id} was revoked before, {_time(before.revoked)} UTC")
    else:
        click.echo(f"token {before.id} is revoked")


def _time(kept: str) -> str:
    return kept[:19].replace("T", " ")
