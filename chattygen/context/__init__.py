"""What can be asked about a seed: its subgraph, the summary of it, and what both leave out (Algorithms 2 and 3)."""
