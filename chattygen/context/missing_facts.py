"""Facts that other entities of a class, or of a similar one, have: a question about an entity without such a fact is
unanswerable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from chattyshared.language.inflection import head_noun, plain_label
from chattyshared.language.lexicon import load_lexicon, word_set
from chattyshared.language.wordnet import noun_kinds
from chattyshared.terms import Term
from rdflib import URIRef

from chattygen.context.dialogue_context import class_members, summarize_for
from chattygen.context.facts import Fact, MissingFact, Step, Summary, same_kind
from chattygen.context.neighbourhoods import Neighbourhoods, Relations, Wish, read_together
from chattygen.context.subgraph import class_labels_of, subgraph_of
from chattygen.context.summary import shape_of
from chattygen.lexicalization.step_lexicalization import lexicalize_step
from chattygen.run import RunContext

COMMON_SHARE = 0.6
"""Share of the sample, 0..1, that must state a predicate to make it common; set by hand."""
MIN_STATING = 2
"""Entities of the sample: the fewest that must state a predicate to make a question about it plausible; set by hand."""
MIN_SINGLE_TENTHS = 9
"""Tenths of the entities that must have exactly one value of a common predicate; set by hand."""
MAX_CLASSES = 8
"""Classes, the largest first, among which the most similar one to a class is found; set by hand."""
STEM_LENGTH = 4
"""Letters of a word that are compared, to find predicates that may state the same; shorter words do not count."""
_FREQUENT_STEMS = word_set("nouns", "frequent_stems")
"""Stems that labels of unlike predicates share."""
_FAMILIES = tuple(
    frozenset(part[:STEM_LENGTH] for word in family for part in word.split("-") if len(part) >= STEM_LENGTH)
    for family in load_lexicon("word_families")["families"]
)
"""Stems of words that name one relation: *marry*, *spouse*, *wife*."""
_SAME_ANSWERS = tuple(map(frozenset, load_lexicon("unanswerable")["same_answers"]))
"""Words of predicates whose values answer one question."""
_DERIVED_ANSWERS = load_lexicon("unanswerable")["derived_answers"]
"""A word of what is asked, and words of the predicates that it follows from."""


def missing_facts(run: RunContext, summary: Summary, stated: Relations) -> Iterator[MissingFact]:
    """Yield facts of an entity's class, or of a similar class, that the entity has not, nor any fact that may state the
    same.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    entries = run.kg.vocabulary.predicates
    labels = [entries[str(predicate)].label for _, predicate in stated if str(predicate) in entries]
    type_iri = summary.entity.type
    own = {(predicate, end) for (_, predicate), ends in stated.items() for end in ends}
    asked: list[str] = []
    for missing in (*_class_facts(run, type_iri), *_foreign_facts(run, type_iri)) if type_iri else ():
        step = missing.fact.last_step
        if any(surely_answers(step.label, label) for label in asked):  # founded on, foundation date
            continue
        if not missing.shared <= own:  # only countries of Europe joined the European Union
            continue
        if (step.direction, URIRef(step.predicate)) not in stated and not any(
            answers_same(step.label, label) for label in labels
        ):
            asked.append(step.label)
            yield missing


def answers_same(label: str, other_label: str) -> bool:
    """Tell whether a predicate may answer what is asked by another one, by their words: a birth date tells an age."""
    words, other_words = (set(text.casefold().split()) for text in (label, other_label))
    if any(family & words and family & other_words for family in _SAME_ANSWERS):
        return True
    return bool(related_stems(label) & word_stems(other_label) or _acts(label) & _acts(other_label))


@lru_cache(maxsize=4_096)
def _acts(label: str) -> frozenset[str]:
    """Return the verbs that say what an agent does: *write*, of an author and of ``written by``."""
    frame = lexicalize_step(Step("", label), "entity", (), ())
    return frozenset(clause.verb for clause in frame.clauses if clause.is_inverse)


def surely_answers(label: str, other_label: str) -> bool:
    """Tell whether what is asked by a predicate is answered by another one: each word of one, or a related word, is in
    the other, or the one follows from the other, as an age from a birth date."""
    words, other_words = (set(text.casefold().split()) for text in (label, other_label))
    stems, other_stems = word_stems(label), word_stems(other_label)
    if words == other_words or any(each[0] in words and other_words & set(each[1:]) for each in _DERIVED_ANSWERS):
        return True
    return bool(stems and other_stems) and stems <= related_stems(other_label) and other_stems <= related_stems(label)


def related_stems(*texts: str) -> set[str]:
    """Return the stems of some texts, and those of words for the same relations."""
    stems = word_stems(*texts)
    return stems.union(*(family for family in _FAMILIES if family & stems)) - _FREQUENT_STEMS


def _class_facts(run: RunContext, type_iri: str) -> tuple[MissingFact, ...]:
    """Return the facts that several entities of a class have; they are read once per run."""
    key = (type_iri, run.excluded_predicates)
    if key not in run.cache.common_facts:
        run.cache.common_facts[key] = tuple(_read_class_facts(run, type_iri))
    return run.cache.common_facts[key]


