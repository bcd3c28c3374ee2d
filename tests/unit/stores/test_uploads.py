from __future__ import annotations

from pathlib import Path

from adjudge.stores import Store, uploads


def test_a_file_of_several_parts_comes_back(store: Store, other: Store, tmp_path: Path) -> None:
    file, copy = tmp_path / "sent", tmp_path / "copy"
    content = bytes(range(256)) * 10_000
    file.write_bytes(content)
    store.uploads.put("x.jsonl", file)
    store.uploads.put("x.jsonl", file)  # the same name is the same content
    assert len(content) > 2 * uploads._PART
    assert other.uploads.fetch("x.jsonl", copy)
    assert copy.read_bytes() == content


def test_one_that_is_not_there_leaves_no_file(store: Store, tmp_path: Path) -> None:
    assert not store.uploads.fetch("none", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_what_is_old_and_not_needed_goes(store: Store, tmp_path: Path) -> None:
    (tmp_path / "sent").write_bytes(b"1")
    for name in ("a", "b"):
        store.uploads.put(name, tmp_path / "sent")
    store.uploads.sweep({"a"}, 600)
    assert store.uploads.fetch("b", tmp_path / "copy")
    store.uploads.sweep({"a"}, -1)
    assert [store.uploads.fetch(name, tmp_path / "copy") for name in "ab"] == [True, False]
    store.uploads.remove(["a"])
    assert not store.uploads.fetch("a", tmp_path / "copy")
