"""The description of the API, word for word; ADJUDGE_UPDATE_GOLDEN=1 writes it anew."""

from __future__ import annotations

import json
import os
from pathlib import Path

from adjudge.service.app import create_app
from adjudge.service.options import ServeOptions

GOLDEN = Path(__file__).with_name("openapi.json")


def test_openapi(tmp_path: Path) -> None:
    app = create_app(ServeOptions(store=str(tmp_path / "runs.db")))
    told = app.openapi()
    app.state.service.store.close()
    told["info"]["version"] = ""  # not what this is about
    shown = json.dumps(told, ensure_ascii=False, indent=1) + "\n"
    if os.environ.get("ADJUDGE_UPDATE_GOLDEN"):
        GOLDEN.write_text(shown, "utf-8")
    assert shown == GOLDEN.read_text("utf-8")
