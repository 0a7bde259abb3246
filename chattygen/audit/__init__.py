"""Auditing a file of gold against its knowledge graph: each query is run, each question is looked at."""

from __future__ import annotations

from chattygen.audit.finding import FINDING_KINDS, AuditFinding, Verdict
from chattygen.audit.repair import repaired_lines
from chattygen.audit.runner import AuditReport, audit_gold

__all__ = ["FINDING_KINDS", "AuditReport", "AuditFinding", "Verdict", "audit_gold", "repaired_lines"]
