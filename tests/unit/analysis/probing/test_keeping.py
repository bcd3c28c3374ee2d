"""What probing found out can be looked up later."""

from __future__ import annotations

from pathlib import Path

from tests.servers import ChatServer

from adjudge import api
from adjudge.analysis.probing.keeping import probed_from
from adjudge.stores.registry import open_store

from .scripted import CORRECT, correct_judge


def test_a_probe_is_kept_as_it_was_found_out(server: ChatServer, tmp_path: Path) -> None:
    correct_judge(server)
    file, kept_in = tmp_path / "correct.yaml", str(tmp_path / "adjudge.db")
    file.write_text(CORRECT)
    probed = api.probe(
        str(file), model="openai/m", base_url=server.base_url, store=kept_in, limit=6
    )
    store = open_store(kept_in)
    try:
        kept = store.probes.latest(probed.judge, probed.models[0])
    finally:
        store.close()
    assert kept is not None
    assert kept.fingerprint == probed.fingerprint
    assert probed_from(kept.content) == probed
