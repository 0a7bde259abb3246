"""Data of both products: the demo KG, JSON Schemas, word lists, languages, relations, strategies, and prices."""
