"""Statistics of a class: how many of its things have each predicate, with how many values, and which are frequent.

They tell which classes are hidden: classes of nodes that nobody names, because they only hold a value or relate other
things. A value node holds a number, often with a unit (a price). A row relates other things and may qualify this (a row
of a join table, a statement with a begin and an end). A question passes through both; it neither names nor asks for
them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal as Choice

from rdflib import Literal, URIRef

from chattyshared.endpoint import Endpoint
from chattyshared.kg.batches import count_of, text_of, union_pattern
from chattyshared.kg.class_members import members_pattern
from chattyshared.kg.vocabulary import Vocabulary
from chattyshared.language.lexicon import word_set
from chattyshared.language.quantities import unit_names
from chattyshared.literals import is_date, is_number
from chattyshared.profile import Profile
from chattyshared.terms import Term, iri_to_words, local_name

MAX_COUNTED_PREDICATES = 200
"""Predicates of a class that are counted, in each direction."""
MAX_COUNTED_MEMBERS = 1_000
"""Things of a class of a big KG that are counted for its statistics."""
SAMPLED_MEMBERS = 200
"""Things of a class whose values are read for its statistics."""
MAX_SHOWN_MEMBERS = 20
"""Things of a class whose outgoing triples its statistics keep."""
MAX_FREQUENT_VALUES = 40
"""Values of a predicate that its statistics keep."""
TYPICAL_SHARE = 0.9
"""Share of the shown members, 0..1, that decides what a class is; set by hand."""
NAMED_SHARE = 0.5
"""Share of the members, 0..1, with a label, from which a class is one of named things; set by hand."""
MAX_OWN_PREDICATES = 5
"""Predicates: a class with labels and with more of its own is one of named things; set by hand."""
MIN_JOINED = 2
"""Things that a row relates, at least, where it has a label or where the KG has none; set by hand."""
_UNIT_WORDS = word_set("units", "unit_roles")
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
LabelReader = Callable[[Iterable[Term]], Mapping[Term, str]]


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

    ``shown_members`` are some sampled things with their outgoing triples, as pairs of predicate and value.
    A key of caches by identity.
    """

    class_iri: str
    size: int
    predicates: tuple[PredicateAtClass, ...]
    shown_members: tuple[tuple[str, tuple[tuple[str, Term], ...]], ...] = ()

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
    members: dict[str, list[tuple[str, Term]]] = defaultdict(list)
    for row in rows:
        if text_of(row, "part") == "sample" and "v" in row:
            members[text_of(row, "s")].append((text_of(row, "p"), row["v"]))
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
    ordered = tuple(sorted(uses, key=lambda use: (use.is_inverse, -use.thing_count, use.iri)))
    shown = ((name, tuple(sorted(members[name], key=repr))) for name in sorted(members)[:MAX_SHOWN_MEMBERS])
    return ClassStatistics(class_iri, size, ordered, tuple(shown))


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


@dataclass(frozen=True, slots=True)
class HiddenClass:
    """A class of nodes that nobody names.

    Of value nodes, ``amount`` is the predicate of the number, and ``units`` are those of its unit. Of rows, ``dates``
    are the predicates of dates, and ``ends`` are those that only some rows state: such a row holds no more.
    """

    iri: str
    kind: Choice["value", "row"]
    amount: str = ""
    units: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()


def may_be_hidden(vocabulary: Vocabulary, profile: Profile, naming: frozenset[str], class_iri: str) -> bool:
    """Tell whether the vocabulary allows that a class is hidden: few predicates of its own, or no label.

    ``naming`` are the predicates of labels.
    """
    if class_iri not in vocabulary.classes or vocabulary.classes[class_iri].is_metadata:
        return False
    stated = {entry.iri for entry in vocabulary.predicates.values() if class_iri in entry.domains}
    own = stated - naming - set(profile.types) - set(profile.alt_labels)
    return len(own) <= MAX_OWN_PREDICATES or not stated & naming


def find_hidden_class(
    statistics: ClassStatistics, profile: Profile, naming: frozenset[str], read_labels: LabelReader
) -> HiddenClass | None:
    """Tell whether nobody names the things of a class, and why; None if they are things with names."""
    members = _Members(statistics, profile, naming)
    return members.find_value_class() or members.find_row_class(read_labels)


