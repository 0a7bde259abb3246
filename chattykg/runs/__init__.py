"""Batch runs of an engine: question sets, conversations in parallel, resumable files of answers, cost estimates."""
