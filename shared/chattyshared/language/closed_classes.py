"""The closed classes of English, and nouns and verbs that are read in a way of their own."""

from __future__ import annotations

from chattyshared.language.lexicon import load_lexicon, word_set

_NAME = "closed_classes"

BE = word_set(_NAME, "be")
HAVE = word_set(_NAME, "have")
DO = word_set(_NAME, "do")
AUXILIARY = BE | HAVE | DO | word_set(_NAME, "modals")
WH = word_set(_NAME, "question_words")
DETERMINER = word_set(_NAME, "determiners")
PREPOSITION = word_set(_NAME, "prepositions")
FUNCTION = AUXILIARY | WH | DETERMINER | PREPOSITION
FUNCTION |= word_set(_NAME, "conjunctions", "pronouns", "negations", "adverbs", "others")
"""All words of the closed classes."""
COMMAND = word_set(_NAME, "commands")
POLITE = word_set(_NAME, "openings")
GENERIC = word_set(_NAME, "generic_nouns")
NAMING = word_set(_NAME, "naming_nouns")
VERBS = word_set("verbs", "common", "questions_only")
"""Verbs by their lemma; a word that is none of them may still be one by its ending."""
IRREGULAR = word_set(_NAME, "irregular_forms")
NOUN_ING = word_set(_NAME, "ing_nouns")
NUMBERS: dict[str, int] = load_lexicon(_NAME)["numbers"]
ORDINALS: dict[str, int] = load_lexicon(_NAME)["ordinals"]
