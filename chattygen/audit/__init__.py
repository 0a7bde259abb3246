"""Audit a file of gold against its knowledge graph: run each query and check each question."""

from __future__ import annotations

from chattygen.audit.repair import repaired_lines
from chattygen.audit.report import FINDING_KINDS, AuditReport, Verdict
from chattygen.audit.runner import audit_gold

__all__ = ["FINDING_KINDS", "AuditReport", "Verdict", "audit_gold", "repaired_lines"]
