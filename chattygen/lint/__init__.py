"""What a careful reader would not let pass in a benchmark of dialogues: rules, each for one family of defects."""

from __future__ import annotations

from chattygen.lint.defect import KINDS, Defect, Finding
from chattygen.lint.kg_facts import Graph, opened
from chattygen.lint.readers import Source, read
from chattygen.lint.runner import Report, judge, judged

__all__ = ["KINDS", "Defect", "Finding", "Graph", "Report", "Source", "judge", "judged", "opened", "read"]
