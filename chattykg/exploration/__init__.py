"""Exploration: the tools by which programs and the agent look into a graph, and the loop that uses them."""
