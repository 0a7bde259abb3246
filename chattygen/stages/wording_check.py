"""Reading a wording back: whether a question still asks for the relation and the class of its plan, not for others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from chattyshared.check import Problem
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.inflection import class_noun, plain_label, pluralize
from chattyshared.language.lexicon import word_lists
from chattyshared.language.morphology import label_stems_of, lemma_of, lemma_stem_of
from chattyshared.language.wordnet import hypernyms, near_words, noun_synonyms, related_forms

from chattygen.lexicalization.lexicon import AGENT_NOUNS, MEASURE_ADJECTIVES, NOT_HAD_NOUNS, OCCUPATION_NOUNS
from chattygen.lexicalization.predicate_lexicalization import lexicalize_predicate
from chattygen.subgraph.facts import Shape, Step
from chattygen.turns import TurnSpec

_GENERAL_VERBS = frozenset("make create build write produce develop design present".split())
"""Verbs of agent nouns that also say other relations: whoever *made* a film may be its director."""
_MEASURES = {
    adjective: frozenset(noun.removeprefix("-") for noun in nouns)
    for adjective, nouns in word_lists("gradable_adjectives", "quantities").items()
}
"""The quantities that each adjective measures."""
_WORD = re.compile(r"[^\W\d_]+")
_ASKED = r"\b(?:which|what|how many)(?: of)?(?: the| these| those| his| her| its| their)? (?:\w+ )?"


@dataclass(frozen=True, slots=True)
class SchemaNames:
    """The names of the predicates and classes of a KG."""

    relations: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()


def schema_names(kg: KnowledgeGraph) -> SchemaNames:
    """Return the words that people say for the predicates and classes of a KG, without those that only describe."""
    vocabulary, names = kg.vocabulary, kg.spoken_names
    groups = (vocabulary.predicates.values(), vocabulary.classes.values())
    relations, classes = (tuple(names[e.iri] for e in group if names[e.iri] and not e.is_metadata) for group in groups)
    return SchemaNames(relations, classes)


def check_wording(plan: TurnSpec, text: str, names: SchemaNames) -> Iterator[Problem]:
    """A question in English asks for the relation and the class of its plan, not for others of the KG instead.

    A wording that has none of the plan's words, nor
    those of another relation or class, passes: people say things in many ways.
    """
    words = tuple(_WORD.findall(_without_names(plan, text)))
    stems = {lemma_stem_of(word) for word in words}
    own = {stem for label in _own_labels(plan) for stem in label_stems_of(label)}
    for step, shape in _asked_steps(plan):
        if stems & _stems_of_relation(step.label, step.comment, shape):
            continue
        other = next(_other_relations(words, stems - own, shape, names.relations), "")
        if other:
            yield Problem("relation", f'turn {plan.number}: ask for "{step.label}", not for "{other}": "{text}"')
    labels = plan.fact.class_labels if plan.condition is None else ()
    if labels and not stems & _stems_of_classes(labels):
        other = next((name for name in names.classes if _is_asked(name, text, own | _stems_of_classes(labels))), "")
        if other:
            yield Problem("class", f'turn {plan.number}: ask for a "{labels[0]}", not for a "{other}": "{text}"')


def _asked_steps(plan: TurnSpec) -> Iterator[tuple[Step, Shape]]:
    """Yield the steps whose relation the question must say, each with the shape of its values."""
    if plan.link == "shift":
        return
    if plan.condition is not None:
        yield plan.condition.step, plan.condition.shape
    if plan.condition is None or not (plan.link == "among" or plan.other_entity is not None or plan.is_of_class):
        yield plan.fact.last_step, plan.fact.shape


def _own_labels(plan: TurnSpec) -> Iterator[str]:
    """Yield all labels that the turn may say: its relations, their comments, and its classes."""
    for step in (*plan.fact.steps, *((plan.condition.step,) if plan.condition else ())):
        yield from (step.label, step.comment)
    yield from (*plan.entity.class_labels, *plan.fact.class_labels, *plan.fact.via_class_labels)
    yield from plan.condition.class_labels if plan.condition else ()


def _without_names(plan: TurnSpec, text: str) -> str:
    """Return the text without the names and values that it states."""
    names = [plan.entity.label, plan.fact.offered_value, plan.condition.value if plan.condition else ""]
    names += [plan.other_entity.label] if plan.other_entity else []
    for name in filter(None, names):
        text = re.sub(re.escape(name), " ", text, flags=re.IGNORECASE)
    return text.replace(" on record ", " ") if plan.is_of_class else text


@lru_cache(maxsize=4_096)
def _stems_of_relation(label: str, comment: str, shape: Shape) -> frozenset[str]:
    """Return the stems of the words that say a relation: its own, its verbs, synonyms, related forms, adjectives."""
    frame = lexicalize_predicate(label, comment, shape)
    texts = [label, comment, frame.noun, frame.counted_noun, frame.event_verb, frame.object_noun]
    texts += [text for clause in frame.clauses for text in (clause.verb, clause.complement, clause.plural_complement)]
    words = {lemma_of(word) for text in texts for word in _WORD.findall(plain_label(text).lower())} - {"be", "have"}
    near = {word for each in words for word in (*near_words(each), *related_forms(each), *noun_synonyms(each))}
    words |= {"work"} if frame.noun in OCCUPATION_NOUNS else set()
    adjectives = {adjective for adjective, nouns in _MEASURES.items() if nouns & {frame.noun.lower(), *words}}
    return frozenset(map(lemma_stem_of, words | near | adjectives))


@lru_cache(maxsize=4_096)
def _stems_of_classes(labels: tuple[str, ...]) -> frozenset[str]:
    nouns = [class_noun(label) for label in labels]
    near = (word for noun in nouns for word in (*noun_synonyms(noun), *hypernyms(noun)))
    return frozenset(stem for text in (*nouns, *near) for stem in label_stems_of(text))


def _other_relations(words: Sequence[str], stems: set[str], shape: Shape, relations: Iterable[str]) -> Iterator[str]:
    """Yield the relations that a text says by an agent noun, a measure, or all words of the name of one."""
    lemmas = {lemma_of(word) for word in words if lemma_stem_of(word) in stems}
    if shape == "entity":
        for noun, (verb, _) in AGENT_NOUNS.items():
            if verb not in _GENERAL_VERBS and not lemmas.isdisjoint((noun, verb)):
                yield noun
    if shape == "number" and not {"many", "much"} & set(words):
        lemmas.discard("high")  # any measure may be the highest
        yield from (noun for noun, adjective in MEASURE_ADJECTIVES.items() if not lemmas.isdisjoint((noun, adjective)))
    named = (label for label in relations if label.lower() not in NOT_HAD_NOUNS)
    yield from (label for label in named if {*label_stems_of(label)} <= stems)


def _is_asked(name: str, text: str, own: Iterable[str]) -> bool:
    """Tell whether a text asks for the members of a class that is not its own, nor one above or below."""
    noun = class_noun(name)
    if not {*label_stems_of(noun)}.isdisjoint(own) or any(
        not {*label_stems_of(word)}.isdisjoint(own) for word in hypernyms(noun)
    ):
        return False
    nouns = "|".join(re.escape(form) for form in (pluralize(noun), noun))
    return bool(re.search(rf"{_ASKED}(?:{nouns})\b", text, re.IGNORECASE))
