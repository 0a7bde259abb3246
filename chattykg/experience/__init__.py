"""Experience: solved questions of a graph, which prompts show as examples."""
