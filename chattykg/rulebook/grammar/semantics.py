"""The operations that rules may call, by name: all modules that define some are loaded here."""

from chattykg.rulebook.grammar import comparisons, noun_phrases, properties, questions, verb_phrases
from chattykg.rulebook.grammar.meanings import OPERATIONS

__all__ = ["OPERATIONS", "comparisons", "noun_phrases", "properties", "questions", "verb_phrases"]
