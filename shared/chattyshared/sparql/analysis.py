"""The one reader of SPARQL queries: what a SELECT or ASK query is made of. No query is executed here.

``parse_query_shape`` returns form, variables, predicates and features; ``analyze_query`` returns all patterns, and why
an engine would reject the query; ``parse_algebra`` returns its algebra, ``prepare_query`` what rdflib runs;
``parse_query_terms`` and ``parse_linked_terms`` return the terms of a query.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any
from typing import Literal as Choice

from pyparsing import ParseException, ParseResults
from rdflib import RDF, RDFS, Literal, URIRef, Variable
from rdflib.paths import Path
from rdflib.plugins.sparql.algebra import translateQuery, traverse
from rdflib.plugins.sparql.parser import parseQuery, parseUpdate
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Prologue, Query, SPARQLError
from rdflib.util import from_n3

from chattyshared.terms import Term

QueryForm = Choice["SELECT", "ASK"]
ResultKind = Choice["boolean", "count", "other"]
AlgebraTriple = tuple[Any, Any, Any]
"""Subject, predicate (an IRI, a variable, or a property path) and object, as rdflib's terms."""
Features = tuple[str, ...]

FEATURES: Features = (
    "SELECT", "ASK", "DISTINCT", "COUNT", "SUM", "AVG", "MIN", "MAX", "GROUP BY", "HAVING", "ORDER BY", "LIMIT",
    "OFFSET", "FILTER", "NOT EXISTS", "EXISTS", "MINUS", "UNION", "OPTIONAL", "VALUES", "BIND", "SUBQUERY", "PATH",
)  # fmt: skip
"""The features of queries, in the order in which they are listed."""

_FORMS: Mapping[str, QueryForm] = {"SelectQuery": "SELECT", "AskQuery": "ASK"}
_PARSER_ERRORS = (SPARQLError, ValueError, TypeError, LookupError, AttributeError)
"""What rdflib raises on odd queries, besides ParseException and RecursionError."""

_TYPE, _SUBCLASS = str(RDF.type), str(RDFS.subClassOf)
_STRING_PATTERN = r"""
    "{3}(?:[^"\\]|\\.|"(?!""))*"{3} | '{3}(?:[^'\\]|\\.|'(?!''))*'{3} | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'"""
_IRI_CHARACTERS = r"""[^<>"{}|^`\\\x00-\x20]*"""
OPAQUE_TOKEN = re.compile(
    rf"(?P<iri><{_IRI_CHARACTERS}>) | (?P<string>{_STRING_PATTERN}) | (?P<comment>(?<!\\)\#[^\n]*)",
    re.VERBOSE | re.DOTALL,
)
TERM_TOKEN = re.compile(
    rf"""(?P<string>{_STRING_PATTERN})(?:\^\^(?:<[^<>\s]*>|[\w.:-]+))?
      | (?P<comment>(?<!\\)\#[^\n]*)
      | (?P<call>(?:<[^<>\s]*> | (?<!\w)[A-Za-z][\w.-]{{0,49}}:[\w.-]+)\s*\()
      | <(?P<iri>{_IRI_CHARACTERS})>
      | (?P<variable>[?$]\w+)
      | (?P<name>(?:(?<!\w)[A-Za-z][\w.-]{{0,49}}|(?<!_)):(?:[\w.%-]|\\[^\w\s])*(?:[\w%-]|\\[^\w\s]))
      | (?P<a>\ba\b)""",
    re.VERBOSE | re.DOTALL,
)
_PATH_MODIFIER = re.compile(r"[+*]|\?(?!\w)")
_PLACEHOLDER = re.compile(r"urn:iri:(\d+):(.*)", re.DOTALL)
_NAMES = re.compile(r"[?$]\w+|@[\w-]+|(?:(?<![\w.-])[\w.-]+|):[\w.-]*")
PREFIX_DECLARATION = re.compile(r"\bPREFIX\s+([\w.-]*):\s*<([^<>\s]*)>", re.IGNORECASE)
_DATASET_OR_BASE = re.compile(r"\b(?:FROM(?:\s+NAMED)?|BASE)\s*<[^<>]*>", re.IGNORECASE)
_COUNT_CALL = re.compile(r"\bCOUNT\s*\(", re.IGNORECASE)
_PLAIN_NODES = frozenset(
    ("BGP", "Project", "Distinct", "SelectQuery", "AskQuery", "Extend", "AggregateJoin", "Group", "Filter",
     "OrderBy", "OrderCondition", "RelationalExpression", "ConditionalOrExpression", "ConditionalAndExpression")
)  # fmt: skip
_lock = threading.Lock()
"""The grammar is one object for all threads, and two that enter it at once leave it unable to parse anything."""


