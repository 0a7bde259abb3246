"""SPARQL queries as text: analysis, repair, prefixes, and the execution of gold queries."""
