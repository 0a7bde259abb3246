"""Judgement: whether a reading and the links of its relations say what the question says, and can be true.

The one place where a query is refused: by what it denies, by the types of what it relates, by its size, and by the
words that it leaves out. REFUSALS has the sentence of each refusal of the staged strategy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from chattyshared.dialogue import ReasonCode
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry, Vocabulary
from chattyshared.language.languages import language_of
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import (
    analyze_phrase,
    lemma_of,
    normalize_text,
    parse_degree,
    quantities_of,
    related_stems,
)
from chattyshared.language.quantities import unit_ratio
from chattyshared.language.tokenizer import Token, tokenize
from chattyshared.language.wordnet import hypernyms, is_verb
from chattyshared.text import join_texts

from chattykg.linking.answer_types import (
    ExpectedType,
    are_time_classes,
    class_type_fit,
    expected_answer_type,
    is_date_predicate,
    may_be_of_kind,
    truth_values,
)
from chattykg.linking.class_linking import ClassLink
from chattykg.linking.coverage import dropped_modifiers, restricting_words, unknown_first, unmatched_words
from chattykg.linking.label_lexicon import correct_spelling, lexicon_of
from chattykg.linking.predicate_candidates import LinkedRelation
from chattykg.linking.property_paths import has_labels
from chattykg.linking.relation_phrases import is_function_phrase, is_light_verb_phrase
from chattykg.linking.similarity import lexical_similarity
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, QuestionReading, is_unknown
from chattykg.query.composition import Query
from chattykg.query.grounding import GroundedQIR, QueryContext
from chattykg.query.units import kept_units, selected_unit

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
_CLASH_FACTOR = 0.55
"""Factor (0..1) of two relations that need disjoint classes of one unknown."""
_UNKNOWN_AGREEMENT_FACTOR = 0.95
"""Factor (0..1) of two relations of which one has no known class."""
_ECHO_FACTOR = 0.6
"""Factor (0..1) of two phrases that lead to one unknown by the same predicate."""
_SURE_CLASS_SCORE = 0.95
"""Score (0..1) of a class mention from which the question asks for members of the class."""
_AUXILIARIES = word_set("function_words", "auxiliaries")
_TRUTH_WORDS = _AUXILIARIES | {"whether", "if", "true"}
_QUESTION_WORDS = word_set("function_words", "question_words")
_JOINTS = frozenset("and but so or then".split())
"""Words before a question that belong to the conversation."""
_ADDRESSED = frozenset("you i we there anybody anyone somebody".split())
"""Subjects of requests and of questions whether something exists, which a list answers as well."""
_UNIVERSALS = frozenset("all every each".split())
_EXTREMES = frozenset("most least".split())
_ASKED_NOUN = re.compile(r"\bwhich\s+(\w+)", re.IGNORECASE)
_TIME_QUANTITIES = frozenset(("date", "year", "time", "duration"))
_MAX_ROWS = 5_000_000
"""Estimated rows of the largest join that is run."""


MAX_DOUBTED = 2
"""Restricting words that a reading may leave out: its query may say them in other words."""
_MIN_TEXT_SCORE = 0.7
"""Score (0..1) that a predicate needs to state a text that no vertex has as label."""
_WEAK_SCORE = 0.6
"""Predicate score (0 to 1) below which each word of the relation phrase must be one of the predicate."""
_MIN_NAME_SIMILARITY = 0.4
"""Similarity (0..1) of a relation phrase and a name of its predicate from which that may be asked for alone."""
_WIDER_LEVELS = 3
"""Levels above a noun of a label on which a word of the question says the same."""

REFUSALS: Mapping[str, tuple[ReasonCode, str]] = {
    "denial": ("unknown-qualifier", "it is not clear what the question denies."),
    "unchecked": ("unknown-qualifier", "nobody can check in a graph what depends on {words}."),
    "uncovered": ("unknown-qualifier", "it is not clear how {words} belongs to the rest of the question."),
    "unknown-words": ("unknown-qualifier", "this graph does not know {words}."),
    "unknown-name": ("unknown-name", "this graph does not know {words}."),
    "not-meant": ("unknown-name", "nothing in this graph that is like {words} is meant."),
    "not-stated-of": ("unknown-relation", "the graph does not state {words} of {subject}."),
    "nothing-fits": ("unknown-relation", "the graph has nothing that fits {words}."),
    "nothing": ("unknown-relation", "the graph has nothing that fits."),
    "no-predicate": ("unknown-relation", "no relation of this graph gives what the question asks for."),
    "form": ("too-unsure", "nothing in this graph gives what the question asks for."),
    "weak": ("too-unsure", "nothing in this graph fits the question closely enough."),
    "unsure": ("too-unsure", "the best answer is too unsure ({subject})."),
    "no-referent": ("missing-referent", "nobody named what the question refers to."),
    "no-statement": ("not-stated", "no statement of a graph answers this question."),
    "mixed-units": ("too-unsure", "the graph states some of these values in {words}; they are not compared."),
    "other-unit": ("unknown-qualifier", "the graph states these values in {subject}, which are no {words}."),
    "unread-words": ("too-unsure", "this graph does not know {words}."),
    "unread": (
        "too-unsure",
        "I could not read how the words of this question belong together; please say it in other words.",
    ),
    "unusable": ("too-unsure", "the model's reply cannot be used ({subject})."),
    "no-reading": ("too-unsure", "the model's reply represents no question."),
    "beyond": (
        "too-unsure",
        "the staged strategy cannot build the query that this question needs; the direct strategy may.",
    ),
}
"""The reason and the sentence of each refusal; what stands in braces is filled in."""


AskedType = tuple[ExpectedType, frozenset[str], bool, bool]
"""A type of answers, the classes of one of which an answer must be (none: of any), whether a superlative measures
something else than time ("most expensive"), and whether "which" asks for things of a named class."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal of the table, with the words and the thing that its sentence names."""

    kind: str
    words: tuple[str, ...] = ()
    subject: str = ""

    @property
    def code(self) -> ReasonCode:
        """The reason."""
        return REFUSALS[self.kind][0]

    @property
    def sentence(self) -> str:
        """What ends the sentence "I do not know, because"."""
        words = join_texts([f'"{word[:60]}"' for word in dict.fromkeys(self.words)], "or")
        return REFUSALS[self.kind][1].format(words=words, subject=self.subject)


