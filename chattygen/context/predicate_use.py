"""What a predicate can carry at the things of a class, by how these use it: closed questions, yes-no, conditions.

Plans and lint ask the same claims. A class whose statistics cannot be read is unknown: its predicates are open, and
nothing else is claimed of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal as Choice

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.class_statistics import ClassStatistics, PredicateAtClass
from chattyshared.language.inflection import denote_persons, denote_places, head_noun, plain_label
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import is_english_word
from chattyshared.language.scripts import WORD
from chattyshared.language.wordnet import noun_kinds
from chattyshared.literals import parse_moment, read_number
from chattyshared.question_forms import FORM_BY_NAME
from chattyshared.terms import DATE_DATATYPES, NUMERIC_DATATYPES, Term, iri_to_words
from rdflib import RDF, Literal, URIRef

from chattygen.context.facts import MAX_FEW, Fact, Shape
from chattygen.context.subgraph import class_labels_of
from chattygen.lexicalization.lexicon import CATEGORY_NOUNS, COUNTRY_NOUNS, PLACE_NOUNS, WORK_KINDS
from chattygen.lexicalization.predicate_lexicalization import lexicalize_predicate
from chattygen.lexicalization.step_lexicalization import names_container

ValueKind = Choice["unknown", "entity", "measure", "code", "contact", "category", "text"]
"""What the values of a predicate are: entities; numbers and dates; flags and codes; phone numbers and e-mail addresses;
the names of a few categories; other texts."""

CLOSED_SHARE = 0.95
"""Share of a class, 0..1, that states a predicate which questions may close over; from the issue that asked for it."""
CONSTANT_SHARE = 0.95
"""Share of the things with a value, 0..1, that have the most frequent one of a constant predicate; set by hand."""
UNIQUE_SHARE = 0.9
"""Distinct values per triple, 0..1, of a predicate whose values identify things; set by hand."""
MIN_THINGS = 5
"""Things with a value: the fewest that show whether a predicate is constant or unique; set by hand."""
MAX_CATEGORY_WORDS = 4
"""Words of a category's name; set by hand."""
SINGLE_VALUE_RULE = 1.5
"""Values per thing: with fewer, one value is the rule; set by hand."""
MIN_COUNTED = 2
"""Values: the fewest that a question counts; set by hand."""
MAX_COUNTED = 12
"""Values: the most that a question counts; set by hand."""
MIN_OWN_PREDICATES = 2
"""Predicates of a class, beside types and names, from which its members are things and no categories; set by hand."""
INVERSE_VALUE_RULE = 1.2
"""Things per thing that point to it: with more, a question leaves open how many; set by hand."""
MAX_REMEMBERED = 20_000
"""Predicates of classes whose use is kept."""
MAX_CODE = 4
"""Letters of a code in capitals, at most; set by hand."""
TYPICAL_SHARE = 0.9
"""Share of the sampled values, 0..1, that decides what the values of a predicate are; set by hand."""
FIRST_YEAR, LAST_YEAR = 100, 2_200
"""Positive numbers that may be years, both included; set by hand."""
_KIND_BY_SHAPE: dict[Shape, ValueKind] = {
    "entity": "entity", "number": "measure", "date": "measure", "text": "category", "boolean": "category",
}  # fmt: skip
_UNASKED = word_set("relation_labels", "unasked")
_CONTAINING = word_set("relation_labels", "narrower_than", "wider_than", "subclass_of")
_NEVER_WHOLE = word_set("relation_labels", "never_whole")
_FLAG_OR_CODE = re.compile(r"[A-Za-z]{1,2}|[A-Z]{3}|[A-Z][a-z]?(?: [A-Z]| \d\w*)+|[01]|(?i:yes|true|false)")
NUMBERINGS = frozenset({"number", "no", "nr", "code"})
"""Last words of labels of predicates whose numbers only tell things apart."""
_CODE_NOUNS = word_set("relation_labels", "identifiers") | NUMBERINGS
_PERSONS_IN_GENERAL = frozenset({"person", "human", "people", "individual"})
WORLDWIDE = word_set("places", "wide_places") | {"language"}
"""Nouns for what things all over the world share: nobody can count these."""
_POPULATED = frozenset({"language", "occupation", "profession", "religion", "gender"})
_CONTACT = re.compile(r"\S+@\S+\.\w+|[+(]?\d[\d ()/.-]{5,}\d")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*(?: ?%| \w{1,3})?")


def is_open(kg: KnowledgeGraph, class_iri: str, predicate: str) -> bool:
    """Tell whether the graph leaves out a predicate of some things of a class: no question may close over it."""
    statistics, use = kg.class_statistics(class_iri), _find_use(kg, class_iri, predicate)
    return statistics is None or use is None or use.thing_count < CLOSED_SHARE * statistics.size


