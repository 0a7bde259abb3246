"""Runs of the generator: what is settled first, slots and rounds, the output file, counts, and cost estimates."""
