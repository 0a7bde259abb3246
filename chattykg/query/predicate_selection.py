"""Predicate selection: the predicates of the candidate queries, numbered for the planning agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.terms import iri_to_words, local_name

from chattykg.linking.predicate_candidates import LinkedRelation, PredicateCandidate
from chattykg.linking.relation_phrases import is_function_phrase
from chattykg.linking.vocabulary_card_text import TEXT_DATATYPES
from chattykg.qir import Relation, is_unknown
from chattykg.query.candidates import Query

_Key = tuple[tuple[str, ...], tuple[str, ...], bool]
# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
NEAR_BEST_SHARE = 0.97
"""Share (0..1) of the best score of a relation from which a predicate is as good as the best one."""

MIN_CLEAR_SCORE, MAX_NEXT_SHARE = 0.9, 0.75
"""Score (0..1) of a clear predicate, and the share of it that the next one may have, so that nothing is asked."""
MAX_HIDDEN_SHARE = 0.6
"""Share (0..1) of a clear predicate's score up to which others are not shown."""
MIN_INTERPRETATION_SHARE = 0.65
"""Share (0..1) of the best query's score from which relations of another interpretation are shown."""


@dataclass(frozen=True, slots=True)
class PredicateChoice:
    """One predicate candidate of a relation, with its number and its texts in a prompt.

    ``ends`` are those of the relation in the order of the predicate, if it is taken the other way; else empty.
    ``is_equivalent``: it belongs to a relation without words that stands for this one; only their scores compare.
    ``query_score`` (0..1) is that of the best query which it is part of: classes that clash make it low.
    """

    number: int
    candidate: PredicateCandidate
    label: str
    description: str
    is_equivalent: bool = False
    query_score: float = 1.0
    ends: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """The score (0..1) of the candidate."""
        return self.candidate.score

    def as_prompt_text(self) -> str:
        """Return its line in a prompt."""
        label = self.label[:80]
        statement = label if not self.ends else f"{self.ends[0][:30]} -- {label} -- {self.ends[1][:30]}"
        return f"  {self.number}. {statement}" + (f" ({self.description[:160]})" if self.description else "")


@dataclass(frozen=True, slots=True)
class RelationChoices:
    """A relation with its choices, best first; ``is_alternative``: of another interpretation of the question."""

    relation: Relation
    choices: tuple[PredicateChoice, ...]
    is_alternative: bool = False

    @property
    def is_unambiguous(self) -> bool:
        """Tell whether there is one choice, or the best one is clear."""
        scores = [option.score for option in self.choices]
        return len(scores) == 1 or (scores[0] >= MIN_CLEAR_SCORE and scores[1] <= MAX_NEXT_SHARE * scores[0])

    @property
    def fitting_choices(self) -> tuple[PredicateChoice, ...]:
        """The choices that are part of a query about as good as the best one of the relation."""
        best = max(option.query_score for option in self.choices)
        return tuple(o for o in self.choices if o.query_score >= MIN_INTERPRETATION_SHARE * best)

    def as_prompt_text(self) -> str:
        """Return the relation and its choices for a prompt."""
        relation_text = f"{self.relation.subject} -- {self.relation.relation or '(no word)'} -- {self.relation.object}"
        head = "or instead" if self.is_alternative else "relation"
        return "\n".join((f"{head}: {relation_text[:200]}", *(option.as_prompt_text() for option in self.choices)))


