"""Figures of benchmark files, side by side as a table, as JSON, and as an HTML page."""

from __future__ import annotations

from chattygen.stats.figures import compute_figures
from chattygen.stats.sources import BenchmarkSource, open_source

__all__ = ["BenchmarkSource", "compute_figures", "open_source"]