@dataclass(frozen=True, slots=True)
class QueryShape:
    """Form, variables, predicates and features of a query.

    ``variables`` are the projected ones (none for ASK), ``triples`` the number of triple patterns, those within
    EXISTS and subqueries included; ``predicates`` the IRIs in predicate position (also in paths), in the query's order,
    each once; ``features`` a selection of ``FEATURES``.
    """

    form: QueryForm
    variables: tuple[str, ...]
    triples: int
    predicates: tuple[str, ...]
    features: Features


@dataclass(frozen=True, slots=True)
class QueryAnalysis:
    """Every part of a query, and what keeps it from being SPARQL 1.1.

    ``syntax_error`` says why it is no SELECT or ASK query of SPARQL 1.1 (empty: it is one). ``text`` declares those of
    ``undeclared_prefixes`` that are well known, and has the blanks between tokens that the query lacks. ``patterns``
    are all triple patterns, ``negated_patterns`` those within EXISTS. ``compared_variables`` are in comparisons or
    order the result, ``compared_literals`` in comparisons; ``counted_variables`` are in COUNT (``*`` for all).
    ``is_plain``: no filter except on languages, no limit, no union. ``canonical_text`` is equal for queries that differ
    only in the names of variables, in whitespace and in letter case.
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
        """The IRIs in subject and object position, without classes of ``rdf:type``, in the order of the text."""
        ends = ((s,) if is_rdf_type(p) else (s, o) for s, p, o in self.patterns)
        iris = [str(term) for terms in ends for term in terms if isinstance(term, URIRef)]
        classes = {str(o) for _, p, o in self.patterns if is_rdf_type(p)}
        iris += [iri for iri in _bracketed_iris(self.text) if iri not in classes and iri not in self.predicates]
        return tuple(dict.fromkeys(iris))

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The literals in triple patterns and in comparisons, except those that only choose a language."""
        objects = (o for _, _, o in self.patterns if isinstance(o, Literal))
        return tuple(dict.fromkeys((*objects, *self.compared_literals)))

    @property
    def predicates(self) -> tuple[str, ...]:
        """The IRIs of predicates, including those within property paths."""
        return tuple(dict.fromkeys(str(iri) for _, p, _ in self.patterns for iri in path_iris(p)))


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The gold linking targets of a query, and the kind of its result.

    ``vertices`` and ``predicates`` are IRIs, without rdf:type and classes; ``triple_count`` counts triple patterns.
    """

    vertices: frozenset[str]
    predicates: frozenset[str]
    triple_count: int
    result_kind: ResultKind
    is_ordered: bool


def parse_query_shape(sparql: str) -> QueryShape | None:
    """Return form, variables, predicates and features; None if it is no SELECT or ASK query of SPARQL 1.1.

    Queries that differ only in their IRIs and literals are parsed once. Tokens may follow each other without blanks
    where the grammar allows it (``<iri>?v``).
    """
    iris: list[str] = []

    def replace_token(token: re.Match[str]) -> str:
        if token["iri"]:
            iris.append(token["iri"][1:-1])
            # rdflib needs a path's + * ? directly behind the IRI, and a blank before a variable.
            return f" <urn:iri:{len(iris) - 1}:>" + ("" if _PATH_MODIFIER.match(sparql, token.end()) else " ")
        return ' "" ' if token["string"] else " "

    skeleton = OPAQUE_TOKEN.sub(replace_token, sparql)
    # A language tag or a datatype stands directly behind its string.
    parsed = _parse_skeleton(" ".join(re.sub(r'"" +(?=@|\^\^)', '""', skeleton).replace("^^ ", "^^").split()))
    if parsed is None:
        return None
    form, variables, triple_count, placeholders, features = parsed
    predicates = dict.fromkeys((iris[number] if number >= 0 else "") + rest for number, rest in placeholders)
    return QueryShape(form, variables, triple_count, tuple(predicates), features)


@lru_cache(maxsize=4096)
def analyze_query(query: str) -> QueryAnalysis:
    """Analyze a query of any kind; an error is reported in ``syntax_error``, never raised."""
    text, lacks_whitespace = insert_missing_whitespace(query)
    try:
        prepared, undeclared = prepare_query(text)
    except ParseException as error:
        syntax_error = f"line {error.lineno}, column {error.column}: {error.msg[:80]}"
    except RecursionError:
        syntax_error = "too deeply nested to be read"
    except _PARSER_ERRORS as error:
        syntax_error = " ".join(str(error).split())[:120] or type(error).__name__
    else:
        known = _assumed_prefixes()
        lines = "".join(f"PREFIX {name}: <{known[name]}>\n" for name in undeclared if name in known)
        return _analyze_algebra(prepared.algebra, lines + text, undeclared, lacks_whitespace)
    return QueryAnalysis(text, syntax_error=syntax_error, lacks_whitespace=lacks_whitespace)


@lru_cache(maxsize=4096)
def parse_query_terms(sparql: str) -> QueryTerms | None:
    """Return the terms of a query; None if it is empty, or no SELECT or ASK query of SPARQL 1.1.

    A class is the object of ``a``, rdf:type or rdfs:subClassOf, which are no predicates here; a function's name and a
    literal's datatype are no vertices.
    """
    shape = parse_query_shape(sparql) if sparql.strip() else None
    if shape is None:
        return None
    predicates = frozenset(shape.predicates) - {_TYPE, _SUBCLASS}
    kind: ResultKind = "boolean" if shape.form == "ASK" else "other"
    if shape.form == "SELECT" and _COUNT_CALL.search(sparql.split("{")[0]) and "GROUP BY" not in shape.features:
        kind = "count"
    vertices = frozenset(str(term) for term in _body_terms(sparql) if isinstance(term, URIRef)) - predicates
    return QueryTerms(vertices, predicates, shape.triples, kind, "ORDER BY" in shape.features)


def parse_linked_terms(sparql: str, type_predicates: Collection[str] = ()) -> tuple[Term, ...]:
    """Return the terms that mentions are linked to, in the query's order: vertices, and strings that are objects.

    ``type_predicates`` state classes, besides rdf:type: their objects are no vertices.
    """
    query_terms = parse_query_terms(sparql)
    if query_terms is None:
        return ()
    terms = dict.fromkeys(_body_terms(sparql, type_predicates))
    return tuple(term for term in terms if not isinstance(term, URIRef) or str(term) in query_terms.vertices)


@lru_cache(maxsize=1024)
def parse_algebra(sparql: str) -> CompValue | None:
    """Return rdflib's algebra of a query, which must not be changed; None if it is no SELECT or ASK of SPARQL 1.1."""
    try:
        algebra = prepare_query(insert_missing_whitespace(sparql)[0])[0].algebra
    except (ParseException, RecursionError, *_PARSER_ERRORS):
        return None
    return algebra if algebra.name in _FORMS else None