@dataclass(frozen=True, slots=True)
class PredicateChoices:
    """All relations of the question with numbered choices; numbers continue from relation to relation.

    ``equivalent_relations`` are relations without words, each with the relation with words between the same ends for
    which it stands; its choices are listed there.
    """

    relations: tuple[RelationChoices, ...]
    equivalent_relations: tuple[tuple[Relation, Relation], ...] = ()

    @property
    def choice_count(self) -> int:
        """The number of choices of all relations."""
        return sum(len(item.choices) for item in self.relations)

    @property
    def is_unambiguous(self) -> bool:
        """Tell whether all relations are unambiguous."""
        return all(item.is_unambiguous for item in self.relations)

    def as_prompt_text(self) -> str:
        """Return all relations for a prompt."""
        return "\n".join(item.as_prompt_text() for item in self.relations)

    def select_near_best(self) -> frozenset[int]:
        """Return the numbers of the choices that are as good as the best of their relation that fits the others."""
        return frozenset(
            choice.number
            for item in self.relations
            for choice in item.fitting_choices
            if choice.score
            >= NEAR_BEST_SHARE * next(o.score for o in item.fitting_choices if o.is_equivalent == choice.is_equivalent)
        )

    def filter_queries(self, queries: Sequence[Query], chosen: frozenset[int]) -> list[Query]:
        """Return the queries with chosen predicates only; if there are none, unchosen relations are free."""
        unchosen = {item.relation for item in self.relations if not any(o.number in chosen for o in item.choices)}
        allowed = [query for query in queries if self._allows(query, chosen, frozenset())]
        return allowed or [query for query in queries if self._allows(query, chosen, frozenset(unchosen))]

    def _allows(self, query: Query, chosen: frozenset[int], unchosen: frozenset[Relation]) -> bool:
        numbers = {(item.relation, key(o.candidate)): o.number for item in self.relations for o in item.choices}
        equivalents = dict(self.equivalent_relations)
        chosen_predicates = (
            (equivalents.get(edge.relation, edge.relation), edge.candidate) for edge in query.interpretation.edges
        )
        return all(
            relation in unchosen or numbers.get((relation, key(option))) in chosen
            for relation, option in chosen_predicates
        )


def key(candidate: PredicateCandidate) -> _Key:
    """Return the key of a candidate among those of its relation."""
    return (
        candidate.predicates,
        (*candidate.second_predicates, *(["inward"] if candidate.is_inward else [])),
        candidate.is_forward,
    )


def predicate_choices(queries: Sequence[Query], kg: KnowledgeGraph) -> PredicateChoices:
    """Return the choices of candidate queries (best first) by relation, best first, without implausible ones."""
    equivalents = _equivalent_relations(queries)
    edges_by_relation: dict[Relation, dict[_Key, LinkedRelation]] = {}
    best_scores: dict[Relation, float] = {}
    query_scores: dict[tuple[Relation, _Key], float] = {}
    for query in queries:
        for edge in query.interpretation.edges:
            relation = equivalents.get(edge.relation, edge.relation)
            best_scores[relation] = max(best_scores.get(relation, 0.0), query.score)
            options, candidate_key = edges_by_relation.setdefault(relation, {}), key(edge.candidate)
            query_scores.setdefault((relation, candidate_key), query.score)
            if candidate_key not in options or options[candidate_key].candidate.score < edge.candidate.score:
                options[candidate_key] = edge
    best_relations = (
        {equivalents.get(edge.relation, edge.relation) for edge in queries[0].interpretation.edges}
        if queries
        else set()
    )
    items, number = [], 0
    for relation, edges in edges_by_relation.items():
        if relation not in best_relations and best_scores[relation] < MIN_INTERPRETATION_SHARE * queries[0].score:
            continue
        plausible = _plausible_candidates(edges, query_scores, relation, queries)
        plausible = _drop_reversed(plausible, kg) if all(map(is_unknown, relation.ends())) else plausible
        listed: list[PredicateChoice] = []
        for option, description in zip(plausible, _descriptions(plausible, edges, relation, queries, kg), strict=True):
            number += 1
            label, edge = _distinct_label(option, plausible), edges[key(option)]
            is_equivalent, query_score = edge.relation != relation, query_scores[relation, key(option)]
            ends = () if option.is_forward else relation.ends()[::-1]
            listed.append(PredicateChoice(number, option, label, description, is_equivalent, query_score, ends))
        items.append(RelationChoices(relation, tuple(listed), relation not in best_relations))
    return PredicateChoices(tuple(items), tuple(equivalents.items()))


def _descriptions(
    options: Sequence[PredicateCandidate],
    edges: Mapping[_Key, LinkedRelation],
    relation: Relation,
    queries: Sequence[Query],
    kg: KnowledgeGraph,
) -> Iterator[str]:
    """Yield for each candidate of a relation its classes, how often it is stated, and an example, each once."""
    bidirectional, described = _bidirectional_predicates(edges.values()), set()
    for option in options:
        is_bidirectional = (option.predicates, option.second_predicates) in bidirectional
        is_new = option.last_predicate not in described
        described.add(option.last_predicate)
        descriptions = (
            _describe_ends(option, kg),
            _statement_count(option, relation, queries) if is_bidirectional else "",
            _coverage_text(option, relation, queries, kg)
            if len(options) > 1 and is_new and not is_bidirectional
            else "",
            _example_text(option, kg) if is_new else "",
        )
        yield "; ".join(filter(None, descriptions))


