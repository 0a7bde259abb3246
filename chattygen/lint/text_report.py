"""Reports as text: a table of classes and files, figures, and a listing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from chattygen.lint.defect import DEFECT_KINDS
from chattygen.lint.runner import LintReport

MAX_HEAD_WIDTH = 24
"""The most letters of a file's name at the head of a column."""


def render_table(reports: Sequence[LintReport]) -> Iterator[str]:
    """Yield the lines of the table: one class a line, one file a column."""
    heads = [_head(report.file) for report in reports]
    first = max(map(len, DEFECT_KINDS))
    widths = [max(6, len(head)) for head in heads]
    yield " " * first + "".join(f"  {head:>{width}}" for head, width in zip(heads, widths, strict=True))
    counts = [report.counts_by_kind() for report in reports]
    for kind in DEFECT_KINDS:
        cells = [
            str(count[kind]) if kind in report.judged_kinds else "-"
            for report, count in zip(reports, counts, strict=True)
        ]
        yield f"{kind:<{first}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
    totals = [str(len(report.defects)) for report in reports]
    yield f"{'all':<{first}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(totals, widths, strict=True))


def render_figures(reports: Sequence[LintReport]) -> Iterator[str]:
    """Yield one line a file: its size, its clean dialogues, the share of yes-no turns whose answer is no."""
    for report in reports:
        line = f"{report.file}: {report.dialogues} dialogues, {report.turns} turns; "
        line += f"{report.clean_dialogues()} without a defect"
        if report.yes_no_turns:
            line += f"; {report.yes_no_turns} yes-no turns, {report.false_yes_no_turns / report.yes_no_turns:.0%} false"
        if report.unread_turns is not None:
            line += f"; {report.unread_turns} turns not answered by --answers"
        yield line


def render_listing(reports: Sequence[LintReport], first: int) -> Iterator[str]:
    """Yield the defects of each file, the ``first`` of each class (0: all)."""
    for report in reports:
        if report.defects:
            yield f"\n{report.file}"
        for kind, number in _ordered(report).items():
            yield f"  {kind} ({DEFECT_KINDS[kind]}): {number}"
            some = [defect for defect in report.defects if defect.kind == kind]
            for defect in some[: first or None]:
                where = f"{defect.dialogue}/{defect.turn}" if defect.turn else defect.dialogue
                yield f"    {where}  {defect.message}"
            if first and number > first:
                yield f"    ... {number - first} more (--verbose lists all)"


def _ordered(report: LintReport) -> Counter[str]:
    counts = report.counts_by_kind()
    return Counter({kind: counts[kind] for kind in DEFECT_KINDS if counts[kind]})


def _head(name: str) -> str:
    """Shorten a name in the middle: files of one run differ at either end."""
    return name if len(name) <= MAX_HEAD_WIDTH else f"{name[:11]}..{name[-11:]}"
