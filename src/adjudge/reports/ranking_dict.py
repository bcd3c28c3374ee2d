"""A ranking as plain values: what `rank --json` prints."""

from __future__ import annotations

from adjudge.analysis.ranking import Part, Ranked, Ranking, Standing
from adjudge.stats.position_bias import PositionBias


def ranking_dict(ranking: Ranking) -> dict[str, object]:
    """With one judge, model and criterion its ranking stands at the top, else there is a list of
    `rankings`."""
    head: dict[str, object] = {
        "run": ranking.run,
        "confidence": ranking.options.confidence,
        "ties": "half a win each",
        "left_out": dict(ranking.left_out),
    }
    parts = [_part(part) for part in ranking.parts]
    return head | (parts[0] if len(parts) == 1 else {"rankings": parts})


def _part(part: Part) -> dict[str, object]:
    return {
        "judge": part.judge,
        "model": part.model,
        "criterion": part.criterion,
        **_ranked(part.ranked),
        "cautions": [*part.cautions, *part.ranked.cautions],
        "orders": _position(part.position) if part.position else None,
        "baseline": part.baseline,
        "variants": list(part.variants),
        "slices": [
            {"column": each.column, "value": each.value, **_ranked(each.ranked)}
            for each in part.slices
        ],
    }


def _ranked(told: Ranked) -> dict[str, object]:
    return {
        "comparisons": told.comparisons,
        "tied": told.ties,
        "weighed": told.weighed,
        "unscored": told.unscored,
        "questions": told.questions,
        "systems": [_standing(each) for each in told.standings],
        "not_decisive": [list(pair) for pair in told.open_between],
        "wins": [
            {"system": one, "over": other, "wins": won, "of": won + told.wins[other, one]}
            for (one, other), won in told.wins.items()
        ],
        "cautions": list(told.cautions),
    }


def _standing(each: Standing) -> dict[str, object]:
    return {
        "system": each.system,
        "place": {"best": each.best, "worst": each.worst},
        "strength": each.strength.as_dict(),
        "win_rate": each.win_rate.as_dict(),
        "bounds": {"low": each.bounds[0], "high": each.bounds[1]},
        "n": each.n,
        "unscored": each.unscored,
        "mean": each.mean.as_dict() if each.mean else None,
        "length_controlled": each.controlled.rate.as_dict() if each.controlled else None,
        "length_slope": each.controlled.slope if each.controlled else None,
    }


def _position(found: PositionBias) -> dict[str, object]:
    return {
        "n": found.n,
        "first_wins": found.first.as_dict(),
        "agreement": found.agreement.as_dict(),
        "kappa": found.kappa.as_dict(),
        "disagreed": found.disagreed,
        "reversed": found.reversed,
    }