# ------------------------------------------------------------------------------------------------------------ readings
def judge_readings(
    question: str, readings: Sequence[QuestionReading], card: VocabularyCard
) -> tuple[tuple[QuestionReading, ...], Refusal | None]:
    """Return the readings that say what a question says, and why it may have no answer.

    It has none if there is no such reading; it may have none if the best one leaves out more than `MAX_DOUBTED` words.
    """
    formed = [reading for reading in readings if agrees_with_form(question, reading.qir)]
    if not formed:
        return (), Refusal("form")
    stated = [reading for reading in formed if not drops_negation(question, reading.qir)]
    if not stated:
        return (), Refusal("denial")
    complete = (r for r in stated if not dropped_modifiers(question, r.qir, r.unused) and _names_measure(r.qir))
    stated = [*complete] or stated
    if unchecked := unchecked_words(question, stated[0].qir):
        return (), Refusal("unchecked", unchecked)
    left_out = {reading: restricting_words(question, reading.unused, reading.qir) for reading in stated}
    kept = tuple(reading for reading, words in left_out.items() if len(words) <= MAX_DOUBTED)
    if len(left_out[stated[0]]) <= MAX_DOUBTED:
        return kept, None
    return kept, Refusal("unknown-words", unknown_first(min(filter(None, left_out.values()), key=len), card))


def _names_measure(qir: QIR) -> bool:
    """Tell whether the relation to the value by which a QIR sorts has words."""
    if qir.order is None or qir.order.count:
        return True
    phrases = [triple.relation for triple in qir.triples if qir.order.by in triple.ends()]
    return not phrases or not all(map(is_function_phrase, phrases))


