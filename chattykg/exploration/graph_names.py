"""The names of terms in an exploration: prefixed names for the vocabulary, ``e:1`` for things, texts in one line."""

from __future__ import annotations

import re
from dataclasses import replace

from chattyshared.dialogue import Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.sparql.query_layout import WELL_KNOWN_PREFIXES
from chattyshared.terms import local_name
from rdflib import XSD

from chattykg.direct.mentioned_vertices import MentionedVertex
from chattykg.direct.schema_prompt import SchemaPrompt

MAX_LABEL_CHARACTERS, MAX_TEXT_CHARACTERS = 80, 160
"""Characters of a label and of a text that an observation shows."""
_NUMBER = re.compile(r"<?e:(\d{1,6})>?$")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")
_PLAIN_DATATYPES = frozenset(("", str(XSD.string), str(XSD.integer), str(XSD.decimal), str(XSD.double), str(XSD.float)))


class GraphNames:
    """Gives each thing that is shown a number, which later queries may use; ``schema_prompt`` knows all numbers."""

    def __init__(self, schema_prompt: SchemaPrompt, kg: KnowledgeGraph) -> None:
        self.schema_prompt = schema_prompt
        self._vocabulary = kg.vocabulary
        self._numbers = {vertex.iri: vertex.number for vertex in schema_prompt.vertices}
        self._iris = {vertex.number: vertex.iri for vertex in schema_prompt.vertices}

    def name(self, iri: str, label: str = "", kind: str = "") -> str:
        """Return the name of a class or predicate, or the number of a thing with its label."""
        if iri in self._vocabulary.classes or iri in self._vocabulary.predicates:
            return self.schema_prompt.prefixed_name(iri)
        label = to_line(label or local_name(iri), MAX_LABEL_CHARACTERS)
        number = self._numbers.get(iri)
        if number is None:
            number = self._numbers[iri] = max(self._iris, default=0) + 1
            self._iris[number] = iri
            vertex = MentionedVertex(number, iri, label, kind, label)
            self.schema_prompt = replace(self.schema_prompt, vertices=(*self.schema_prompt.vertices, vertex))
        return f'e:{number} "{label}"' + (f" [{to_line(kind, MAX_LABEL_CHARACTERS)}]" if kind else "")

    def render_value(self, value: Value | None) -> str:
        """Return the text of a value: a name, a number, or a quoted text with its language or datatype."""
        if value is None:
            return "-"
        if value.kind == "iri":
            return self.name(value.value, value.label)
        if value.kind in ("number", "boolean") and value.datatype != str(XSD.string):
            return to_line(value.value, MAX_TEXT_CHARACTERS)
        text = f'"{to_line(value.value, MAX_TEXT_CHARACTERS)}"'
        if value.lang:
            return f"{text}@{to_line(value.lang, 20)}"
        return text if value.datatype in _PLAIN_DATATYPES else f"{text}^^{self.prefixed_name(value.datatype)}"

    def expand(self, text: str) -> str:
        """Return the IRI of a name (``e:1``, ``p:captain``); any other text as it is."""
        text = text.strip()
        if match := _NUMBER.match(text):
            return self._iris.get(int(match[1]), text)
        prefix, mark, local = text.partition(":")
        spaces = {**WELL_KNOWN_PREFIXES, **dict(self.schema_prompt.prefixes)}
        return spaces[prefix] + local if mark and prefix in spaces and not local.startswith("//") else text

    def prefixed_name(self, iri: str) -> str:
        """Return the short name of a class, a predicate or a datatype."""
        return to_line(self.schema_prompt.prefixed_name(iri), MAX_LABEL_CHARACTERS)


def to_line(text: str, limit: int) -> str:
    """Return a text of the graph in one line without control characters, cut with a statement of its length."""
    head = text[: 4 * limit]
    line = " ".join(_UNPRINTABLE.sub(" ", head).split()).replace('"', "'")
    is_cut = len(text) > len(head) or len(line) > limit
    return f"{line[:limit]}… ({len(text):,} characters)" if is_cut else line
