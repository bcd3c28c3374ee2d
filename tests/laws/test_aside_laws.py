"""What would have been, was deducted, denied or somebody else's is never read as the verdict.

Every sentence of `asides.yaml`, in nine languages, with every form that a value has: alone it gives
nothing, and beside a verdict it changes nothing.
"""

from __future__ import annotations

from itertools import cycle, product
from pathlib import Path

import pytest
import yaml
from tests.unit.reading.asked import ANY_TEN, TEN, said

SENTENCES = yaml.safe_load((Path(__file__).parent / "asides.yaml").read_text("utf-8"))
FULL_STOP = {"zh": "。", "ja": "。"}


def test_there_are_enough_of_every_language() -> None:
    assert set(SENTENCES) == {"en", "ko", "vi", "zh", "ja", "de", "fr", "es", "pt"}
    assert all(len(entry["asides"]) >= 12 for entry in SENTENCES.values())


def asides(language: str) -> list[str]:
    entry = SENTENCES[language]
    return [sentence.format(value) for sentence, value in product(entry["asides"], entry["values"])]


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("language", SENTENCES)
def test_alone_it_gives_nothing(language: str, form: str) -> None:
    read = {text: said(ANY_TEN, text, form=form) for text in asides(language)}
    assert {text: value for text, value in read.items() if value is not None} == {}


@pytest.mark.parametrize("language", SENTENCES)
def test_beside_a_verdict_it_changes_nothing(language: str) -> None:
    stop = FULL_STOP.get(language, ".")
    texts = []
    for text, verdict in zip(asides(language), cycle(SENTENCES[language]["verdicts"])):
        ended = verdict if verdict.endswith(stop) else verdict + stop
        texts += [
            f"{text}\n{verdict}",
            f"{text} {verdict}",
            f"{verdict}\n{text}",
            f"{ended} {text}",
        ]
    read = {text: said(TEN, text) for text in texts}
    assert {text: value for text, value in read.items() if value != 7} == {}
