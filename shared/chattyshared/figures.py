"""Figures: a list of statements, each with key, name, function, format and meaning, makes table, JSON and page.

The values of a file or system are one mapping by key; a key with dots is nested in JSON.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from math import log2
from statistics import fmean, median
from typing import Any

from chattyshared.text import FigureRow

Values = Mapping[str, Any]
"""The figures of one file or system by key; None where it does not state what they are taken from."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each name occurs: the most frequent first, equal ones by name; shares are of ``whole`` (0: the sum)."""

    items: tuple[tuple[str, int], ...] = ()
    whole: int = 0

    @classmethod
    def of(cls, names: Iterable[str], whole: int = 0) -> Counts:
        """Count names; an empty one is none."""
        counter = Counter(filter(None, names))
        return cls(tuple(sorted(counter.items(), key=lambda item: (-item[1], item[0]))), whole)

    def renamed(self, rename: Callable[[str], str]) -> Counts:
        """Return the counts by other names; those of equal names are added up."""
        return Counts.of((rename(name) for name, number in self.items for _ in range(number)), self.whole)

    def shares(self) -> dict[str, float]:
        """Return each name's share, in 0..1."""
        whole = self.whole or sum(number for _, number in self.items)
        return {name: number / whole for name, number in self.items}

    def entropy(self) -> float:
        """Return the Shannon entropy in bits: 0 if all are one name, log2 of the number of names if all are equally
        frequent."""
        return -sum(share * log2(share) for share in self.shares().values()) if len(self.items) > 1 else 0.0


