"""Lint reports as text: a table of defect classes and files, figures, and a listing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chattyshared.text_table import Column, render_rows

from chattygen.lint.report import DEFECT_KINDS, LintReport

MAX_HEAD_WIDTH = 24
"""The longest file name at the head of a column, in letters."""


def render_table(reports: Sequence[LintReport]) -> list[str]:
    """Return the lines of the table: one class a line, one file a column."""
    columns = [Column(), *(Column(_short_name(report.file), right=True, min_width=6) for report in reports)]
    counts = [report.counts_by_kind() for report in reports]
    rows = [
        (
            kind,
            *(
                str(count[kind]) if kind in report.judged_kinds else "-"
                for report, count in zip(reports, counts, strict=True)
            ),
        )
        for kind in DEFECT_KINDS
    ]
    return render_rows(columns, [*rows, ("all", *(str(len(report.defects)) for report in reports))])


def render_figures(reports: Sequence[LintReport]) -> Iterator[str]:
    """Yield one line a file: its size, its clean dialogues, and the share of yes-no turns whose answer is no."""
    for report in reports:
        line = f"{report.file}: {report.dialogues} dialogues, {report.turns} turns; "
        line += f"{report.clean_dialogues()} without a defect"
        if report.yes_no_turns:
            line += f"; {report.yes_no_turns} yes-no turns, {report.false_yes_no_turns / report.yes_no_turns:.0%} false"
        if report.unread_turns is not None:
            line += f"; {report.unread_turns} turns not answered by --answers"
        yield line


def render_listing(reports: Sequence[LintReport], first: int) -> Iterator[str]:
    """Yield the defects of each file, at most ``first`` of each class (0: all)."""
    for report in reports:
        if report.defects:
            yield f"\n{report.file}"
        counts = report.counts_by_kind()
        for kind, number in ((kind, counts[kind]) for kind in DEFECT_KINDS if counts[kind]):
            yield f"  {kind} ({DEFECT_KINDS[kind]}): {number}"
            defects = [defect for defect in report.defects if defect.kind == kind]
            for defect in defects[: first or None]:
                where = f"{defect.dialogue}/{defect.turn}" if defect.turn else defect.dialogue
                yield f"    {where}  {defect.message}"
            if first and number > first:
                yield f"    ... {number - first} more (--verbose lists all)"


def _short_name(name: str) -> str:
    """Shorten a name in the middle, because files of one run differ at both ends."""
    return name if len(name) <= MAX_HEAD_WIDTH else f"{name[:11]}..{name[-11:]}"
