"""Forms of English words in questions: verbs, possessives, articles, and names that are plural."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from chattyshared.language.inflection import (
    MASS_NOUNS,
    add_article,
    add_indefinite_article,
    class_noun,
    denote_persons,
    denote_places,
    head_noun,
    is_plural,
    plain_label,
    pluralize,
    singularize,
)
from chattyshared.language.lexicon import word_lists, word_set
from chattyshared.language.morphology import dictionary_lemma, is_english_word
from chattyshared.language.wordnet import has_sense, is_verb, noun_kinds

from chattygen.lexicalization.lexicon import (
    ADVERBS,
    AGENT_NOUNS,
    EVENT_VERBS,
    GENERAL_PERSON_NOUNS,
    INTRANSITIVE_VERBS,
    MEASURE_ADJECTIVES,
    NOUNS_IN_EED,
    NOUNS_IN_ING,
    PARTICLES,
    PREPOSITIONS,
    STATIVE_VERBS,
    VERBS,
    VERBS_ONLY,
)

IRREGULAR_VERBS = word_lists("verbs", "irregular")
"""Irregular verbs: base form to (past tense, past participle)."""
_BASE_BY_FORM = {form: base for base, forms in IRREGULAR_VERBS.items() for form in forms}
_BASE_BY_DONE = {done: base for base, (_, done) in reversed(IRREGULAR_VERBS.items())}
_BASE_BY_PAST = {past: base for base, (past, done) in reversed(IRREGULAR_VERBS.items()) if past != done}
ENCLOSURES = word_set("places", "enclosures")
"""Nouns for what has things in it."""
_INVARIANT = word_set("nouns", "invariant")
_DONE_BY_PERSONS, _BY_THINGS = word_set("verbs", "done_by_persons"), word_set("verbs", "done_by_things")
_GROUP_KINDS, _GATHERINGS = word_set("nouns", "group_kinds"), word_set("nouns", "gatherings")


def are_persons(kinds: Iterable[str]) -> bool:
    """Tell whether class labels, nearest first, denote persons. A machine is none, whatever the classes above it are
    called (an engine, a *prime mover*), nor is a part of one (the *runner* of a turbine)."""
    labels = [plain_label(kind) for kind in kinds]
    if not denote_persons(labels):
        return False
    nearest, *others = (noun_kinds(head_noun(label)) for label in labels)
    modifiers = (noun_kinds(word) for word in labels[0].split()[:-1])
    is_part = nearest[:2] == ("person", "artifact") and any(
        senses[:1] == ("artifact",) for senses in (*modifiers, *others[:1])
    )
    is_thing = nearest[:1] == ("artifact",) or is_part
    return not is_thing or any(head_noun(label) in GENERAL_PERSON_NOUNS for label in labels)


def are_agents(kinds: Iterable[str]) -> bool:
    """Tell whether class labels denote who can act: persons, or groups of them (a club, a firm)."""
    labels = tuple(kinds)
    heads = [head_noun(plain_label(label)) for label in labels]
    return are_persons(labels) or any(noun_kinds(head)[:1] == ("group",) or head in AGENT_NOUNS for head in heads)


def are_events(kinds: Iterable[str]) -> bool:
    """Tell whether class labels, nearest first, denote what takes place; a service that is a product does not."""
    nouns = [head_noun(plain_label(kind)) for kind in kinds]
    senses = [noun_kinds(noun) for noun in nouns]
    is_act = [each[:1] for each in senses[:1]] in ([("act",)], [("time",)]) and ("artifact",) not in [
        each[:1] for each in senses
    ]
    return is_act or not _GATHERINGS.isdisjoint(nouns) or any("event" in each[:2] for each in senses)


def is_mass_noun(noun: str) -> bool:
    """Tell whether a noun phrase has no plural: it takes ``is``, and a count of it counts pieces."""
    words = noun.partition(" of ")[0].split()
    return bool(words) and words[-1].lower() in MASS_NOUNS


def class_noun_of(label: str) -> str:
    """Return the noun for the members of a class in a question: *season* for *season of a competition*."""
    return re.sub(r" of an? .+$", "", class_noun(label))


def counted_noun_of(kinds: Iterable[str]) -> str:
    """Return the singular noun for members that are counted: of the nearest class whose noun has a plural, or an item.

    Pieces of hardware are products; if no class above says so, they are hardware items. Without classes, it is "".
    """
    nouns = [class_noun_of(kind) for kind in kinds]
    counted = (noun for noun in nouns if not is_mass_noun(noun))
    return next(counted, f"{nouns[0]} item") if nouns else ""


def name_in_sentence(name: str, kinds: Iterable[str]) -> str:
    """Return a name for use within a sentence: with ``the`` where it takes one, and in quotation marks if it ends with
    a question or exclamation mark (``"Who Goes There?"``)."""
    labels = tuple(kinds)
    if name.endswith(("?", "!")) and '"' not in name:
        return f'"{name}"'
    return f"the {name}" if _describes(name, labels) else add_article(name, labels)


def _describes(name: str, kinds: tuple[str, ...]) -> bool:
    """Tell whether a name is made of common words that describe a thing, the last one for its kind (the *East Room*),
    but no person, and no place as on a map (*Lime Street*)."""
    words, heads = name.lower().split(), {head_noun(plain_label(kind)) for kind in kinds}
    is_built = not ENCLOSURES.isdisjoint(heads) and noun_kinds(words[-1])[:1] == ("artifact",)
    if not (name[:1].isupper() and (is_built or words[-1] in heads)) or are_persons(kinds) or denote_places(kinds):
        return False
    return "the" not in words and all(has_sense(word, "n", "a") for word in words)


def possessive_form(name: str) -> str:
    """Return a name or a noun with its possessive ending: ``James'``, ``the bridges'``, ``the class's``."""
    last = name.rpartition(" ")[2]
    is_bare = name.endswith(("s", "S")) and (is_plural(last) or last in _INVARIANT or not last.islower())
    return f"{name}'" if is_bare else f"{name}'s"


