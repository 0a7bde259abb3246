"""Runs of commands: threads, clusters, resumable output, locks, and containment of unexpected errors."""
