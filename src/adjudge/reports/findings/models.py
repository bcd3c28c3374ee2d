"""What a check found out about a model, for a terminal and as plain values."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.models.local_models import LocalModel
from adjudge.models.model_checks import ModelCheck
from adjudge.models.prices import FREE, Price
from adjudge.models.weights import megabytes
from adjudge.running import Check

from ..encode import Json, fields, shaped
from ..renderers.terminal import table

_CAPABILITIES = ("json_schema", "patterns", "logprobs", "likelihood", "seed")
_ANSWERS = {True: "yes", False: "no", None: "–"}


def check_text(check: Check) -> str:
    rows = [[what, said] for what, said in check.said.items()]
    rows.append(["price", _price(check.price)])
    usage = check.usage
    cost = "price not known" if usage.cost_usd is None else f"${usage.cost_usd:.6f}"
    tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
    rows.append(["cost of this check", f"{check.calls} calls, {tokens}, {cost}"])
    return "\n".join(
        [
            check.findings.identity,
            table(["what", "found"], rows),
            "Kept, and used whenever this model is opened; check again after a change of server.",
        ]
    )


def check_dict(check: Check) -> Json:
    """The object that `models check --json` prints."""
    return shaped(check, {"*": "findings", **fields("said", "price", "calls", "usage")})


def checked_table(checks: Sequence[ModelCheck]) -> str:
    head = ["checked", "on", "JSON schema", "patterns", "logprobs", "likelihood", "seed", "context"]
    rows = [
        [
            check.identity,
            check.date,
            *(_ANSWERS[getattr(check, name)] for name in _CAPABILITIES),
            f"{check.context:,}" if check.context else "–",
        ]
        for check in checks
    ]
    return table(head, rows)


def here_table(models: Sequence[LocalModel]) -> str:
    """Files that the embedded runtime can open, with the name that -m takes."""
    rows = [
        [
            model.name,
            model.origin,
            megabytes(model.size),
            f"{model.context:,}" if model.context else "–",
            _can(model),
            model.model,
        ]
        for model in models
    ]
    return table(["on this machine", "from", "size", "context", "can", "-m"], rows)


def _can(model: LocalModel) -> str:
    if not model.judges:
        return "no judging: it writes no text"
    if not model.chats:
        return "likelihood; it has no chat template"
    return "judge, schema, patterns, logprobs, likelihood"


def _price(price: Price | None) -> str:
    if price is None:
        return "not known: give it with --price in=…,out=…"
    if price == FREE:
        return "nothing but this machine's time"
    return f"${price.input:g} per million tokens in, ${price.output:g} out"
