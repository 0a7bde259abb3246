"""Statistics of a class: how many of its things have each predicate, with how many values, and which are frequent."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chattyshared.endpoint import Endpoint
from chattyshared.kg.batches import count_of, text_of, union_pattern
from chattyshared.kg.class_members import members_pattern
from chattyshared.profile import Profile
from chattyshared.terms import Term

MAX_COUNTED_PREDICATES = 200
"""Predicates of a class that are counted, in each direction."""
MAX_COUNTED_MEMBERS = 1_000
"""Things of a class of a big KG that are counted for its statistics."""
SAMPLED_MEMBERS = 200
"""Things of a class whose values are read for its statistics."""
MAX_FREQUENT_VALUES = 40
"""Values of a predicate that its statistics keep."""


@dataclass(frozen=True, slots=True, eq=False)
class PredicateAtClass:
    """The use of one predicate by the things of a class, as its subjects or, with ``is_inverse``, as its objects.

    ``thing_count`` things have it, with ``triple_count`` values in all, of which ``value_count`` are distinct.
    ``values`` are the most frequent values of sampled subjects, each with the number of these; ``sample_count`` of them
    have a value. An inverse predicate has no sample.
    """

    iri: str
    is_inverse: bool
    thing_count: int
    triple_count: int
    value_count: int
    values: tuple[tuple[Term, int], ...] = ()
    sample_count: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class ClassStatistics:
    """The number of things of a class that were counted, and their predicates, most frequent first, by direction.

    A key of caches by identity.
    """

    class_iri: str
    size: int
    predicates: tuple[PredicateAtClass, ...]

    def find(self, predicate: str, *, is_inverse: bool = False) -> PredicateAtClass | None:
        """Return the use of a predicate in one direction; None if nothing was counted."""
        return next((use for use in self.predicates if use.iri == predicate and use.is_inverse is is_inverse), None)


def measure_class(
    endpoint: Endpoint,
    profile: Profile,
    classes: Sequence[str],
    class_iri: str,
    *,
    is_small: bool = True,
    sample_size: int = SAMPLED_MEMBERS,
) -> ClassStatistics:
    """Return the statistics of a class in one request; ``classes`` are the class and its subclasses.

    Without ``is_small``, a part of the things is counted, and only as subjects: what points to a hub is too much.
    ``sample_size`` bounds the things whose values are read. The sample is the same at each request.

    Raises:
        EndpointError: the KG could not be asked.
    """
    rows = endpoint.select(_statistics_query(members_pattern(profile, classes), sample_size, is_small=is_small))
    size = sum(count_of(row, "n") for row in rows if text_of(row, "part") == "size")
    values: dict[str, Counter[Term]] = defaultdict(Counter)
    subjects: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if text_of(row, "part") == "sample" and "v" in row:
            values[text_of(row, "p")][row["v"]] += 1
            subjects[text_of(row, "p")].add(text_of(row, "s"))
    uses = []
    for row in rows:
        predicate, is_inverse = text_of(row, "p"), text_of(row, "part") == "in"
        if predicate and (is_inverse or text_of(row, "part") == "out"):
            thing_count, triple_count, value_count = (count_of(row, name) for name in ("n", "t", "d"))
            use = PredicateAtClass(predicate, is_inverse, thing_count, triple_count, value_count)
            if not is_inverse:
                use = replace(use, values=_most_frequent(values[predicate]), sample_count=len(subjects[predicate]))
            uses.append(use)
    return ClassStatistics(
        class_iri, size, tuple(sorted(uses, key=lambda use: (use.is_inverse, -use.thing_count, use.iri)))
    )


def _statistics_query(members_of_class: str, sample_size: int, *, is_small: bool) -> str:
    bound = "" if is_small else f" LIMIT {MAX_COUNTED_MEMBERS}"
    members = f"{{ SELECT DISTINCT ?s WHERE {{ {members_of_class} }}{bound} }}"
    branches = [f'{{ SELECT (COUNT(DISTINCT ?s) AS ?n) WHERE {{ {members} }} }} BIND("size" AS ?part)']
    directions = (("out", "?s ?p ?far"), ("in", "?far ?p ?s"))
    for part, triple in directions if is_small else directions[:1]:
        branches.append(
            "{ SELECT ?p (COUNT(DISTINCT ?s) AS ?n) (COUNT(*) AS ?t) (COUNT(DISTINCT ?far) AS ?d) WHERE "
            f"{{ {members} {triple} }} GROUP BY ?p ORDER BY DESC(?n) LIMIT {MAX_COUNTED_PREDICATES} }} "
            f'BIND("{part}" AS ?part)'
        )
    if sample_size:
        branches.append(
            f"{{ SELECT ?s WHERE {{ {members} }} ORDER BY MD5(STR(?s)) LIMIT {sample_size} }} ?s ?p ?v "
            'BIND("sample" AS ?part)'
        )
    return f"SELECT ?part ?p ?n ?t ?d ?s ?v WHERE {{ {union_pattern(branches)} }}"


def _most_frequent(counts: Counter[Term]) -> tuple[tuple[Term, int], ...]:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], str(item[0]), repr(item[0])))
    return tuple(ordered[:MAX_FREQUENT_VALUES])