def agrees_with_form(question: str, qir: QIR) -> bool:
    """Tell whether a QIR asks for what the question's form asks for: a truth value, or something else.

    A choice ("is X or Y longer?") and a request ("do you know ...?") have the form of a yes-or-no question; words
    without an auxiliary ("piers opened before 2000") have not. In a language without a list of auxiliaries all agree.
    """
    tokens = _form_words(question)
    if not tokens or not language_of(question).words("function_words", "auxiliaries"):
        return True
    if len(tokens) > 1 and tokens[0].lower in _AUXILIARIES and tokens[1].lower not in _ADDRESSED:
        return qir.shape == "boolean" or any(token.lower == "or" for token in tokens)
    is_truth = any(token.lower in _TRUTH_WORDS or token.lower.endswith("n't") for token in tokens)
    return qir.shape != "boolean" or is_truth and tokens[0].lower not in _QUESTION_WORDS


def unchecked_words(question: str, qir: QIR) -> tuple[str, ...]:
    """Return the words for all or for the extreme in a yes-or-no question whose QIR only asks whether there is one.

    "Does every film have a composer?" is not true because one film has; "is X the longest river?" needs the others.
    """
    if qir.shape != "boolean" or not language_of(question).words("function_words", "auxiliaries"):
        return ()
    texts = f" {' '.join(normalize_text(text) for text in (*qir.relations(), *qir.entities()))} "
    tokens = _form_words(question)
    is_all = len(tokens) > 1 and tokens[0].lower in _AUXILIARIES and tokens[1].lower in _UNIVERSALS
    behind = (t for before, t in pairwise(tokens) if before.lower != "at")
    extremes = (
        t.text for t in behind if t.lower in _EXTREMES or t.kind == "word" and parse_degree(t.lower)[1] == "est"
    )
    words = (*(t.text for t in tokens[1:2] if is_all), *extremes)
    return tuple(word for word in words if f" {word.lower()} " not in texts)


def _form_words(question: str) -> Sequence[Token]:
    tokens = [token for token in tokenize(question) if token.kind != "mark"]
    while tokens and tokens[0].lower in _JOINTS:
        del tokens[0]
    return tokens


def drops_negation(question: str, qir: QIR) -> bool:
    """Tell whether a question has a word of negation that neither a name nor a condition of its QIR stands for.

    What stands before the first question word belongs to no condition ("if you don't mind, who ...").
    """
    if qir.negated or qir.filters or qir.having:
        return False
    texts = (*qir.entities(), *qir.relations(), *(name for _, name in qir.classes))
    said = {word for text in texts for word in normalize_text(text).split()}
    language = language_of(question)
    words = [token.lower for token in tokenize(question)]
    words = words[next((at for at, word in enumerate(words) if word in language.asking_words), 0) :]
    negations = language.words("closed_classes", "negations")
    return any(word.endswith("n't") or word in negations and word not in said for word in words)


def find_asked_type(context: QueryContext, qir: QIR) -> AskedType:
    """Return what a question asks for, with the classes that the noun behind "which" names for sure."""
    tokens = [token.lower for token in tokenize(context.question)]
    adjectives = [after for word, after in pairwise(tokens) if word in ("most", "least")]
    adjectives += [base for base, degree in map(parse_degree, tokens) if degree == "est"]
    measured = ({noun for noun, _ in quantities_of(adjective)} for adjective in adjectives)
    is_measured = any(nouns and nouns.isdisjoint(_TIME_QUANTITIES) for nouns in measured)
    match = _ASKED_NOUN.search(context.question)
    is_classed = any(unknown == qir.target for unknown, _ in qir.classes)
    mentions = context.card.mentions_of_kind("class") if match and not is_classed else ()
    sure = [m for m in mentions if match and m.start == match.start(1) and m.score >= _SURE_CLASS_SCORE]
    classes = frozenset(iri for mention in sure for iri in mention.iris)
    return expected_answer_type(context.words, qir), classes, is_measured, is_classed and match is not None


