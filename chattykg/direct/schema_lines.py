"""The lines of a schema prompt: classes, and predicates with what they lead from and to, in prefixed names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import batches
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry
from chattyshared.literals import datatype_iri, parse_number
from chattyshared.terms import DATE_DATATYPES, NUMERIC_DATATYPES, iri_to_words, n3
from rdflib import RDF, RDFS, XSD, Literal, URIRef

from chattykg.linking.vocabulary_card_text import TEXT_DATATYPES, render_objects

MAX_END_CLASSES = 4
"""Classes that are shown at each end of a predicate; how many more there are is told."""
MAX_KINDS = 6
"""Subclasses that are named with a class that has no things of its own."""
MAX_TAIL_PREDICATES = 12
"""Predicates of a line that names those of a class that are not near to the question."""
_MAX_VALUE_CHARACTERS, _MAX_CODE_CHARACTERS = 30, 6
"""Characters of a value, and of a short one of which three are shown."""
_MAX_FEW_CHARACTERS = 60
"""Characters of the values of a predicate that a line of several predicates tells."""
_MAX_COMMENT_CHARACTERS, _MAX_TELLING_CHARACTERS = 60, 120
"""Characters of a comment, and of one that tells predicates or codes apart."""
_MAX_CODED = 3
"""Characters of the longest value that only a comment explains ("H": held)."""
_LOCAL_NAME = re.compile(r"^[A-Za-z_]\w*(?:[-.]\w+)*$")
_NAMESPACE_SPLIT = re.compile(r"^(.*[#/:])([^#/:]+)$", re.DOTALL)
_STANDARD_PREFIXES = {"rdf": str(RDF), "rdfs": str(RDFS), "xsd": str(XSD)}


class PrefixedNames:
    """Prefixed names: one prefix for each namespace, the most frequent first."""

    def __init__(self, iris: Sequence[str]) -> None:
        spaces = Counter(match[1] for iri in iris if (match := _NAMESPACE_SPLIT.match(iri)))
        fixed = {space: name for name, space in _STANDARD_PREFIXES.items()}
        namespaces = [space for space, _ in spaces.most_common() if space not in fixed]
        self._names = fixed | {space: f"p{index}" if index else "p" for index, space in enumerate(namespaces)}

    @property
    def prefixes(self) -> tuple[tuple[str, str], ...]:
        """The prefixes with their namespaces."""
        return tuple((name, space) for space, name in self._names.items())

    def __call__(self, iri: str) -> str:
        """Return the prefixed name of an IRI."""
        return to_prefixed_name(iri, self._names)


def to_prefixed_name(iri: str, prefixes_by_namespace: Mapping[str, str]) -> str:
    """Return the prefixed name of an IRI, or the IRI in angle brackets if its namespace has no prefix."""
    match = _NAMESPACE_SPLIT.match(iri)
    if match and _LOCAL_NAME.match(match[2]) and match[1] in prefixes_by_namespace:
        return f"{prefixes_by_namespace[match[1]]}:{match[2]}"
    return n3(URIRef(iri))


class SchemaLines:
    """Writes the lines of classes and predicates.

    ``compared`` are the predicates that may be taken for each other: their lines tell how many things of a class have
    them, if not all do.
    """

    def __init__(self, kg: KnowledgeGraph, names: PrefixedNames, compared: Set[str] = frozenset()) -> None:
        self._kg, self._names, self._compared = kg, names, compared

    def render_classes(self, entries: Sequence[ClassEntry], shown: Set[str]) -> str:
        """Return the line of all classes."""
        return _to_line("classes: " + "; ".join(self._render_class(entry, shown) for entry in entries))

    def _render_class(self, entry: ClassEntry, shown: Set[str]) -> str:
        above = ", ".join(map(self._names, entry.direct_superclasses[:2]))
        text = f"{self._names(entry.iri)}{f' < {above}' if above else ''}{_label_note(entry)}"
        if entry.instance_count:
            return text
        vocabulary = self._kg.vocabulary
        kinds = [k for k in sorted(vocabulary.subclasses(entry.iri)) if k in vocabulary.classes and k != entry.iri]
        kinds = [k for k in kinds if vocabulary.classes[k].instance_count]
        hidden = [k for k in kinds if k not in shown]
        return f"{text} by its kinds only" + (f": {self._join(hidden, ', ', MAX_KINDS)}" if hidden else "")

    def render_predicate(self, entry: PredicateEntry) -> str:
        """Return the line of a predicate: name, label, from what to what, how often, values."""
        ends = ", ".join(f"{domains} -> {ends}" for domains, ends in self._list_ends(entry)[:MAX_END_CLASSES])
        use = f"{ends} {self._render_count(entry)}{self._render_values(entry)}"
        return _to_line(f"{self._names(entry.iri)}{_label_note(entry)}{self._render_comment(entry)}: {use}")

    def render_pattern(self, entry: PredicateEntry, thing: str = "", side: str = "out") -> str:
        """Return a predicate as a triple pattern whose variables are called by classes, with its label and values.

        With ``thing`` that stands at the side from which the predicate leads (``out``), or at the other one.
        """
        start = self._variable(entry.domains) or "thing"
        end = self._variable(entry.ranges) or "thing" if entry.object_kind != "literal" else _value_name(entry)
        subject, target = f"?{start}", f"?{end}{2 if end == start else ''}"
        if thing:
            subject, target = (thing, target) if side == "out" else (subject, thing)
        values = "" if thing else self._render_values(entry)
        note = _to_line(f"{_label_note(entry)}{values}").lstrip("; ")
        return f"{subject} {self._names(entry.iri)} {target}{f'  # {note}' if note else ''}"

    def _variable(self, classes: Sequence[str]) -> str:
        """Return the name of a variable for things of some classes: that of the narrowest class that holds them all."""
        vocabulary = self._kg.vocabulary
        shared = set.intersection(*(set(vocabulary.superclasses(iri)) for iri in classes)) if classes else set()
        iri = min(shared, key=lambda each: (-len(vocabulary.superclasses(each)), each), default="")
        entry = vocabulary.classes.get(iri)
        return re.sub(r"\W+", "_", (entry.label if entry else iri_to_words(iri)).casefold()).strip("_")[:24]

    def render_tail(self, entries: Sequence[PredicateEntry]) -> list[tuple[tuple[str, ...], str]]:
        """Return lines that name predicates with their ranges, one for each domain, and what each line names."""
        by_domain: dict[str, dict[str, str]] = {}
        for entry in entries:
            name = self._names(entry.iri)
            for domains, ends in self._list_ends(entry):
                by_domain.setdefault(domains, {})[name] = f"{name}{_label_note(entry)} ({ends}{self._list_few(entry)})"
        lines = []
        for domains, texts in by_domain.items():
            for chunk in batches(list(texts), MAX_TAIL_PREDICATES):
                lines.append((tuple(chunk), _to_line(f"of {domains}: {', '.join(texts[n] for n in chunk)}")))
        return lines

    def render_names(self, entries: Sequence[PredicateEntry], characters: int) -> tuple[list[str], int]:
        """Return a line that names predicates, as many as fit, each prefix once; and how many it names."""
        by_prefix: dict[str, list[str]] = {}
        count = 0
        for entry in entries:
            prefix, colon, local = self._names(entry.iri).partition(":")
            prefix, local = ("", self._names(entry.iri)) if prefix.startswith("<") else (prefix + colon, local)
            is_telling = set(iri_to_words(entry.iri).casefold().split()).isdisjoint(entry.label.casefold().split())
            text = _to_line(f"{local}{_label_note(entry) if is_telling else ''}")
            characters -= len(text) + 2
            if characters < 0:
                break
            by_prefix.setdefault(prefix, []).append(text)
            count += 1
        texts = [f"{prefix} {', '.join(names)}".strip() for prefix, names in by_prefix.items()]
        more = f"; +{len(entries) - count} more" if count < len(entries) else ""
        return [f"further predicates: {'; '.join(texts)}{more}"] * bool(texts), count

    def _list_few(self, entry: PredicateEntry) -> str:
        """Return the values of a predicate that has only a few short ones."""
        listed = "|".join(entry.values)
        is_short = entry.has_all_values and len(listed) <= _MAX_FEW_CHARACTERS
        return f": {listed}" if is_short and listed else ""

    def _list_ends(self, entry: PredicateEntry) -> list[tuple[str, str]]:
        """Return from what to what a predicate leads: apart for classes of which it leads to quite different things."""
        known_ends = {*entry.ranges, *entry.datatypes}  # without metadata
        usages = (usage for usage in self._kg.class_usage.get(entry.iri, ()) if usage.class_iri in entry.domains)
        groups = list(_group_by_ends((u.class_iri, [end for end in u.ends if end in known_ends]) for u in usages))
        if len(groups) < 2:
            ends = (*entry.ranges, *entry.datatypes) if entry.object_kind != "literal" else entry.datatypes
            groups = [(entry.domains, ends)]
        default = "text" if entry.object_kind == "literal" else "thing"
        folded = [(self._fold_kinds(domains), self._fold_kinds(ends)) for domains, ends in groups]
        return [(self._join(domains) or "thing", self._join(ends) or default) for domains, ends in folded]

    def _render_comment(self, entry: PredicateEntry) -> str:
        """Return the first words of a comment; more of one that tells predicates apart, or what codes mean."""
        comment = " ".join(entry.comment.split())
        are_codes = bool(entry.values) and all(len(text) <= _MAX_CODED and text.isalpha() for text in entry.values)
        limit = _MAX_TELLING_CHARACTERS if are_codes or entry.iri in self._compared else _MAX_COMMENT_CHARACTERS
        if len(comment) > limit:
            comment = f"{comment[:limit].rpartition(' ')[0].rstrip(',;:. ') or comment[:limit]} …"
        return f" ({comment})" if comment else ""

    def _render_count(self, entry: PredicateEntry) -> str:
        usages = self._kg.class_usage.get(entry.iri, ()) if entry.iri in self._compared else ()
        classes = self._kg.vocabulary.classes
        parts = [
            f"{usage.subject_count} of {classes[usage.class_iri].instance_count} {self._names(usage.class_iri)}"
            for usage in usages[:2]
            if usage.class_iri in classes and usage.subject_count < classes[usage.class_iri].instance_count
        ]
        return f"({', '.join(parts)} have it)" if parts else f"{entry.triple_count}x"

    def _render_values(self, entry: PredicateEntry) -> str:
        if listed := render_objects(entry, _MAX_VALUE_CHARACTERS):
            return f"; {listed}"
        samples = self._kg.value_samples.get(entry.iri, ())
        if len(by_datatype := {_end_name(datatype_iri(value)) or datatype_iri(value): value for value in samples}) > 1:
            return f"; e.g. {', '.join(map(_quote_text, by_datatype.values()))}"
        texts = [text for value in samples if (text := " ".join(str(value).split()))]
        texts = texts or [entry.example[1]] * (entry.object_kind == "literal" or not entry.ranges)
        texts = [text for text in texts if text]
        if not texts:
            return ""
        are_texts = bool(entry.datatypes) and TEXT_DATATYPES.issuperset(entry.datatypes)
        if are_texts and all(parse_number(text) is not None for text in texts):
            return f'; numbers as text: "{texts[0][:_MAX_VALUE_CHARACTERS]}"'
        count = 1 if not are_texts else 3 if max(map(len, texts)) <= _MAX_CODE_CHARACTERS else 2
        return f"; e.g. {', '.join(text[:_MAX_VALUE_CHARACTERS] for text in texts[:count])}"

    def _join(self, iris: Sequence[str], separator: str = "|", limit: int = MAX_END_CLASSES) -> str:
        """Return the names of classes or datatypes; of those that are left out, the number."""
        shown = dict.fromkeys(_end_name(iri) or self._names(iri) for iri in iris[:limit])
        more = [f"+{len(iris) - limit} more"] if len(iris) > limit else []
        return separator.join((*shown, *more))

    def _fold_kinds(self, iris: Sequence[str]) -> tuple[str, ...]:
        """Return classes, with one for all of its kinds that have things, if all of them are there."""
        vocabulary, folded = self._kg.vocabulary, dict.fromkeys(iris)
        above = vocabulary.superclasses(*iris) & vocabulary.classes.keys()
        for wider in sorted(above, key=lambda iri: (-len(vocabulary.subclasses(iri)), iri)):
            kinds = vocabulary.subclasses(wider) - {wider}
            used = {kind for kind in kinds & vocabulary.classes.keys() if vocabulary.classes[kind].instance_count}
            if len(used) > 1 and used <= folded.keys():
                folded = {wider if iri in kinds else iri: None for iri in folded}
        return tuple(folded)


def _group_by_ends(
    ends_by_class: Iterable[tuple[str, Sequence[str]]],
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield the classes that have ends in common, with these ends."""
    groups: list[tuple[list[str], dict[str, None]]] = []
    for class_iri, class_ends in ends_by_class:
        joined = [group for group in groups if not group[1].keys().isdisjoint(class_ends)]
        rest = [group for group in groups if group not in joined]
        domains = [name for group in joined for name in group[0]]
        ends = dict.fromkeys(end for group in joined for end in group[1])
        groups = [*rest, ([*domains, class_iri], ends | dict.fromkeys(class_ends))]
    yield from ((tuple(domains), tuple(ends)) for domains, ends in groups if ends)


