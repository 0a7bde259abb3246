"""The prompts of both products, each with the JSON Schema of its reply."""
