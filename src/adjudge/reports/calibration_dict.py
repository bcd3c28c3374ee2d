"""A calibration as plain values, for `calibrate --json`."""

from __future__ import annotations

from adjudge.analysis.calibration import Calibration, CriterionCalibration, GraderCalibration
from adjudge.analysis.calibration_figures import why_no_groups
from adjudge.analysis.corrected import Means
from adjudge.analysis.raters import EPSILON, Raters
from adjudge.analysis.score_map import ScoreMap
from adjudge.stats.agreement import Agreement
from adjudge.stats.confusion import Confusion
from adjudge.stats.corrected import Corrected
from adjudge.stats.measure import NAMES
from adjudge.stats.stat import Stat

Dict = dict[str, object]
_CORRELATIONS = ("pearson", "spearman", "kendall")


def calibration_dict(found: Calibration) -> Dict:
    """`criteria` by name for one judge and model; with several, `graders` lists such objects."""
    head: Dict = {"run": found.run, "group": found.group, "confidence": found.confidence}
    if len(found.graders) == 1:
        return head | _grader(found.graders[0])
    return head | {"graders": [_grader(each) for each in found.graders]}


def _grader(part: GraderCalibration) -> Dict:
    grader = part.grader
    return {
        "judge": grader.judge.name,
        "model": grader.model,
        "fingerprints": list(grader.fingerprints),
        "verdicts": grader.verdicts,
        "unscored_verdicts": grader.unscored,
        "criteria": {name: _criterion(each) for name, each in part.criteria.items()},
        "without_labels": list(part.unlabelled),
        "labels_elsewhere": part.elsewhere,
        "not_kept": part.not_kept,
    }


def _criterion(each: CriterionCalibration) -> Dict:
    return {
        "n": each.n,
        "items": each.items,
        "unscored": each.unscored,
        "labelled_but_unscored": each.lost,
        "raters_divided": each.split,
        "picked_as_uncertain": each.uncertain,
        "overall": _agreement(each.overall)
        | {f"alpha_{level}": stat.as_dict() for level, stat in each.alphas.items()},
        "by_group": _by_group(each),
        "mean": _means(each.means),
        "confusion": _confusion(each.confusion),
        "raters": _raters(each.raters),
        "score_map": _map(each.score_map),
    }


def _agreement(told: Agreement) -> Dict:
    return {name: getattr(told, name).as_dict() for name in NAMES}


def _by_group(each: CriterionCalibration) -> Dict:
    if each.by_group is None:
        none = Stat(None, why=why_no_groups(each)).as_dict()
        return dict.fromkeys(_CORRELATIONS, none)
    stats = {name: getattr(each.by_group, name).as_dict() for name in _CORRELATIONS}
    return {**stats, "groups": each.by_group.groups, "left_out": each.by_group.left_out}


def _means(means: Means) -> Dict:
    bounds = means.bounds
    return {
        "raw": means.raw.as_dict(),
        "worst": None if bounds is None else bounds.worst,
        "best": None if bounds is None else bounds.best,
        "corrected": means.corrected.stat.as_dict(),
        "people": means.corrected.classical.as_dict(),
        "ppi": _corrected(means.corrected),
        "rogan_gladen": None if means.by_errors is None else _corrected(means.by_errors),
        "draw": {
            "looks_random": means.draw.looks_random,
            "p": means.draw.p,
            "test": means.draw.test,
            "why": means.draw.why,
        },
        "further_labels": None
        if means.needed is None
        else {"value": means.needed.further, "why": means.needed.why},
    }


def _corrected(told: Corrected) -> Dict:
    return {
        **told.stat.as_dict(),
        "method": told.method,
        "weight": told.weight,
        "labelled": told.labelled,
        "unlabelled": told.unlabelled,
        "sensitivity": None if told.sensitivity is None else told.sensitivity.as_dict(),
        "specificity": None if told.specificity is None else told.specificity.as_dict(),
    }


def _confusion(table: Confusion | None) -> Dict | None:
    if table is None:
        return None
    return {"values": list(table.labels), "judge_by_people": table.counts.tolist()}


def _raters(raters: Raters | None) -> Dict | None:
    if raters is None:
        return None
    test = raters.stands_in
    return {
        "items": raters.items,
        "alpha": raters.alpha.as_dict(),
        "pairwise": {name: stat.as_dict() for name, stat in raters.ceiling.pairwise.items()},
        "leave_one_out": {
            name: stat.as_dict() for name, stat in raters.ceiling.leave_one_out.items()
        },
        "raters": {
            name: {
                "n": alone.n,
                "judge": _agreement(alone),
                "others": _agreement(others),
                "judge_wins": tested.judge_wins,
                "rater_wins": tested.rater_wins,
                "p": tested.p,
                "won": tested.won,
            }
            for name, alone, others, tested in zip(
                raters.names, raters.judge, raters.ceiling.raters, test.raters, strict=True
            )
        },
        "alternative_annotator_test": {
            "passed": test.passed,
            "epsilon": EPSILON,
            "winning_rate": test.winning_rate.as_dict(),
            "advantage": test.advantage.as_dict(),
            "why": test.why,
        },
    }


def _map(told: ScoreMap | str) -> Dict:
    if isinstance(told, str):
        return {"scores": [], "why": told}
    return {"scores": [each._asdict() for each in told.shown()], "why": None}
