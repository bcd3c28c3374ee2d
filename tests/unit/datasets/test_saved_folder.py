"""Folders as Hugging Face `datasets` itself saves them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from adjudge.datasets import saved_folder
from adjudge.datasets.base import Source
from adjudge.errors import DataError

hf = pytest.importorskip("datasets")
hf.disable_progress_bars()

ROWS = [{"q": f"질문 {n}", "messages": [{"role": "user", "content": str(n)}]} for n in range(7)]


def read(path, part=None):
    return list(saved_folder.read(Source(path, part)))


def test_rows_are_numbered_through_all_files(tmp_path):
    made = hf.Dataset.from_list(ROWS)
    made.save_to_disk(str(tmp_path / "a"), num_shards=3)
    assert len(list((tmp_path / "a").glob("*.arrow"))) == 3
    assert read(tmp_path / "a") == list(enumerate(ROWS, 1))


def test_chosen_and_turned_rows_come_as_they_were_saved(tmp_path):
    made = hf.Dataset.from_list(ROWS).select([5, 1, 2])
    made.save_to_disk(str(tmp_path / "a"))
    assert [row["q"] for _, row in read(tmp_path / "a")] == ["질문 5", "질문 1", "질문 2"]


@pytest.fixture
def splits(tmp_path: Path) -> Path:
    made = hf.Dataset.from_list(ROWS)
    hf.DatasetDict({"train": made, "test": made.select([0])}).save_to_disk(str(tmp_path / "d"))
    return tmp_path / "d"


def test_of_several_splits_one_must_be_chosen(splits):
    with pytest.raises(DataError, match=r"splits are 'train', 'test'; choose one: '.*d#train'"):
        read(splits)
    with pytest.raises(DataError, match="choose one"):
        read(splits, "absent")
    assert len(read(splits, "train")) == len(read(splits / "train")) == 7
    assert len(read(splits, "test")) == 1
    with pytest.raises(DataError, match="has no splits; leave out '#x'"):
        read(splits / "train", "x")


def test_an_only_split_needs_no_choice(tmp_path):
    hf.DatasetDict({"train": hf.Dataset.from_list(ROWS)}).save_to_disk(str(tmp_path / "d"))
    assert len(read(tmp_path / "d")) == 7


def test_what_is_missing_or_broken_is_named(splits):
    (arrow,) = (splits / "train").glob("*.arrow")
    arrow.write_bytes(arrow.read_bytes()[:-400])
    with pytest.raises(DataError, match="cannot be read as a saved dataset"):
        read(splits, "train")
    arrow.unlink()
    with pytest.raises(DataError, match="cannot be read as a saved dataset"):
        read(splits, "train")
    (splits / "train" / "state.json").write_text("{}")
    with pytest.raises(DataError, match=r"state\.json is missing or broken"):
        read(splits, "train")
    shutil.rmtree(splits / "train")
    with pytest.raises(DataError, match=r"state\.json is missing or broken"):
        read(splits, "train")


def test_any_other_folder_is_an_error_with_a_pattern_to_try(tmp_path):
    with pytest.raises(DataError, match=r"is a folder, but none .*pattern: '.*/\*\.jsonl'"):
        read(tmp_path)
