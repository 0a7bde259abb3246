"""A SPARQL query as an English phrase: its algebra, its expressions, its patterns and its modifiers."""
