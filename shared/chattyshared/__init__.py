"""Shared by both products: RDF, endpoints, knowledge graphs, language models, dialogues, and runs."""