def judge_links(
    edges: Sequence[LinkedRelation],
    grounded: GroundedQIR,
    classes: Sequence[tuple[str, ClassLink]],
    asked: AskedType,
    kg: KnowledgeGraph,
) -> float:
    """Return how well linked relations agree in the types of what they relate (0..1; 0: no query can say so)."""
    stated = [edge for edge in edges if not edge.is_negated]
    is_possible = (
        not any(_states_other(edge, classes, kg.vocabulary) for edge in edges)
        and all(_is_deniable(edge, classes, kg) for edge in edges if edge.is_negated)
        and _is_bounded(stated, grounded, kg)
        and all(_states_text(edge) for edge in edges if grounded.text_unknowns & set(edge.relation.ends()))
        and (grounded.qir.shape != "boolean" or all(_may_hold(edge, grounded, kg) for edge in stated))
        and _gives_asked(stated, grounded, asked, kg)
        and not (asked[2] and _orders_by_date(edges, grounded.qir, kg))
    )
    return _agree(edges, kg) if is_possible else 0.0


def _states_text(edge: LinkedRelation) -> bool:
    """Tell whether the object of a relation may be a text without a vertex."""
    candidate = edge.candidate
    return candidate.is_literal and candidate.is_forward and candidate.score >= _MIN_TEXT_SCORE


def _states_other(edge: LinkedRelation, classes: Sequence[tuple[str, ClassLink]], vocabulary: Vocabulary) -> bool:
    """Tell whether a relation states texts for an unknown that stands for things of a class of another name.

    "Which orders did X place" asks for no city, but "in which city" may ask for a text where there are cities, too.
    """
    candidate = edge.candidate
    if not candidate.is_literal or candidate.is_numeric:
        return False
    end = edge.relation.object if candidate.is_forward else edge.relation.subject
    entry = vocabulary.predicates.get(candidate.last_predicate)
    names = [candidate.label, *(entry.alt_labels if entry else ()), edge.relation.relation]
    said = {stem for name in names for stem in analyze_phrase(name).stems}
    return any(
        said.isdisjoint(analyze_phrase(link.text).stems | analyze_phrase(link.label).stems)
        for unknown, link in classes
        if unknown == end and link.score >= _SURE_CLASS_SCORE
    )


def _is_deniable(edge: LinkedRelation, classes: Sequence[tuple[str, ClassLink]], kg: KnowledgeGraph) -> bool:
    """Tell whether things of the classes may have a relation: what none of them can have is not what is denied."""
    known = dict(classes)
    return all(
        kg.vocabulary.may_share_members(known[end].classes_with_subclasses, _classes_at(entry, is_object=is_object))
        for end, entry, is_object in _steps(edge, kg)
        if end in known
    )


def _steps(edge: LinkedRelation, kg: KnowledgeGraph) -> Iterator[tuple[str, PredicateEntry, bool]]:
    """Yield both ends of a relation, each with the predicate there, and whether it is the predicate's object."""
    candidate, predicates = edge.candidate, kg.vocabulary.predicates
    first, last = edge.relation.ends() if candidate.is_forward else edge.relation.ends()[::-1]
    if candidate.predicates[0] in predicates:
        yield first, predicates[candidate.predicates[0]], candidate.is_inward
    if candidate.last_predicate in predicates:
        yield last, predicates[candidate.last_predicate], True


def _classes_at(entry: PredicateEntry, *, is_object: bool) -> tuple[str, ...]:
    return entry.ranges if is_object else entry.domains


def _is_bounded(edges: Sequence[LinkedRelation], grounded: GroundedQIR, kg: KnowledgeGraph) -> bool:
    """Tell whether the joins of unbound relations stay below `_MAX_ROWS`, by the statistics of the vocabulary.

    Filters do not count: an engine may join before it filters.
    """
    bound = {*grounded.entity_links, *(unknown for unknown, _ in grounded.values)}
    row_counts: dict[str, int] = {}
    for edge in edges:
        for end, entry, _ in list(_steps(edge, kg))[-1:]:
            if not bound & set(edge.relation.ends()) and not entry.is_inverse_functional:
                row_counts[end] = row_counts.get(end, 1) * max(1, entry.triple_count)
    return max(row_counts.values(), default=1) <= _MAX_ROWS


