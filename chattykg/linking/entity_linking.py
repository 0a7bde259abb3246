"""Entity linking: the vertices, classes and values of the KG that the mentions of a question may stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from chattyshared.kg import Hit, KnowledgeGraph, LiteralHit
from chattyshared.kg.label_ranking import singular_key
from chattyshared.kg.labels import label_predicates
from chattyshared.language.morphology import label_stems_of, lemma_stem_of, normalize_text
from chattyshared.language.tokenizer import tokenize
from chattyshared.literals import is_date, is_number
from chattyshared.profile import TYPE_PREDICATES
from chattyshared.terms import iri_to_words, is_writable
from rdflib import Literal, URIRef

from chattykg.linking.candidates import EXACT_SCORE, EntityCandidate, EntityLink, IncidentPredicates, MentionCandidates
from chattykg.linking.class_linking import classes_to_compare
from chattykg.linking.label_lexicon import is_unknown_word
from chattykg.linking.mention_selection import is_other_name
from chattykg.linking.relation_phrases import is_function_phrase, is_label_phrase
from chattykg.linking.similarity import LexicalSimilarity, Similarity, lexical_similarity
from chattykg.linking.vocabulary_card import MAX_CANDIDATES, VocabularyCard
from chattykg.qir import QIR, Relation, is_unknown

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
_MAX_TYPE_VALUES = 20
"""Values that are retrieved for one noun at most."""
_MAX_FACTS = 3
"""Predicates that the description of a candidate names at most."""

_DETERMINERS = ("the ", "a ", "an ")


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
    hits, values = _find_in_card(texts, card)
    unknown = [text for text in texts if not hits.get(text) and not values.get(text)]
    full = [text for text in texts if _is_full_of_exact(hits.get(text, ()), min(MAX_CANDIDATES, limit))]
    if unknown or full:
        wider = dict(kg.search([*unknown, *full], limit=limit + 1))
        hits |= wider | {text: tuple(hit for hit in wider[text] if hit.score >= EXACT_SCORE) for text in full}
    if unknown:
        values |= kg.search_literals(unknown, limit=limit)
    truncated = frozenset(text for text in texts if len(hits.get(text, ())) > limit)
    candidates = {
        text: (
            *_vertex_candidates(_without_other_names(text, hits.get(text, ())[:limit])),
            *_literal_candidates(text, values.get(text, ()), kg),
            *_class_candidates(text, card, kg),
        )
        for text in texts
    }
    candidates = {t: listed[: max(MAX_WEIGHED, sum(c.is_exact for c in listed))] for t, listed in candidates.items()}
    incident = _incident_predicates(kg, (candidate for listed in candidates.values() for candidate in listed))
    mentions = []
    for text in texts:
        phrases = _relation_phrases(qir, text)
        weighed = [
            _with_context(kg, replace(c, incident_predicates=incident.get(str(c.term), ())), phrases, similarity)
            for c in candidates[text]
        ]
        weighed.sort(
            key=lambda c: (-round(c.score, 3), c.kind != "vertex", -round(c.context_fit, 3), c.label, str(c.term))
        )
        mentions.append(
            MentionCandidates(text, _select_shown(_drop_names(weighed, kg)), phrases, limit if text in truncated else 0)
        )
    return tuple(mentions)


def _without_other_names(text: str, hits: Sequence[Hit]) -> Iterable[Hit]:
    """Return the hits of a mention without the names that share a part of it, if it is a name of several words."""
    is_name = all(token.is_capitalized for token in tokenize(text)) and len(text.split()) > 1
    return [hit for hit in hits if not is_other_name(text, hit)] if is_name else hits


def unknowns_to_names(question: str, qir: QIR, card: VocabularyCard, kg: KnowledgeGraph) -> QIR:
    """Return the QIR with a name instead of an unknown whose noun is no word but a part of labels.

    "when was coppola born" asks for no thing of a kind "coppola". At most one request.

    Raises:
        EndpointError: the KG could not be asked.
    """
    known = {w for m in card.mentions if m.kind != "vertex" for w in normalize_text(m.text).split()}
    words = set(normalize_text(question.replace("'", " ")).split()) - known
    names = {
        unknown: text
        for unknown in qir.unknowns()
        if unknown != qir.target
        and (text := unknown.lstrip("?").replace("_", " ")) in words
        and is_unknown_word(text, card.language.morphology)
    }
    hits = kg.search(tuple(names.values()), limit=MAX_SHOWN) if names else {}
    named = {u: t for u, t in names.items() if any(t in normalize_text(h.label).split() for h in hits.get(t, ()))}
    triples, negated = (
        tuple(
            replace(r, subject=named.get(r.subject, r.subject), object=named.get(r.object, r.object)) for r in relations
        )
        for relations in (qir.triples, qir.negated)
    )
    is_classed = any(unknown in named for unknown, _ in qir.classes)
    return replace(qir, triples=triples, negated=negated) if named and not is_classed else qir


def nouns_to_literals(question: str, qir: QIR, card: VocabularyCard, kg: KnowledgeGraph) -> QIR:
    """Return the QIR with triples instead of classes that are values: "actors" if the graph has an occupation "actor".

    At most one request, none if all are classes.

    The noun may also be the name of the target alone, if no class has it.

    Raises:
        EndpointError: the KG could not be asked.
    """
    linked_nouns = {singular_key(m.text) for m in card.mentions_of_kind("class")}
    typed_unknowns = [*qir.classes, *_target_noun(question, qir)]
    nouns = {text: singular_key(text) for _, text in typed_unknowns if singular_key(text) not in linked_nouns}
    if not nouns:
        return qir
    hits_by_noun = kg.search_literals(tuple(dict.fromkeys(nouns.values())), limit=_MAX_TYPE_VALUES)
    triples, classes = list(qir.triples), []
    for unknown, text in typed_unknowns:
        hits = [hit for hit in hits_by_noun.get(nouns.get(text, ""), ()) if singular_key(str(hit.value)) == nouns[text]]
        if hits:
            entry = kg.vocabulary.predicates.get(hits[0].predicates[0])
            triples.append(Relation(unknown, entry.label if entry else "", str(hits[0].value)))
        elif (unknown, text) in qir.classes:
            classes.append((unknown, text))
    return replace(qir, triples=tuple(triples), classes=tuple(classes))


def _target_noun(question: str, qir: QIR) -> list[tuple[str, str]]:
    """Return the target with its noun, if the question asks for it and no relation or entity holds the noun."""
    noun = " ".join(re.findall(r"[^\W\d_]+", qir.target))
    if not noun or any(unknown == qir.target for unknown, _ in qir.classes):
        return []
    words = set(singular_key(noun).split())
    if any(words & set(singular_key(text).split()) for text in (*qir.relations(), *qir.entities())):
        return []
    match = re.search(
        rf"\b(?:which|what|how many|all|list|name)\s+(?:the\s+)?{re.escape(noun)}", question, re.IGNORECASE
    )
    return [(qir.target, noun)] if match else []


def _is_full_of_exact(hits: Sequence[Hit], limit: int) -> bool:
    """Tell whether a mention has as many exact hits as a card holds, so that the card may have left out others."""
    return len(hits) >= limit and all(hit.score >= EXACT_SCORE for hit in hits)


def _select_shown(candidates: Sequence[EntityCandidate]) -> tuple[EntityCandidate, ...]:
    """Return the candidates for the prompt, exact ones first."""
    exact = [candidate for candidate in candidates if candidate.is_exact]
    others = [candidate for candidate in candidates if not candidate.is_exact]
    return tuple((*exact, *others[: MAX_INEXACT_SHOWN if exact else MAX_SHOWN])[:MAX_SHOWN])


def _drop_names(candidates: Sequence[EntityCandidate], kg: KnowledgeGraph) -> list[EntityCandidate]:
    """Leave out values that are the name, or a part of the name, of another candidate."""
    vertex_labels = " | ".join(normalize_text(c.label) for c in candidates if c.kind == "vertex")
    return [
        candidate
        for candidate in candidates
        if candidate.kind != "value"
        or normalize_text(candidate.label) not in vertex_labels
        or not _is_name(candidate, kg)
    ]


def _is_name(candidate: EntityCandidate, kg: KnowledgeGraph) -> bool:
    predicates, name_predicates = kg.vocabulary.predicates, label_predicates(kg.profile)
    return all(
        iri in name_predicates or is_label_phrase(predicates[iri].label if iri in predicates else iri_to_words(iri))
        for iri in candidate.predicates
    )


def group_links(mention: MentionCandidates, chosen: Sequence[EntityCandidate]) -> tuple[EntityLink, ...]:
    """Group the chosen candidates of a mention: equally good ones form one link, best link first."""
    groups: list[list[EntityCandidate]] = []
    for candidate in sorted(chosen, key=_rank):
        last = groups[-1][0] if groups else None
        is_equal = last is not None and last.kind == candidate.kind and _rank(last)[:2] == _rank(candidate)[:2]
        if is_equal and (last is None or candidate.kind != "class"):
            groups[-1].append(candidate)
        else:
            groups.append([candidate])
    return tuple(
        EntityLink(
            mention.text,
            tuple(group[:_MAX_GROUP]),
            _link_score(group[0]),
            _is_cut(group, mention),
            mention.truncated_at,
        )
        for group in groups
    )


def _is_cut(group: Sequence[EntityCandidate], mention: MentionCandidates) -> bool:
    """Tell whether candidates that fit as well as a full group were left out of it."""
    equal = [c for c in mention.candidates if c.kind == group[0].kind and _rank(c)[:2] == _rank(group[0])[:2]]
    return len(group) >= _MAX_GROUP and len(equal) > _MAX_GROUP


def _rank(candidate: EntityCandidate) -> tuple[float, float, str]:
    kind_rank = ("vertex", "class", "value").index(candidate.kind)
    score, fit = round(_link_score(candidate), _SCORE_DIGITS), round(candidate.context_fit, _FIT_DIGITS)
    return -score, -fit, f"{kind_rank} {candidate.term}"


def _link_score(candidate: EntityCandidate) -> float:
    return candidate.score * (LINK_LABEL_WEIGHT + LINK_CONTEXT_WEIGHT * candidate.context_fit)


def _is_same_mention(text: str, other: str) -> bool:
    return _strip_determiner(text) == _strip_determiner(other)


def _strip_determiner(text: str) -> str:
    folded = normalize_text(text)
    for determiner in _DETERMINERS:
        folded = folded.removeprefix(determiner)
    return folded


def _find_in_card(
    texts: Sequence[str], card: VocabularyCard
) -> tuple[dict[str, tuple[Hit, ...]], dict[str, tuple[LiteralHit, ...]]]:
    hits: dict[str, tuple[Hit, ...]] = {}
    values: dict[str, tuple[LiteralHit, ...]] = {}
    for text in texts:
        for mention in (*card.mentions, *card.countries):
            if _is_same_mention(mention.text, text):
                hits[text] = (*hits.get(text, ()), *mention.hits)
                values[text] = (*values.get(text, ()), *mention.values)
    return hits, values


def _vertex_candidates(hits: Iterable[Hit]) -> tuple[EntityCandidate, ...]:
    unique = {hit.iri: hit for hit in reversed(tuple(hits))}
    ordered = sorted(unique.values(), key=lambda hit: (-hit.score, hit.label, hit.iri))
    return tuple(
        EntityCandidate("vertex", URIRef(hit.iri), hit.label or iri_to_words(hit.iri), hit.score, classes=hit.types)
        for hit in ordered
        if is_writable(hit.iri)
    )


def _literal_candidates(text: str, hits: Iterable[LiteralHit], kg: KnowledgeGraph) -> tuple[EntityCandidate, ...]:
    """Return the candidates for values; a number or date that the text writes needs no link."""
    is_quantity = any(letter.isdigit() for letter in text)
    return tuple(
        EntityCandidate(
            "value", hit.value, " ".join(str(hit.value).split())[:200], hit.score, predicates=hit.predicates
        )
        for hit in hits
        if isinstance(hit.value, Literal) and not (is_quantity and (is_number(hit.value) or is_date(hit.value)))
        if not _is_part_of_compound(hit, text, kg)
    )


def _is_part_of_compound(hit: LiteralHit, text: str, kg: KnowledgeGraph) -> bool:
    """Tell whether a value is a part of a compound whose other part its predicates do not name.

    "left-handed" is not "left" under "strong foot", but "left-footed" is.
    """
    parts = text.lower().split("-")
    value = str(hit.value).lower()
    if " " in text or value == text.lower() or value not in parts:
        return False
    others = {lemma_stem_of(part) for part in parts if part != value}
    entries = (kg.vocabulary.predicates.get(iri) for iri in hit.predicates)
    return not any(others & set(label_stems_of(entry.label)) for entry in entries if entry)


def _class_candidates(text: str, card: VocabularyCard, kg: KnowledgeGraph) -> tuple[EntityCandidate, ...]:
    scores: dict[str, float] = {}
    for mention in card.mentions_of_kind("class"):
        if _is_same_mention(mention.text, text):
            scores |= dict(zip(mention.iris, mention.scores or (mention.score,) * len(mention.iris), strict=False))
    if not scores:
        for entry in classes_to_compare(text, card, kg, LexicalSimilarity()):
            score = max((lexical_similarity(text, name) for name in (entry.label, *entry.alt_labels)), default=0.0)
            if score >= _MIN_CLASS_SIMILARITY and not entry.is_metadata:
                scores[entry.iri] = score
    entries = kg.vocabulary.classes
    return tuple(
        EntityCandidate("class", URIRef(iri), entries[iri].label if iri in entries else iri_to_words(iri), score)
        for iri, score in sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    )[:_MAX_CLASS_CANDIDATES]


def _relation_phrases(qir: QIR, text: str) -> tuple[str, ...]:
    phrases = [t.relation for t in (*qir.triples, *qir.negated) if text in t.ends()]
    if any(text in mentions for _, mentions in qir.values):
        listed = {unknown for unknown, mentions in qir.values if text in mentions}
        phrases += [t.relation for t in (*qir.triples, *qir.negated) if listed & set(t.ends())]
    return tuple(dict.fromkeys(phrase for phrase in phrases if phrase and not is_unknown(phrase)))


def _incident_predicates(kg: KnowledgeGraph, candidates: Iterable[EntityCandidate]) -> Mapping[str, IncidentPredicates]:
    terms = tuple(dict.fromkeys(c.term for c in candidates if c.kind == "vertex"))
    return {str(term): around for term, around in kg.predicates_of(terms).items()} if terms else {}


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
