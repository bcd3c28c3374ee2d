"""`python -m bench.attacks structural` and `python -m bench.attacks model`; see README.md."""

from __future__ import annotations

import argparse
import sys

from . import structural


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.attacks")
    parts = parser.add_subparsers(required=True)
    quoted = parts.add_parser("structural", help="an honest judge quotes every attack")
    quoted.add_argument("--every", type=int, default=1, metavar="N", help="one case in N")
    quoted.add_argument("--shown", type=int, default=10, help="wrong cases shown in full")
    quoted.set_defaults(run=_structural)
    asked = parser.parse_args()
    code: int = asked.run(asked)
    return code


def _structural(asked: argparse.Namespace) -> int:
    tally = structural.run(structural.cases(asked.every))
    print("\n".join(structural.lines(tally, asked.shown)))
    return int(bool(tally.wrong))


if __name__ == "__main__":
    sys.exit(main())
