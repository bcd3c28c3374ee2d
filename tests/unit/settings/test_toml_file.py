from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.errors import UsageError
from adjudge.settings.toml_file import key_lines, read

TEXT = '''\
model = ["a",
  "b"]
prompt = """
timeout = 3
[one]
"""
timeout = 4
[run]
"quoted" = 1
a.b = 2
  [ cache . info ]
json = true
'''


def test_lines() -> None:
    assert key_lines(TEXT) == {
        ("model",): 1,
        ("prompt",): 3,
        ("timeout",): 7,
        ("run",): 8,
        ("run", "quoted"): 9,
        ("run", "a", "b"): 10,
        ("cache", "info"): 11,
        ("cache", "info", "json"): 12,
    }


def test_places(folder: Path) -> None:
    (folder / "adjudge.toml").write_text("\ufeff" + TEXT, "utf-8")
    file = read(folder / "adjudge.toml")
    assert file.place(("cache", "info", "json")) == "adjudge.toml, line 12, cache.info.json"
    assert file.place(("run", "unknown")) == "adjudge.toml, line 8, run.unknown"
    assert file.place(("unknown",)) == "adjudge.toml, unknown"


def test_a_project_s_table(folder: Path) -> None:
    path = folder / "pyproject.toml"
    path.write_text("[project]\ntimeout = 1\n[tool.adjudge]\r\ntimeout = 2\n[tool.adjudge.run]\n")
    file = read(path)
    assert file.table == {"timeout": 2, "run": {}}
    assert file.place(("timeout",)) == "pyproject.toml, line 4, timeout"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"a = 1\nmodel = openai\n", "adjudge.toml, line 2: this is not valid TOML"),
        (b"a = [\n1\n", "adjudge.toml, line 3: this is not valid TOML"),
        (b"a = 1\na = 2\n", "adjudge.toml, line 2: this is not valid TOML"),
        (b"a = '\xff'", r"adjudge.toml: not UTF-8 \(byte 5\)"),
    ],
)
def test_no_toml(folder: Path, text: bytes, says: str) -> None:
    (folder / "adjudge.toml").write_bytes(text)
    with pytest.raises(UsageError, match=says):
        read(folder / "adjudge.toml")


def test_a_project_s_table_that_is_none(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool]\nadjudge = 3\n")
    with pytest.raises(UsageError, match="must be a table"):
        read(folder / "pyproject.toml")


def test_a_file_that_cannot_be_read(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"x\.toml: cannot be read: No such file"):
        read(folder / "x.toml")