def _equivalent_relations(queries: Sequence[Query]) -> dict[Relation, Relation]:
    """Return the relations without words, each with the relation with words that it replaces in other queries."""
    relation_sets = {frozenset(edge.relation for edge in query.interpretation.edges) for query in queries}
    relations = dict.fromkeys(edge.relation for query in queries for edge in query.interpretation.edges)
    equivalents: dict[Relation, Relation] = {}
    for wordless in relations:
        for other in relations if is_function_phrase(wordless.relation) else ():
            stand_together = any({wordless, other} <= each for each in relation_sets)
            if other.ends() == wordless.ends() and not is_function_phrase(other.relation) and not stand_together:
                equivalents.setdefault(wordless, other)
    return equivalents


def _plausible_candidates(
    edges: Mapping[_Key, LinkedRelation],
    query_scores: Mapping[tuple[Relation, _Key], float],
    relation: Relation,
    queries: Sequence[Query],
) -> list[PredicateCandidate]:
    """Return the candidates best first, without impossible ones, those far behind a clear one and needless paths.

    "The width of X" is no width of a neighbour of X; a phrase that names the neighbour too gives that path more score.
    """
    ranked = sorted(
        (edge.candidate for edge in edges.values()),
        key=lambda o: (-o.score, o.label, o.predicates, not o.is_forward),
    )
    best = ranked[0].score
    direct = [option for option in ranked if not option.second_predicates]

    def is_detour(path: PredicateCandidate) -> bool:
        """Tell whether a path of two steps is the rival of a predicate that is clear, or of its own last step."""
        rivals = (option for option in direct if option.score > path.score)
        return bool(path.second_predicates) and any(
            (option.last_predicate, option.is_forward) == (path.last_predicate, path.is_forward)
            or option.score >= MIN_CLEAR_SCORE
            and query_scores[relation, key(option)] >= query_scores[relation, key(path)]
            for option in rivals
        )

    possible = [o for o in ranked if not _ends_in_vertex(o, relation, queries)] or ranked
    return [o for o in possible if (best < MIN_CLEAR_SCORE or o.score > MAX_HIDDEN_SHARE * best) and not is_detour(o)]


def _drop_reversed(options: Sequence[PredicateCandidate], kg: KnowledgeGraph) -> list[PredicateCandidate]:
    """Leave out a predicate that stands before in the other direction, if no thing may be at both of its ends."""
    seen: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
    kept = []
    for option in options:
        predicates = option.predicates, option.second_predicates
        entry = kg.vocabulary.predicates.get(option.predicates[0])
        is_one_way = entry is not None and not kg.vocabulary.may_share_members(entry.domains, entry.ranges)
        if predicates not in seen or option.second_predicates or not is_one_way:
            kept.append(option)
        seen.add(predicates)
    return kept


def _ends_in_vertex(option: PredicateCandidate, relation: Relation, queries: Sequence[Query]) -> bool:
    """Tell whether a predicate with literals would have a thing as its object: one with a vertex or a class."""
    if not option.is_literal or option.is_forward or option.second_predicates:
        return False
    interpretations = [query.interpretation for query in queries]
    links = (each.grounded.entity_links.get(relation.subject) for each in interpretations)
    is_classed = any(relation.subject in (end for end, _ in each.classes) for each in interpretations)
    return is_classed or any(link is not None and link.kind != "value" for link in links)


def _distinct_label(option: PredicateCandidate, options: Sequence[PredicateCandidate]) -> str:
    """Return the label of a candidate, with the name of its IRI if another predicate has the same label."""
    alike = {local_name(other.last_predicate) for other in options if other.label == option.label}
    return f"{option.label} [{local_name(option.last_predicate)}]" if len(alike) > 1 else option.label


