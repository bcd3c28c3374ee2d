from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.settings.locate import env_file, settings_file, shown


@pytest.fixture
def deep(folder: Path) -> Path:
    below = folder / "a" / "b"
    below.mkdir(parents=True)
    return below


def test_none(folder: Path) -> None:
    (folder / ".git").mkdir()
    assert settings_file(folder) is None
    assert env_file(folder) is None


def test_the_nearest_folder_upwards(folder: Path, deep: Path) -> None:
    (folder / "adjudge.toml").touch()
    assert settings_file(deep) == folder / "adjudge.toml"
    (deep.parent / "adjudge.toml").touch()
    assert settings_file(deep) == deep.parent / "adjudge.toml"


def test_its_own_file_goes_before_the_project_s(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.adjudge]\n")
    assert settings_file(folder) == folder / "pyproject.toml"
    (folder / "adjudge.toml").touch()
    assert settings_file(folder) == folder / "adjudge.toml"


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("[tool.adjudge]\n", True),
        ("[ tool . adjudge ]\n", True),
        ("[tool.adjudge.run]\n", True),
        ("tool.adjudge.timeout = 3\n", True),
        ("[project]\nname = 'adjudge'\n", False),
        ("[tool.adjudged]\n", False),
        ("# [tool.adjudge]\n", False),
    ],
)
def test_a_project_without_settings_is_stepped_over(folder: Path, text: str, counts: bool) -> None:
    (folder / "pyproject.toml").write_text(text)
    (folder / ".git").mkdir()
    assert (settings_file(folder) is not None) == counts


@pytest.mark.parametrize("kind", ["repository", "worktree", "home"])
def test_the_way_ends(kind: str, folder: Path, deep: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "adjudge.toml").touch()
    match kind:
        case "repository":
            (deep.parent / ".git").mkdir()
        case "worktree":
            (deep.parent / ".git").write_text("gitdir: elsewhere")
        case "home":
            monkeypatch.setenv("HOME", str(deep.parent))
    assert settings_file(deep) is None
    (deep.parent / "adjudge.toml").touch()  # the last folder counts itself
    assert settings_file(deep) == deep.parent / "adjudge.toml"


def test_where_anybody_may_write_only_the_working_directory_counts(
    folder: Path, deep: Path
) -> None:
    (folder / "adjudge.toml").touch()
    folder.chmod(0o1777)
    assert settings_file(folder) == folder / "adjudge.toml"
    assert settings_file(deep) is None


def test_env_is_here_or_beside_the_settings(folder: Path, deep: Path) -> None:
    (folder / ".env").touch()
    assert env_file(deep) is None
    (folder / "adjudge.toml").touch()
    assert env_file(deep) == folder / ".env"
    (deep / ".env").touch()
    assert env_file(deep) == deep / ".env"


def test_a_message_names_the_short_path_where_it_can(folder: Path) -> None:
    assert shown(folder / "x" / "adjudge.toml") == "x/adjudge.toml"
    assert shown(folder.parent / "adjudge.toml") == str(folder.parent / "adjudge.toml")
