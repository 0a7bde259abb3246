"""Queries as the rules read them: form, triples, what is counted, and what keeps them from being SPARQL 1.1."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pyparsing import ParseException, ParseResults
from rdflib import Literal, URIRef, Variable
from rdflib.paths import Path
from rdflib.plugins.sparql.algebra import translateQuery, traverse
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Prologue, SPARQLError

_FORMS = {"SelectQuery": "SELECT", "AskQuery": "ASK"}
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""' r"|'''(?:[^'\\]|\\.|'(?!''))*'''"
    r'|"(?:[^"\\\n]|\\.)*"' r"|'(?:[^'\\\n]|\\.)*'"
    r"|(?P<iri><[^<>\"{}|^`\\\x00-\x20]*>)(?=[?$]\w)|<[^<>\"{}|^`\\\x00-\x20]*>|#[^\n]*",
    re.DOTALL,
)  # fmt: skip
_KNOWN = {prefix: str(iri) for prefix, iri in Prologue().namespace_manager.namespaces()} | {
    "dbo": "http://dbpedia.org/ontology/", "dbp": "http://dbpedia.org/property/", "dbr": "http://dbpedia.org/resource/",
    "schema": "https://schema.org/", "yago": "http://yago-knowledge.org/resource/",
    "wd": "http://www.wikidata.org/entity/", "wdt": "http://www.wikidata.org/prop/direct/",
}  # fmt: skip
"""What servers and readers are known to supply where a query declares nothing: for judging the rest of the query."""

_PLAIN = frozenset(
    ("BGP", "Project", "Distinct", "SelectQuery", "AskQuery", "Extend", "AggregateJoin", "Group", "Filter",
     "OrderBy", "OrderCondition", "RelationalExpression", "ConditionalOrExpression", "ConditionalAndExpression")
)  # fmt: skip
AlgebraTriple = tuple[Any, Any, Any]
"""Subject, predicate (an IRI, a variable, or a property path) and object, as rdflib's terms."""