def strip_query_terms(sparql: str) -> str:
    """Return a query's keywords and punctuation: no IRIs, prefixed names, variables, strings and comments."""
    return " ".join(_NAMES.sub(" ", OPAQUE_TOKEN.sub(" ", sparql)).split())


def insert_missing_whitespace(query: str) -> tuple[str, bool]:
    """Put a blank between an IRI and a variable that follow each other directly; also tell whether there were any."""

    def separate(token: re.Match[str]) -> str:
        return (
            f"{token[0]} " if token["iri"] and re.match(r"[?$]\w", query[token.end() : token.end() + 2]) else token[0]
        )

    text = OPAQUE_TOKEN.sub(separate, query)
    return text, text != query


def is_rdf_type(predicate: Any) -> bool:
    """Tell whether a predicate is ``rdf:type``."""
    return bool(str(predicate).endswith("22-rdf-syntax-ns#type"))


@cache
def _assumed_prefixes() -> Mapping[str, str]:
    """The prefixes that servers and readers are known to supply where a query declares nothing."""
    return {prefix: str(iri) for prefix, iri in Prologue().namespace_manager.namespaces()} | {
        "dbo": "http://dbpedia.org/ontology/", "dbp": "http://dbpedia.org/property/",
        "dbr": "http://dbpedia.org/resource/", "schema": "https://schema.org/",
        "yago": "http://yago-knowledge.org/resource/", "wd": "http://www.wikidata.org/entity/",
        "wdt": "http://www.wikidata.org/prop/direct/",
    }  # fmt: skip