def is_single_valued(kg: KnowledgeGraph, class_iri: str, predicate: str, *, is_inverse: bool = False) -> bool:
    """Tell whether one value is the rule where the things of a class have a predicate; not if unknown."""
    use = _find_use(kg, class_iri, predicate, is_inverse=is_inverse)
    return use is not None and use.triple_count < SINGLE_VALUE_RULE * use.thing_count


def allows_several(kg: KnowledgeGraph, class_iri: str, fact: Fact) -> bool:
    """Tell whether a thing of a class may have several values of a fact: one is not the rule, or, of what points to the
    things, some have several."""
    for near, _, predicate, is_inverse in _hops_of(class_iri, fact):
        use = _find_use(kg, near, predicate, is_inverse=is_inverse)
        rule = INVERSE_VALUE_RULE if is_inverse else SINGLE_VALUE_RULE
        if use is not None and use.triple_count > rule * use.thing_count:
            return True
    return False


def is_constant(kg: KnowledgeGraph, class_iri: str, predicate: str) -> bool:
    """Tell whether nearly all things of a class that have a predicate have the same value."""
    use = _find_use(kg, class_iri, predicate)
    if use is None or use.thing_count < MIN_THINGS or not use.values:
        return False
    return use.value_count == 1 or use.values[0][1] >= CONSTANT_SHARE * use.sample_count


def is_near_unique(kg: KnowledgeGraph, class_iri: str, predicate: str) -> bool:
    """Tell whether the texts or entities of a predicate identify the things of a class, as addresses do."""
    use = _find_use(kg, class_iri, predicate)
    if use is None or kind_of_values(kg, class_iri, predicate) in ("unknown", "measure"):
        return False
    return use.thing_count >= MIN_THINGS and use.value_count >= UNIQUE_SHARE * use.triple_count


def kind_of_values(kg: KnowledgeGraph, class_iri: str, predicate: str) -> ValueKind:
    """Tell what the values of a predicate are at the things of a class."""
    use = _find_use(kg, class_iri, predicate)
    if use is None or not use.values:
        return "unknown"
    kind = _kind_of_values(use)
    if kind != "measure":
        return kind
    is_numbering = use.value_count >= UNIQUE_SHARE * use.triple_count
    is_numbering &= kg.label(URIRef(predicate)).casefold().rpartition(" ")[2] in _CODE_NOUNS
    return "code" if is_numbering or _is_misnamed(kg, use) else kind


def _is_misnamed(kg: KnowledgeGraph, use: PredicateAtClass) -> bool:
    """Tell whether a predicate has the name of an event, but numbers that are no years: *directed* 9 (films)."""
    entry = kg.vocabulary.predicates.get(use.iri)
    frame = lexicalize_predicate(kg.spoken_name(URIRef(use.iri)), entry.comment if entry else "", "number")
    numbers = [read_number(value) for value, _ in use.values]
    years = [number < 0 or FIRST_YEAR <= number <= LAST_YEAR for number in numbers if number is not None]
    return frame.tells_year and bool(years) and not _are_typical(years)


def sensible_forms(kg: KnowledgeGraph, class_iri: str, fact: Fact) -> Iterator[str]:
    """Yield the forms of a fact about a thing of a class that a person would ask.

    There are none for constants, flags and codes, nor for what no graph holds wholly: a population, or a single thing
    of a country or a language; nor where an open predicate
    leads back to ``MAX_FEW`` things or fewer (of more, people ask which are on record: ``is_partial``), or where
    a thing may contain others (``is_nested``); nor does a predicate named after the kind of its object lead back from
    one of several. A yes-no question is about a relation that people confirm, a count about some things (2 to 12) where
    one value is not the rule.
    """
    hops = list(_hops_of(class_iri, fact))
    near_class, _, predicate, is_inverse = hops[-1]
    label, is_wide = fact.last_step.label, False
    is_closed = not any(_is_open_at(kg, subject_classes, iri) for _, subject_classes, iri, _ in hops)
    is_single = all(is_single_valued(kg, near, iri, is_inverse=inverse) for near, _, iri, inverse in hops)
    if label.lower() in _UNASKED or label.lower().startswith("to "):
        return
    frame = lexicalize_predicate(label, fact.last_step.comment, "entity")
    if frame.noun == "part" and not is_inverse and denote_persons(fact.class_labels):  # the parts of a band
        return
    if fact.shape == "boolean":
        is_asked = not (fact.last_step.hops or is_constant(kg, near_class, predicate))
        yield from fact.forms if is_asked else ()
        return
    if is_inverse:
        owner = class_labels_of(kg, class_iri)
        is_wide = not WORLDWIDE.isdisjoint(map(head_noun, owner))
        is_sample = not fact.class_labels or (fact.count <= MAX_FEW and not is_closed)
        is_gap = fact.count == 1 and (is_wide or names_category(*owner))
        is_gap |= is_wide and len(fact.end_classes) > 1  # all the works in a language
        is_gap |= denote_places(owner) and denote_works(fact.class_labels)  # the albums recorded in a city
        is_kind = names_container(label, owner, fact.class_labels) and (
            len(hops) > 1 or any(not is_single_valued(kg, iri, predicate) for iri in fact.end_classes)
        )
        is_nest = is_nested(kg, class_iri) and not _names_containment(label, predicate)
        if is_sample or is_gap or is_kind or is_nest or is_population(owner, fact.class_labels, label):
            return
    kind = "entity" if is_inverse else kind_of_values(kg, near_class, predicate)
    if kind == "code" or (not is_inverse and is_constant(kg, near_class, predicate)):
        return
    can_confirm = (is_closed or is_single) and is_confirmed(fact, kind)
    can_confirm &= not any(is_nested(kg, iri) for iri in fact.end_classes)
    can_count = MIN_COUNTED <= fact.count <= MAX_COUNTED and (is_inverse or not is_single) and not is_wide
    can_count = can_count and are_things(kg, fact)
    for form in map(FORM_BY_NAME.__getitem__, fact.forms):
        if (can_confirm or not form.is_yes_no) and (can_count or not form.is_count):
            yield form.name


