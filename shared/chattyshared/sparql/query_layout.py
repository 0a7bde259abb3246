"""A SPARQL query as people read it: well-known prefixes for its namespaces, a pattern a line, indented groups."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

WELL_KNOWN_PREFIXES: Mapping[str, str] = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dct": "http://purl.org/dc/terms/",
    "dcterms": "http://purl.org/dc/terms/",
    "geo": "http://www.w3.org/2003/01/geo/wgs84_pos#",
    "prov": "http://www.w3.org/ns/prov#",
    "schema": "http://schema.org/",
    "dbo": "http://dbpedia.org/ontology/",
    "dbpedia-owl": "http://dbpedia.org/ontology/",
    "dbp": "http://dbpedia.org/property/",
    "dbpprop": "http://dbpedia.org/property/",
    "dbr": "http://dbpedia.org/resource/",
    "dbpedia": "http://dbpedia.org/resource/",
    "res": "http://dbpedia.org/resource/",
    "dbc": "http://dbpedia.org/resource/Category:",
    "yago": "http://dbpedia.org/class/yago/",
    "wd": "http://www.wikidata.org/entity/",
    "wds": "http://www.wikidata.org/entity/statement/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "wdv": "http://www.wikidata.org/value/",
    "p": "http://www.wikidata.org/prop/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "psv": "http://www.wikidata.org/prop/statement/value/",
    "pq": "http://www.wikidata.org/prop/qualifier/",
    "pqv": "http://www.wikidata.org/prop/qualifier/value/",
    "pr": "http://www.wikidata.org/prop/reference/",
    "wikibase": "http://wikiba.se/ontology#",
    "bd": "http://www.bigdata.com/rdf#",
}
"""Prefixes of W3C and Dublin Core, and those that the public servers of DBpedia and Wikidata predefine."""

CHATTY_GEN_PREFIXES: Mapping[str, str] = {
    **{name: WELL_KNOWN_PREFIXES[name] for name in ("rdf", "rdfs", "owl", "xsd", "schema", "dbo")},
    "yago": "http://yago-knowledge.org/resource/",
}
"""The prefixes that Chatty-Gen declares before each published query."""
_TOKEN = re.compile(
    r'(?P<iri><[^<>"{}|^`\\\x00-\x20]*>)'
    r'|(?P<text>"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"'
    r"|'''(?:[^'\\]|\\.|'(?!''))*'''|'(?:[^'\\\n]|\\.)*')"
    r"|(?P<comment>\#[^\n]*)"
    r"|(?P<mark>[{}();]|\.(?![\w]))"
    r"|(?P<word>[?$]?\w(?:[\w:%-]|\.(?=[\w:%-]))*:?|[^\w\s])",
    re.DOTALL,
)
_NAMESPACE = re.compile(r"(.*[/#])([A-Za-z_][\w-]*)")
_PREFIX_NAMES = {namespace: name for name, namespace in reversed(list(WELL_KNOWN_PREFIXES.items()))}
_LINE_STARTS = frozenset("FILTER OPTIONAL BIND VALUES MINUS GRAPH SERVICE GROUP ORDER HAVING LIMIT OFFSET".split())
"""Keywords that begin a line."""
_INDENT = "  "


@dataclass(frozen=True, slots=True)
class QueryToken:
    """A token, its kind, and whether white space stands before it."""

    kind: str
    text: str
    is_spaced: bool


def lay_out_query(sparql: str) -> str:
    """Return a query with a prefix for each namespace, and with line breaks; only white space and names change.

    A text with characters that are no tokens of SPARQL is returned as it is.
    """
    tokens = tokenize_query(sparql)
    if tokens is None:
        return sparql.strip()
    declared = _declared_prefixes(tokens)
    prefixes = _choose_prefixes(tokens, declared)
    lines = [f"PREFIX {name}: <{namespace}>" for namespace, name in prefixes.items() if name not in declared]
    lines += _Layout().write(_abbreviate(tokens, prefixes))
    head = [line for line in lines if line.upper().startswith("PREFIX ")]
    return "\n".join((*head, *([""] if head else []), *(line for line in lines if line not in head)))


def tokenize_query(sparql: str) -> list[QueryToken] | None:
    """Return the tokens of a query; None if it has characters that are no tokens of SPARQL."""
    tokens, end = [], 0
    for match in _TOKEN.finditer(sparql):
        gap = sparql[end : match.start()]
        if gap.strip():
            return None
        tokens.append(QueryToken(str(match.lastgroup), match[0], bool(gap)))
        end = match.end()
    return None if sparql[end:].strip() else tokens


def _declared_prefixes(tokens: Sequence[QueryToken]) -> dict[str, str]:
    """Return the namespaces of the prefixes that a query declares, by name."""
    return {
        name.text.removesuffix(":"): iri.text[1:-1]
        for keyword, name, iri in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if keyword.text.upper() == "PREFIX" and iri.kind == "iri"
    }


def _choose_prefixes(tokens: Sequence[QueryToken], declared: Mapping[str, str]) -> dict[str, str]:
    """Return a prefix for each namespace of the IRIs in a query, in order of appearance; none if it has a base."""
    if any(token.text.upper() == "BASE" for token in tokens):
        return {}
    prefixes = {namespace: name for name, namespace in declared.items()}
    for before, token in zip((None, *tokens), tokens, strict=False):
        found = _NAMESPACE.fullmatch(token.text[1:-1]) if token.kind == "iri" else None
        is_declaration = before is not None and before.text.endswith(":")
        if found and "//" in found[1] and not is_declaration and found[1] not in prefixes:
            prefixes[found[1]] = _free_name(_name_of(found[1]), (*prefixes.values(), *declared))
    return prefixes


def _name_of(namespace: str) -> str:
    if namespace in _PREFIX_NAMES:
        return _PREFIX_NAMES[namespace]
    words = re.findall(r"[a-z][a-z0-9]*", namespace.lower().partition("//")[2])
    return str(words[-1]) if words else "ns"


def _free_name(name: str, taken: Sequence[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}{number}"
    return free


def _abbreviate(tokens: Sequence[QueryToken], prefixes: Mapping[str, str]) -> Iterator[QueryToken]:
    before = ""
    for token in tokens:
        found = _NAMESPACE.fullmatch(token.text[1:-1]) if token.kind == "iri" and not before.endswith(":") else None
        name = prefixes.get(found[1]) if found else None
        yield QueryToken("word", f"{name}:{found[2]}", token.is_spaced) if found and name is not None else token
        before = token.text


class _Layout:
    """Writes tokens in lines: a pattern a line, groups in braces indented."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line, self._depth, self._parentheses, self._is_continued = "", 0, [0], False

    def write(self, tokens: Iterator[QueryToken]) -> list[str]:
        """Return the lines."""
        for token in tokens:
            self._add(token)
        self._break()
        return self._lines

    def _add(self, token: QueryToken) -> None:
        upper = token.text.upper()
        if token.kind == "comment" or (token.kind == "iri" and self._line.upper().startswith("PREFIX")):
            self._append(token)
            self._break()
        elif token.text == "{" and token.kind == "mark":
            self._append(QueryToken("mark", "{", True))
            self._break()
            self._depth += 1
            self._parentheses.append(0)
        elif token.text == "}" and token.kind == "mark":
            self._break()
            self._depth = max(0, self._depth - 1)
            self._parentheses = self._parentheses[:-1] or [0]
            self._append(token)
        elif token.kind == "mark" and token.text in ".;" and not self._parentheses[-1]:
            self._append(QueryToken("mark", token.text, True))
            self._break()
            self._is_continued = token.text == ";"
        else:
            self._add_word(token, upper)

    def _add_word(self, token: QueryToken, upper: str) -> None:
        is_closed = self._line.strip() == "}" and upper != "UNION" and token.text not in ")"
        if not self._parentheses[-1] and (upper in _LINE_STARTS or upper == "PREFIX" or is_closed):
            self._break()
        self._parentheses[-1] += {"(": 1, ")": -1}.get(token.text, 0)
        self._append(token)
        if not self._parentheses[-1] and token.text == ")" and self._line.split()[0] in ("FILTER", "BIND"):
            self._break()

    def _append(self, token: QueryToken) -> None:
        gap = " " if self._line and token.is_spaced else ""
        self._line += f"{gap}{token.text}"

    def _break(self) -> None:
        if self._line:
            self._lines.append(_INDENT * (self._depth + self._is_continued) + self._line)
            self._is_continued = False
        self._line = ""