def prepare_query(text: str) -> tuple[Query, tuple[str, ...]]:
    """Return a query for rdflib, with full IRIs for prefixed names, and the prefixes that it does not declare.

    Raises:
        ParseException, RecursionError, SPARQLError, ValueError, TypeError, LookupError, AttributeError: it cannot be
        parsed.
    """
    tree = parse_query(text)
    declared = {part.prefix or "": str(part.iri) for part in tree[0] if "iri" in part}
    undeclared: dict[str, None] = {}

    def resolve(part: Any) -> URIRef | None:
        if not isinstance(part, CompValue) or part.name != "pname":
            return None
        prefix = part.prefix or ""
        if prefix not in declared:
            undeclared[prefix] = None
        namespace = declared.get(prefix, _assumed_prefixes().get(prefix, f"prefix:{prefix}:"))
        return URIRef(namespace + re.sub(r"\\(.)", r"\1", part.localname or ""))

    tree[1] = traverse(tree[1], visitPost=resolve)  # rdflib itself does not name an undeclared prefix
    return translateQuery(tree), tuple(undeclared)


@lru_cache(maxsize=1024)
def _parse_skeleton(
    text: str,
) -> tuple[QueryForm, tuple[str, ...], int, tuple[tuple[int, str], ...], Features] | None:
    """Return form, variables, number of triple patterns, predicates as placeholders, and features."""
    try:
        prepared, undeclared = prepare_query(text)
    except (ParseException, RecursionError, *_PARSER_ERRORS):
        return None
    algebra = prepared.algebra
    form = _FORMS.get(algebra.name)
    if form is None or undeclared:
        return None
    triples = [triple for node, _ in _nodes(algebra) for triple in _triples(node)]
    predicates = [iri for _, predicate, _ in triples for iri in path_iris(predicate)]
    placeholders = tuple(sorted({_split_placeholder(iri) for iri in predicates}))
    variables = _result_variables(algebra)
    if "*" in text.split("WHERE")[0].split("{")[0]:
        variables = tuple(sorted(variables))  # rdflib returns the variables of SELECT * in no order
    has_path = any(isinstance(predicate, Path) for _, predicate, _ in triples)
    return form, variables, len(triples), placeholders, _features(text, has_path)


def _split_placeholder(iri: URIRef) -> tuple[int, str]:
    """Return the number of the query's IRI that a predicate begins with (-1: none, as for ``a``), and the rest."""
    match = _PLACEHOLDER.fullmatch(str(iri))
    return (int(match[1]), match[2]) if match else (-1, str(iri))


