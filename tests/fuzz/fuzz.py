"""`python tests/fuzz/fuzz.py TARGET SECONDS [FOLDER]`: fuzzes one target by coverage, with atheris.

FOLDER keeps the inputs that reached something new, and the one that broke a law, if any. To see
such a one again: `python tests/fuzz/fuzz.py TARGET 0 FILE`.
"""

from __future__ import annotations

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
    name, seconds = sys.argv[1], sys.argv[2]
    target = targets.TARGETS[name]

    def checked(data: bytes) -> None:
        with targets.in_time(len(data)):
            target(data)

    with tempfile.TemporaryDirectory() as scratch:
        given = Path(sys.argv[3]) if len(sys.argv) > 3 else Path(scratch)
        if given.is_file():
            return checked(given.read_bytes())
        for number, seed in enumerate(targets.seeds(name)):
            (given / f"seed-{number:03}").write_bytes(seed)
        flags = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", f"-timeout={SLOWEST}"]
        flags += ["-seed=1", "-print_final_stats=1", "-verbosity=1", f"-artifact_prefix={given}/"]
        atheris.Setup([sys.argv[0], *flags, str(given)], checked)
        atheris.Fuzz()  # ends the process
    return None


if __name__ == "__main__":
    main()