def _to_line(text: str) -> str:
    """Return a text on one line, so that no label or value can look like a line of the prompt."""
    return " ".join(text.split())


def _quote_text(value: Literal) -> str:
    """Return a value, in quotes if it is a text."""
    text = " ".join(value.split())[:_MAX_VALUE_CHARACTERS]
    return f'"{text}"' if datatype_iri(value) in TEXT_DATATYPES else text


def kind_of_datatype(datatype: str) -> str:
    """Return ``text``, ``number`` or ``date``, or a datatype of another kind itself."""
    if datatype in TEXT_DATATYPES:
        return "text"
    if URIRef(datatype) in NUMERIC_DATATYPES:
        return "number"
    return "date" if URIRef(datatype) in DATE_DATATYPES else datatype


def _value_name(entry: PredicateEntry) -> str:
    """Return the name of a variable for the values of a predicate, by their kind."""
    datatype = entry.datatypes[0] if entry.datatypes else ""
    kind = "year" if datatype == str(XSD.gYear) else kind_of_datatype(datatype)
    return kind if kind.isalpha() else "value"


def _end_name(iri: str) -> str:
    return "text" if iri in TEXT_DATATYPES else ""


def _label_note(entry: ClassEntry | PredicateEntry) -> str:
    """Return the label in quotes, unless the IRI gives it."""
    return "" if iri_to_words(entry.iri).casefold() == entry.label.casefold() else f' "{entry.label[:40]}"'
