"""Mentions, entities, classes and relations of a question, linked to the terms of a KG."""
