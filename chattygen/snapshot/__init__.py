"""Benchmarks in a box: a small closed snapshot of a graph that reproduces the gold and its distractors."""
