"""What people said."""

from __future__ import annotations

from collections.abc import Sequence
from sys import intern

import orjson
import sqlalchemy as sa

from adjudge.core.label import ADJUDICATED, Label

from . import tables
from .codec import now
from .database import Database, Statement, Upsert, parameter
from .records import KeptLabelPlan, LabelCounts

_PAGE = 500  # labels
_labels = tables.labels.c
_PUT = Upsert(
    tables.labels,
    ["data", "judge", "item", "rater", "criterion"],
    update=["value", "draw", "created", "comment"],
)
_OF = Statement(
    sa.select(
        *(_labels.item, _labels.rater, _labels.criterion),
        *(_labels.value, _labels.draw, _labels.created, _labels.comment),
    )
    .where(_labels.data == parameter("data_hash"), _labels.judge == parameter("judge_name"))
    .order_by(_labels.number)
)


_PUT_PLAN = Upsert(tables.label_plans, ["data", "judge"], update=["created", "content"])


def _about(data: str, judge: str) -> sa.ColumnElement[bool]:
    return (_labels.data == data) & (_labels.judge == judge)


class Labels:
    """What people said; `data` is the hash of the data, as in a run's manifest."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, data: str, judge: str, labels: Sequence[Label]) -> None:
        """Keeps the labels, each in place of an earlier one by that rater for that criterion.

        After this returns, a killed process does not lose them.
        """
        at = now()
        with self._database.writing() as db:
            for start in range(0, len(labels), _PAGE):
                rows = [
                    (
                        *(data, judge, label.item, label.rater, label.criterion),
                        *(orjson.dumps(label.value), label.draw, label.created or at),
                        label.comment,
                    )
                    for label in labels[start : start + _PAGE]
                ]
                self._database.put(db, _PUT, rows)

    def of(self, data: str, judge: str) -> list[Label]:
        """All of them, in the order in which they were first given."""
        with self._database.reading() as db:
            rows = _OF.run(db, data_hash=data, judge_name=judge)
            return [
                Label(item, intern(rater), intern(criterion), orjson.loads(value), *rest)
                for item, rater, criterion, value, *rest in rows
            ]

    def keep_plan(self, data: str, judge: str, plan: KeptLabelPlan) -> None:
        """In place of an earlier one."""
        content = orjson.dumps({"draws": [*plan.draws.items()], "labelled": sorted(plan.labelled)})
        row = (data, judge, now(), content)
        with self._database.writing() as db:
            self._database.put(db, _PUT_PLAN, [row])

    def plan(self, data: str, judge: str) -> KeptLabelPlan:
        """Without items where there is none."""
        plans = tables.label_plans.c
        query = sa.select(plans.content).where(plans.data == data, plans.judge == judge)
        with self._database.reading() as db:
            content = db.execute(query).scalar_one_or_none()
        if content is None:
            return KeptLabelPlan({}, frozenset())
        kept = orjson.loads(content)
        return KeptLabelPlan(dict(kept["draws"]), frozenset(kept["labelled"]))

    def counts(self, data: str, judge: str) -> LabelCounts:
        """How many there are, without reading them."""
        people = sa.func.nullif(_labels.rater, ADJUDICATED)
        items, raters = (sa.func.count(of.distinct()) for of in (_labels.item, people))
        query = sa.select(sa.func.count(), items, raters).where(_about(data, judge))
        with self._database.reading() as db:
            return LabelCounts(*db.execute(query).one())

    def raters(self, data: str, judge: str) -> dict[str, int]:
        """Who labelled, with how many labels, the most first."""
        count = sa.func.count()
        query = (
            sa.select(_labels.rater, count)
            .where(_about(data, judge))
            .group_by(_labels.rater)
            .order_by(count.desc(), _labels.rater)
        )
        with self._database.reading() as db:
            return {str(rater): int(n) for rater, n in db.execute(query)}

    def remove_rater(self, data: str, judge: str, rater: str) -> int:
        """Forgets all that the rater said, and says how many labels that were."""
        query = sa.delete(tables.labels).where(_about(data, judge), _labels.rater == rater)
        with self._database.writing() as db:
            return db.execute(query).rowcount

    def merge_raters(self, data: str, judge: str, rater: str, into: str) -> int:
        """Gives what one rater said to another, and says how many labels that were. Where both
        answered a question, the other's answer stays."""
        theirs = _about(data, judge) & (_labels.rater == rater)
        other = tables.labels.alias()
        both = sa.exists().where(
            *(other.c.data == data, other.c.judge == judge, other.c.rater == into),
            *(other.c.item == _labels.item, other.c.criterion == _labels.criterion),
        )
        move = sa.update(tables.labels).where(theirs, ~both)
        with self._database.writing() as db:
            moved = db.execute(move.values(rater=into)).rowcount
            db.execute(sa.delete(tables.labels).where(theirs))
            return moved

    def remove(
        self, data: str, judge: str, item: str, rater: str, criterion: str | None = None
    ) -> int:
        """Forgets what the rater said about the item, and says how many labels that were."""
        theirs = _about(data, judge) & (_labels.rater == rater)
        query = sa.delete(tables.labels).where(theirs, _labels.item == item)
        if criterion is not None:
            query = query.where(_labels.criterion == criterion)
        with self._database.writing() as db:
            return db.execute(query).rowcount
