"""Audit a file of gold against its knowledge graph: run each query and check each question."""

from __future__ import annotations

from chattygen.audit.audited_file import certified_lines, repaired_lines
from chattygen.audit.certification import Certifier
from chattygen.audit.drift import compare_graphs
from chattygen.audit.report import AuditReport
from chattygen.audit.runner import audit_gold
from chattygen.audit.verdict import FINDING_KINDS, Verdict

__all__ = [
    "FINDING_KINDS", "AuditReport", "Certifier", "Verdict", "audit_gold", "certified_lines",
    "compare_graphs", "repaired_lines",
]  # fmt: skip
