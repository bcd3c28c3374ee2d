"""A comparison as plain values: what `compare --json` prints."""

from __future__ import annotations

from dataclasses import asdict

from adjudge.analysis.comparison import Changes, Comparison, Difference, Section, Slice
from adjudge.stats.paired import Paired


def comparison_dict(comparison: Comparison) -> dict[str, object]:
    """With one judge and model its section stands at the top, else `sections` lists them."""
    head: dict[str, object] = {
        "run_a": comparison.run_a,
        "run_b": comparison.run_b,
        "confidence": comparison.options.confidence,
        "correction": "holm",
    }
    sections = [_section(section) for section in comparison.sections]
    return head | (sections[0] if len(sections) == 1 else {"sections": sections})


def _section(section: Section) -> dict[str, object]:
    return {
        "a": {"judge": section.judge_a, "model": section.model_a, "only": section.only_a},
        "b": {"judge": section.judge_b, "model": section.model_b, "only": section.only_b},
        "shared": section.shared,
        "differs": list(section.differs),
        "cautions": list(section.cautions),
        "left_out": dict(section.left_out),
        "criteria": {
            name: _changes(told) if isinstance(told, Changes) else _difference(told)
            for name, told in section.criteria.items()
        },
    }


def _difference(told: Difference) -> dict[str, object]:
    return {
        "kind": "difference",
        "scale": list(told.span),
        "rescaled": told.rescaled,
        "n": told.paired.n,
        "unscored": asdict(told.missing),
        "mean_a": told.mean_a,
        "mean_b": told.mean_b,
        **_paired(told.paired),
        "unit": told.unit.as_dict(),
        "standardised": told.paired.standardised.as_dict(),
        "p_adjusted": told.adjusted,
        "bounds": {"low": told.bounds[0], "high": told.bounds[1]},
        "detect": asdict(told.detection) if told.detection else None,
        "slices": [_slice(each) for each in told.slices],
        "movers": [asdict(each) for each in told.movers],
    }


def _paired(paired: Paired) -> dict[str, object]:
    return {
        "difference": paired.difference.as_dict(),
        "p": paired.p,
        "wins": paired.wins,
        "ties": paired.ties,
        "losses": paired.losses,
    }


def _changes(told: Changes) -> dict[str, object]:
    return {
        "kind": "changes",
        "n": told.n,
        "unscored": asdict(told.missing),
        "changed": told.changed,
        "share": told.share.as_dict(),
        "options": {
            option: {"a": a, "b": b, **_paired(paired), "p_adjusted": told.adjusted.get(option)}
            for option, (a, b, paired) in told.options.items()
        },
        "moves": [{"a": a, "b": b, "items": n} for (a, b), n in told.moves.items()],
        "slices": [_slice(each) for each in told.slices],
        "movers": [asdict(each) for each in told.movers],
    }


def _slice(each: Slice) -> dict[str, object]:
    return {
        "column": each.column,
        "value": each.value,
        "n": each.n,
        "difference": each.difference.as_dict(),
        "p": each.p,
        "p_adjusted": each.adjusted,
    }
