"""The agents of the graph, one agent a module."""
