"""Time and memory of the pages about runs of 100,000 verdicts of five criteria, and of what they
look up.

The bar is 300 ms for every page and all that it waits for, the first time too, and 20 ms for
progress; memory must not grow by 20 MB over 300 pages. Exits with 1 above. Compare and Trust show
their figures when they are worked out: how long that takes is told, and has no bar. The store is
made first, two runs and 1,000 labelled items, which takes a minute and 1.1 GB of disk
(`big_run.py`); `--rows N` makes a smaller one, and `--store FILE` takes one that was made so.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import big_run
from harness import scratch
from starlette.testclient import TestClient

from adjudge.analysis.browsing import IndexCache, Query, RunIndex
from adjudge.service.app import create_app
from adjudge.service.options import ServeOptions
from adjudge.stores import Store, verdicts

BAR_MS, PROGRESS_MS, GROWTH_MB = 300.0, 20.0, 20.0
QUERIES = {
    "page": Query(),
    "last page of 200": Query(size=200, down=True),
    "page by score": Query(criterion="accuracy", low=0, high=3),
    "page by outcome": Query(outcome="unscored"),
    "page by rule": Query(rule="serious-error"),
    "page sorted by score": Query(criterion="tone", sort="score"),
    "page sorted by latency": Query(sort="latency", down=True),
    "search, rare word": Query(search=big_run.RARE),
    "search, common word": Query(search=big_run.COMMON),
    "search, in explanations": Query(search="chưa nói rõ"),
}


def measured(name: str, work: Callable[[], object], bar: float = BAR_MS) -> bool:
    """Prints how long it takes; whether it is quick enough."""
    begin, busy = time.perf_counter(), time.process_time()
    work()
    took, cpu = 1e3 * (time.perf_counter() - begin), 1e3 * (time.process_time() - busy)
    print(f"{name:34} {took:7.1f} ms  {cpu:7.1f} ms CPU  {'held' if took <= bar else 'MISSED'}")
    return took <= bar


def memory_mb() -> float:
    """What this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def pages_of(store: Store) -> bool:
    record = store.runs.find("latest")
    index: list[RunIndex] = []
    held = [measured("progress", lambda: store.runs.progress(record.id), PROGRESS_MS)]
    held.append(measured("index, the first time", lambda: index.append(RunIndex(record, store))))
    (found,) = index
    held += [measured(name, lambda q=query: found.page(q)) for name, query in QUERIES.items()]  # type: ignore[misc]
    for name in (name for name in QUERIES if name.startswith("search")):
        searched(name, found)
    held.append(measured("overview", found.overview))
    held.append(measured("columns that divide", found.slice_columns))
    held.append(measured("slices", lambda: found.slices("topic")))
    held.append(measured("item", lambda: found.entries("item-500")))
    held.append(measured("item's runs", lambda: found.runs_with("item-500")))
    held.append(measured("item's neighbours", lambda: found.neighbours("item-500", Query())))
    first = IndexCache(store)
    held.append(measured("index, page and summary at once", lambda: whole_page(first)))
    return all(held)


def searched(name: str, index: RunIndex) -> None:
    """How often a search must be asked on until it has read everything."""
    times = 1
    begin = time.perf_counter()
    while not (page := index.page(QUERIES[name])).complete:
        times += 1
    took = 1e3 * (time.perf_counter() - begin)
    print(f"  {name}: {page.total:,} items, complete after {times} more pages, {took:.0f} ms")


def whole_page(runs: IndexCache) -> None:
    index = runs.of("latest")
    index.page(Query())
    index.overview()


def opened_pages(path: Path) -> bool:
    """Every page by a service that has just begun, and then once more; whole answers."""
    store = big_run.opened(path)
    b, a = (record.id for record in store.runs.all())
    store.close()
    label = f"/label/{a}?rater=ann&judge=chatbot&pick="
    pages = {
        "Run": f"/runs/{a}",
        "Run by topic (slices)": f"/runs/{a}?slice=topic",
        "Item": f"/runs/{a}/item?id=item-500",
        "Compare": f"/compare?a={a}&b={b}",
        "Compare by topic": f"/compare?a={a}&b={b}&slice=topic",
        "Trust": f"/trust/{a}",
        "Label, random": f"{label}random",
        "Label, uncertain": f"{label}uncertain",
    }
    with _service(path):
        pass  # what it loads in the background is there when it has ended
    held = [_opened(path, name, address) for name, address in pages.items()]
    return all(held)


def _service(path: Path) -> TestClient:
    app = create_app(ServeOptions(store=str(path)))
    return TestClient(app, "http://127.0.0.1", client=("127.0.0.1", 1))


def _opened(path: Path, name: str, address: str) -> bool:
    with _service(path) as client:
        client.get("/runs")

        def get() -> bool:
            answer = client.get(address)
            if answer.status_code != 200:
                raise SystemExit(f"{address}: {answer.status_code} {answer.text[:500]}")
            return "refresh" not in answer.headers

        begin, busy = time.perf_counter(), time.process_time()
        held = measured(f"page {name}, first", get)
        if not get():
            while not get():
                time.sleep(1)  # as a browser does
            took, cpu = time.perf_counter() - begin, time.process_time() - busy
            print(f"  figures after {took:.1f} s, {cpu:.1f} s CPU")
        return measured(f"page {name}, later", get) and held


def memory_of(store: Store) -> bool:
    runs = IndexCache(store)
    for query in QUERIES.values():
        runs.of("latest").page(query)
    gc.collect()
    before = memory_mb()
    for n in range(300):
        runs.of("latest").page(Query(page=1 + n, size=100, sort="cost", down=n % 2 == 0))
    grown = memory_mb() - before
    index = runs.of("latest").bytes / 1e6
    held = grown <= GROWTH_MB
    print(f"{before:.0f} MB with the index, {index:.0f} MB of that its arrays;", end=" ")
    print(f"{grown:+.1f} MB over 300 pages  {'held' if held else 'MISSED'}")
    return held


def writing(rows: int = 5000) -> None:
    """What keeping the figures adds to keeping a verdict, in CPU time, twenty at a time."""
    entries = big_run.some_entries(rows)
    whole, took = verdicts.put_facts, {}
    for turn in range(6):
        verdicts.put_facts = whole if turn % 2 else lambda *_: None
        with scratch("writing") as folder:
            store = big_run.opened(folder / "writing.db")
            begin = time.process_time()
            for start in range(0, rows, 20):
                store.verdicts.put("run", entries[start : start + 20])
            spent = 1e6 * (time.process_time() - begin) / rows
            took[turn % 2] = min(took.get(turn % 2, spent), spent)
            store.close()
    verdicts.put_facts = whole
    print(f"a verdict kept: {took[1]:.1f} µs, {took[1] - took[0]:.1f} µs of that its figures")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--store", type=Path)
    given = parser.parse_args()
    writing()
    with scratch("pages") as folder:
        path = given.store or folder / "pages.db"
        if not path.exists():
            run = big_run.make(path, given.rows)
            big_run.label(path, run, 1000)
            big_run.make(path, given.rows, seed=1)
        held = [opened_pages(path)]
        store = big_run.opened(path)
        held += [pages_of(store), memory_of(store)]
        store.close()
    sys.exit(0 if all(held) else 1)


if __name__ == "__main__":
    main()
