"""A SPARQL query as a phrase.

``algebra`` reads a query, ``descriptions`` says what its conditions tell of a term, ``sentences`` what it asks for.
"""
