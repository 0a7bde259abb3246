"""English for predicates and their values: nouns, clauses, units; what the rule model, plans and checks share."""
