"""Predicates with few distinct objects: what stands there, so that a question's word can be told from them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from rdflib import BNode, Literal

from chattyshared.endpoint import Endpoint
from chattyshared.kg import labels
from chattyshared.kg.batches import batches, count_of, text_of, values_block
from chattyshared.profile import Profile
from chattyshared.terms import Term

MOST = 8
"""Distinct objects of a predicate that are few."""
REPEATED = 2
"""Objects are worth a list where each stands so often on average; else they tell things apart, and no kinds."""


def are_few(distinct: int, triples: int, languages: int = 1) -> bool:
    """Tell whether a predicate's objects are few by their numbers; a text may stand in several languages."""
    return 0 < distinct <= MOST * max(1, languages) and triples >= REPEATED * distinct


def fetch_enumerated_values(endpoint: Endpoint, profile: Profile, names: Sequence[str]) -> dict[str, tuple[Term, ...]]:
    """Return the objects of predicates that are known to have few, most frequent first: a request for 200 of them.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    found: dict[str, Counter[Term]] = defaultdict(Counter)
    for batch in batches([name for name in names if tells(name, profile)]):
        asked = f"SELECT ?p ?o (COUNT(*) AS ?n) WHERE {{ {values_block('p', batch)} ?s ?p ?o }} GROUP BY ?p ?o"
        for row in endpoint.select(asked):
            found[text_of(row, "p")][row["o"]] += count_of(row, "n")
    return {name: ranked(tally, profile) for name, tally in found.items()}


def enumerate_sampled_values(
    pairs: Mapping[str, Iterable[tuple[Term, Term]]], profile: Profile
) -> dict[str, tuple[Term, ...]]:
    """Return the objects in samples of triples (subject, object) of predicates, where they are few there."""
    found: dict[str, tuple[Term, ...]] = {}
    for name, sample in pairs.items():
        tally = Counter(o for _, o in sample)
        languages = len({o.language for o in tally if isinstance(o, Literal)})
        if tells(name, profile) and are_few(len(tally), tally.total(), languages):
            found[name] = ranked(tally, profile)
    return found


def tells(name: str, profile: Profile) -> bool:
    """Tell whether a predicate speaks of things, not of their names and classes, nor of the data."""
    return name not in profile.metadata and name not in profile.types and name not in profile.labels


def ranked(tally: Counter[Term], profile: Profile) -> tuple[Term, ...]:
    """Return objects, most frequent first, texts in one language; none where a blank node is among them."""
    if any(isinstance(term, BNode) for term in tally):
        return ()
    tagged = (term for term in tally if isinstance(term, Literal) and term.language)
    ranks: dict[Term, tuple[int, str]] = {term: labels.language_rank(term, profile) for term in tagged}
    kept = [term for term in tally if term not in ranks or ranks[term] == min(ranks.values())]
    kept.sort(key=lambda term: (-tally[term], str(term)))
    return tuple(kept) if len(kept) <= MOST else ()
