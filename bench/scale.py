"""What a verdict costs on SQLite, PostgreSQL and Ray; docs/evidence/scale.md is made of it.

    python bench/scale.py                          10,000 and 100,000 rows, about 20 minutes
    python bench/scale.py --only runs --rows 1000000 --stores sqlite    a large run, noted
    python bench/scale.py --only model             what larger ones need, from all notes

| part | what |
| --- | --- |
| keep | bytes per verdict by `--keep`; the judge is `chatbot`, five criteria with a comment each |
| runs | whole runs of `helpfulness`: CPU, memory, store, network, money and time; noted in build/ |
| model | of the notes: what 10^6 rows should need, beside what they did, then 10^7 and 10^9 |
| ingest | verdicts of 4 KB put, 1,000 per commit |
| pages | the run page and an item's on them, by `adjudge serve` |
| shards | four processes against one, the stub at 200 ms |
| outages | a server stopped, and a connection cut, for a minute |
| limits | requests per minute and a budget that four workers of a cluster share |

The server is that of Debian's package (tests/postgres.py), started for this, with a durable disk. A
run asks the stub at once. What it leaves the server to do, statistics and a checkpoint, is waited
for and counted with it. Of runs that are repeated, the model has the medians. `ray` is a cluster of
this machine with two workers, its start included. Replies are alike, which Parquet packs better
than real ones. Sizes are those after `adjudge store vacuum`. Exits with 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import sys

from harness import Stub
from scale_holds import ingest, limits, outages, pages, shards
from scale_model import show
from scale_place import Bars, places
from scale_runs import HEAD, KINDS, keep, notes, runs

ONCE = {"keep": keep, "shards": shards, "outages": outages, "limits": limits}
PARTS = ("runs", "model", "ingest", "pages", *ONCE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", default="10000,100000", help="how many, with commas")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas")
    parser.add_argument("--stores", default=",".join(KINDS), help="for runs, with commas")
    options = parser.parse_args()
    wanted, bars = options.only.split(","), Bars()
    with places() as place, Stub() as stub:
        for name, part in ONCE.items():
            if name in wanted:
                part(place, stub, bars)
        if "runs" in wanted:
            print(f"\nWhole runs\n\n{HEAD}")
        for rows in map(int, options.rows.split(",")):
            if "runs" in wanted:
                runs(place, stub, rows, options.stores.split(","), bars)
            if "ingest" in wanted or "pages" in wanted:
                urls = ingest(place, rows, bars)
                if "pages" in wanted:
                    pages(urls, rows, bars)
    if "model" in wanted:
        bars.missed += show(notes())
    print(f"\nbars missed: {bars.missed}")
    return bool(bars.missed)


if __name__ == "__main__":
    sys.exit(main())