def _result_variables(algebra: CompValue) -> tuple[str, ...]:
    return tuple(map(str, algebra.get("PV") or ())) if algebra.name == "SelectQuery" else ()


def _features(text: str, has_path: bool) -> Features:
    keywords = f" {strip_query_terms(text).upper()} "
    features = {name for name in FEATURES if re.search(rf"\b{name.replace(' ', ' +')}\b", keywords)}
    if len(re.findall(r"\bEXISTS\b", keywords)) == len(re.findall(r"\bNOT +EXISTS\b", keywords)):
        features.discard("EXISTS")
    if len(re.findall(r"\bSELECT\b", keywords)) > ("ASK" not in features):
        features.add("SUBQUERY")
    if has_path:
        features.add("PATH")
    return tuple(name for name in FEATURES if name in features)


def _analyze_algebra(
    algebra: CompValue, text: str, undeclared: tuple[str, ...], lacks_whitespace: bool
) -> QueryAnalysis:
    form, nodes = _FORMS.get(algebra.name, ""), list(_nodes(algebra))
    positive = [
        triple for node, in_exists in nodes if not in_exists and node.name == "BGP" for triple in _triples(node)
    ]
    negated = [triple for node, in_exists in nodes if in_exists for triple in _triples(node)]
    comparisons = [
        node for node, _ in nodes if node.name in ("RelationalExpression", "OrderCondition") and not _on_language(node)
    ]
    counts = [node.vars for node, _ in nodes if node.name == "Aggregate_Count"]
    counted = [variable for part in counts for variable in (["*"] if part == "*" else _variables(part))]
    from_values = {variable for node, _ in nodes if node.name == "values" for row in node.res for variable in row}
    from_bind = {node.var for node, _ in nodes if node.name == "Extend"}
    from_patterns = {term for triple in positive for term in triple if isinstance(term, Variable)}
    return QueryAnalysis(
        text,
        form,
        "" if form else "neither SELECT nor ASK",
        undeclared,
        lacks_whitespace,
        patterns=(*positive, *negated),
        negated_patterns=tuple(negated),
        compared_variables=frozenset(str(variable) for node in comparisons for variable in _variables(node)),
        counted_variables=frozenset(map(str, counted)),
        result_variables=_result_variables(algebra),
        bound_variables=frozenset(map(str, from_patterns | from_values | from_bind)),
        compared_literals=tuple(node.other for node in comparisons if isinstance(node.get("other"), Literal)),
        is_plain=all(node.name in _PLAIN_NODES or "_" in node.name for node, _ in nodes)
        and all(node.name == "OrderCondition" for node in comparisons),
        canonical_text=_canonicalize(text),
    )


def _nodes(algebra: Any) -> Iterator[tuple[CompValue, bool]]:
    """Yield every node of an algebra tree once, depth first, and whether it lies within an EXISTS."""
    stack, seen = [(algebra, False)], set()
    while stack:
        node, in_exists = stack.pop()
        if isinstance(node, CompValue):
            if id(node) in seen:
                continue
            seen.add(id(node))
            in_exists = in_exists or node.name in ("Builtin_NOTEXISTS", "Builtin_EXISTS")
            yield node, in_exists
            stack.extend((item, in_exists) for key, item in reversed(list(node.items())) if key != "_vars")
        elif isinstance(node, (list, tuple, ParseResults)):
            stack.extend((item, in_exists) for item in reversed(list(node)))


def iterate_nodes(algebra: Any) -> Iterator[CompValue]:
    """Yield every node of an algebra tree once, depth first."""
    return (node for node, _ in _nodes(algebra))


def _triples(node: CompValue) -> Iterator[AlgebraTriple]:
    """Yield the triple patterns of one node; within EXISTS rdflib leaves them in flat rows."""
    if node.name == "BGP":
        yield from map(tuple, node.triples)
    elif node.name == "TriplesBlock":
        for row in node.triples:
            yield from zip(row[::3], row[1::3], row[2::3], strict=True)


