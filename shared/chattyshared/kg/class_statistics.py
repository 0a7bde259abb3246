"""The things of a class: counts, pages, random samples, and statistics of their predicates.

The statistics tell which classes are hidden: classes of nodes that nobody names, because they only hold a value or
relate other things. A value node holds a number, often with a unit (a price). A row relates other things and may
qualify this (a row of a join table, a statement with a begin and an end). A question passes through both; it neither
names nor asks for them."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Literal as Choice

from rdflib import Literal, URIRef

from chattyshared.endpoint import Endpoint
from chattyshared.errors import EndpointTimeout
from chattyshared.kg.batches import batches, count_of, fetch_pages, format_iri, text_of, union_pattern, values_block
from chattyshared.kg.cache import open_or_build_index
from chattyshared.kg.labels import language_rank
from chattyshared.kg.vocabulary import LiteralPredicate, Vocabulary
from chattyshared.language.lexicon import word_set
from chattyshared.language.quantities import unit_names
from chattyshared.literals import is_date, is_number
from chattyshared.profile import Profile
from chattyshared.progress import ShowProgress, hide_progress, report_items
from chattyshared.terms import Term, iri_to_words, local_name

PAGE_SIZE = 10_000
"""Rows of one page: the limit of the strictest public endpoint."""
SAMPLED_PAGE_SIZE = 200
"""Rows of one page of a random sample."""
PAGES_AT_ONCE = 5
"""Pages of a random sample that one request reads: a server skips all rows before each."""
MAX_FULL_READ = 100_000
"""Classes of up to this many entities are read whole for a random sample."""
ANY_CLASS = ""
"""Stands for a class in KGs without types: every entity that the KG describes."""


def fetch_members(endpoint: Endpoint, profile: Profile, classes: Sequence[str]) -> tuple[URIRef, ...]:
    """Return all entities (IRIs only) of the classes, sorted.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    rows = fetch_pages(endpoint, f"SELECT DISTINCT ?s WHERE {{ {members_pattern(profile, classes)} }}", PAGE_SIZE)
    return tuple(sorted({term for row in rows if isinstance(term := row.get("s"), URIRef)}))


def count_subjects(endpoint: Endpoint, profile: Profile, *, at_most: int) -> int:
    """Return the number of IRIs that are subjects; ``at_most`` if counting takes too long.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    try:
        rows = endpoint.select(
            f"SELECT (COUNT(DISTINCT ?s) AS ?n) WHERE {{ {members_pattern(profile, (ANY_CLASS,))} }}"
        )
    except EndpointTimeout:
        return at_most
    return count_of(rows[0], "n") if rows else 0


def count_degrees(endpoint: Endpoint, profile: Profile, classes: Sequence[str]) -> dict[URIRef, int]:
    """Return the number of triples with each entity of the classes as subject or object, in one request.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    inner = f"{{ SELECT DISTINCT ?s WHERE {{ {members_pattern(profile, classes)} }} }}"
    branches = [
        f"{{ SELECT ?s (COUNT(*) AS ?n) WHERE {{ {inner} {pattern} }} GROUP BY ?s }}"
        for pattern in ("?s ?p ?o", "?o ?p ?s")
    ]
    counts: Counter[URIRef] = Counter()
    for row in endpoint.select(f"SELECT ?s ?n WHERE {{ {union_pattern(branches)} }}"):
        if isinstance(entity := row.get("s"), URIRef):
            counts[entity] += count_of(row, "n")
    return dict(counts)


