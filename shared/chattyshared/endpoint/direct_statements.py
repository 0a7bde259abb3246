"""Statements by way of nodes without a name, made direct: members of lists, labels that are nodes, nodes with a name.

The one place that knows how RDF ties such values together. A blank node with a name is a thing like any other, so that
it gets an IRI; a predicate whose objects are lists or containers states each member; a label of SKOS-XL is one of SKOS,
as section B.3.4 of the recommendation of SKOS says; a class lies below those of which it is the intersection. Other
lists in an ontology (``owl:unionOf``) stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import pyoxigraph as ox
from rdflib import OWL, RDF, RDFS, SH

from chattyshared.errors import ConfigError
from chattyshared.language.lexicon import word_list, word_set
from chattyshared.profile import LABEL_PREDICATES
from chattyshared.terms import iri_to_words, local_name

BLANK_PREFIX = "urn:blank:"
"""How the IRIs of blank nodes with a name begin."""
REPEATED_PREFIX = "urn:repeated:"
"""How the IRIs begin that ``repeated_in_list`` returns."""
XL = "http://www.w3.org/2008/05/skos-xl#"
XL_LABELS = {f"{XL}{name}": f"http://www.w3.org/2004/02/skos/core#{name}" for name in ("prefLabel", "altLabel")}
"""The predicate of SKOS for each of SKOS-XL."""
LITERAL_FORM = f"{XL}literalForm"
_SCHEMA = tuple(map(str, (RDF, RDFS, OWL, SH)))
_NIL = ox.NamedNode(str(RDF.nil))
_MEMBER = re.compile(re.escape(str(RDF)) + r"_\d+")
_NAMES = frozenset("name names title label".split())
_MODIFIERS = word_set("relation_labels", "name_modifiers")
_PARTS = [re.compile("|".join(word_list("abbreviations", key))) for key in ("given_names", "family_names")]
_MAX_NAME_LENGTH = 150
INTERSECTION = f"(<{OWL.equivalentClass}>|^<{OWL.equivalentClass}>)?/<{OWL.intersectionOf}>/<{RDF.rest}>*/<{RDF.first}>"
"""The path from a class to those of which it is defined as the intersection: it lies below each."""
_INTERSECTED = f"SELECT ?s ?o WHERE {{ ?s {INTERSECTION} ?o FILTER(isIRI(?s) && isIRI(?o)) }}"


def is_list_step(predicate: str) -> bool:
    """Tell whether a predicate leads from a list or a container to its members or its rest."""
    return predicate in (str(RDF.first), str(RDF.rest)) or _MEMBER.fullmatch(predicate) is not None


def repeated_in_list(predicate: str) -> str:
    """Return the IRI of the predicate that states which literals a list in the place of an object repeats."""
    return f"{REPEATED_PREFIX}{quote(predicate, safe='')}:in-list"


def is_schema_predicate(predicate: str) -> bool:
    """Tell whether a predicate belongs to the languages of ontologies and shapes, whose lists are no sets of things."""
    return predicate.startswith(_SCHEMA)


def names_things(predicate: str) -> bool:
    """Tell whether a predicate is called a name, by its IRI alone: ``schema:name``, ``ex:fullName``."""
    *modifiers, last = iri_to_words(predicate).casefold().split() or [""]
    is_called_name = last in _NAMES and _MODIFIERS.issuperset(modifiers)
    return predicate in LABEL_PREDICATES or is_called_name or local_name(predicate) in ("fn", "fullname")


def make_statements_direct(store: ox.Store) -> None:
    """Make the indirect statements of a store direct, in place."""
    predicates = [row[0].value for row in _select(store, "SELECT DISTINCT ?p WHERE { ?s ?p ?o }")]
    for stated, spelled in XL_LABELS.items():
        if stated in predicates:
            _spell_out_labels(store, ox.NamedNode(stated), ox.NamedNode(spelled))
    _replace_lists(store, [predicate for predicate in predicates if is_list_step(predicate)])
    if str(OWL.intersectionOf) in predicates:
        above = [ox.Quad(s, ox.NamedNode(str(RDFS.subClassOf)), o) for s, o in _select(store, _INTERSECTED)]
        store.extend(above)
    naming = [predicate for predicate in predicates if names_things(predicate)]
    given, family = (
        [predicate for predicate in predicates if part.search(iri_to_words(predicate).casefold())] for part in _PARTS
    )
    if naming or given:
        _name_blank_nodes(store, naming, given, family)


def _select(store: ox.Store, query: str) -> Iterator[Sequence[Any]]:
    solutions = store.query(query)
    assert isinstance(solutions, ox.QuerySolutions)
    yield from solutions


def _spell_out_labels(store: ox.Store, stated: ox.NamedNode, spelled: ox.NamedNode) -> None:
    quads: list[Any] = list(store.quads_for_pattern(None, stated, None))
    growth = _Growth(store)
    for quad in quads:
        labels = list(store.quads_for_pattern(quad.object, ox.NamedNode(LITERAL_FORM), None, ox.DefaultGraph()))
        growth.count(len(labels))
        store.extend(ox.Quad(quad.subject, spelled, label.object, quad.graph_name) for label in labels)
        if labels:
            store.remove(quad)


def _replace_lists(store: ox.Store, steps: Sequence[str]) -> None:
    """State each member of a list in the place of the list, also of lists in lists, and of one that is a ring.

    A graph states nothing twice: which literals come several times is stated by a predicate of its own.
    """
    next_of: dict[Any, list[Any]] = {_NIL: []}
    for step in steps:
        for quad in store.quads_for_pattern(None, ox.NamedNode(step), None, ox.DefaultGraph()):
            next_of.setdefault(quad.subject, []).append(quad.object)
    growth = _Growth(store)
    for node in list(next_of):
        for quad in list(store.quads_for_pattern(None, None, node)):
            if not is_schema_predicate(quad.predicate.value):
                store.remove(quad)
                again = ox.NamedNode(repeated_in_list(quad.predicate.value))
                for member, count in _members(node, next_of, growth).items():
                    for predicate in (quad.predicate, again) if count > 1 else (quad.predicate,):
                        store.add(ox.Quad(quad.subject, predicate, member, quad.graph_name))


class _Growth:
    """Counts what stands in the place of other statements: many may lead to one long list.

    ``count`` raises ConfigError where it is much more than the store held.
    """

    def __init__(self, store: ox.Store) -> None:
        self._left = 10 * len(store) + 1_000_000

    def count(self, number: int) -> None:
        self._left -= number
        if self._left < 0:
            raise ConfigError("the graph cannot be read: its lists and labels stand for too many statements")


def _members(head: Any, next_of: Mapping[Any, Sequence[Any]], growth: _Growth) -> dict[Any, int]:
    """Return the members of a list, literals with the number of their places in it, others with 1."""
    found, front = Counter((head,)), [head]
    while front:
        following = next_of.get(front.pop(), ())
        new = [node for node in following if node not in found]
        growth.count(len(new))
        found.update(dict.fromkeys(new, 0))
        found.update(node for node in following if isinstance(node, ox.Literal) or not found[node])
        front += new
    return {node: count for node, count in found.items() if node not in next_of}


def _name_blank_nodes(store: ox.Store, naming: Sequence[str], given: Sequence[str], family: Sequence[str]) -> None:
    """Give an IRI, which ends in its name, to each blank node that has one, in one part or in two."""
    short = f"FILTER(isBlank(?s) && isLiteral(?x) && STRLEN(?x) <= {_MAX_NAME_LENGTH})"
    whole, first, last = (" ".join(f"<{iri}>" for iri in iris) for iris in (naming, given, family))
    part = "{{ SELECT ?s (MIN(?x) AS ?{}) WHERE {{ VALUES ?p {{ {} }} ?s ?p ?x {} }} GROUP BY ?s }}"
    pairs = f"{part.format('a', first, short)} {part.format('b', last, short)} BIND(CONCAT(?a, ' ', ?b) AS ?name)"
    named = f"{{ VALUES ?p {{ {whole} }} ?s ?p ?x {short} BIND(STR(?x) AS ?name) }} UNION {{ {pairs} }}"
    names: dict[Any, str] = {}
    for node, name in _select(store, f"SELECT DISTINCT ?s ?name WHERE {{ {named} }} ORDER BY ?name"):
        names.setdefault(node, name.value)
    for node, name in names.items():
        thing = ox.NamedNode(f"{BLANK_PREFIX}{node.value}:{quote('_'.join(name.split()), safe='')}")
        for quad in [*store.quads_for_pattern(node, None, None), *store.quads_for_pattern(None, None, node)]:
            subject: Any = thing if quad.subject == node else quad.subject
            target = thing if quad.object == node else quad.object
            store.remove(quad)
            store.add(ox.Quad(subject, quad.predicate, target, quad.graph_name))