def path_iris(predicate: Any) -> Iterator[URIRef]:
    """Yield the IRIs of a predicate: its own, or those of a property path."""
    if isinstance(predicate, URIRef):
        yield predicate
    elif isinstance(predicate, Path):
        for part in vars(predicate).values():
            for step in part if isinstance(part, (list, tuple)) else (part,):
                yield from path_iris(step)


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


def _on_language(comparison: CompValue) -> bool:
    """Tell whether a comparison only selects languages."""
    return any(node.name in ("Builtin_LANG", "Builtin_LANGMATCHES") for node, _ in _nodes(comparison))


def _bracketed_iris(text: str) -> list[str]:
    """Return all IRIs in angle brackets, also in filters and VALUES; not those of prefixes, datatypes, functions."""
    body = re.sub(r"(?i)\bprefix\s+[\w.-]*:\s*<[^>]*>", " ", text)
    iris = re.findall(r"(?<!\^\^)<([^<>\"{}|^`\\\x00-\x20]+)>(?!\s*\()", body)
    return [iri for iri in iris if not iri.endswith("#type")]


def _canonicalize(text: str) -> str:
    """Return a text that is equal for queries that differ only in names of variables, whitespace and letter case."""
    names: dict[str, str] = {}
    text = re.sub(r"[?$](\w+)", lambda match: names.setdefault(match[1], f" ?v{len(names)} "), text)
    keywords = r"(?i)\b(select|ask|distinct|where|filter|count|as|limit|order|by|not|exists)\b"
    text = re.sub(r"\bWHERE\b(?=\s*\{)", " ", re.sub(keywords, lambda match: str(match[0]).upper(), text))
    return " ".join(re.sub(r"([{}().;,])(?=\s|$|[?<{(])", r" \1 ", text).split()).replace(" . }", " }")


def _body_terms(sparql: str, type_predicates: Collection[str] = ()) -> list[Term]:
    """Return the IRIs in a query's body without types, classes and names of functions, and its strings as objects.

    A string is an object if it stands behind an IRI; a literal of another datatype is left out.
    """
    namespaces = {match[1]: match[2] for match in PREFIX_DECLARATION.finditer(sparql)}
    body = _DATASET_OR_BASE.sub(" ", PREFIX_DECLARATION.sub(" ", sparql))
    terms: list[Term] = []
    is_behind_type = is_behind_iri = False
    for token in TERM_TOKEN.finditer(body):
        iri = token["iri"] or expand_name(token["name"], namespaces)
        is_type = bool(token["a"]) or iri in (_TYPE, _SUBCLASS, *type_predicates)
        if iri and not is_type and not is_behind_type:
            terms.append(URIRef(iri))
        elif token["string"] and is_behind_iri and token[0] == token["string"]:
            terms.append(Literal(str(from_n3(token["string"]))))
        is_behind_type, is_behind_iri = is_type, bool(iri) and not is_type
    return terms


def expand_name(name: str | None, namespaces: Mapping[str, str]) -> str:
    """Return the IRI of a prefixed name; empty without a name or where its prefix is not declared."""
    prefix, _, local = (name or "").partition(":")
    return namespaces[prefix] + re.sub(r"\\(.)", r"\1", local) if name and prefix in namespaces else ""


def parse_query(text: str) -> ParseResults:
    """Return the syntax tree of a query: its prologue and its form.

    Raises:
        ParseException, RecursionError, SPARQLError, ValueError, TypeError, LookupError, AttributeError: it does not
            parse; rdflib raises the last ones on odd queries.
    """
    with _lock:
        return parseQuery(text)


def is_update(text: str) -> bool:
    """Tell whether a text that is no query is a SPARQL update."""
    try:
        with _lock:
            return "request" in parseUpdate(text)
    except (ParseException, RecursionError):
        return False
