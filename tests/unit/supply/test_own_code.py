"""What our own code never does: unpickle, evaluate text, or reach out when it is imported."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import adjudge

SOURCE = Path(adjudge.__file__).parent
UNPICKLING = {"pickle", "_pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
# The nodes of a Ray cluster hand each other objects: who can send to one runs code there anyway.
IN_A_CLUSTER = Path("running/engines/ray")
EVALUATING = {"eval", "exec", "compile", "__import__"}
UNSAFE_YAML = {"load", "load_all", "full_load", "unsafe_load", "unsafe_load_all"}


def _faults(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = {alias.name.split(".")[0] for alias in node.names}
            yield from (f"import {name}" for name in names & UNPICKLING)
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module.split(".")[0] in UNPICKLING:
                yield f"from {node.module}"
        elif isinstance(node, ast.Call):
            yield from _call(node)


def _call(node: ast.Call) -> Iterator[str]:
    called = node.func
    if isinstance(called, ast.Name) and called.id in EVALUATING:
        yield f"{called.id}()"
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        whose, name = called.value.id, called.attr
        safe = any("Safe" in ast.unparse(each) for each in [*node.args, *node.keywords])
        if whose == "yaml" and name in UNSAFE_YAML and not safe:
            yield f"yaml.{name}"
        if name == "read_pickle" or (name == "load" and _allows_pickle(node)):
            yield f"{whose}.{name}"


def _allows_pickle(node: ast.Call) -> bool:
    return any(each.arg == "allow_pickle" and ast.unparse(each.value) != "False"
               for each in node.keywords)  # fmt: skip


def test_our_code_neither_unpickles_nor_evaluates() -> None:
    found = [
        f"{path.relative_to(SOURCE)}: {fault}"
        for path in sorted(SOURCE.rglob("*.py"))
        for fault in _faults(path.read_text("utf-8"))
        if (path.relative_to(SOURCE).parent, fault) != (IN_A_CLUSTER, "import pickle")
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from marshal import loads",
        "def f():\n    import shelve as s",
        "eval('1')",
        "yaml.load(text)",
        "yaml.load(text, Loader=yaml.FullLoader)",
        "np.load(path, allow_pickle=True)",
        "pd.read_pickle(path)",
    ],
)
def test_the_look_finds_what_it_looks_for(source: str) -> None:
    assert list(_faults(source))


@pytest.mark.parametrize("source", ["re.compile('x')", "yaml.load(t, Loader=yaml.CSafeLoader)"])
def test_the_look_leaves_what_is_harmless(source: str) -> None:
    assert not list(_faults(source))


IMPORTING = """
import importlib, sys
STARTING = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork"}
def watch(event, args):
    if event in STARTING or event.startswith("socket."):
        raise RuntimeError(f"{event} {args}")
sys.addaudithook(watch)
for name in sys.argv[1:]:
    importlib.import_module(name)
"""
# Alembic runs these itself, and hands them their connection.
_ALEMBIC = SOURCE / "stores" / "migrations"


def _modules() -> list[str]:
    files = [path for path in SOURCE.rglob("*.py") if _ALEMBIC not in path.parents]
    paths = [path.relative_to(SOURCE.parent).with_suffix("") for path in files]
    return [".".join(path.parts) for path in sorted(paths) if path.name[:2] != "__"]


def _imported(*modules: str, code: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", IMPORTING + code, *modules]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_importing_every_module_opens_no_connection_and_starts_nothing() -> None:
    modules = _modules()
    assert len(modules) > 200
    ended = _imported(*modules)
    assert ended.returncode == 0, ended.stderr


def test_the_watch_sees_a_socket() -> None:
    ended = _imported(code="import socket; socket.socket().connect(('127.0.0.1', 9))")
    assert "socket." in ended.stderr
    assert ended.returncode
