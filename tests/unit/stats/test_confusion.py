from __future__ import annotations

from sklearn.metrics import confusion_matrix

from adjudge.stats.confusion import confusion


def test_rows_are_the_judges_columns_the_peoples() -> None:
    judge, human = [1, 1, 2, 5, 2], [1, 2, 2, 5, 1]
    found = confusion(judge, human)
    assert found.labels == (1, 2, 5)
    assert found.counts.tolist() == confusion_matrix(judge, human).tolist()


def test_names() -> None:
    assert confusion(["B"], ["A"]).counts.tolist() == [[0, 0], [1, 0]]
