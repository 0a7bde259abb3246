"""What a careful reader would not let pass in a benchmark of dialogues: rules, each for one family of defects."""

from __future__ import annotations

from chattygen.lint.defect import KINDS, Defect, Finding
from chattygen.lint.judging import Report, judge, judged
from chattygen.lint.known import Graph, opened
from chattygen.lint.reading import Source, read

__all__ = ["KINDS", "Defect", "Finding", "Graph", "Report", "Source", "judge", "judged", "opened", "read"]
