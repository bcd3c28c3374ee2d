"""What lies beside the runs: a probe of their judge, hostile people's labels."""

from __future__ import annotations

from contextlib import closing

from adjudge.analysis.probing import Probed, ProbeFinding, ProbeLimits
from adjudge.analysis.probing.findings import Measure, ProbeSession, keep
from adjudge.core.label import Label
from adjudge.core.reason import Reason
from adjudge.stats.stat import Stat
from adjudge.stores import open_store

from .hostile import TEXTS, hostile_id
from .made import STORE

RATERS = (f"Mai {TEXTS['image']}", f"민수 {TEXTS['bidi']}")
_FOUND: tuple[tuple[str, Measure, Stat, int], ...] = (
    ("contrast", "unnoticed", Stat(0.0, 0.0, 0.22), 12),
    ("repeat", "flip", Stat(0.17, 0.05, 0.45), 12),
    ("padding", "gain", Stat(0.31, 0.2, 0.42), 12),
    ("instruction", "gain", Stat(0.02, -0.03, 0.07), 11),
    ("master-key", "accepted", Stat(0.0, 0.0, 0.24), 12),
    ("language", "shift", Stat(-0.08, -0.2, 0.04), 4),
)


def probe(run: str) -> None:
    """Keeps what probing the run's judge came to: something of every rating."""
    with closing(open_store(STORE)) as store:
        manifest = store.runs.find(run).manifest
        ((judge, fingerprint),) = manifest.judges.items()
        (model,) = manifest.models
        made = Probed(
            judge=judge,
            fingerprint=fingerprint,
            models=(model,),
            source=Reason("built_in", language="en"),
            language="en",
            items=12,
            limits=ProbeLimits(),
            confidence=0.95,
            findings=tuple(_finding(model, *each) for each in _FOUND),
            not_run={"order": Reason("no_pair")},
            runs=(
                ProbeSession(run=run, about="twins", verdicts=72, unscored=9, tokens=900, usd=0.0),
            ),
        )
        keep(store, made)


def _finding(model: str, name: str, measure: Measure, effect: Stat, n: int) -> ProbeFinding:
    rises = Reason("at_top", count=7, total=12)
    return ProbeFinding(
        probe=name,
        model=model,
        criterion="rating",
        measure=measure,
        n=n,
        unscored=12 - n,
        effect=effect,
        limit=getattr(ProbeLimits(), measure),
        rating=ProbeLimits().rate(measure, effect, n),
        note=rises if name == "padding" else None,
    )


def label_hostile(run: str) -> None:
    """Two people with odd names, about every item."""
    said = [
        Label(hostile_id(name), rater, "politeness", float(1 + (n + moved) % 5))
        for moved, rater in enumerate(RATERS)
        for n, name in enumerate(TEXTS)
    ]
    with closing(open_store(STORE)) as store:
        store.labels.put(store.runs.find(run).manifest.data_hash, "hostile", said)
