"""What benchmarks are like: figures of one file, side by side as a table, as JSON, and as a page."""

from __future__ import annotations

from chattygen.stats.figures import Figures, measure
from chattygen.stats.sources import Source, open_source

__all__ = ["Figures", "Source", "measure", "open_source"]