def _coverage_text(option: PredicateCandidate, relation: Relation, queries: Sequence[Query], kg: KnowledgeGraph) -> str:
    """Return how many things of the class in question have a predicate ("stated of 227 of 250 of class ship").

    That class is the one of the predicate's end in the queries, or else its only domain; "" if none is known.
    """
    entry, classes = kg.vocabulary.predicates.get(option.predicates[0]), kg.vocabulary.classes
    if entry is None or option.second_predicates or len(option.predicates) > 1:
        return ""
    asked = _classes_of_end(relation.subject if option.is_forward else relation.object, queries)
    for usage in kg.class_usage.get(entry.iri, ()):
        if usage.class_iri in asked and usage.class_iri in classes:
            described = classes[usage.class_iri]
            return f"stated of {usage.subject_count} of {described.instance_count} of class {described.label}"
    if len(entry.domains) != 1:
        return ""
    members = sum(classes[iri].instance_count for iri in kg.vocabulary.subclasses(entry.domains[0]) if iri in classes)
    return f"stated of {entry.subject_count} of {members}" if 0 < entry.subject_count <= members else ""


def _classes_of_end(end: str, queries: Sequence[Query]) -> frozenset[str]:
    """Return the classes of an end of a relation: those that the queries link it to, or those of its vertex."""
    linked = (link for query in queries for name, link in query.interpretation.classes if name == end)
    links = (query.interpretation.grounded.entity_links.get(end) for query in queries)
    vertices = (link.candidates[0] for link in links if link is not None and link.kind == "vertex")
    named = frozenset(iri for link in linked for iri in link.classes)
    return named or frozenset(iri for vertex in vertices for iri in vertex.classes)


def _bidirectional_predicates(edges: Iterable[LinkedRelation]) -> frozenset[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the predicates that are candidates in both directions."""
    counts = Counter((edge.candidate.predicates, edge.candidate.second_predicates) for edge in edges)
    return frozenset(predicates for predicates, ways in counts.items() if ways > 1)


def _statement_count(option: PredicateCandidate, relation: Relation, queries: Sequence[Query]) -> str:
    """Return how often the graph states a predicate, in this direction, of the linked entity ("" without one)."""
    for query in queries:
        for end in relation.ends():
            link = query.interpretation.grounded.entity_links.get(end)
            if link is None or link.kind != "vertex":
                continue
            way = "out" if (end == relation.subject) == option.is_forward else "in"
            counts = [
                n
                for c in link.candidates
                for iri, to, n in c.incident_predicates
                if iri in option.predicates and to == way
            ]
            return f"stated {sum(counts)}x"
    return ""


def _describe_ends(option: PredicateCandidate, kg: KnowledgeGraph) -> str:
    """Return domain and range of a predicate, or the classes along a path of two steps."""
    predicates = kg.vocabulary.predicates
    entry, last = predicates.get(option.predicates[0]), predicates.get(option.last_predicate)
    if entry is None or last is None:
        return ""
    first_step = (
        (_range_label(entry, kg), _domain_label(entry, kg))
        if option.is_inward
        else (_domain_label(entry, kg), _range_label(entry, kg))
    )
    return " -> ".join((*first_step, _range_label(last, kg)) if option.second_predicates else first_step)


def _example_text(option: PredicateCandidate, kg: KnowledgeGraph) -> str:
    entry = kg.vocabulary.predicates.get(option.last_predicate)
    subject, other = entry.example if entry is not None else ("", "")
    return f"e.g. {subject[:30]} -> {other[:30]}" if subject and other and subject != other else ""


def _domain_label(entry: PredicateEntry, kg: KnowledgeGraph) -> str:
    return _class_label(entry.domains[0], kg) if entry.domains else "thing"


def _range_label(entry: PredicateEntry, kg: KnowledgeGraph) -> str:
    if entry.object_kind == "literal":
        is_text = not entry.datatypes or entry.datatypes[0] in TEXT_DATATYPES
        return "text" if is_text else iri_to_words(entry.datatypes[0])
    return _class_label(entry.ranges[0], kg) if entry.ranges else "thing"


def _class_label(iri: str, kg: KnowledgeGraph) -> str:
    classes = kg.vocabulary.classes
    return classes[iri].label if iri in classes else iri_to_words(iri)
