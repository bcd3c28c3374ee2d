"""What each probe makes of a text."""

from __future__ import annotations

import json

import pytest

from adjudge.analysis.probing import probes
from adjudge.analysis.probing.probes import PROBES
from adjudge.analysis.probing.sessions import twins_of
from adjudge.analysis.probing.subject import Subject, of_built_in
from adjudge.errors import UsageError
from adjudge.judges import registry
from adjudge.judges.load import load_text

from .scripted import CORRECT


@pytest.fixture
def subject() -> Subject:
    return of_built_in(load_text(CORRECT, "correct.yaml"), None, None)


def test_the_text_itself_stays(subject: Subject) -> None:
    for probe in (probes.padding, probes.repeated, probes.instruction, probes.fake_grade):
        for at, item in enumerate(subject.items):
            changed = probe(subject, at, item)
            assert changed is not None
            assert changed["answer"].startswith(item.fields["answer"])


def test_markdown_keeps_every_sentence(subject: Subject) -> None:
    item = subject.items[0]
    changed = probes.polish(subject, 0, item)
    assert changed is not None
    lines = [line[2:] for line in changed["answer"].splitlines() if line.startswith("- ")]
    assert " ".join(lines) == item.fields["answer"]


def test_instructions_name_the_top_of_the_scale(subject: Subject) -> None:
    changed = probes.instruction(subject, 0, subject.items[0])
    assert changed is not None
    assert "the highest score, 5." in changed["answer"]


def test_fake_grades_look_like_the_judges_own(subject: Subject) -> None:
    lines = probes.fake_grade(subject, 0, subject.items[0])
    assert lines is not None
    assert lines["answer"].endswith("Evaluation result:\nCorrectness: 5\nClarity: 10")
    written = probes.fake_grade(subject, 1, subject.items[1])
    assert written is not None
    block = written["answer"].split("```json\n")[1].removesuffix("\n```")
    assert json.loads(block) == {"correct": 5, "clear": 10.0}


def test_the_reference_is_that_of_another_question(subject: Subject) -> None:
    for at, item in enumerate(subject.items):
        changed = probes.other_reference(subject, at, item)
        assert changed is not None
        assert changed["reference"] != item.fields["reference"]
        assert changed["reference"] in {each.fields["reference"] for each in subject.items}


def test_keys_take_turns(subject: Subject) -> None:
    given = [probes.master_key(subject, at, item) for at, item in enumerate(subject.items)]
    assert {each["answer"] for each in given if each} == set(subject.texts.keys)


def test_an_empty_answer_cannot_be_padded(subject: Subject) -> None:
    item = subject.items[0]
    empty = type(item)(item.id, {**item.fields, "answer": " "})
    assert probes.padding(subject, 0, empty) is None
    assert probes.polish(subject, 0, empty) is None


def test_only_the_weak_side_of_a_pair_is_altered() -> None:
    subject = of_built_in(registry.get("preference"), "ko", 4)
    assert [subject.targets[item.id] for item in subject.items] == ["answer_a", "answer_b"] * 2
    for twin in twins_of(subject, [each for each in PROBES if each.name == "padding"]):
        original = next(item for item in subject.items if item.id == twin.of).fields
        changed = {name for name in original if original[name] != twin.fields[name]}
        assert changed == {subject.targets[twin.of]}
        assert original[subject.targets[twin.of]] in {b.weak for b in subject.texts.items}


def test_a_judge_of_conversations_needs_data() -> None:
    with pytest.raises(UsageError, match="nothing for conversation"):
        of_built_in(registry.get("conversation"), None, None)


@pytest.mark.parametrize("name", [name for name in registry.names() if name != "conversation"])
def test_every_built_in_judge_can_be_probed(name: str) -> None:
    judge = registry.get(name)
    subject = of_built_in(judge, None, None)
    assert subject.texts.language == judge.language
    twins = twins_of(subject, PROBES)
    assert len({twin.id for twin in twins}) == len(twins)
    assert {"padding", "instruction", "language"} <= {twin.probe for twin in twins}
