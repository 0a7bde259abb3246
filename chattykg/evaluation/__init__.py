"""Scores answers against gold: measures, tests, comparisons of systems, and reports as text, JSON, CSV and HTML."""
