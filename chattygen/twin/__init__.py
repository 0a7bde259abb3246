"""Counterfactual twins of a graph and its benchmark: a model that remembers the original answers is wrong on them."""
