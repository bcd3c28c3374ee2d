"""What `pip install adjudge` brings, how much it is, and what is said where a part is missing.

Kinds of users have a script each in users/ that runs from the wheel in a clean environment. Its
comments say what its user installs: `# extras: trust,web`, and `# packages: pytest` for what is not
adjudge's. With `# needs: postgres` it gets a
server.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from tests.servers import ChatServer, says

from .clean_venvs import ROOT, CleanVenvs

# Held: what the base may weigh, its environment with pip and compiled files, and how many packages
# it may have, adjudge itself among them.
MOST_MEGABYTES = 150
MOST_PACKAGES = 25
TUTORIAL = ROOT / "examples" / "tutorial"
JUDGE = ("--judge", f"{TUTORIAL}/judge.yaml", "-m", f"replay:{TUTORIAL / 'replies.jsonl'}")
RUN = ("adjudge", "run", str(TUTORIAL / "answers.csv"), *JUDGE)
USERS = sorted(
    path for path in (Path(__file__).parent / "users").iterdir() if path.suffix in {".sh", ".py"}
)
_STARTS = {".sh": ("bash",), ".py": ("python",)}

pytestmark = pytest.mark.slow


def test_the_base_stays_small(clean_venvs: CleanVenvs, capsys: pytest.CaptureFixture[str]) -> None:
    base = clean_venvs.with_extras()
    packages, megabytes = base.packages, base.megabytes
    with capsys.disabled():
        sys.stdout.write(
            f"\nbase install: {len(packages)} packages, {megabytes:.0f} MB ({sys.platform})\n"
        )
    assert len(packages) <= MOST_PACKAGES, packages
    assert megabytes <= MOST_MEGABYTES
    assert not {"numpy", "scipy", "pyarrow", "matplotlib", "fastapi", "ray"} & set(packages)


def test_the_base_judges_reads_and_exports(clean_venvs: CleanVenvs, tmp_path: Path) -> None:
    base = clean_venvs.with_extras()
    outs = ("rows.csv", "rows.jsonl", "rows.json", "rows.md", "rows.html", "rows.xml")
    flags = [word for name in outs for word in ("-o", name)]
    gate = (
        "--gate",
        "accuracy.mean>=4",
        "--gate",
        "tone.share(>=3)>=90%",
        "--gate",
        "unscored<=5%",
    )
    judged = base.run(*RUN, *flags, *gate, cwd=tmp_path)
    assert judged.returncode == 0, judged.stderr
    assert "accuracy   189     3         4.04  1.22" in judged.stdout
    assert all((tmp_path / name).stat().st_size for name in outs)
    for words in (
        *(("runs",), ("show", "latest"), ("reread", "latest"), ("judges", "list"), ("models",)),
        *(("export", "latest", "-o", "again.csv"), ("store", "check"), ("cache", "info")),
        (*RUN[1:], "--repeat", "2", "-n", "3"),
    ):
        ended = base.run("adjudge", *words, cwd=tmp_path)
        assert ended.returncode == 0, (words, ended.stderr)
    assert "mean" in judged.stdout


@pytest.fixture(scope="module")
def with_a_run(clean_venvs: CleanVenvs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the base install has judged three rows."""
    folder = tmp_path_factory.mktemp("judged")
    assert clean_venvs.with_extras().run(*RUN, "-n", "3", cwd=folder).returncode == 0
    return folder


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("calibrate", "latest"), "trust"),
        (("report", "latest", "-o", "report.html"), "web"),
        (("serve",), "web"),
        (("export", "latest", "-o", "rows.parquet"), "parquet"),
        (("runs", "--store", "postgresql://localhost/none"), "postgres"),
    ],
)
def test_what_is_missing_is_named(
    clean_venvs: CleanVenvs, with_a_run: Path, words: tuple[str, ...], extra: str
) -> None:
    ended = clean_venvs.with_extras().run("adjudge", *words, cwd=with_a_run)
    assert ended.returncode == 2
    assert f"pip install 'adjudge[{extra}]'" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_tutorial_needs_trust_alone(clean_venvs: CleanVenvs, tmp_path: Path) -> None:
    trust = clean_venvs.with_extras("trust")
    assert not list(trust.site.glob("matplotlib*"))
    trust.run(*RUN, cwd=tmp_path)
    labels = ("--labels", str(TUTORIAL / "labels.csv"))
    ended = trust.run("adjudge", "calibrate", "latest", *labels, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr


def test_the_base_asks_a_server(
    clean_venvs: CleanVenvs, server: ChatServer, tmp_path: Path
) -> None:
    """From `init` to files, against an OpenAI-compatible server."""
    base = clean_venvs.with_extras()
    words_of_praise = "The answer names the rule and its exception, so it is right."
    said = {"quality": 4, "explanation": words_of_praise}
    server.answer = lambda _: says(json.dumps(said))
    env = {"OPENAI_API_KEY": "a-key", "OPENAI_BASE_URL": server.base_url}
    steps = (
        ("init", "--language", "en", "-m", "openai/any"),
        ("run", "answers.csv", "--repeat", "2", "-o", "scores.csv", "-o", "scores.jsonl"),
        ("one", "--set", "question=Is it?", "--set", "answer=It is."),
    )
    for words in steps:
        ended = base.run("adjudge", *words, cwd=tmp_path, env=env)
        assert ended.returncode == 0, (words, ended.stderr)
    assert (tmp_path / "scores.csv").read_text("utf-8").count("\n") >= 5
    detect = "from adjudge.reading import *; print(detect_language('Brakuje terminu płatności'))"
    assert base.run("python", "-c", detect, cwd=tmp_path).stdout == "pl\n"


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