def _may_hold(edge: LinkedRelation, grounded: GroundedQIR, kg: KnowledgeGraph) -> bool:
    """Tell whether the classes of the things that a relation names are among those that its predicate relates."""
    for end, entry, is_object in _steps(edge, kg) if not edge.candidate.second_predicates else ():
        link = grounded.entity_links.get(end)
        if link is None or link.kind != "vertex" or entry.iri in link.predicates_at("in" if is_object else "out"):
            continue
        classes = frozenset(iri for candidate in link.candidates for iri in candidate.classes)
        is_value = is_object and entry.object_kind == "literal"
        if is_value or not kg.vocabulary.may_share_members(classes, _classes_at(entry, is_object=is_object)):
            return False
    return True


def _gives_asked(edges: Sequence[LinkedRelation], grounded: GroundedQIR, asked: AskedType, kg: KnowledgeGraph) -> bool:
    """Tell whether what the predicates at the target state may be of the type and of the classes that are asked for.

    A "when" is no person, a "who" or "where" is no number; "which film" is neither a place nor a number unless words
    for the relation lead there.
    """
    qir, is_given = grounded.qir, any(unknown == grounded.qir.target for unknown, _ in grounded.values)
    if qir.shape in ("boolean", "number", "table") or qir.aggregate:
        return True
    vocabulary, (expected, asked_classes, _, is_by_class) = kg.vocabulary, asked
    at_target = ((edge, *step) for edge in edges for step in _steps(edge, kg) if step[0] == qir.target)
    for edge, _, entry, is_object in at_target:
        if edge.candidate.is_inward:
            continue
        phrase = edge.relation.relation  # other words lead to any class, but a predicate is none of the question's
        is_bound = phrase in vocabulary.predicates or _is_named_by(phrase, asked_classes, vocabulary)
        classes = asked_classes if is_bound else frozenset[str]()
        if is_object and edge.candidate.is_literal:
            if qir.shape == "count":
                continue
            if truth_values(entry) and is_unknown(edge.relation.subject) and len(edges) == 1:
                return False  # true and false of nothing in particular
            is_other = bool(classes) and not _is_named_by(entry.label, classes, vocabulary)
            if (edge.candidate.is_numeric or is_date_predicate(entry)) and (
                is_other or expected in ("person", "place")
            ):
                return False
            continue
        ends = _classes_at(entry, is_object=is_object)
        if qir.shape == "count":
            if ends and not (is_given or qir.target in dict(qir.classes) or has_labels(ends, kg)):
                return False  # "how many people live there" counts no addresses
            continue
        if ends and not (is_by_class or is_given or has_labels(ends, kg)):
            return False  # nobody asks for rows and other nodes without a label
        is_other_class = bool(classes) and not vocabulary.may_share_members(ends, classes)
        is_other_kind = expected == "date" and ends and not are_time_classes(ends, vocabulary)
        kind = ("bearer" if edge.candidate.is_numeric else "agent") if expected == "person" else expected
        is_place = kind == "bearer" and class_type_fit("place", ends, vocabulary) == 1.0
        if is_other_class or is_other_kind or is_place or not may_be_of_kind(kind, ends, vocabulary):
            return False
    return True


def _orders_by_date(edges: Sequence[LinkedRelation], qir: QIR, kg: KnowledgeGraph) -> bool:
    ends = (step[:2] for edge in edges for step in _steps(edge, kg))
    return any(qir.order is not None and end == qir.order.by and is_date_predicate(entry) for end, entry in ends)


def _is_named_by(phrase: str, classes: frozenset[str], vocabulary: Vocabulary) -> bool:
    """Tell whether all content of a phrase is the name of one of the classes."""
    stems = analyze_phrase(phrase).stems
    names = (vocabulary.classes[iri].label for iri in classes if iri in vocabulary.classes)
    return bool(stems) and any(stems <= analyze_phrase(name).stems for name in names)


