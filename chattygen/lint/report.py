"""The report for a file, as JSON and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from chattyshared.check import Finding
from chattyshared.findings import count_findings, render_counts, render_listing
from chattyshared.text import Column, render_rows

from chattygen.lint.rules import defect_kinds

MAX_HEAD_WIDTH = 24
"""The longest file name at the head of a column, in letters."""


@dataclass(frozen=True, slots=True)
class LintReport:
    """The result for one file.

    ``judged_kinds`` are the kinds that could be judged. ``unexpected`` counts dialogues that an unexpected error left
    unjudged, by its type and place.
    """

    file: str
    format: str
    dialogues: int
    turns: int
    defects: tuple[Finding, ...]
    judged_kinds: frozenset[str]
    unexpected: Counter[str] = field(default_factory=Counter)

    def counts_by_kind(self) -> Counter[str]:
        """Return the number of defects by kind."""
        return Counter(defect.kind for defect in self.defects)

    def clean_dialogues(self) -> int:
        """Return the number of dialogues without a defect."""
        return self.dialogues - len({defect.dialogue for defect in self.defects})

    def to_json(self) -> dict[str, Any]:
        """Return the report's object."""
        counts = self.counts_by_kind()
        return {
            "file": self.file,
            "format": self.format,
            "dialogues": self.dialogues,
            "turns": self.turns,
            "clean_dialogues": self.clean_dialogues(),
            "defects": len(self.defects),
            "classes": {kind: counts[kind] if kind in self.judged_kinds else None for kind in defect_kinds()},
            "listing": [
                {"class": d.kind, "dialogue": d.dialogue, "turn": d.turn, "said": d.message} for d in self.defects
            ],
        }


def render_table(reports: Sequence[LintReport]) -> list[str]:
    """Return the table of several files: one found class a line, one file a column ("-": the file cannot show it)."""
    counts = [report.to_json()["classes"] for report in reports]
    rows = [(kind, *("-" if count[kind] is None else str(count[kind]) for count in counts)) for kind in defect_kinds()]
    found = [row for row in rows if not {"0", "-"}.issuperset(row[1:])]
    columns = [Column(), *(Column(_short_name(report.file), right=True, min_width=6) for report in reports)]
    return render_rows(columns, [*found, ("all", *(str(len(report.defects)) for report in reports))])


def render_figures(reports: Sequence[LintReport]) -> Iterator[str]:
    """Yield one line a file: its size, its defects and clean dialogues."""
    for report in reports:
        yield (
            f"{report.file}: {report.dialogues} dialogues, {report.clean_dialogues()} without a defect; "
            f"{report.turns} turns, {len(report.defects)} defects"
        )


def render_defects(reports: Sequence[LintReport], most: int) -> Iterator[str]:
    """Yield the defects of each file: how many turns have each kind, then at most ``most`` of each (0: all)."""
    kinds = defect_kinds()
    for report in reports:
        found = [(f"{d.dialogue}/{d.turn}" if d.turn else d.dialogue, d) for d in report.defects]
        if found:
            yield f"\n{report.file}"
            yield from render_counts(count_findings(found, kinds), max(report.turns, 1), kinds)
            yield from render_listing(found, kinds, most)


def _short_name(name: str) -> str:
    """Shorten a name in the middle, because files of one run differ at both ends."""
    return name if len(name) <= MAX_HEAD_WIDTH else f"{name[:11]}..{name[-11:]}"
