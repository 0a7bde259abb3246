"""Audit a file of gold against its knowledge graph: run each query and check each question."""

from __future__ import annotations

from chattygen.audit.finding import FINDING_KINDS, Verdict
from chattygen.audit.repair import repaired_lines
from chattygen.audit.runner import AuditReport, audit_gold

__all__ = ["FINDING_KINDS", "AuditReport", "Verdict", "audit_gold", "repaired_lines"]
