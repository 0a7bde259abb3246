"""A language model as the judge of conversations and answers, and the agreement of raters, people or models."""
