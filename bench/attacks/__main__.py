"""`python -m bench.attacks structural` and `python -m bench.attacks model`; see README.md."""

from __future__ import annotations

import argparse
import sys

from . import model, replies, structural, tricky


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.attacks")
    parts = parser.add_subparsers(required=True)
    quoted = parts.add_parser("structural", help="an honest judge quotes every attack")
    quoted.add_argument("--every", type=int, default=1, metavar="N", help="one case in N")
    quoted.add_argument("--shown", type=int, default=10, help="wrong cases shown in full")
    quoted.set_defaults(run=_structural)
    parts.add_parser("tricky", help="honest replies that are hard to read").set_defaults(
        run=_tricky
    )
    parts.add_parser("replies", help="replies written for the reader").set_defaults(run=_replies)
    moved = parts.add_parser("model", help="how far the attacks move an embedded model")
    moved.add_argument("-m", "--model", default="embedded/smollm2-135m")
    moved.add_argument("--sample", type=int, default=130, metavar="N", help="attacks")
    moved.add_argument("--seconds", type=float, default=600, help="after which no more are asked")
    moved.set_defaults(run=_model)
    asked = parser.parse_args()
    code: int = asked.run(asked)
    return code


def _structural(asked: argparse.Namespace) -> int:
    tally = structural.run(structural.cases(asked.every))
    print("\n".join(structural.lines(tally, asked.shown)))
    return int(bool(tally.wrong))


def _tricky(_: argparse.Namespace) -> int:
    found = list(tricky.tricky())
    print("\n".join(tricky.lines(found)))
    return int(any(each.outcome == "wrong" for each in found))


def _replies(_: argparse.Namespace) -> int:
    found = {name: list(replies.values(name)) for name in replies.SETS}
    for name, each in found.items():
        print("\n".join(replies.lines(name, each)))
    return int(any(value.outcome == "wrong" for each in found.values() for value in each))


def _model(asked: argparse.Namespace) -> int:
    shifts = model.run(asked.model, asked.sample, asked.seconds)
    print("\n".join(model.lines(asked.model, shifts, asked.sample)))
    return int(not shifts)


if __name__ == "__main__":
    sys.exit(main())
