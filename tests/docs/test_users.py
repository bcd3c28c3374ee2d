"""Seven kinds of users, each with a script that runs from the wheel in a clean environment.

A script is a file in users/. Its comments say what its user installs: `# extras: trust,web`, and
`# packages: pytest` for what is not adjudge's. `# needs: postgres` gives it a server.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.servers import ChatServer

from .clean_venvs import CleanVenvs

USERS = sorted(
    path for path in (Path(__file__).parent / "users").iterdir() if path.suffix in {".sh", ".py"}
)
ROOT = Path(__file__).parents[2]
_STARTS = {".sh": ("bash",), ".py": ("python",)}

pytestmark = pytest.mark.slow


def said(script: Path, what: str) -> tuple[str, ...]:
    """The words of a comment such as `# extras: trust,web`."""
    match = re.search(rf"^# {what}:(.*)$", script.read_text("utf-8"), re.MULTILINE)
    return tuple(filter(None, re.split(r"[,\s]+", match[1]))) if match else ()


@pytest.mark.parametrize("script", USERS, ids=lambda path: path.stem)
def test_a_user_comes_to_the_end(
    script: Path,
    clean_venvs: CleanVenvs,
    tmp_path: Path,
    server: ChatServer,
    request: pytest.FixtureRequest,
) -> None:
    env = {
        "OPENAI_BASE_URL": server.base_url,
        "OPENAI_API_KEY": "a-key",
        "EXAMPLES": f"{ROOT}/examples",
    }
    if "postgres" in said(script, "needs"):
        env["ADJUDGE_STORE"] = request.getfixturevalue("postgres")
    venv = clean_venvs.with_extras(*said(script, "extras"), further=said(script, "packages"))
    ended = venv.run(*_STARTS[script.suffix], str(script), cwd=tmp_path, env=env)
    assert ended.returncode == 0, f"{ended.stdout[-3000:]}\n{ended.stderr[-3000:]}"