@dataclass(frozen=True, slots=True)
class SummaryStatistics:
    """Summary of numbers: how many there are, their mean, minimum, median, 90th percentile (nearest rank) and
    maximum."""

    n: int = 0
    mean: float = 0.0
    least: float = 0.0
    median: float = 0.0
    p90: float = 0.0
    most: float = 0.0

    @classmethod
    def of(cls, numbers: Iterable[float]) -> SummaryStatistics:
        """Describe numbers; without any, everything is 0."""
        ordered = sorted(numbers)
        if not ordered:
            return cls()
        rank = -(-len(ordered) * 9 // 10) - 1
        return cls(len(ordered), fmean(ordered), ordered[0], median(ordered), ordered[rank], ordered[-1])


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured value over ``n`` units, and its 95 % interval (low, high) if one was taken; of no unit it is 0."""

    value: float
    n: int
    interval: tuple[float, float] | None = None


def share(part: float, whole: float) -> float | None:
    """Return a share in 0..1; None if ``whole`` is 0."""
    return part / whole if whole else None


def format_percent(value: float) -> str:
    """Return a share as percent with one decimal."""
    return f"{value:.1%}"


def format_number(value: float) -> str:
    """Return a number with separators of thousands: a whole one as it is, another with two decimals."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def format_precisely(value: float) -> str:
    """Return a number with three decimals."""
    return f"{value:.3f}"


def format_estimate(value: Estimate, write: Callable[[float], str] = format_precisely) -> str:
    """Return an estimate with its interval, if it has one; a dash if there was nothing to measure."""
    interval = f" [{', '.join(map(write, value.interval))}]" if value.interval else ""
    return f"{write(value.value)}{interval}" if value.n else "-"


def format_spread(value: SummaryStatistics) -> str:
    """Return a summary as ``mean (least-most)``, or a dash if it is empty."""
    return f"{value.mean:,.2f} ({value.least:g}-{value.most:g})" if value.n else "-"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of the subject of its section.

    ``key`` is its key in JSON. ``compute`` makes its value from the subject (None: the subject has it under the key).
    ``name`` is its name in tables; without one it is in JSON alone. ``format`` makes a cell of a value: a text, texts
    or estimates by name, or counts, which are shown as shares; a page has bars of estimates and shares. ``help`` is
    what it means; a headline stands at the top of a page. ``is_counted``: a table states how many names there are.
    """

    key: str
    name: str = ""
    format: Callable[[Any], str | Mapping[str, str] | Mapping[str, Estimate] | Counts] = format_number
    compute: Callable[[Any], Any] | None = None
    help: str = ""
    is_headline: bool = False
    is_counted: bool = True


@dataclass(frozen=True, slots=True)
class Section:
    """Figures of one subject, which ``read`` takes from what is measured; without it, the section is null in JSON.

    With a ``caption``, a page has one plot of all its estimates.
    """

    key: str
    heading: str
    read: Callable[[Any], Any]
    figures: tuple[Figure, ...]
    caption: str = ""

    def keys(self) -> Iterator[tuple[str, Figure]]:
        """Yield the figures with their keys in the values."""
        yield from ((f"{self.key}.{figure.key}".removeprefix("."), figure) for figure in self.figures)


def compute_values(sections: Iterable[Section], measured: Any) -> Values:
    """Return the value of each figure by its key."""
    values: dict[str, Any] = {}
    for section in sections:
        subject = section.read(measured)
        if subject is None:
            values[section.key] = None
        for key, figure in section.keys() if subject is not None else ():
            values[key] = figure.compute(subject) if figure.compute else subject.get(figure.key)
    return values


def values_to_json(values: Values, digits: int = 4) -> dict[str, Any]:
    """Return values as one JSON object, nested by the dots of their keys; floats are rounded."""
    nested: dict[str, Any] = {}
    for key, value in values.items():
        *path, last = key.split(".")
        place = nested
        for part in path:
            place = place.setdefault(part, {})
        place[last] = round_to_json(value, digits)
    return nested


def round_to_json(value: Any, digits: int) -> Any:
    """Return a value in JSON types: counts and other values with fields as objects, estimates as numbers."""
    if isinstance(value, Counts):
        return dict(value.items)
    if isinstance(value, Estimate):
        value = value.value
    elif is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping):
        return {str(name): round_to_json(part, digits) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [round_to_json(part, digits) for part in value]
    return round(value, digits) if isinstance(value, float) else value


def headlines(sections: Iterable[Section], values: Values) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each headline that the values have; an interval stands with the name."""
    for section in sections:
        for key, figure in section.keys():
            value = values.get(key) if figure.is_headline else None
            if isinstance(value, Estimate) and value.interval:
                low, high = value.interval
                yield f"{figure.name} ({low:.3f} - {high:.3f})", str(figure.format(replace(value, interval=None)))
            elif value is not None:
                yield figure.name, str(figure.format(value))


MAX_NAMES = 14
"""The most names under one figure in a table or a plot: those with the greatest shares."""


def first_names(counts: Iterable[Counts]) -> list[str]:
    """Return the names of counts with the greatest shares, at most ``MAX_NAMES``."""
    greatest: dict[str, float] = {}
    for each in counts:
        for name, value in each.shares().items():
            greatest[name] = max(value, greatest.get(name, 0.0))
    return sorted(greatest, key=lambda name: (-greatest[name], name))[:MAX_NAMES]


def render_rows_of_figures(sections: Iterable[Section], columns: Sequence[Values]) -> Iterator[FigureRow]:
    """Yield the rows of figures side by side, with the headings of their sections.

    A figure of several names has their number in its row, or its name is a heading; below it is a row a name. A figure
    that no file has is left out.
    """
    for section in sections:
        rows = [row for key, figure in section.keys() if figure.name for row in _rows_of_figure(figure, key, columns)]
        yield from [(section.heading, ())] if rows and section.heading else ()
        yield from rows


def _rows_of_figure(figure: Figure, key: str, columns: Sequence[Values]) -> Iterator[FigureRow]:
    cells = [None if (value := values.get(key)) in (None, "") else figure.format(value) for values in columns]
    counts = [cell for cell in cells if isinstance(cell, Counts)]
    named = [cell for cell in cells if isinstance(cell, Mapping)]
    numbers = [
        str(len(cell.items)) if isinstance(cell, Counts) else str(len(cell)) if isinstance(cell, Mapping) else cell
        for cell in cells
    ]
    if not any(numbers) or {*numbers} == {"0"} and (counts or named):
        return
    yield figure.name, tuple(number or "-" for number in numbers) if figure.is_counted else ()
    for name in first_names(counts) if counts else dict.fromkeys(name for cell in named for name in cell):
        texts = (
            format_percent(cell.shares().get(name, 0.0)) if isinstance(cell, Counts) and cell.items
            else _cell_of_name(cell.get(name)) if isinstance(cell, Mapping) else None
            for cell in cells
        )  # fmt: skip
        yield f"  {name}", tuple(text or "-" for text in texts)


def _cell_of_name(cell: str | Estimate | None) -> str | None:
    return f"{cell.value:.3f} ({cell.n})" if isinstance(cell, Estimate) else cell
