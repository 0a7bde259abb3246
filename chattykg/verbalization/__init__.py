"""A SPARQL query as an English phrase.

``algebra`` reads a query as groups of conditions, ``expressions`` its filters and formulas; ``names`` and ``phrases``
have the words. ``descriptions`` tells what a group says of its variables, ``selections``, ``measures`` and ``groups``
what the query asks of them. ``sentences`` joins these, and says where no phrase is true.
"""