def is_partial(kg: KnowledgeGraph, class_iri: str, fact: Fact) -> bool:
    """Tell whether the graph may hold a part of a fact's values only: of a predicate that it leaves out of some things,
    and of works, which it seldom holds all."""
    hops = _hops_of(class_iri, fact)
    return denote_works(fact.class_labels) or any(_is_open_at(kg, subjects, iri) for _, subjects, iri, _ in hops)


def is_nested(kg: KnowledgeGraph, class_iri: str) -> bool:
    """Tell whether things of a class contain each other, as subjects and areas do: a set or a truth by one of them
    would have to follow the narrower ones."""
    statistics, entries = kg.class_statistics(class_iri), kg.vocabulary.predicates
    uses = statistics.predicates if statistics is not None else ()
    return any(
        use.iri in entries
        and class_iri in entries[use.iri].ranges
        and _names_containment(entries[use.iri].label, use.iri)
        for use in uses
        if not use.is_inverse
    )


@lru_cache(maxsize=MAX_REMEMBERED)
def _names_containment(label: str, iri: str) -> bool:
    """Tell whether a predicate says by its label or its name that one thing contains another."""
    return not _CONTAINING.isdisjoint(" ".join(WORD.findall(text.casefold())) for text in (label, iri_to_words(iri)))


def is_confirmed(fact: Fact, kind: ValueKind) -> bool:
    """Tell whether people ask for a yes or a no about a fact with values of a kind: a verb or a preposition says it
    (directed by, located in), or its values are places that the thing is in, or persons."""
    label = fact.last_step.label
    if kind not in ("entity", "category") or names_category(label, *fact.class_labels[:1]):
        return False
    frame = lexicalize_predicate(label, fact.last_step.comment, fact.shape)
    if frame.clauses or fact.last_step.direction == "in" or head_noun(frame.noun) in PLACE_NOUNS:
        return True
    return kind == "entity" and denote_persons((frame.noun, *fact.class_labels))


def are_things(kg: KnowledgeGraph, fact: Fact) -> bool:
    """Tell whether the values of a fact are things, not categories: the graph states other facts of their classes than
    types and names."""
    if fact.shape != "entity" or names_category(*fact.class_labels[:1], fact.last_step.label):
        return False
    return bool(fact.end_classes) and all(_own_predicates(kg, iri) >= MIN_OWN_PREDICATES for iri in fact.end_classes)


def is_worldwide(fact: Fact) -> bool:
    """Tell whether a fact leads to what things all over the world share: a country, a language."""
    return not WORLDWIDE.isdisjoint(map(head_noun, (fact.last_step.label, *fact.class_labels)))


def denote_works(class_labels: Sequence[str]) -> bool:
    """Tell whether the nearest class is one of works or awards, of which a graph seldom holds all."""
    head = head_noun(next(iter(class_labels), "").lower())
    return head in WORK_KINDS or head in ("prize", "medal") or "communication" in noun_kinds(head)[:2]


def names_category(*labels: str) -> bool:
    """Tell whether a label names a category: a genre, an occupation, a unit."""
    return not CATEGORY_NOUNS.isdisjoint(head_noun(plain_label(label)) for label in labels)


