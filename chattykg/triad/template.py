"""The generalist's reply: triples of mentions, and a query with names in angle brackets for which terms are put."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from chattyshared.check import Problem
from chattyshared.sparql.analysis import analyze_query, parse_query_shape
from chattyshared.sparql.repair import RepairedQuery, repair_query
from rdflib import XSD

from chattykg.linking.coverage import foreign_words
from chattykg.qir import QIR, Relation, Shape

_SHOTS = files("chattyprompts").joinpath("triad/shots.json")
_SHAPES: Mapping[str, Shape] = {"select": "list", "count": "count", "boolean": "boolean"}
_BRACKETED = re.compile(r"<([^<>\"{}|^`\\\s]*)>")
_TERM = r"""(\?\w+|<[^<>\s]*>|"(?:[^"\\]|\\.)*"[^\s.}]*)"""
_INVERSE = re.compile(rf"([{{.]\s*){_TERM}\s+\^(<[^<>\s]*>)\s+{_TERM}(?=\s*[.}}])")
"""An inverse predicate in a triple that shares no end with a list of others."""


@dataclass(frozen=True, slots=True)
class Template:
    """Triples and class as a QIR, the query with an IRI of ours in the place of each name, and unused words.

    The ends of a triple stand in the order in which the query has them; the query has ``unmatched`` relations
    in other patterns than their triples.
    """

    qir: QIR
    query: RepairedQuery
    unused: tuple[str, ...] = ()
    unmatched: frozenset[str] = frozenset()

    @classmethod
    def from_json(cls, reply: Mapping[str, Any]) -> Template:
        """Read a reply that has passed the schema."""
        triples, text = [Relation(*triple) for triple in reply["triples"]], reply["template"]
        places = _places(QIR("list", triples=tuple(triples)))
        for name, place in places.items():
            text = text.replace(f"<{name}>", place)
        query = repair_query(text)
        analysis = analyze_query(query.text)
        written = {tuple(map(str, pattern)) for pattern in analysis.patterns}

        def is_written(*parts: str) -> bool:
            return tuple(places[part][1:-1] if part in places else part[1:] for part in parts) in written

        for n, t in enumerate(triples):
            if is_written(t.object, t.relation, t.subject):
                triples[n] = replace(t, subject=t.object, object=t.subject)
        unmatched = frozenset(t.relation for t in triples if not is_written(t.subject, t.relation, t.object))
        asked = (*sorted(analysis.counted_variables), *analysis.result_variables, "")
        qir = QIR(_SHAPES[reply["class"]], target=f"?{asked[0]}", triples=tuple(triples))
        return cls(qir, query, tuple(reply.get("unused", ())), unmatched)

    def substitute(self, terms: Mapping[str, str]) -> str:
        """Return the query with a term for each name; a triple with an inverse predicate is turned round."""
        text = self.query.text
        for name, place in _places(self.qir).items():
            text = text.replace(place, terms[name])
        return _INVERSE.sub(r"\1\4 \3 \2", text)


def check_template(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that the template is a query of its class that holds the names of the triples and nothing invented."""
    read = Template.from_json(reply)
    if foreign := foreign_words(str(variables["question"]), read.unused):
        yield Problem("unused", f"These words do not stand in the question: {', '.join(foreign[:4])}.")
    if not read.qir.triples:
        return
    if both := sorted({*read.qir.entities()} & {*read.qir.relations()}):
        yield Problem("template", f"<{both[0]}> is an end and a relation: give the relation another phrase.")
    if missing := [name for name, place in _places(read.qir).items() if place not in read.query.text]:
        yield Problem("template", f"The template does not hold <{missing[0]}> of the triples.")
    if invented := [iri for iri in _BRACKETED.findall(read.query.text) if not iri.startswith(str(XSD))]:
        yield Problem("template", f"<{invented[0]}> is an identifier, or a name that no triple has.")
    shape = parse_query_shape(read.query.text)
    if read.query.fault or shape is None:
        yield Problem("template", f"The template cannot be run: {read.query.fault or 'it is no SELECT or ASK'}.")
        return
    written = "boolean" if shape.form == "ASK" else "count" if "COUNT" in shape.features else "select"
    if written != reply["class"] and {written, reply["class"]} != {"count", "select"}:
        yield Problem("template", f"The class is {reply['class']}, but the template is one for {written}.")


def render_shots(count: int) -> str:
    """Return the first examples of the generalist's prompt."""
    shots = json.loads(_SHOTS.read_bytes())[:count]
    return "\n".join(f"Example: {shot['question']}\n{json.dumps(shot['reply'], ensure_ascii=False)}" for shot in shots)


def digest_of_shots() -> str:
    """Return the digest of the examples that a manifest holds."""
    return hashlib.sha256(_SHOTS.read_bytes()).hexdigest()[:16]


def _places(qir: QIR) -> dict[str, str]:
    """Return what stands in a query for each name: an IRI of a datatype, which each parser takes everywhere."""
    return {name: f"<{XSD}name-{n}>" for n, name in enumerate(sorted({*qir.entities(), *qir.relations()}))}
