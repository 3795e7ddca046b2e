"""Figures against their targets, as tables and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Figure:
    """One figure of ours, what it is measured against, and its target."""

    name: str
    unit: str
    ours: float
    target: float
    limit: float | None = None
    limit_name: str = "limit"
    at_least: bool = True
    spread: tuple[float, float] | None = None
    peers: dict[str, float] = field(default_factory=dict)
    # Peers that must be beaten too.
    ahead_of: tuple[str, ...] = ()
    remark: str = ""

    @property
    def ratio(self) -> float | None:
        """Ours to what it is measured against."""
        return self.ours / self.limit if self.limit else None

    @property
    def met(self) -> bool:
        """Whether the target is met."""
        value = self.ours if self.ratio is None else self.ratio
        beaten = all(value >= self.peers[name] for name in self.ahead_of if name in self.peers)
        return beaten and (value >= self.target if self.at_least else value <= self.target)

    @property
    def target_text(self) -> str:
        """The target as the table shows it."""
        ahead = "".join(f", > {name}" for name in self.ahead_of if name in self.peers)
        return f"{'≥' if self.at_least else '≤'} {self.target:g}{ahead}"


def number(value: float | None) -> str:
    """A number with as many digits as help."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}" if abs(value) >= 1 else f"{value:.2f}"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown, its columns aligned."""
    widths = [max(len(row[place]) for row in [heads, *rows]) for place in range(len(heads))]

    def line(cells: Sequence[str]) -> str:
        first = cells[0].ljust(widths[0])
        rest = (cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True))
        return f"| {' | '.join([first, *rest])} |"

    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([line(heads), rule, *map(line, rows)])


def figures_table(figures: Sequence[Figure]) -> str:
    """All figures against their targets."""
    rows = []
    for figure in figures:
        spread = f" ({figure.spread[0]:.2f}–{figure.spread[1]:.2f})" if figure.spread else ""
        ratio = "–" if figure.ratio is None else f"{figure.ratio:.3f}{spread}"
        against = f"{number(figure.limit)} {figure.limit_name}" if figure.limit else "–"
        peers = ", ".join(f"{name} {number(value)}" for name, value in figure.peers.items())
        met = "yes" if figure.met else "NO"
        ours = f"{number(figure.ours)} {figure.unit}"
        rows.append([figure.name, ours, against, ratio, figure.target_text, met, peers or "–"])
    remarks = [f"{figure.name}: {figure.remark}" for figure in figures if figure.remark]
    heads = ["scenario", "ours", "against", "ratio (min–max)", "target", "met", "peers' ratios"]
    return "\n".join([table(heads, rows), *remarks])


def figures_json(figures: Sequence[Figure]) -> str:
    """All figures as one object."""
    values = {
        figure.name: {
            "ours": figure.ours,
            "limit": figure.limit,
            "ratio": figure.ratio,
            "target": figure.target,
            "met": figure.met,
        }
        for figure in figures
    }
    return json.dumps(values, indent=2)
