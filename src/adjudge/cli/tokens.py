"""`adjudge tokens`: who may use the service from another machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from adjudge.errors import UsageError

from . import flags
from .output import print_json

if TYPE_CHECKING:
    from adjudge.stores.base import Store
    from adjudge.stores.records import KeptToken, Scope

_LONGEST_NAME = 100  # characters


@click.group("tokens")
def command() -> None:
    """Make, list and revoke the tokens of `adjudge serve`."""


@command.command("new")
@click.argument("name")
@flags.option(
    "--scope",
    type=click.Choice(["read", "judge", "admin"]),
    default="judge",
    show_default=True,
    help="What it may do: look; also judge, run and label; everything.",
)
@flags.option(
    "--rate",
    type=click.IntRange(1),
    metavar="N",
    help="Requests a minute.  [default: what `adjudge serve --rate` says]",
)
@flags.store_option
@flags.json_option
def new(name: str, scope: Scope, rate: int | None, store: str, as_json: bool) -> None:
    """Make a token called NAME and print it, this once: only its hash is kept."""
    from adjudge.service.security.tokens import new_token  # noqa: PLC0415 - for `--help`
    from adjudge.stores.times import now  # noqa: PLC0415

    with _opened(store, must_exist=False) as opened:
        _check_name(name, opened.tokens.all())
        token, kept = new_token(name, scope, rate)
        kept = replace(kept, created=now())
        opened.tokens.put(kept)
    if as_json:
        print_json(_as_dict(kept) | {"token": token})
        return
    click.echo(f"token {kept.id} ({scope}) is in {store}; it is not shown again:", err=True)
    click.echo(token)


@command.command("list")
@flags.store_option
@flags.json_option
def list_tokens(store: str, as_json: bool) -> None:
    """Show the tokens, revoked ones too; never the secrets in them."""
    from adjudge.reports.terminal import printable  # noqa: PLC0415
    from adjudge.reports.text import table  # noqa: PLC0415

    with _opened(store) as opened:
        tokens = opened.tokens.all()
    if as_json:
        print_json([_as_dict(token) for token in tokens])
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
    """Make a token useless; a running service follows within five seconds."""
    with _opened(store) as opened:
        found = _find(token_id, opened.tokens.all(), opened.where)
        opened.tokens.revoke(found.id)
        (after,) = [token for token in opened.tokens.all() if token.id == found.id]
    if as_json:
        print_json(_as_dict(after))
    elif found.revoked:
        click.echo(f"token {found.id} was revoked before, {_time(found.revoked)} UTC")
    else:
        click.echo(f"token {found.id} is revoked")


@contextmanager
def _opened(store: str, *, must_exist: bool = True) -> Iterator[Store]:
    from adjudge.stores.registry import open_store  # noqa: PLC0415 - for `--help`

    opened = open_store(store, must_exist=must_exist)
    try:
        yield opened
    finally:
        opened.close()


def _check_name(name: str, tokens: list[KeptToken]) -> None:
    if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
        raise UsageError(
            f"{name!r}: name a token by whom or what it is for, on one line of at most"
            f" {_LONGEST_NAME} characters."
        )
    for token in tokens:
        if token.name == name and not token.revoked:
            raise UsageError(
                f"There is a token {name!r} already. Choose another name, or revoke that one first:"
                f" adjudge tokens revoke {token.id}"
            )


def _find(token_id: str, tokens: list[KeptToken], where: str) -> KeptToken:
    for token in tokens:
        if token.id == token_id:
            return token
    if token_id.startswith("adj_"):
        raise UsageError("Name the token by its id alone: the part between adj_ and the next _.")
    known = ", ".join(f"{token.id} ({token.name})" for token in tokens if not token.revoked)
    raise UsageError(
        f"There is no token {token_id!r} in {where}. Valid ones: {known or 'none'}."
        " `adjudge tokens list` shows them."
    )


def _time(kept: str) -> str:
    return kept[:19].replace("T", " ")


def _as_dict(token: KeptToken) -> dict[str, object]:
    """Without the hash: whoever reads this has no use for it."""
    return {
        "id": token.id,
        "name": token.name,
        "scope": token.scope,
        "rate": token.rate,
        "created": token.created,
        "revoked": token.revoked,
    }
