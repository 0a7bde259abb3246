"""Triad: a query template with names, terms that a model chooses for them, and queries among which it chooses."""
