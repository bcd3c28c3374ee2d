"""Licences, the bill of materials, the audit and the wheel."""

from __future__ import annotations

import json
import re
import subprocess
import zipfile
from pathlib import Path

import pytest
from supply import audit, licences, sbom, wheel
from supply.packages import Package, at_run_time, locked


class Declared:
    """As much of a distribution as a licence is read from."""

    version = "1.0"
    requires = None

    def __init__(self, **fields: str) -> None:
        self._fields = {name.replace("_", "-"): value for name, value in fields.items()}

    @property
    def metadata(self) -> Declared:
        return self

    def get(self, name: str) -> str | None:
        return self._fields.get(name)

    def get_all(self, name: str) -> list[str]:
        return [self._fields[name]] if name in self._fields else []


def _package(**fields: str) -> Package:
    return Package("one", Declared(**fields))  # type: ignore[arg-type]


def test_every_locked_package_may_be_used() -> None:
    packages = locked()
    assert len(packages) > 40
    assert licences.refused(packages) == []


@pytest.mark.parametrize(
    ("licence", "may"),
    [
        ("MIT", True),
        ("GPL-3.0-or-later", False),
        ("AGPL-3.0-only", False),
        ("LGPL-3.0-only", False),
        ("MIT AND GPL-2.0-only", False),
        ("MIT OR GPL-2.0-only", True),
        ("(Apache-2.0 OR MIT) AND MPL-2.0", True),
        ("Proprietary, ask us", False),
        ("not said", False),
        ("", False),
    ],
)
def test_licences_that_may_be_used(
    licence: str, *, may: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(licences, "BY_HAND", {})
    assert licences.allowed(licence) is may
    package = _package(License_Expression=licence) if licence else _package()
    assert (licences.refused({"one": package}) == []) is may


def test_a_licence_is_read_from_old_metadata_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(licences, "BY_HAND", {})
    gpl = _package(Classifier="License :: OSI Approved :: GNU General Public License v3 (GPLv3)")
    assert gpl.licence.startswith("GNU General")
    assert licences.refused({"one": gpl}) == [f"one 1.0: {gpl.licence}"]
    assert _package(Classifier="License :: OSI Approved :: MIT License").licence == "MIT"
    assert _package(License="BSD").licence == "BSD-3-Clause"
    assert _package().licence == "not said"


def test_an_exception_that_is_not_needed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(licences, "BY_HAND", {"one": "reason", "gone": "reason"})
    assert licences.refused({"one": _package(License="LGPL-3.0-only")}) == [
        "gone: listed by hand, which it does not need"
    ]
    assert len(licences.refused({"one": _package(License="MIT")})) == 2


def test_the_bill_of_materials_lists_what_users_install() -> None:
    told = json.loads(sbom.bill())
    names = {each["name"] for each in told["components"]}
    assert (told["bomFormat"], told["specVersion"]) == ("CycloneDX", "1.6")
    assert {"pydantic", "pydantic-core", "xllamacpp", "sqlalchemy"} <= names
    assert not names & {"hatchling", "editables", "pytest"}
    assert all(each["licenses"] and each["purl"] for each in told["components"])
    depends = {each["ref"]: each.get("dependsOn", []) for each in told["dependencies"]}
    assert set(depends["adjudge"]) == {each["bom-ref"] for each in told["components"]}
    pydantic = next(ref for ref in depends if ref.startswith("pkg:pypi/pydantic@"))
    assert any(ref.startswith("pkg:pypi/pydantic-core@") for ref in depends[pydantic])


def test_the_bill_of_materials_is_the_same_each_time() -> None:
    assert sbom.bill() == sbom.bill()


def test_what_runs_is_part_of_what_is_locked() -> None:
    packages = locked()
    running = at_run_time(packages)
    assert set(running) < set(packages)
    assert "jinja2" in running
    assert "markupsafe" in running, "what a dependency needs is needed"


def _audit_says(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 0, stdout=said, stderr="")

    monkeypatch.setattr(subprocess, "run", run)


SKIPPED = {"name": "two", "skip_reason": "not found"}
CLEAN = {"name": "one", "version": "1.0", "vulns": []}
HOLE = {"name": "one", "version": "1.0", "vulns": [{"id": "CVE-1", "fix_versions": ["1.1"]}]}


@pytest.mark.parametrize(
    ("found", "code", "words"),
    [
        ([SKIPPED], 0, "audit: not done"),
        ([CLEAN, SKIPPED], 0, "1 of 2 packages looked up at pypi, 0 holes"),
        ([HOLE], 1, "one 1.0: CVE-1, fixed in: 1.1"),
        (None, 0, "cannot be reached"),
    ],
)
def test_an_audit_without_data_claims_nothing(
    found: object,
    code: int,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _audit_says(monkeypatch, json.dumps({"dependencies": found}) if found else "no network")
    assert audit.main() == code
    assert words in capsys.readouterr().out


@pytest.mark.slow
def test_two_builds_are_the_same_file(tmp_path: Path) -> None:
    one, other = wheel.hashes(tmp_path)
    assert one == other
    path = next((tmp_path / "one").rglob("*.whl"))
    names = zipfile.ZipFile(path).namelist()
    assert "adjudge/judges/builtin/helpfulness.yaml" in names
    assert not [name for name in names if not re.match(r"adjudge(-[\d.]+\.dist-info)?/", name)]
