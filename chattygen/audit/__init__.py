"""Audit a file of gold against its knowledge graph: run each query and check each question."""

from __future__ import annotations

from chattygen.audit.certification import Certifier, certify_report
from chattygen.audit.certified_file import certified_lines
from chattygen.audit.repair import repaired_lines
from chattygen.audit.report import FINDING_KINDS, AuditReport, Verdict
from chattygen.audit.runner import audit_gold

__all__ = [
    "FINDING_KINDS", "AuditReport", "Certifier", "Verdict", "audit_gold", "certified_lines", "certify_report",
    "repaired_lines",
]  # fmt: skip
