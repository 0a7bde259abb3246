"""The approaches: the ways from a seed to a dialogue, and the table of them."""
