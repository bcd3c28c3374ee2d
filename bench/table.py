"""From what was measured to the table, the ratios and the bars."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median

from venvs import Peer

FLOOR, OURS, BUILT_IN_JUDGE = "aiohttp", "adjudge", "helpfulness"
FAST, SLOW, MEMORY = "0 ms", "50 ms", "memory"
LOW_HIGH = (500, 3_000)


@dataclass(frozen=True)
class Measured:
    """One run of one driver."""

    client: str
    purpose: str
    rows: int
    latency_ms: float
    ideal_s: float  # rows × latency ÷ concurrency
    wall_s: float  # from the first request that the stub saw to the end of the process
    whole_s: float  # from the start of the process
    first_s: float  # from the start of the process to the first request
    cpu_s: float
    peak_mb: float
    import_s: float
    requests: int
    stub_cpu_s: float


@dataclass(frozen=True)
class Line:
    """A client's figures: medians where there were several rounds."""

    client: str
    title: str
    share: float
    rate: float
    cpu_ms: float
    efficiency: float
    efficiency_whole: float
    peak_mb: float
    growth_mb: float  # from the smallest run of the memory phase to the largest, else of the others
    growth_rows: tuple[int, int]
    import_s: float
    first_s: float
    requests_a_row: float
    rate_range: tuple[float, float]
    cpu_range: tuple[float, float]


@dataclass(frozen=True)
class Bar:
    what: str
    measured: float
    bar: float
    least: bool = False  # whether the bar is the least that will do, not the most

    @property
    def held(self) -> bool:
        return self.measured >= self.bar if self.least else self.measured <= self.bar


def line(peer: Peer, runs: Iterable[Measured]) -> Line:
    own = [run for run in runs if run.client == peer.name]
    fast = [run for run in own if run.purpose == FAST]
    slow = [run for run in own if run.purpose == SLOW]
    large = [run for run in fast if run.rows == max(run.rows for run in fast)]
    small = [run for run in fast if run.rows == min(run.rows for run in fast)]
    # Round by round: the cost of a row is what a larger run takes more.
    slopes = [
        (high.cpu_s - low.cpu_s) / (high.rows - low.rows) * 1000
        for low, high in zip(small, large, strict=True)
    ]
    rates = [run.rows / run.wall_s for run in large]
    sized = sorted(
        [run for run in own if run.purpose == MEMORY] or [small[0], large[0]],
        key=lambda run: run.rows,
    )
    return Line(
        client=peer.name,
        title=f"{peer.title} {peer.packages[0].split('==')[-1]}",
        share=peer.share,
        rate=median(rates),
        cpu_ms=median(slopes),
        efficiency=median(run.ideal_s / run.wall_s for run in slow),
        efficiency_whole=median(run.ideal_s / run.whole_s for run in slow),
        peak_mb=median(run.peak_mb for run in large),
        growth_mb=sized[-1].peak_mb - sized[0].peak_mb,
        growth_rows=(sized[0].rows, sized[-1].rows),
        import_s=median(run.import_s for run in own),
        first_s=median(run.first_s for run in own),
        requests_a_row=sum(run.requests for run in own) / sum(run.rows for run in own),
        rate_range=(min(rates), max(rates)),
        cpu_range=(min(slopes), max(slopes)),
    )


def bars(lines: list[Line]) -> list[Bar]:
    """What adjudge is held to."""
    floor, ours = (next(line for line in lines if line.client == name) for name in (FLOOR, OURS))
    others = [line.rate for line in lines if line.client not in (FLOOR, OURS, BUILT_IN_JUDGE)]
    found = [
        Bar("CPU ms per judgment", ours.cpu_ms, 0.6),
        Bar("CPU, × bare aiohttp", ours.cpu_ms / floor.cpu_ms, 2.5),
        Bar("judgments/s at 0 ms", ours.rate, 1_500, least=True),
        Bar("efficiency at 50 ms, × bare aiohttp", ours.efficiency / floor.efficiency, 0.95, True),
        Bar(
            f"MB more, {ours.growth_rows[0]:,} to {ours.growth_rows[1]:,} rows", ours.growth_mb, 20
        ),
    ]
    if others:
        found.append(Bar("judgments/s, × best peer", ours.rate / max(others), 8, least=True))
    return found


def busiest(runs: Iterable[Measured]) -> float:
    """The largest part of a core that the stub needed in any large run."""
    return max(run.stub_cpu_s / run.wall_s for run in runs if run.rows >= 1_000)


def markdown(lines: list[Line], bars: list[Bar], failed: dict[str, str]) -> str:
    floor = next(line for line in lines if line.client == FLOOR)
    best = max(
        (one.rate for one in lines if one.client not in (FLOOR, OURS, BUILT_IN_JUDGE)), default=None
    )
    columns: dict[str, Callable[[Line], str]] = {
        "client": lambda one: one.title + ("" if one.share == 1 else f", {one.share:.0%} of rows"),
        "judgments/s, 0 ms": lambda one: f"{one.rate:,.0f}",
        "× bare": lambda one: f"{one.rate / floor.rate:.3f}",
        "× best peer": lambda one: f"{one.rate / best:.2f}" if best else "–",
        "CPU ms per judgment": lambda one: f"{one.cpu_ms:.2f}",
        "× bare ": lambda one: f"{one.cpu_ms / floor.cpu_ms:.1f}",
        "efficiency, 50 ms": lambda one: f"{one.efficiency:.3f}",
        "× bare  ": lambda one: f"{one.efficiency / floor.efficiency:.3f}",
        "with start-up": lambda one: f"{one.efficiency_whole:.3f}",
        "peak MB": lambda one: f"{one.peak_mb:.0f}",
        "MB more": lambda one: "{:+.0f}, {:,} to {:,}".format(one.growth_mb, *one.growth_rows),
        "import s": lambda one: f"{one.import_s:.2f}",
        "first request after s": lambda one: f"{one.first_s:.2f}",
    }
    order = sorted(
        lines, key=lambda one: (one.client not in (FLOOR, OURS, BUILT_IN_JUDGE), -one.rate)
    )
    out = [" | ".join(["", *map(str.strip, columns), ""]).strip(), "| --- " * len(columns) + "|"]
    out += [
        " | ".join(["", *(cell(one) for cell in columns.values()), ""]).strip() for one in order
    ]
    out += ["", f"Bare aiohttp over the whole run: {_spread(floor)}.", ""]
    out += [f"Left out: {name}, {why}." for name, why in failed.items()]
    out += ["| target | measured | |", "| --- | --- | --- |"]
    for bar in bars:
        sign = "≥" if bar.least else "≤"
        held = "held" if bar.held else "MISSED"
        out.append(f"| {bar.what} {sign} {bar.bar:,g} | {bar.measured:,.2f} | {held} |")
    return "\n".join(out)


def _spread(floor: Line) -> str:
    rates = "{:,.0f} to {:,.0f} judgments/s".format(*floor.rate_range)
    return rates + ", {:.2f} to {:.2f} ms CPU per judgment".format(*floor.cpu_range)
