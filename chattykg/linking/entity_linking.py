"""Entity linking: the vertices, classes and values of the KG that the mentions of a question may stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from chattyshared.kg import Hit, KnowledgeGraph, LiteralHit
from chattyshared.kg.label_ranking import bare
from chattyshared.language.tokenizer import tokenize
from chattyshared.literals import is_date, is_number
from chattyshared.profile import TYPE_PREDICATES
from chattyshared.terms import iri_to_words, is_writable
from rdflib import Literal, URIRef

from chattykg.linking.candidates import EXACT_SCORE, EntityCandidate, EntityLink, MentionCandidates
from chattykg.linking.class_linking import link_class
from chattykg.linking.mentions import EXACT_MENTION_SCORE, is_other_name
from chattykg.linking.relation_phrases import is_function_phrase
from chattykg.linking.similarity import LexicalSimilarity, Similarity
from chattykg.linking.vocabulary_card import MAX_CANDIDATES, VocabularyCard
from chattykg.qir import QIR, is_unknown

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
MAX_SHOWN, MAX_INEXACT_SHOWN = 10, 2
"""Candidates of one mention in a prompt, and inexact ones among them if there is an exact one."""
MAX_WEIGHED = 24
"""Candidates of one mention whose incident predicates are read; all exact ones are."""
LINK_LABEL_WEIGHT, LINK_CONTEXT_WEIGHT = 0.75, 0.25
"""Weights of the label and of the context fit in the score of a link; they sum to 1."""
_SCORE_DIGITS, _FIT_DIGITS = 2, 1
"""Decimals of link score and context fit in which candidates of one group agree."""
_MAX_GROUP = 6
"""Candidates that stand together for one mention at most."""
_MIN_CLASS_SIMILARITY = 0.8
"""Similarity (0..1) of a mention and a class label from which the class is a candidate."""
_MAX_CLASS_CANDIDATES = 3
"""Classes that are candidates of one mention at most."""
_NEUTRAL_FIT = 0.7
"""Context fit (0..1) of a candidate if no relation phrase of the question has content."""
_MAX_FACTS = 3
"""Predicates that the description of a candidate names at most."""
_KINDS = ("vertex", "class", "value")
"""Kinds of candidates; of equally good ones the first is meant."""


def retrieve_candidates(
    kg: KnowledgeGraph, qir: QIR, card: VocabularyCard, similarity: Similarity, limit: int
) -> tuple[MentionCandidates, ...]:
    """Return the mentions of a QIR with their candidates, best first; a mention that the KG does not know has none.

    At most ``limit`` vertices are retrieved for each. Mentions of the card are not looked up again, unless the card may
    have left out vertices with exactly this label. At most three requests.

    Raises:
        EndpointError: the KG could not be asked.
    """
    texts = qir.entities()
    mentions = {text: [m for m in (*card.mentions, *card.countries) if bare(m.text) == bare(text)] for text in texts}
    hits = {text: tuple(hit for m in found for hit in m.hits) for text, found in mentions.items()}
    values = {text: tuple(hit for m in found for hit in m.values) for text, found in mentions.items()}
    unknown = [text for text in texts if not hits[text] and not values[text]]
    full = [t for t in texts if len(hits[t]) >= min(MAX_CANDIDATES, limit) and all(map(_is_exact, hits[t]))]
    if unknown or full:
        wider = dict(kg.search([*unknown, *full], limit=limit + 1))
        hits |= {text: wider[text] for text in unknown}
        hits |= {text: tuple(filter(_is_exact, wider[text])) for text in full}
        values |= kg.search_literals(unknown, limit=limit)
    hits = {text: tuple(hit for hit in found if not _is_of_other_name(text, hit)) for text, found in hits.items()}
    candidates = {
        text: [
            *_of_named_class(text, _vertex_candidates(hits[text][:limit]), card),
            *_literal_candidates(text, values[text]),
            *_class_candidates(text, card, kg),
        ]
        for text in texts
    }
    candidates = {t: listed[: max(MAX_WEIGHED, sum(c.is_exact for c in listed))] for t, listed in candidates.items()}
    vertices = dict.fromkeys(c.term for listed in candidates.values() for c in listed if c.kind == "vertex")
    incident = kg.predicates_of(tuple(vertices)) if vertices else {}
    retrieved = []
    for text in texts:
        phrases = _relation_phrases(qir, text)
        weighed = [
            _with_context(kg, replace(c, incident_predicates=incident.get(c.term, ())), phrases, similarity)
            for c in candidates[text]
        ]
        weighed.sort(
            key=lambda c: (-round(c.score, 3), c.kind != "vertex", -round(c.context_fit, 3), c.label, str(c.term))
        )
        exact = [candidate for candidate in weighed if candidate.is_exact]
        others = [candidate for candidate in weighed if not candidate.is_exact]
        shown = (*exact, *others[: MAX_INEXACT_SHOWN if exact else MAX_SHOWN])[:MAX_SHOWN]
        retrieved.append(MentionCandidates(text, shown, phrases, limit if len(hits[text]) > limit else 0))
    return tuple(retrieved)


def group_links(mention: MentionCandidates, chosen: Sequence[EntityCandidate]) -> tuple[EntityLink, ...]:
    """Group the chosen candidates of a mention: equally good ones form one link, best link first."""
    groups: dict[tuple[object, ...], list[EntityCandidate]] = {}
    for candidate in sorted(chosen, key=lambda c: (*_rank(c), _KINDS.index(c.kind), str(c.term))):
        own = (candidate.term,) if candidate.kind == "class" else ()
        groups.setdefault((candidate.kind, *_rank(candidate), *own), []).append(candidate)
    links = []
    for group in groups.values():
        first = group[0]
        equal = [c for c in mention.candidates if c.kind == first.kind and _rank(c) == _rank(first)]
        is_cut = len(group) >= _MAX_GROUP and len(equal) > _MAX_GROUP
        links.append(
            EntityLink(mention.text, tuple(group[:_MAX_GROUP]), _link_score(first), is_cut, mention.truncated_at)
        )
    return tuple(links)


def _rank(candidate: EntityCandidate) -> tuple[float, float]:
    return -round(_link_score(candidate), _SCORE_DIGITS), -round(candidate.context_fit, _FIT_DIGITS)


def _link_score(candidate: EntityCandidate) -> float:
    return candidate.score * (LINK_LABEL_WEIGHT + LINK_CONTEXT_WEIGHT * candidate.context_fit)


def _is_of_other_name(text: str, hit: Hit) -> bool:
    """Tell whether a text is a name of several words that shares only a part of itself with a label."""
    words = tokenize(text)
    return len(words) > 1 and all(word.is_capitalized for word in words) and is_other_name(text, hit)


def _is_exact(hit: Hit) -> bool:
    return hit.score >= EXACT_SCORE


def _vertex_candidates(hits: Iterable[Hit]) -> list[EntityCandidate]:
    unique = {hit.iri: hit for hit in reversed(tuple(hits))}
    return [
        EntityCandidate("vertex", URIRef(hit.iri), hit.label or iri_to_words(hit.iri), hit.score, classes=hit.types)
        for hit in sorted(unique.values(), key=lambda hit: (-hit.score, hit.label, hit.iri))
        if is_writable(hit.iri)
    ]


def _of_named_class(text: str, vertices: Sequence[EntityCandidate], card: VocabularyCard) -> Sequence[EntityCandidate]:
    """Leave out the vertices of other classes than the one that the question names before them: "the horse Selby"."""
    at = card.question.find(text)
    named = [m for m in card.mentions_of_kind("class") if m.end + 1 == at and m.score >= EXACT_MENTION_SCORE]
    classes = card.expand_classes([iri for mention in named for iri in mention.iris[:1]])
    return [vertex for vertex in vertices if not classes.isdisjoint(vertex.classes)] or vertices


def _literal_candidates(text: str, hits: Iterable[LiteralHit]) -> Iterator[EntityCandidate]:
    """Yield the candidates for values: a number or date that the text writes needs no link, a compound is no part of it
    ("left-handed": "left")."""
    is_quantity = any(letter.isdigit() for letter in text)
    for hit in hits:
        if "-" in text and " " not in text and hit.score < EXACT_SCORE:
            continue
        if isinstance(hit.value, Literal) and not (is_quantity and (is_number(hit.value) or is_date(hit.value))):
            label = " ".join(str(hit.value).split())[:200]
            yield EntityCandidate("value", hit.value, label, hit.score, predicates=hit.predicates)


def _class_candidates(text: str, card: VocabularyCard, kg: KnowledgeGraph) -> Iterator[EntityCandidate]:
    link = link_class(text, card, kg, LexicalSimilarity())
    if link is not None and link.score >= _MIN_CLASS_SIMILARITY:
        for iri in link.classes[:_MAX_CLASS_CANDIDATES]:
            entry = kg.vocabulary.classes.get(iri)
            yield EntityCandidate("class", URIRef(iri), entry.label if entry else iri_to_words(iri), link.score)


def _relation_phrases(qir: QIR, text: str) -> tuple[str, ...]:
    """Return the phrases of the relations that a mention is an end of, itself or as one of some listed values."""
    ends = {text, *(unknown for unknown, mentions in qir.values if text in mentions)}
    phrases = (r.relation for r in (*qir.triples, *qir.negated) if not ends.isdisjoint(r.ends()))
    return tuple(dict.fromkeys(phrase for phrase in phrases if phrase and not is_unknown(phrase)))


def _with_context(
    kg: KnowledgeGraph, candidate: EntityCandidate, phrases: Sequence[str], similarity: Similarity
) -> EntityCandidate:
    """Return the candidate with the labels of its types, its context fit, and the facts nearest to the question."""
    classes, predicates = kg.vocabulary.classes, kg.vocabulary.predicates
    types = tuple(classes[iri].label if iri in classes else iri_to_words(iri) for iri in candidate.classes)
    iris = tuple(dict.fromkeys((*(p for p, _, _ in candidate.incident_predicates), *candidate.predicates)))
    names = [predicates[iri].label if iri in predicates else iri_to_words(iri) for iri in iris]
    scores_by_name: dict[str, float] = dict.fromkeys(names, 0.0)
    for phrase in phrases:
        for name, score in zip(names, similarity(phrase, names), strict=True):
            scores_by_name[name] = max(scores_by_name[name], score)
    content_phrases = [phrase for phrase in phrases if not is_function_phrase(phrase)]
    fit = max(scores_by_name.values(), default=0.0) if content_phrases else _NEUTRAL_FIT
    return replace(candidate, types=types, context_fit=fit, fact=_describe(kg, candidate, scores_by_name)[:160])


def _describe(kg: KnowledgeGraph, candidate: EntityCandidate, scores_by_name: Mapping[str, float]) -> str:
    """Describe a candidate by its predicates that are nearest to the question (by label)."""
    predicates, uninformative = kg.vocabulary.predicates, (*TYPE_PREDICATES, *kg.profile.types, *kg.profile.labels)
    facts: list[tuple[str, str, int]] = [
        (predicates[iri].label if iri in predicates else iri_to_words(iri), way, count)
        for iri, way, count in (*candidate.incident_predicates, *((iri, "", 0) for iri in candidate.predicates))
        if iri not in uninformative and not (iri in predicates and predicates[iri].is_metadata)
    ]
    best = sorted(dict.fromkeys(facts), key=lambda fact: (-scores_by_name.get(fact[0], 0.0), fact))[:_MAX_FACTS]
    if candidate.kind == "value":
        return f"as {', '.join(label for label, _, _ in best)}" if best else ""
    out = [label for label, way, _ in best if way == "out"]
    into = [f"{label} of {count}" for label, way, count in best if way == "in"]
    return "; ".join((*([f"has {', '.join(out)}"] if out else []), *([f"is {', '.join(into)}"] if into else [])))
