"""Comparisons: a plan of systems, graphs and benchmarks, its cells, and the tables of their figures."""
