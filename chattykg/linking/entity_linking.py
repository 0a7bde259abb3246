"""Entity linking: which vertices, classes and values of the KG the mentions of a question may stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from chattyshared.kg import Hit, KnowledgeGraph, LiteralHit
from chattyshared.kg.labels import label_predicates
from chattyshared.language.morphology import normalize_text
from chattyshared.literals import is_date, is_number
from chattyshared.profile import TYPE_PREDICATES
from chattyshared.terms import iri_to_words, is_writable
from rdflib import Literal, URIRef

from chattykg.linking.candidates import EXACT_SCORE, EntityCandidate, EntityLink, IncidentPredicates, MentionCandidates
from chattykg.linking.class_linking import classes_to_compare
from chattykg.linking.relation_phrases import is_function_phrase, is_label_phrase
from chattykg.linking.similarity import Similarity, lexical_similarity
from chattykg.linking.vocabulary_card import MAX_CANDIDATES, VocabularyCard
from chattykg.qir import QIR, is_unknown

SHOWN, BESIDE = 10, 2
"""Candidates of one mention that are shown to a model, and those beside some that bear the very name."""
WEIGHED = 24
"""Candidates of one mention whose surroundings are looked at; all that bear the very name are."""
_TOGETHER = 6
_DETERMINERS = ("the ", "a ", "an ")
_NEAR_CLASS = 0.8
_UNTOLD = 0.7
"""The fit of a candidate where the question says nothing of how it is meant."""


def retrieve_candidates(
    kg: KnowledgeGraph, qir: QIR, card: VocabularyCard, similarity: Similarity, limit: int
) -> tuple[MentionCandidates, ...]:
    """Return the mentions of a QIR with their candidates, best first; a mention that the KG does not know has none.

    Of each at most ``limit`` vertices are retrieved. What the card has found already is not looked up again, unless it
    may have left out things of the very name: at most three requests more.
    """
    texts = qir.entities()
    hits, values = _from_card(texts, card)
    unknown = [text for text in texts if not hits.get(text) and not values.get(text)]
    crowded = [text for text in texts if _is_crowded(hits.get(text, ()), min(MAX_CANDIDATES, limit))]
    if unknown or crowded:
        wider = dict(kg.search([*unknown, *crowded], limit=limit + 1))
        hits |= wider | {text: tuple(hit for hit in wider[text] if hit.score >= EXACT_SCORE) for text in crowded}
    if unknown:
        values |= kg.search_literals(unknown, limit=limit)
    cut = frozenset(text for text in texts if len(hits.get(text, ())) > limit)
    found = {
        text: (*_vertices(hits.get(text, ())[:limit]), *_values(values.get(text, ())), *_classes(text, card, kg))
        for text in texts
    }
    found = {text: listed[: max(WEIGHED, sum(c.is_exact for c in listed))] for text, listed in found.items()}
    around = _around(kg, (candidate for listed in found.values() for candidate in listed))
    mentions = []
    for text in texts:
        phrases = _phrases(qir, text)
        weighed = [
            _weigh(kg, replace(candidate, incident_predicates=around.get(str(candidate.term), ())), phrases, similarity)
            for candidate in found[text]
        ]
        weighed.sort(
            key=lambda c: (-round(c.score, 3), c.kind != "vertex", -round(c.context_fit, 3), c.label, str(c.term))
        )
        mentions.append(
            MentionCandidates(text, _first(_without_names(weighed, kg)), phrases, limit if text in cut else 0)
        )
    return tuple(mentions)


def _is_crowded(hits: Sequence[Hit], most: int) -> bool:
    """Tell whether as many things as a card holds bear the very name, so that it may have left out others."""
    return len(hits) >= most and all(hit.score >= EXACT_SCORE for hit in hits)


def _first(candidates: Sequence[EntityCandidate]) -> tuple[EntityCandidate, ...]:
    """Return the candidates that are shown: some that bear the very name go before others."""
    exact = [candidate for candidate in candidates if candidate.is_exact]
    others = [candidate for candidate in candidates if not candidate.is_exact]
    return tuple((*exact, *others[: BESIDE if exact else SHOWN])[:SHOWN])


def _without_names(candidates: Sequence[EntityCandidate], kg: KnowledgeGraph) -> list[EntityCandidate]:
    """Leave out values that are nothing but the name, or a part of the name, of a vertex that is a candidate itself."""
    named = " | ".join(normalize_text(candidate.label) for candidate in candidates if candidate.kind == "vertex")
    return [
        candidate
        for candidate in candidates
        if candidate.kind != "value" or normalize_text(candidate.label) not in named or not _is_name(candidate, kg)
    ]


def _is_name(candidate: EntityCandidate, kg: KnowledgeGraph) -> bool:
    known, naming = kg.vocabulary.predicates, label_predicates(kg.profile)
    return all(
        iri in naming or is_label_phrase(known[iri].label if iri in known else iri_to_words(iri))
        for iri in candidate.predicates
    )


def group_links(mention: MentionCandidates, chosen: Sequence[EntityCandidate]) -> tuple[EntityLink, ...]:
    """Group the chosen candidates of a mention: those that fit equally well stand together, best group first."""
    groups: list[list[EntityCandidate]] = []
    for candidate in sorted(chosen, key=_rank):
        last = groups[-1][0] if groups else None
        alike = last is not None and last.kind == candidate.kind and _rank(last)[:2] == _rank(candidate)[:2]
        if alike and (last is None or candidate.kind != "class"):
            groups[-1].append(candidate)
        else:
            groups.append([candidate])
    return tuple(
        EntityLink(
            mention.text, tuple(group[:_TOGETHER]), _worth(group[0]), _is_cut(group, mention), mention.truncated_at
        )
        for group in groups
    )


def _is_cut(group: Sequence[EntityCandidate], mention: MentionCandidates) -> bool:
    """Tell whether others fit a mention as well as a whole group does."""
    alike = [c for c in mention.candidates if c.kind == group[0].kind and _rank(c)[:2] == _rank(group[0])[:2]]
    return len(group) >= _TOGETHER and len(alike) > _TOGETHER


def _rank(candidate: EntityCandidate) -> tuple[float, float, str]:
    place = ("vertex", "class", "value").index(candidate.kind)
    return -round(_worth(candidate), 2), -round(candidate.context_fit, 1), f"{place} {candidate.term}"


def _worth(candidate: EntityCandidate) -> float:
    return candidate.score * (0.75 + 0.25 * candidate.context_fit)


def _same(text: str, other: str) -> bool:
    return _bare(text) == _bare(other)


def _bare(text: str) -> str:
    folded = normalize_text(text)
    for determiner in _DETERMINERS:
        folded = folded.removeprefix(determiner)
    return folded


def _from_card(
    texts: Sequence[str], card: VocabularyCard
) -> tuple[dict[str, tuple[Hit, ...]], dict[str, tuple[LiteralHit, ...]]]:
    hits: dict[str, tuple[Hit, ...]] = {}
    values: dict[str, tuple[LiteralHit, ...]] = {}
    for text in texts:
        for mention in card.mentions:
            if _same(mention.text, text):
                hits[text] = (*hits.get(text, ()), *mention.hits)
                values[text] = (*values.get(text, ()), *mention.values)
    return hits, values


def _vertices(hits: Iterable[Hit]) -> tuple[EntityCandidate, ...]:
    unique = {hit.iri: hit for hit in reversed(tuple(hits))}
    ordered = sorted(unique.values(), key=lambda hit: (-hit.score, hit.label, hit.iri))
    return tuple(
        EntityCandidate("vertex", URIRef(hit.iri), hit.label or iri_to_words(hit.iri), hit.score, classes=hit.types)
        for hit in ordered
        if is_writable(hit.iri)
    )


def _values(hits: Iterable[LiteralHit]) -> tuple[EntityCandidate, ...]:
    return tuple(
        EntityCandidate(
            "value", hit.value, " ".join(str(hit.value).split())[:200], hit.score, predicates=hit.predicates
        )
        for hit in hits
        if isinstance(hit.value, Literal) and not is_number(hit.value) and not is_date(hit.value)
    )


def _classes(text: str, card: VocabularyCard, kg: KnowledgeGraph) -> tuple[EntityCandidate, ...]:
    found: dict[str, float] = {}
    for mention in card.mentions_of_kind("class"):
        if _same(mention.text, text):
            found |= dict(zip(mention.iris, mention.scores or (mention.score,) * len(mention.iris), strict=False))
    if not found:
        for entry in classes_to_compare(card, kg):
            score = max((lexical_similarity(text, name) for name in (entry.label, *entry.alt_labels)), default=0.0)
            if score >= _NEAR_CLASS and not entry.is_metadata:
                found[entry.iri] = score
    entries = kg.vocabulary.classes
    return tuple(
        EntityCandidate("class", URIRef(iri), entries[iri].label if iri in entries else iri_to_words(iri), score)
        for iri, score in sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    )[:3]


def _phrases(qir: QIR, text: str) -> tuple[str, ...]:
    phrases = [t.relation for t in (*qir.triples, *qir.negated) if text in t.ends()]
    if any(text in mentions for _, mentions in qir.values):
        listed = {unknown for unknown, mentions in qir.values if text in mentions}
        phrases += [t.relation for t in (*qir.triples, *qir.negated) if listed & set(t.ends())]
    return tuple(dict.fromkeys(phrase for phrase in phrases if phrase and not is_unknown(phrase)))


def _around(kg: KnowledgeGraph, candidates: Iterable[EntityCandidate]) -> Mapping[str, IncidentPredicates]:
    terms = tuple(dict.fromkeys(c.term for c in candidates if c.kind == "vertex"))
    return {str(term): around for term, around in kg.predicates_of(terms).items()} if terms else {}


def _weigh(
    kg: KnowledgeGraph, candidate: EntityCandidate, phrases: Sequence[str], similarity: Similarity
) -> EntityCandidate:
    """Add what the graph says of a candidate: its types by name, the facts nearest to the question, and their fit."""
    classes, predicates = kg.vocabulary.classes, kg.vocabulary.predicates
    types = tuple(classes[iri].label if iri in classes else iri_to_words(iri) for iri in candidate.classes)
    iris = tuple(dict.fromkeys((*(p for p, _, _ in candidate.incident_predicates), *candidate.predicates)))
    names = [predicates[iri].label if iri in predicates else iri_to_words(iri) for iri in iris]
    scored: dict[str, float] = dict.fromkeys(names, 0.0)
    for phrase in phrases:
        for name, score in zip(names, similarity(phrase, names), strict=True):
            scored[name] = max(scored[name], score)
    told = [phrase for phrase in phrases if not is_function_phrase(phrase)]
    fit = max(scored.values(), default=0.0) if told else _UNTOLD
    return replace(candidate, types=types, context_fit=fit, fact=_fact(kg, candidate, scored)[:160])


def _fact(kg: KnowledgeGraph, candidate: EntityCandidate, scored: Mapping[str, float]) -> str:
    """Say what tells a candidate from others: the predicates at it that are nearest to the question (by label)."""
    known, idle = kg.vocabulary.predicates, (*TYPE_PREDICATES, *kg.profile.types, *kg.profile.labels)
    at: list[tuple[str, str, int]] = [
        (known[iri].label if iri in known else iri_to_words(iri), way, count)
        for iri, way, count in (*candidate.incident_predicates, *((iri, "", 0) for iri in candidate.predicates))
        if iri not in idle and not (iri in known and known[iri].is_metadata)
    ]
    telling = sorted(dict.fromkeys(at), key=lambda each: (-scored.get(each[0], 0.0), each))[:3]
    if candidate.kind == "value":
        return f"as {', '.join(label for label, _, _ in telling)}" if telling else ""
    out = [label for label, way, _ in telling if way == "out"]
    into = [f"{label} of {count}" for label, way, count in telling if way == "in"]
    return "; ".join((*([f"has {', '.join(out)}"] if out else []), *([f"is {', '.join(into)}"] if into else [])))
