"""mKGQAgent: a plan, its steps by linking tools, and one response of the graph to the first query."""