@dataclass(frozen=True, slots=True)
class QueryAnalysis:
    """What a query says.

    ``fault`` is why it is no SPARQL 1.1 SELECT or ASK (empty: it is one); ``undeclared`` are prefixes; ``is_tight``
    tells that blanks had to be put between tokens; ``text`` is the query with those blanks and those prefixes.
    ``patterns`` are all its triples, those within NOT EXISTS as well (``absent``); ``compared`` the variables that
    filters compare or that order the result, ``bounds`` the literals that filters compare with; ``counted`` the
    variables in COUNT (``*`` for all); ``shown`` those of the result, ``bound`` those that something binds.
    ``is_plain``: no filter but one on languages, no limit, no union. ``canonical`` is equal for queries that differ in
    the names of variables, in blanks and in letter case only.
    """

    text: str
    form: str = ""
    syntax_error: str = ""
    undeclared_prefixes: tuple[str, ...] = ()
    lacks_whitespace: bool = False
    patterns: tuple[AlgebraTriple, ...] = ()
    negated_patterns: tuple[AlgebraTriple, ...] = ()
    compared_variables: frozenset[str] = frozenset()
    counted_variables: frozenset[str] = frozenset()
    result_variables: tuple[str, ...] = ()
    bound_variables: frozenset[str] = frozenset()
    compared_literals: tuple[Literal, ...] = ()
    is_plain: bool = True
    canonical_text: str = ""

    @property
    def iris(self) -> tuple[str, ...]:
        """The IRIs at the subject and object ends, classes of ``rdf:type`` left out, in the order of the text."""
        found = [str(end) for s, p, o in self.patterns for end in ((s,) if is_rdf_type(p) else (s, o)) if _is_iri(end)]
        classes = {str(o) for _, p, o in self.patterns if is_rdf_type(p)}
        found += [iri for iri in _iris(self.text) if iri not in classes and iri not in self.predicates]
        return tuple(dict.fromkeys(found))

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The literals that stand in triples and in comparisons, but for those that only choose a language."""
        return tuple(
            dict.fromkeys((*(o for _, _, o in self.patterns if isinstance(o, Literal)), *self.compared_literals))
        )

    @property
    def predicates(self) -> tuple[str, ...]:
        """The IRIs of predicates, those within property paths as well."""
        return tuple(dict.fromkeys(str(iri) for _, p, _ in self.patterns for iri in _of_path(p)))


@lru_cache(maxsize=4096)
def analyze_query(query: str) -> QueryAnalysis:
    """Read a query; never raises: what is wrong stands in the reading."""
    text, tight = insert_missing_whitespace(query)
    try:
        tree = parseQuery(text)
        undeclared = _resolve(tree)
        algebra = translateQuery(tree).algebra
    except ParseException as error:
        return QueryAnalysis(
            text, syntax_error=f"line {error.lineno}, column {error.column}: {error.msg[:80]}", lacks_whitespace=tight
        )
    except RecursionError:
        return QueryAnalysis(text, syntax_error="too deeply nested to be read", lacks_whitespace=tight)
    except (SPARQLError, ValueError, TypeError, LookupError, AttributeError) as error:  # rdflib's, on odd queries
        return QueryAnalysis(
            text, syntax_error=" ".join(str(error).split())[:120] or type(error).__name__, lacks_whitespace=tight
        )
    lines = "".join(f"PREFIX {name}: <{_KNOWN[name]}>\n" for name in undeclared if name in _KNOWN)
    return _read(algebra, lines + text, undeclared, tight)


def insert_missing_whitespace(query: str) -> tuple[str, bool]:
    """Put a blank between an IRI and a variable that follow each other, and tell whether there was need to."""
    text, number = re.subn(_TOKEN, lambda m: f"{m[0]} " if m["iri"] else m[0], query)
    return text, number > 0 and text != query


def is_rdf_type(predicate: Any) -> bool:
    """Tell whether a predicate is ``rdf:type``."""
    return bool(str(predicate).endswith("22-rdf-syntax-ns#type"))


def _resolve(tree: Any) -> tuple[str, ...]:
    """Write full IRIs in the place of prefixed names; return the prefixes that are not declared."""
    declared = {part.prefix or "": str(part.iri) for part in tree[0] if "iri" in part}
    missing: dict[str, None] = {}

    def resolved(part: Any) -> URIRef | None:
        if not isinstance(part, CompValue) or part.name != "pname":
            return None
        prefix = part.prefix or ""
        if prefix not in declared:
            missing[prefix] = None
        space = declared.get(prefix) or _KNOWN.get(prefix) or f"prefix:{prefix}:"
        return URIRef(space + (part.localname or ""))

    tree[1] = traverse(tree[1], visitPost=resolved)
    return tuple(missing)


def _read(algebra: Any, text: str, undeclared: tuple[str, ...], tight: bool) -> QueryAnalysis:
    form = _FORMS.get(algebra.name, "")
    nodes = list(_parts(algebra))
    stated = [tuple(t) for n, out in nodes if n.name == "BGP" for t in n.triples if not out]
    absent = [tuple(t) for n, out in nodes if n.name == "TriplesBlock" for t in _threes(n.triples) if out]
    tests = [n for n, _ in nodes if n.name in ("RelationalExpression", "OrderCondition") and not _on_language(n)]
    counts = [n for n, _ in nodes if n.name == "Aggregate_Count"]
    given = {v for n, _ in nodes if n.name == "values" for row in n.res for v in row}
    named = {n.var for n, _ in nodes if n.name == "Extend"}
    return QueryAnalysis(
        text,
        form,
        "" if form else "neither SELECT nor ASK",
        undeclared,
        tight,
        patterns=(*stated, *absent),
        negated_patterns=tuple(absent),
        compared_variables=frozenset(str(v) for n in tests for v in _variables(n)),
        counted_variables=frozenset(
            {str(v) for n in counts for v in _variables(n.vars)} | {"*" for n in counts if n.vars == "*"}
        ),
        result_variables=tuple(map(str, algebra.get("PV") or ())) if form == "SELECT" else (),
        bound_variables=frozenset(map(str, {v for t in stated for v in t if isinstance(v, Variable)} | given | named)),
        compared_literals=tuple(v for n in tests for v in (n.get("other"),) if isinstance(v, Literal)),
        is_plain=all(n.name in _PLAIN or "_" in n.name for n, _ in nodes)
        and all(n.name == "OrderCondition" for n in tests),
        canonical_text=_canonical(text),
    )


def _parts(value: Any, outside: bool = False) -> Iterator[tuple[CompValue, bool]]:
    """Yield every node of an algebra tree, and whether it lies within an EXISTS."""
    if isinstance(value, CompValue):
        outside = outside or value.name in ("Builtin_NOTEXISTS", "Builtin_EXISTS")
        yield value, outside
        for key, item in value.items():
            if key != "_vars":
                yield from _parts(item, outside)
    elif isinstance(value, (list, tuple, ParseResults)):
        for item in value:
            yield from _parts(item, outside)


def _on_language(test: CompValue) -> bool:
    """Tell whether a comparison only keeps some languages."""
    return any(node.name in ("Builtin_LANG", "Builtin_LANGMATCHES") for node, _ in _parts(test))


def _threes(triples: Any) -> Iterator[AlgebraTriple]:
    """Yield the triples of a block that the algebra has left flat."""
    for flat in triples:
        for place in range(0, len(flat) - 2, 3):
            yield flat[place], flat[place + 1], flat[place + 2]


def _variables(value: Any) -> Iterator[Variable]:
    if isinstance(value, Variable):
        yield value
    elif isinstance(value, CompValue):
        for key, item in value.items():
            if key != "_vars":
                yield from _variables(item)
    elif isinstance(value, (list, tuple, ParseResults)):
        for item in value:
            yield from _variables(item)


def _of_path(predicate: Any) -> Iterator[URIRef]:
    """Yield the IRIs in a predicate, which may be a path."""
    if isinstance(predicate, URIRef):
        yield predicate
    elif isinstance(predicate, Path):
        for part in vars(predicate).values():
            for one in part if isinstance(part, (list, tuple)) else (part,):
                yield from _of_path(one)


def _is_iri(term: Any) -> bool:
    return isinstance(term, URIRef) and not isinstance(term, Literal)


def _iris(text: str) -> list[str]:
    """Return the IRIs that stand in filters and VALUES, too: all in angle brackets, those of prefixes left out."""
    body = re.sub(r"(?i)\bprefix\s+[\w.-]*:\s*<[^>]*>", " ", text)
    found = re.findall(r"(?<!\^\^)<([^<>\"{}|^`\\\x00-\x20]+)>(?!\s*\()", body)  # no datatypes, no functions
    return [iri for iri in found if not iri.endswith("#type")]


def _canonical(text: str) -> str:
    """Return a text that is equal for queries that differ in names of variables, blanks and letter case only."""
    names: dict[str, str] = {}
    said = re.sub(r"[?$](\w+)", lambda m: names.setdefault(m[1], f" ?v{len(names)} "), text)
    said = re.sub(r"(?i)\b(select|ask|distinct|where|filter|count|as|limit|order|by|not|exists)\b", _upper, said)
    said = re.sub(r"\bWHERE\b(?=\s*\{)", " ", said)
    return " ".join(re.sub(r"([{}().;,])(?=\s|$|[?<{(])", r" \1 ", said).split()).replace(" . }", " }")


def _upper(match: re.Match[str]) -> str:
    return match[0].upper()
