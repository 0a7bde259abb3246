"""A digest of what a KG holds, by numbers that any endpoint can count: equal content, equal digest."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from chattyshared.endpoint import Endpoint
from chattyshared.errors import EndpointTimeout, QueryRejected
from chattyshared.kg.batches import count_of, text_of
from chattyshared.kg.statistics import KGStatistics

# Each triple gives a number made of decimal digits of an MD5 of its text; their sum per predicate does not depend on
# any order and changes with each changed triple. Blank nodes have no name that lasts: they count as nothing. The
# datatype of texts with a language is written out, for Virtuoso knows none there. (Its MD5 takes characters beyond
# ASCII otherwise than by their UTF-8: a KG with such has another digest there than in files.)
_SUMS = """SELECT ?p (SUM(?h) AS ?sum) WHERE { ?s ?p ?o
 BIND(IF(isBlank(?s), "_", STR(?s)) AS ?a)
 BIND(IF(isBlank(?o), "_", IF(isLiteral(?o), CONCAT(STR(?o), "@", LCASE(LANG(?o)), "^", IF(LANG(?o) != "",
   "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", STR(DATATYPE(?o)))), STR(?o))) AS ?b)
 BIND(<http://www.w3.org/2001/XMLSchema#integer>(CONCAT("1",
   SUBSTR(REPLACE(MD5(CONCAT(?a, " ", ?b)), "[a-f]", ""), 1, 8))) AS ?h)
} GROUP BY ?p"""


def compute_fingerprint(endpoint: Endpoint, counts: KGStatistics) -> str:
    """Return a digest of numbers of triples per predicate and entities per class; of small KGs, of each triple.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    digest = sha256()
    for line in (*_counted(counts), *_summed(endpoint, counts)):
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()[:32]


def _counted(counts: KGStatistics) -> Iterator[str]:
    yield from (f"{predicate} {n}" for predicate, n in sorted(counts.predicates.items()))
    yield from (f"a {kind} {n}" for kind, n in sorted(counts.classes.items()))


def _summed(endpoint: Endpoint, counts: KGStatistics) -> list[str]:
    if not counts.is_small:
        return []
    try:
        rows = endpoint.select(_SUMS)
    except (QueryRejected, EndpointTimeout):  # an engine without MD5, or a slow one: the counts alone must do
        return []
    return sorted(f"{text_of(row, 'p')} {count_of(row, 'sum')}" for row in rows)
