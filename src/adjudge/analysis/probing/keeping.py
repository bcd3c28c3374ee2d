"""What probing found out, kept in the store for whoever looks later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from adjudge.stats.stat import Stat
from adjudge.stores.base import Store

from .findings import Finding, Limits, Probed, Session


def keep(store: Store, probed: Probed) -> None:
    """Under the judge and each of its models."""
    store.probes.keep(probed.judge, probed.models, probed.fingerprint, asdict(probed))


def probed_from(content: Mapping[str, Any]) -> Probed:
    """What was kept, as it was found out."""
    findings = (
        Finding(**{**each, "effect": Stat(**each["effect"])}) for each in content["findings"]
    )
    return Probed(
        **{
            **content,
            "models": tuple(content["models"]),
            "limits": Limits(**content["limits"]),
            "findings": tuple(findings),
            "runs": tuple(Session(**each) for each in content["runs"]),
        }
    )
