"""Direct text-to-SPARQL: schema prompt, attempts, unknown terms and empty results."""