def lemmatize_verb(word: str) -> str:
    """Return the base form of a verb."""
    if word in IRREGULAR_VERBS:
        return word
    if re.search(r"(?:ss|sh|ch|x|zz)es$", word):
        return word[:-2]
    return _BASE_BY_FORM.get(word) or dictionary_lemma(word).lower()


def base_of_participle(word: str) -> str:
    """Return the base form of a past participle: *found* is of *find*, not a verb of its own."""
    return _BASE_BY_DONE.get(word) or lemmatize_verb(word)


def base_of_gerund(word: str) -> str:
    """Return the base form of a word in *-ing* (``handle``, ``run``); "" if no verb has it."""
    stem = word.removesuffix("ing")
    bases = (f"{stem}e", stem, stem[:-1] if stem[-1:] == stem[-2:-1] else "")
    return next((base for base in bases if stem != word and is_verb(base)), "")


def is_participle(word: str) -> bool:
    """Tell whether a word is a past participle."""
    if word in _BASE_BY_DONE or len(word) < 4 or not word.endswith("ed"):
        return word in _BASE_BY_DONE
    base = lemmatize_verb(word)
    return base != word and (len(word) > 4 or is_verb(base))


def past_participle(verb: str) -> str:
    """Return the past participle of a base form."""
    return IRREGULAR_VERBS[verb][1] if verb in IRREGULAR_VERBS else _regular(verb)


def past_tense(verb: str) -> str:
    """Return the past tense of a base form."""
    return IRREGULAR_VERBS[verb][0] if verb in IRREGULAR_VERBS else _regular(verb)


_UNCHANGED = word_set("verbs", "unchanged")
_DOUBLING = word_set("verbs", "doubling")


def _regular(verb: str) -> str:
    if verb in _UNCHANGED:
        return verb
    if verb in _DOUBLING:
        return f"{verb}{verb[-1]}ed"
    if verb.endswith("e"):
        return f"{verb}d"
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ied"
    if re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprt]", verb):
        return f"{verb}{verb[-1]}ed"
    return f"{verb}ed"


def third_person(verb: str) -> str:
    """Return the third person singular of a base form."""
    if verb in ("be", "have", "do", "go"):
        return {"be": "is", "have": "has", "do": "does", "go": "goes"}[verb]
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", verb) else f"{verb}s"


def form_of_be(tense: str, several: bool) -> str:
    """Return the form of ``be``."""
    return (("is", "are"), ("was", "were"))[tense == "past"][several]


def finite_form(verb: str, tense: str, several: bool) -> str:
    """Return the form of a verb behind its subject: ``is``, ``wrote``, ``belong``."""
    if verb == "be":
        return form_of_be(tense, several)
    return past_tense(verb) if tense == "past" else verb if several else third_person(verb)


def auxiliary_and_verb(verb: str, tense: str, several: bool) -> tuple[str, str]:
    """Return what stands before and behind the subject of a question: (``does``, ``own``), (``is``, "")."""
    if verb == "be":
        return form_of_be(tense, several), ""
    return "did" if tense == "past" else "do" if several else "does", verb


def join_words(*parts: str) -> str:
    """Join the parts that are not empty with blanks."""
    return " ".join(part for part in parts if part)


def is_plural_name(name: str, kinds: Iterable[str]) -> bool:
    """Tell whether a name takes a verb in the plural: the plural name of a group of people (``The Beatles``), or a
    description (``the Red wellington boots``).

    Plural names of other things (islands, games) are as often used in the singular, and do not count.
    """
    words = name.split()
    if len(words) < 2 or words[0].lower() != "the" or not is_plural(words[-1].lower()):
        return False
    words_of_kinds = {word for kind in kinds for word in plain_label(kind).lower().split()}
    return words[-1].islower() or bool(words_of_kinds & _GROUP_KINDS)


def base_of_verb(word: str) -> str:
    """Return the base form of any form of a verb: *found* is of *find*, *lay* of *lie*."""
    return _BASE_BY_PAST.get(word) or base_of_participle(word)


def tense_of_verb(word: str) -> str:
    """Return ``past`` for a past tense and for a participle of an event, ``present`` for any other form."""
    is_past = word in _BASE_BY_PAST or is_participle(word)
    return "past" if is_past and word not in STATIVE_VERBS else "present"


