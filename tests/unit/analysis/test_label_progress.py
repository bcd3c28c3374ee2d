from __future__ import annotations

from adjudge.analysis.label_progress import complete_by_rater
from adjudge.core.label import Label


def test_an_item_is_complete_with_all_its_labels() -> None:
    labels = [
        *(Label("1", "ann", "fit", 3.0), Label("1", "ann", "tone", 2.0)),
        *(Label("2", "ann", "fit", 3.0), Label("1", "bob", "tone", 2.0)),
        *(Label("elsewhere", "ann", "fit", 1.0), Label("elsewhere", "ann", "tone", 1.0)),
        Label("1", "cho", "other", 1.0),
    ]
    assert complete_by_rater(labels, {"1", "2"}, ("fit", "tone")) == {"ann": 1, "bob": 0}