def _foreign_facts(run: RunContext, type_iri: str) -> tuple[MissingFact, ...]:
    """Return the facts that a class has not, and the one with the most similar predicates has; they are read once per
    run."""
    key = (type_iri, run.excluded_predicates)
    if key not in run.cache.foreign_facts:
        own, similar = _predicates_of(run, type_iri), _most_similar_class(run, type_iri)
        run.cache.foreign_facts[key] = tuple(
            replace(missing, kind="relation")
            for missing in (_class_facts(run, similar) if similar else ())
            if missing.fact.last_step.predicate not in own and _is_general(run, missing, type_iri)
        )
    return run.cache.foreign_facts[key]


def _is_general(run: RunContext, missing: MissingFact, type_iri: str) -> bool:
    """Tell whether people might take a fact of another class for one of a class: things of several classes have it, one
    of the same kind. A mountain is climbed, and no other place; a village is not completed."""
    entry = run.kg.vocabulary.predicates.get(missing.fact.last_step.predicate)
    others = [iri for iri in (entry.domains if entry is not None else ()) if iri != type_iri]
    kinds = class_labels_of(run.kg, type_iri)
    labels = [class_labels_of(run.kg, iri) for iri in others]
    return len(others) > 1 and any(same_kind(kinds, each) and _are_alike(kinds[0], each[0]) for each in labels)


def _are_alike(kind: str, other_kind: str) -> bool:
    """Tell whether WordNet has two classes among one kind of things, or does not know one: a mountain is no city."""
    one, other = (set(noun_kinds(head_noun(plain_label(label)))) for label in (kind, other_kind))
    return not (one and other) or not one.isdisjoint(other)


def _most_similar_class(run: RunContext, type_iri: str) -> str:
    """Return the class that shares most of its predicates with a class and has others, too; empty if there is none."""
    own, shares = _predicates_of(run, type_iri), dict[str, float]()
    for other in [each.iri for each in run.kg.types() if each.iri != type_iri][:MAX_CLASSES]:
        predicates = _predicates_of(run, other)
        if own & predicates and predicates - own and run.kg.hidden_class(other) is None:
            shares[other] = len(own & predicates) / len(own | predicates)
    return max(shares, key=shares.__getitem__, default="")


def _predicates_of(run: RunContext, type_iri: str) -> frozenset[str]:
    """Return the predicates of the things of a class as subjects that questions may be about."""
    statistics = run.kg.class_statistics(type_iri)
    uses = statistics.predicates if statistics is not None else ()
    skipped = run.excluded_predicates | run.naming.predicates
    return frozenset(use.iri for use in uses if not use.is_inverse) - skipped


def _read_class_facts(run: RunContext, type_iri: str) -> Iterator[MissingFact]:
    described = {entity: relations for entity, relations in class_members(run, type_iri).items() if relations}
    stating: dict[URIRef, dict[URIRef, tuple[Term, ...]]] = {}
    for entity, relations in described.items():
        for (_, predicate), ends in relations.items():
            stating.setdefault(predicate, {})[entity] = ends
    examples = []
    for predicate, by_entity in sorted(stating.items()):
        single = sorted(entity for entity, ends in by_entity.items() if len(ends) == 1)
        is_rule = 10 * len(single) >= MIN_SINGLE_TENTHS * len(by_entity)
        if len(by_entity) >= MIN_STATING and is_rule and shape_of(end for ends in by_entity.values() for end in ends):
            examples.append((single[0], predicate, by_entity[single[0]]))
    readers = []
    for entity, predicate, ends in examples:
        around = Neighbourhoods({entity: {("out", predicate): ends}})
        readers.append((around, iter([Wish(labels=(entity, *around.all_ends(entity)))])))
    read_together(run.kg, readers)
    for (around, _), (entity, predicate, _) in zip(readers, examples, strict=True):
        is_common = len(stating[predicate]) >= COMMON_SHARE * len(described)
        graph = subgraph_of(run, around, entity, type_iri)
        for fact in summarize_for(run, graph).facts[:1]:
            if is_common:
                yield MissingFact(fact, "not-stated")
            elif _may_happen(fact, graph.entity.class_labels):
                pairs = [{(other, end) for (_, other), ends in described[each].items() for end in ends}
                         for each in stating[predicate]]  # fmt: skip
                yield MissingFact(fact, "presupposition", frozenset(set.intersection(*pairs)))


def _may_happen(fact: Fact, kinds: tuple[str, ...]) -> bool:
    """Tell whether a fact is a relation, or what may have happened to any thing of its class (*restored by*), but no
    number or text that only those of one sort have (the strings of an instrument)."""
    frame = lexicalize_step(fact.last_step, fact.shape, kinds, fact.class_labels)
    return fact.shape == "entity" or any(clause.tense == "past" for clause in frame.clauses)


def word_stems(*texts: str) -> set[str]:
    """Return the first letters of the words of some texts, without stems that many predicates share."""
    return {
        word[:STEM_LENGTH].casefold() for text in texts for word in text.split() if len(word) >= STEM_LENGTH
    } - _FREQUENT_STEMS
