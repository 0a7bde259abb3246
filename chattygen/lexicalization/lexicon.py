"""Word lists of the generator's surface forms: general English, no words of any knowledge graph."""

from __future__ import annotations

from chattyshared.language.lexicon import word_lists, word_map, word_set

PREPOSITIONS = word_set("prepositions", "core", "labels_only")
"""Prepositions that a predicate label may end with."""

PARTICLES = PREPOSITIONS | word_set("prepositions", "relations_only")
"""Words that make one verb with the verb before them: *carried out* by."""

VERBS = word_set("verbs", "common", "labels_only")
"""Verbs that a predicate label may begin with."""
VERBS_ONLY = word_set("verbs", "verbs_only")
"""Forms of verbs that are no nouns: a predicate of that name is a verb."""
INTRANSITIVE_VERBS = word_set("verbs", "intransitive")
"""Verbs (lemmas) without a passive: their participle in a label is their past tense."""
STATIVE_VERBS = word_set("verbs", "stative_participles")
"""Participles that tell a state, not an event."""
OBJECTS_BY_VERB = word_map("verbs", "objects")
"""The noun for the object of a verb where the KG states no class of it."""
NOUNS_IN_ING = word_set("nouns", "nouns_in_ing")
"""Nouns in *-ing* that are no gerunds in labels."""
NOUNS_IN_EED = word_set("nouns", "nouns_in_eed")
"""Words in *-ed* that are no participles."""

AGENT_NOUNS = word_lists("occupations", "agent_nouns")
"""Agent nouns, each with (verb, tense): the tense in which a question uses the verb."""
SHARED_ROLES = word_set("occupations", "shared_roles")
"""Roles that a thing usually shares with others: one is *a* member, *a* part."""
GENERAL_PERSON_NOUNS = word_set("occupations", "general_persons")
"""Nouns for persons that say nothing else of them, and make no natural reference (*the human*)."""
OCCUPATION_NOUNS = word_set("occupations", "occupation_nouns")
"""Nouns whose values say what a person works as."""

EVENT_VERBS = word_lists("events", "verbs")
"""Nouns for events, each with (verb, participle after *be* or "", tense)."""
EVENT_NOUNS = frozenset(EVENT_VERBS) | word_set("events", "other_nouns")
"""Nouns for events: a question asks when they were."""

PLACE_NOUNS = word_set("places", "place_nouns")
"""Nouns for administrative and general places."""
WATER_NOUNS = word_set("places", "waters")
"""Waters, which *where* does not ask for."""
COUNTRY_NOUNS = word_set("places", "wide_places")
"""Places too wide for a plain *where*: a question asks *in which country*."""

MEASURE_ADJECTIVES = word_map("gradable_adjectives", "by_measure")
"""The adjective of *how ADJECTIVE* for the noun of a measure."""
FRACTIONAL_DATATYPES = word_set("units", "fractional_datatypes")
"""Datatypes of amounts that are no number of pieces."""

FULL_NOUNS = word_map("nouns", "full_nouns")
"""Short nouns and their full form."""
CATEGORY_NOUNS = word_set("relation_labels", "category_nouns")
"""Heads of nouns for categories."""
MEMBERSHIP_NOUNS = word_set("nouns", "membership_nouns")
"""Heads of nouns for what a thing belongs to."""
SHARED_MEMBERSHIP_HEADS = word_set("nouns", "shared_membership_heads")
"""Those of them that also name what nothing belongs to."""
LANGUAGE_NOUNS = word_set("nouns", "language_nouns")
"""Nouns for languages that a person speaks."""
WORK_LANGUAGE_NOUNS = word_set("nouns", "work_language_nouns")
"""Nouns for the languages that works are in."""
ROLE_NOUNS = word_set("occupations", "unique_roles")
"""Roles of things that no other thing has: the capital of a country."""
ORGANIZATION_AGENTS = word_set("occupations", "organization_agents")
"""Agent nouns that more often denote an organization than a person."""
SERVED_AGENTS = word_set("occupations", "served_agents")
"""Nouns for those whom others serve: persons or firms."""
WORK_KINDS = word_set("nouns", "work_kinds")
"""Kinds of works that are *by* an artist."""
NOT_HAD_NOUNS = PLACE_NOUNS | word_set("nouns", "not_had")
"""Heads of nouns that a question does not ask who *has*: "what is its date", not "what date does it have"."""
AMOUNT_NOUNS_IN_S = word_set("nouns", "amount_nouns_in_s")
"""Plural nouns for amounts."""

ADVERBS = word_set("function_words", "label_adverbs")
"""Adverbs that a predicate label may begin with."""
