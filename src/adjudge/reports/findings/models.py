"""What a check found out about a model, for a terminal and as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from adjudge.models.local_models import LocalModel
from adjudge.models.model_checks import ModelCheck
from adjudge.models.prices import FREE, Price
from adjudge.models.weights import megabytes
from adjudge.running import Check

from ..renderers.terminal import table


def check_text(found: Check) -> str:
    rows = [[what, said] for what, said in found.said.items()]
    rows.append(["price", _price(found.price)])
    usage = found.usage
    cost = "price not known" if usage.cost_usd is None else f"${usage.cost_usd:.6f}"
    tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
    rows.append(["cost of this check", f"{found.calls} calls, {tokens}, {cost}"])
    return "\n".join(
        [
            found.findings.identity,
            table(["what", "found"], rows),
            "Kept, and used whenever this model is opened; check again after a change of server.",
        ]
    )


def check_dict(found: Check) -> dict[str, object]:
    """The object that `models check --json` prints."""
    return asdict(found.findings) | {
        "said": dict(found.said),
        "price": None if found.price is None else asdict(found.price),
        "calls": found.calls,
        "usage": asdict(found.usage),
    }


def checked_table(found: Sequence[ModelCheck]) -> str:
    head = ["checked", "on", "JSON schema", "patterns", "logprobs", "likelihood", "seed", "context"]
    rows = [
        [
            each.identity,
            each.date,
            *map(
                _word, (each.json_schema, each.patterns, each.logprobs, each.likelihood, each.seed)
            ),
            f"{each.context:,}" if each.context else "–",
        ]
        for each in found
    ]
    return table(head, rows)


def here_table(found: Sequence[LocalModel]) -> str:
    """Files that the embedded runtime can open, with the name that -m takes."""
    rows = [
        [
            each.name,
            each.origin,
            megabytes(each.size),
            f"{each.context:,}" if each.context else "–",
            _can(each),
            each.model,
        ]
        for each in found
    ]
    return table(["on this machine", "from", "size", "context", "can", "-m"], rows)


def _can(found: LocalModel) -> str:
    if not found.judges:
        return "no judging: it writes no text"
    if not found.chats:
        return "likelihood; it has no chat template"
    return "judge, schema, patterns, logprobs, likelihood"


def _price(price: Price | None) -> str:
    if price is None:
        return "not known: give it with --price in=…,out=…"
    if price == FREE:
        return "nothing but this machine's time"
    return f"${price.input:g} for a million tokens in, ${price.output:g} out"


def _word(truth: bool | None) -> str:
    return {True: "yes", False: "no", None: "–"}[truth]