def _own_predicates(kg: KnowledgeGraph, class_iri: str) -> int:
    """Return how many predicates the things of a class have, beside types, names and metadata."""
    statistics, profile = kg.class_statistics(class_iri), kg.profile
    skipped = {str(RDF.type), *profile.types, *profile.labels, *profile.alt_labels, *profile.metadata}
    uses = statistics.predicates if statistics is not None else ()
    return sum(not use.is_inverse and use.iri not in skipped for use in uses)


def _hops_of(class_iri: str, fact: Fact) -> Iterator[tuple[str, tuple[str, ...], str, bool]]:
    """Yield, for each predicate that the last step of a fact walks, the class before it, the classes of its subjects,
    the predicate, and whether it is walked backwards."""
    step = fact.last_step
    classes = ((class_iri,), *(((step.node_class,),) if step.hops else ()), fact.end_classes)
    for (near, far), (predicate, direction) in zip(pairwise(classes), step.path, strict=True):
        yield near[0], far if direction == "in" else near, predicate, direction == "in"


def _is_open_at(kg: KnowledgeGraph, subject_classes: Sequence[str], predicate: str) -> bool:
    return not subject_classes or any(is_open(kg, iri, predicate) for iri in subject_classes)


def is_population(owner_labels: Sequence[str], member_labels: Sequence[str], predicate_label: str) -> bool:
    """Tell whether a predicate leads back from a place, a language or the like to persons in general, or by its label
    to citizens or speakers, or from a country to its places. No graph holds all that share such a value.

    The labels of classes are nearest first.
    """
    if " ".join(WORD.findall(predicate_label.casefold())) in _NEVER_WHOLE:
        return True
    if not COUNTRY_NOUNS.isdisjoint(map(head_noun, owner_labels[:1])) and denote_places(member_labels):
        return True
    is_shared = denote_places(owner_labels) or not _POPULATED.isdisjoint(map(head_noun, owner_labels))
    return is_shared and head_noun(next(iter(member_labels), "")) in _PERSONS_IN_GENERAL


def is_condition(kg: KnowledgeGraph, class_iri: str, predicate: str, shape: Shape) -> bool:
    """Tell whether things of a class that all state a predicate can be selected by values of a shape: they differ but
    are shared, and they are entities, typed measures or categories."""
    if is_constant(kg, class_iri, predicate) or is_near_unique(kg, class_iri, predicate):
        return False
    return kind_of_values(kg, class_iri, predicate) == _KIND_BY_SHAPE[shape]


def looks_like_measure(text: str) -> bool:
    """Tell whether a text is a number, also with a short unit, or a date."""
    return _NUMBER.fullmatch(text.strip()) is not None or parse_moment(text) is not None


@lru_cache(maxsize=MAX_REMEMBERED)
def _kind_of_values(use: PredicateAtClass) -> ValueKind:
    values = [value for value, _ in use.values]
    kind = kind_of_terms(values)
    is_shared = use.value_count < UNIQUE_SHARE * use.triple_count
    is_short = _are_typical(len(str(value).split()) <= MAX_CATEGORY_WORDS for value in values)
    return "category" if kind == "text" and is_shared and is_short else kind


def kind_of_terms(values: Sequence[Term]) -> ValueKind:
    """Tell what some values of one predicate are; categories are texts here."""
    if _are_typical(isinstance(value, URIRef) for value in values):
        return "entity"
    texts = [str(value).strip() for value in values]
    if _are_typical(_FLAG_OR_CODE.fullmatch(text) is not None or _is_short_code(text) for text in texts):
        return "code"
    if _are_typical(_is_measure(value) for value in values):
        return "measure"
    return "contact" if _are_typical(_CONTACT.fullmatch(text) is not None for text in texts) else "text"


def _is_short_code(text: str) -> bool:
    """Tell whether a text is of four capitals that make no word (``SETL``)."""
    return text.isupper() and text.isalpha() and len(text) <= MAX_CODE and not is_english_word(text.lower())


def _find_use(
    kg: KnowledgeGraph, class_iri: str, predicate: str, *, is_inverse: bool = False
) -> PredicateAtClass | None:
    statistics = kg.class_statistics(class_iri)
    return _use_in(statistics, predicate, is_inverse) if statistics is not None else None


@lru_cache(maxsize=MAX_REMEMBERED)
def _use_in(statistics: ClassStatistics, predicate: str, is_inverse: bool) -> PredicateAtClass | None:
    return statistics.find(predicate, is_inverse=is_inverse)


def _are_typical(claims: Iterable[bool]) -> bool:
    """Tell whether a claim holds of nearly all values."""
    listed = list(claims)
    return sum(listed) >= TYPICAL_SHARE * len(listed)


def _is_measure(value: Term) -> bool:
    """Tell whether a value is a number, a date or a year, by its datatype or its look."""
    if isinstance(value, Literal) and value.datatype in NUMERIC_DATATYPES | DATE_DATATYPES:
        return True
    return looks_like_measure(str(value))
