"""What `pip install adjudge` brings, how much it is, and what is said where a part is missing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.servers import ChatServer, says

from .clean_venvs import CleanVenvs

# Held: what the base may weigh, its environment with pip and compiled files, and how many packages
# it may have, adjudge itself among them.
MOST_MEGABYTES = 150
MOST_PACKAGES = 25
TUTORIAL = Path(__file__).parents[2] / "examples" / "tutorial"

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
    replayed = ("-m", f"replay:{TUTORIAL / 'replies.jsonl'}", "--judge", f"{TUTORIAL}/judge.yaml")
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
    judged = base.run(
        *("adjudge", "run", str(TUTORIAL / "answers.csv"), *replayed, *flags, *gate), cwd=tmp_path
    )
    assert judged.returncode == 0, judged.stderr
    assert "accuracy   189     3         4.04  1.22" in judged.stdout
    assert all((tmp_path / name).stat().st_size for name in outs)
    for words in (
        *(("runs",), ("show", "latest"), ("reread", "latest"), ("judges", "list"), ("models",)),
        *(("export", "latest", "-o", "again.csv"), ("store", "check"), ("cache", "info")),
        ("run", str(TUTORIAL / "answers.csv"), *replayed, "--repeat", "2", "-n", "3"),
    ):
        ended = base.run("adjudge", *words, cwd=tmp_path)
        assert ended.returncode == 0, (words, ended.stderr)
    assert "mean" in judged.stdout


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
    clean_venvs: CleanVenvs, tmp_path: Path, words: tuple[str, ...], extra: str
) -> None:
    base = clean_venvs.with_extras()
    replayed = ("-m", f"replay:{TUTORIAL / 'replies.jsonl'}", "--judge", f"{TUTORIAL}/judge.yaml")
    base.run("adjudge", "run", str(TUTORIAL / "answers.csv"), *replayed, "-n", "3", cwd=tmp_path)
    ended = base.run("adjudge", *words, cwd=tmp_path)
    assert ended.returncode == 2
    assert f"pip install 'adjudge[{extra}]'" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_tutorial_needs_trust_alone(clean_venvs: CleanVenvs, tmp_path: Path) -> None:
    trust = clean_venvs.with_extras("trust")
    replayed = ("-m", f"replay:{TUTORIAL / 'replies.jsonl'}", "--judge", f"{TUTORIAL}/judge.yaml")
    trust.run("adjudge", "run", str(TUTORIAL / "answers.csv"), *replayed, cwd=tmp_path)
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
