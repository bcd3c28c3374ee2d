"""`python tests/fuzz/fuzz.py TARGET SECONDS [FOLDER]`: fuzzes one target by coverage, with atheris.

FOLDER keeps the inputs that reached something new, and the one that broke a law, if any. To see
such a one again: `python tests/fuzz/fuzz.py TARGET 0 FILE`. Several targets, with commas between
them, are fuzzed one after the other, each in a folder of its own with what it printed in `told`.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import atheris

LONGEST = 20_000  # bytes; what takes long for a megabyte is looked for in test_megabyte.py
SLOWEST = 30  # seconds of the clock for one input, on a machine that does other things too

sys.path.insert(0, str(Path(__file__).parents[2]))  # for bench
with atheris.instrument_imports(include=["adjudge"]):
    import targets


def main() -> None:
    names, seconds = sys.argv[1].split(","), sys.argv[2]
    with tempfile.TemporaryDirectory() as scratch:
        given = Path(sys.argv[3]) if len(sys.argv) > 3 else Path(scratch)
        if given.is_file():
            return _checked(names[0])(given.read_bytes())
        if len(names) == 1:
            return _fuzz(names[0], seconds, given)
        for name in names:
            child = os.fork()  # what is instrumented is loaded once
            if not child:
                (given / name).mkdir()
                os.dup2(os.open(given / name / "told", os.O_WRONLY | os.O_CREAT), 2)
                _fuzz(name, seconds, given / name)
            _, status = os.waitpid(child, 0)
            (given / name / "code").write_text(str(os.waitstatus_to_exitcode(status)))
    return None


def _checked(name: str) -> targets.Target:
    def checked(data: bytes) -> None:
        with targets.in_time(len(data)):
            targets.TARGETS[name](data)

    return checked


def _fuzz(name: str, seconds: str, folder: Path) -> None:
    """Ends the process."""
    for number, seed in enumerate(targets.seeds(name)):
        (folder / f"seed-{number:03}").write_bytes(seed)
    flags = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", f"-timeout={SLOWEST}"]
    flags += ["-seed=1", "-print_final_stats=1", "-verbosity=1", f"-artifact_prefix={folder}/"]
    atheris.Setup([sys.argv[0], *flags, str(folder)], _checked(name))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