def _tense_of_acts(word: str) -> str:
    """Return the tense in which an agent noun's verb is used, of a form of it: past for *selling* and *made* (by)."""
    base = base_of_gerund(word) or base_of_verb(word)
    return "past" if [base, "past"] in map(list, AGENT_NOUNS.values()) else tense_of_verb(word)


def _is_had(noun: str) -> bool:
    """Tell whether a noun is for what persons have somewhere, as they are none: a workshop, a branch."""
    return noun_kinds(noun)[:1] in (("artifact",), ("group",)) and not has_sense(noun, "a") and noun not in AGENT_NOUNS


def _is_known_verb(word: str) -> bool:
    base = lemmatize_verb(word)
    return (base in VERBS or base in VERBS_ONLY) and (word.endswith("s") or word == base)


def _denotes_thing(word: str) -> bool:
    is_thing = noun_kinds(word)[:1] in (("communication",), ("artifact",)) and not has_sense(word, "a")
    return is_thing and not is_plural(word)


def _is_third_person(word: str) -> bool:
    base = lemmatize_verb(word)
    return word == third_person(base) != base


def _verb_of_event(noun: str) -> tuple[str, ...]:
    """Return the verb of an event, its participle after *be* or "", and its tense."""
    return tuple(EVENT_VERBS.get(noun, ("be", noun, "past")))


WORD_CLASSES: Mapping[str, Callable[[str], bool]] = dict(
    preposition=PREPOSITIONS.__contains__,
    adjective=lambda word: has_sense(word, "a") and not noun_kinds(word),
    particle=PARTICLES.__contains__,
    adverb=lambda word: word in ADVERBS or word.endswith("ly"),
    participle=is_participle,
    participle_only=lambda word: is_participle(word) and word not in NOUNS_IN_EED,
    past=_BASE_BY_PAST.__contains__,
    past_only=lambda word: any(word == past for past, _ in IRREGULAR_VERBS.values()) and not noun_kinds(word),
    verb=_is_known_verb,
    like_verb=lambda word: word[-1] == "s" and word[-2:] not in ("ss", "us", "is") and lemmatize_verb(word) != word,
    third_person_of_verb=lambda word: _is_third_person(word) and is_verb(lemmatize_verb(word)),
    like_third_person=lambda word: _is_third_person(word) and not noun_kinds(lemmatize_verb(word)),
    third_person=lambda word: all(WORD_CLASSES[name](word) for name in ("third_person_of_verb", "like_third_person")),
    form_of_verb_only=lambda word: lemmatize_verb(word) in VERBS_ONLY,
    gerund=lambda word: word not in NOUNS_IN_ING and lemmatize_verb(word) != word,
    gerund_only=lambda word: word not in NOUNS_IN_ING and lemmatize_verb(word) != word and not noun_kinds(word),
    intransitive=lambda word: is_participle(word) and lemmatize_verb(word) in INTRANSITIVE_VERBS,
    act=lambda word: word not in NOUNS_IN_ING and base_of_gerund(word) != "",
    person=lambda word: denote_persons([word]),
    unknown=lambda word: not all(is_english_word(part) or has_sense(part) for part in word.split("-")),
    single_person=lambda word: denote_persons([word]) and not is_plural(word),
    person_only=lambda word: noun_kinds(word)[:1] == ("person",),
    actor=lambda word: denote_persons([word]) and word not in AGENT_NOUNS,
    thing=_denotes_thing,
    event=lambda word: word in EVENT_VERBS or (is_participle(word) and base_of_participle(word) != word),
    group=lambda word: noun_kinds(word)[:1] in (("group",), ("person",)) and word not in AGENT_NOUNS,
    had=_is_had,
    by_things=lambda word: is_participle(word) and base_of_participle(word) in _BY_THINGS,
    done_by_persons=lambda word: is_participle(word) and base_of_participle(word) in _DONE_BY_PERSONS,
)
"""What a word in lower case may be, for the conditions of rows."""
WORD_FORMS: Mapping[str, Callable[[str], str]] = dict(
    a=lambda noun: noun if is_plural(noun) or noun.startswith(("a ", "an ", "the ")) else add_indefinite_article(noun),
    plural=pluralize,
    singular=singularize,
    base=lambda word: base_of_verb(word.lower()),
    gerund_base=base_of_gerund,
    gerund_tense=_tense_of_acts,
    done=past_participle,
    tense=tense_of_verb,
    act_tense=_tense_of_acts,
    adjective=lambda noun: MEASURE_ADJECTIVES.get(noun.lower()) or MEASURE_ADJECTIVES[noun.lower().split()[-1]],
    agent_verb=lambda noun: str(AGENT_NOUNS[noun][0]),
    agent_tense=lambda noun: str(AGENT_NOUNS[noun][1]),
    event_verb=lambda noun: _verb_of_event(noun)[0],
    event_done=lambda noun: _verb_of_event(noun)[1],
    event_tense=lambda noun: _verb_of_event(noun)[2],
)
"""The forms of words that a slot of a row may name."""
