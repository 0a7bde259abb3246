"""Benchmarks in the formats of other tools, and the card of a data set."""
