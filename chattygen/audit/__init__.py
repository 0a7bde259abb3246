"""Auditing a file of gold against its knowledge graph: each query is run, each question is looked at."""

from __future__ import annotations

from chattygen.audit.finding import KINDS, Finding, Verdict
from chattygen.audit.repair import repaired
from chattygen.audit.runner import Audit, audit

__all__ = ["KINDS", "Audit", "Finding", "Verdict", "audit", "repaired"]