def _agree(edges: Sequence[LinkedRelation], kg: KnowledgeGraph) -> float:
    """Return how well the relations agree on the types of shared unknowns (0..1; 0: impossible)."""
    uses: dict[str, list[tuple[bool, frozenset[str]]]] = {}
    for edge in edges:
        for end, entry, is_object in _steps(edge, kg):
            is_literal = is_object and edge.candidate.is_literal and entry.iri == edge.candidate.last_predicate
            if is_unknown(end):
                classes = _classes_at(entry, is_object=is_object)
                uses.setdefault(end, []).append((is_literal, frozenset(classes)))
    is_echo = any(_is_echo(one, other) for one, other in combinations(edges, 2))
    fit, superclasses = _ECHO_FACTOR if is_echo else 1.0, kg.vocabulary.superclasses
    for end_uses in uses.values():
        if len({is_literal for is_literal, _ in end_uses}) > 1:
            return 0.0
        for (_, one), (_, other) in pairwise(end_uses):
            if not one or not other:
                fit *= _UNKNOWN_AGREEMENT_FACTOR
            elif superclasses(*other).isdisjoint(one) and superclasses(*one).isdisjoint(other):
                fit *= _CLASH_FACTOR
    return fit


def _is_echo(one: LinkedRelation, other: LinkedRelation) -> bool:
    """Tell whether two relations with different phrases lead to one unknown by the same predicate.

    "Who composed the music for X" does not ask for other works of its composer.
    """
    is_same = one.candidate.predicates == other.candidate.predicates
    ends = (e.relation.ends() if e.candidate.is_forward else e.relation.ends()[::-1] for e in (one, other))
    is_shared = any(first == second and is_unknown(first) for first, second in zip(*ends, strict=True))
    is_stated = not any(each.is_negated or each.candidate.second_predicates for each in (one, other))
    return is_same and is_shared and is_stated and one.relation.relation != other.relation.relation


# ------------------------------------------------------------------------------------------------------------- queries
def judge_query(
    question: str, readings: Sequence[QuestionReading], query: Query, kg: KnowledgeGraph, *, min_score: float
) -> Refusal | None:
    """Return why the best query of a reading is not run: words that it leaves out, or links that are too weak."""
    if missing := _missing_words(question, readings, query, kg.vocabulary):
        return Refusal("unknown-words", missing)
    if unclear := _judge_units(question, query, kg):
        return unclear
    if query.score < min_score or _is_weak(query, kg.vocabulary):
        return Refusal("weak")
    return None


def judge_missing(question: str, qir: QIR, card: VocabularyCard) -> Refusal:
    """Return why a reading has no query: words before known ones that the graph does not know, or its relations."""
    known = frozenset(word for mention in card.mentions for word in mention.text.lower().split())
    phrases = [*(phrase for phrase in qir.relations() if phrase), *(name for _, name in qir.classes)]
    said = [phrase.lower().split() for phrase in phrases if phrase in question.lower()]
    partly = [words for words in said if known.intersection(words) and not known.issuperset(words)]
    unknown = [w for words in partly for w in words if w not in known and not is_function_phrase(w)]
    if unknown:
        return Refusal("unknown-words", tuple(unknown))
    relations, entities = [phrase for phrase in qir.relations() if phrase], qir.entities()
    predicates = {mention.text.lower() for mention in card.mentions_of_kind("predicate")}
    if relations and len(entities) == 1 and predicates.issuperset(phrase.lower() for phrase in relations):
        return Refusal("not-stated-of", tuple(relations), entities[0][:60])
    if phrases:
        return Refusal("nothing-fits", tuple(relations or phrases))
    return Refusal("nothing")


def all_predicates(query: Query) -> frozenset[str]:
    """Return the predicates of a query, those of second steps included."""
    return query.predicates().union(*(edge.candidate.second_predicates for edge in query.edges))


def _missing_words(
    question: str, readings: Sequence[QuestionReading], query: Query, vocabulary: Vocabulary
) -> tuple[str, ...]:
    """Return the words that restrict the question and that its reading or the links leave out.

    What a label of the query says again, or says more narrowly, is not left out.
    """
    read = [r for r in readings[:1] if not any(name in vocabulary.classes for _, name in r.qir.classes)]
    left_out = [word for r in read for word in restricting_words(question, r.unused, r.qir)]
    edges = [e for e in query.edges if e.relation.relation not in e.candidate.predicates]
    unmatched = (w for edge in edges for w in unmatched_words(edge.relation.relation, edge.candidate.label))
    lexicon = lexicon_of(vocabulary)
    left_out += [
        word
        for word in unmatched
        if correct_spelling(word, lexicon) == word and word in question.lower()
        if not word.endswith(("ing", "ed")) and not is_verb(lemma_of(word))
    ]
    lemmas = {lemma for text in _labels_of(query, vocabulary) for lemma in analyze_phrase(text).content_lemmas}
    names = {name for lemma in lemmas for name in (lemma, *hypernyms(lemma, _WIDER_LEVELS))}
    said = {stem for name in names for stem in related_stems(name)}
    return tuple(word for word in dict.fromkeys(left_out) if said.isdisjoint(related_stems(word.lower())))


