"""The grammar: a chart parser over the chunks of a question, with weighted rules in ``LANGUAGE.gram``."""