@dataclass(frozen=True)
class _Members:
    """The shown members of a class, as the tests for hidden classes need them."""

    statistics: ClassStatistics
    profile: Profile
    naming: frozenset[str]

    @cached_property
    def values(self) -> list[dict[str, list[Term]]]:
        """The values of each shown member by predicate, without classes, labels and metadata."""
        skipped = self.naming | set(self.profile.types) | set(self.profile.alt_labels) | self.profile.metadata
        members = []
        for _, pairs in self.statistics.shown_members:
            values: dict[str, list[Term]] = {}
            for predicate, value in pairs:
                if predicate not in skipped:
                    values.setdefault(predicate, []).append(value)
            members.append(values)
        return members

    @cached_property
    def labels(self) -> list[str]:
        """The label of each shown member; empty without one, or if it is only a number."""
        return [
            next((str(v) for predicate, v in pairs if predicate in self.naming and not _is_amount(v)), "")
            for _, pairs in self.statistics.shown_members
        ]

    @property
    def has_labels(self) -> bool:
        return sum(map(bool, self.labels)) >= max(1, NAMED_SHARE * len(self.labels))

    @property
    def is_named_by_iri(self) -> bool:
        """Whether the local names could be names: all different, hardly one with a digit."""
        names = [local_name(name) for name, _ in self.statistics.shown_members]
        readable = [name for name in names if not re.search(r"\d", name) and iri_to_words(name)]
        return len(set(names)) == len(names) and len(readable) >= TYPICAL_SHARE * len(names)

    @property
    def is_referred_to(self) -> bool:
        return any(use.is_inverse and use.iri not in self.profile.metadata for use in self.statistics.predicates)

    def find_value_class(self) -> HiddenClass | None:
        """Return the class if its members hold one number each, and besides only its unit and dates."""
        predicates = sorted({predicate for values in self.values for predicate in values})
        units = [p for p in predicates if _UNIT_WORDS & set(iri_to_words(p).casefold().split())]
        numbers = [p for p in predicates if p not in units and self._has_only(p, _is_amount)]
        others = [p for p in predicates if p not in units and p not in numbers]
        if len(numbers) != 1 or not self.is_referred_to or not all(self._has_only(p, is_date) for p in others):
            return None
        stated = [values.get(numbers[0], []) for values in self.values]
        if sum(len(amounts) == 1 for amounts in stated) < TYPICAL_SHARE * len(stated):
            return None
        if self.has_labels:
            repeated = sum(
                bool(amounts) and _repeats_amount(label, amounts[0], [str(u) for p in units for u in values.get(p, ())])
                for label, amounts, values in zip(self.labels, stated, self.values, strict=True)
            )
            is_nameless = repeated >= TYPICAL_SHARE * len(self.labels)
        else:
            is_nameless = bool(units) or not self.is_named_by_iri
        return HiddenClass(self.statistics.class_iri, "value", numbers[0], tuple(units)) if is_nameless else None

    def _has_only(self, predicate: str, test: Callable[[Term], bool]) -> bool:
        return all(test(value) for values in self.values for value in values.get(predicate, ()))

    def find_row_class(self, read_labels: LabelReader) -> HiddenClass | None:
        """Return the class if its members refer to things, and have no name or one made of theirs."""
        joined = {p for values in self.values for p, ends in values.items() if isinstance(ends[0], URIRef)}
        if self.has_labels:
            is_row = bool(joined) and self._have_composed_labels(read_labels)
        elif self.profile.has_labels:
            is_row = (bool(joined) or self.is_referred_to) and not self.is_named_by_iri
        else:
            is_row = len(joined) >= MIN_JOINED and not self.is_referred_to and not self.is_named_by_iri
        if not is_row:
            return None
        dates = sorted(p for p in {p for values in self.values for p in values} if self._has_only(p, is_date))
        ends = (p for p in dates if sum(p in values for values in self.values) < TYPICAL_SHARE * len(self.values))
        return HiddenClass(self.statistics.class_iri, "row", dates=tuple(dates), ends=tuple(ends))

    def _have_composed_labels(self, read_labels: LabelReader) -> bool:
        """Tell whether labels consist of names of what the members refer to, and of their numbers and dates."""
        ends = {value for values in self.values for each in values.values() for value in each}
        names = read_labels(sorted(end for end in ends if isinstance(end, URIRef)))
        composed = sum(
            _is_composed(label, [value for each in values.values() for value in each], names)
            for label, values in zip(self.labels, self.values, strict=True)
        )
        return composed >= TYPICAL_SHARE * len(self.labels)


def _is_composed(label: str, values: Iterable[Term], names: Mapping[Term, str]) -> bool:
    """Tell whether a label consists of two or more names and numbers among the values; a year alone is no number."""
    words, parts = set(_words(label)), 0
    covered: set[str] = set()
    for value in values:
        own_words = set(_words(names.get(value, "") if isinstance(value, URIRef) else str(value)))
        is_part = isinstance(value, URIRef) or is_date(value) or _is_amount(value)
        if is_part and own_words & words:
            covered |= own_words
            parts += not _YEAR.fullmatch(str(value)) and not is_date(value)
    return words <= covered and parts >= MIN_JOINED


def _is_amount(value: Term) -> bool:
    return isinstance(value, Literal) and (is_number(value) or re.fullmatch(r"[+-]?\d+(?:[.,]\d+)?", value) is not None)


def _repeats_amount(label: str, amount: Term, units: Sequence[str]) -> bool:
    """Tell whether a label consists of a number and a unit."""
    words = {word for word in _words(label) if not word.isdigit()}
    are_units = words <= {word for unit in units for word in _words(unit)} or words <= unit_names().keys()
    return are_units and _digits(str(amount)) == _digits(label)


def _digits(text: str) -> str:
    """Return the digits of a number in a text, without zeros behind a decimal mark: ``3,20 EUR`` gives ``32``."""
    match = re.search(r"(\d+)(?:[.,](\d+))?", text)
    return match[1] + (match[2] or "").rstrip("0") if match else ""


def _words(text: str) -> Iterator[str]:
    return (word.casefold() for word in re.findall(r"\w+", text))