def _judge_units(question: str, query: Query, kg: KnowledgeGraph) -> Refusal | None:
    """Return why amounts are not compared: those of the graph stand in several units, or in another than is said."""
    qir, sorts = query.qir, query.qir.order
    compared = [each for each in qir.filters if each.operator not in ("=", "!=")]
    measured = {end for each in compared for end in (each.unknown, each.value)}
    measured |= {sorts.by} if sorts and not sorts.count else set()
    measured |= {unknown for function, unknown in qir.aggregates if function != "count"}
    measured |= {qir.target} if qir.aggregate or qir.compute else set()
    for edge in query.edges:
        end = edge.relation.object if edge.candidate.is_forward else edge.relation.subject
        kept = kept_units(edge.candidate, kg)
        said = [condition.unit for condition in compared if condition.unknown == end and condition.unit]
        if end not in measured or not kept.names:
            continue
        if kept.predicate and not selected_unit(kept, question, qir):
            return Refusal("mixed-units", kept.names[:3])
        if other := [unit for unit in said if all(unit_ratio(unit, name.lower()) is None for name in kept.names)]:
            return Refusal("other-unit", tuple(other), kept.names[0])
    return None


def _labels_of(query: Query, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield the labels of the predicates of a query, of the classes that they relate, and of the kinds of its things.

    "Which firm built it" has a firm in the range of its relation.
    """
    entries = [vocabulary.predicates[iri] for iri in all_predicates(query) if iri in vocabulary.predicates]
    classes = {iri for entry in entries for iri in (*entry.domains[:1], *entry.ranges[:1])}
    yield from (name for entry in entries for name in (entry.label, *entry.alt_labels))
    yield from (vocabulary.classes[iri].label for iri in classes if iri in vocabulary.classes)
    for link in query.grounded.entity_links.values():
        yield from (label for candidate in link.candidates for label in candidate.types)


def _is_weak(query: Query, vocabulary: Vocabulary) -> bool:
    """Tell whether a query denies a relation, or asks only whether there is one, by words that are linked weakly.

    Nearly everything is not so, and to have anything at all is no answer to what is asked ("orders that are shipped").
    """
    edges, known = query.edges, query.qir.restricted_unknowns() | {unknown for unknown, _ in query.classes}
    ends = [end for edge in edges for end in edge.relation.ends()]
    is_truth = query.qir.shape == "boolean" and len(edges) == 1

    def is_existence(edge: LinkedRelation) -> bool:
        if is_truth and any(map(is_unknown, edge.relation.ends())):
            return True
        free = any(is_unknown(end) and end not in known and ends.count(end) == 1 for end in edge.relation.ends())
        entry = vocabulary.predicates.get(edge.candidate.last_predicate)
        names = (edge.candidate.label, *(entry.alt_labels if entry else ()))
        is_named = any(lexical_similarity(edge.relation.relation, name) >= _MIN_NAME_SIMILARITY for name in names)
        is_other = not (is_named or truth_values(entry))
        return free and is_other and not any(other is not edge and _is_same(other, edge) for other in edges)

    decisive = (edge for edge in edges if edge.is_negated or is_existence(edge))
    return any(
        edge.candidate.score < _WEAK_SCORE
        and not (is_function_phrase(edge.relation.relation) or is_light_verb_phrase(edge.relation.relation))
        for edge in decisive
    )


def _is_same(one: LinkedRelation, other: LinkedRelation) -> bool:
    return one.candidate.predicates == other.candidate.predicates
