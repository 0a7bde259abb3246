"""Queries from linked questions: composition, execution, answers and their texts."""