def sample_members(
    endpoint: Endpoint, profile: Profile, classes: Sequence[str], size: int, *, rng: Random, limit: int
) -> tuple[URIRef, ...]:
    """Sample from classes too big to read: up to 20 entities from each of several pages at random offsets."""
    sampled: dict[URIRef, None] = {}
    offsets = [rng.randrange(max(1, size - SAMPLED_PAGE_SIZE)) for _ in range(max(4, 4 * limit // 20))]
    for batch in batches(offsets, PAGES_AT_ONCE):
        for page in _fetch_pages_at(endpoint, profile, classes, batch):
            sampled |= dict.fromkeys(rng.sample(page, min(20, len(page))))
        if len(sampled) >= limit:
            break
    members = list(sampled)
    rng.shuffle(members)
    return tuple(members[:limit])


def _fetch_pages_at(
    endpoint: Endpoint, profile: Profile, classes: Sequence[str], offsets: Sequence[int]
) -> list[list[URIRef]]:
    """Return several pages of the entities of the classes, in one request."""
    pattern = members_pattern(profile, classes)
    parts = [
        f"SELECT DISTINCT ({page} AS ?page) ?s WHERE {{ {pattern} }} LIMIT {SAMPLED_PAGE_SIZE} OFFSET {offset}"
        for page, offset in enumerate(offsets)
    ]
    pages: list[list[URIRef]] = [[] for _ in offsets]
    for row in endpoint.select(f"SELECT ?page ?s WHERE {{ {union_pattern(parts)} }}"):
        if isinstance(term := row.get("s"), URIRef):
            pages[count_of(row, "page")].append(term)
    return pages


def draw_members(  # noqa: PLR0913
    endpoint: Endpoint,
    profile: Profile,
    classes: Sequence[str],
    path: Path | None,
    *,
    show_progress: ShowProgress = hide_progress,
    size: int | None = None,
) -> tuple[URIRef, ...]:
    """Return ``MAX_FULL_READ`` entities of classes too big to read, drawn uniformly, from a file that keeps them.

    For local stores only: the first draw reads all entities once. ``size`` is their number, for its progress.

    Raises:
        EndpointError: the endpoint does not answer.
    """

    def fill(connection: sqlite3.Connection) -> None:
        query = f"SELECT DISTINCT ?s WHERE {{ {members_pattern(profile, classes)} }}"
        members = (text_of(row, "s") for row in fetch_pages(endpoint, query, PAGE_SIZE))
        with show_progress("sample of entities", size) as advance:
            drawn = draw_from_stream(report_items(members, advance), MAX_FULL_READ, Random(" ".join(classes)))
        connection.execute("CREATE TABLE member(iri TEXT)")
        connection.executemany("INSERT INTO member VALUES (?)", ((iri,) for iri in sorted(drawn)))
        connection.commit()

    file = open_or_build_index(path, fill, table="member")
    return tuple(URIRef(iri) for (iri,) in file.select("SELECT iri FROM member ORDER BY rowid"))


def draw_from_stream(items: Iterable[str], size: int, rng: Random) -> list[str]:
    """Return ``size`` items drawn uniformly, or all if there are fewer (Vitter 1985, algorithm R)."""
    drawn: list[str] = []
    for number, item in enumerate(items):
        if number < size:
            drawn.append(item)
        elif (position := int(rng.random() * (number + 1))) < size:
            drawn[position] = item
    return drawn


def sample_literal_predicates(
    endpoint: Endpoint, profile: Profile, classes: Sequence[str], *, sample_size: int
) -> list[LiteralPredicate]:
    """Return the literal predicates of sampled entities of the classes, by share; each has its IRI as label.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    sample_query = f"{{ SELECT DISTINCT ?s WHERE {{ {members_pattern(profile, classes)} }} LIMIT {sample_size} }}"
    rows = endpoint.select(f"SELECT ?s ?p ?o WHERE {{ {sample_query} ?s ?p ?o }}")
    entities = {text_of(row, "s") for row in rows}
    subjects_by_predicate: dict[str, set[str]] = defaultdict(set)
    literals: dict[str, list[Literal]] = defaultdict(list)
    for row in rows:
        value = row.get("o")
        if isinstance(value, Literal):
            subjects_by_predicate[text_of(row, "p")].add(text_of(row, "s"))
            literals[text_of(row, "p")].append(value)
    literal_predicates = [
        LiteralPredicate(
            iri=predicate,
            label=predicate,
            share=round(len(subjects_by_predicate[predicate]) / len(entities), 4),
            samples=_sample_texts(values, profile),
            datatype=_most_frequent_name(str(v.datatype or "http://www.w3.org/2001/XMLSchema#string") for v in values),
            languages=tuple(sorted({v.language for v in values if v.language})),
        )
        for predicate, values in literals.items()
    ]
    return sorted(literal_predicates, key=lambda p: (-p.share, p.iri))


def members_pattern(profile: Profile, classes: Sequence[str]) -> str:
    """Return the graph pattern that binds ``?s`` to the entities of the classes (IRIs only)."""
    if ANY_CLASS in classes:
        return "?s ?anything ?said FILTER(!isBlank(?s))"
    if len(classes) == 1:
        return f"{profile.type_pattern('?s', format_iri(classes[0]))} FILTER(!isBlank(?s))"
    return f"{values_block('c', classes)} {profile.type_pattern('?s', '?c')} FILTER(!isBlank(?s))"


def _sample_texts(values: Sequence[Literal], profile: Profile) -> tuple[str, ...]:
    ordered = sorted(values, key=lambda v: (language_rank(v, profile), str(v)))
    best_rank = language_rank(ordered[0], profile)
    texts = list(dict.fromkeys(str(v) for v in ordered if language_rank(v, profile) == best_rank))
    step = max(1, len(texts) // 5)
    return tuple(texts[::step][:5])


def _most_frequent_name(names: Iterable[str]) -> str:
    tally = Counter(names)
    return min(tally, key=lambda name: (-tally[name], name))


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
