"""An endpoint whose indirect statements are direct: lists, labels by a path, blank nodes with a name.

A local store is made direct when it is loaded (``endpoint.direct_statements``); what a server holds is asked for by
paths. Each query is rewritten: a predicate of ``Profile.paths`` becomes its path; with ``Profile.blank_things`` a blank
node with a name has an IRI, ``urn:blank:ANCHOR:PATH:NAME``, which says how to find it again: from a thing with an IRI,
over the path of the query that found it, by its name. The names come in the same request.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote

from rdflib import RDF, BNode, Literal, URIRef

from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.direct_statements import BLANK_PREFIX, is_list_step
from chattyshared.profile import Profile
from chattyshared.runs.threads import StopSignal
from chattyshared.sparql.query_layout import QueryToken, tokenize_query
from chattyshared.terms import Term, n3

_IRI = re.compile(r"<([^<>\s]*)>")
_IS_THING = re.compile(r"(?P<test>(?:\bis(?:IRI|URI)|! *isBlank) *\( *(?P<node>\?\w+) *\))", re.IGNORECASE)
_NAME = "direct_name_{}"
_PATH_SIGNS = frozenset("^!(/|")
_OPERATORS = frozenset("&& || != <= >=".split())
_COPIED = frozenset("OPTIONAL UNION MINUS GRAPH SERVICE SILENT".split())
_MAX_STEPS = 3
"""The most variables between a blank node and the thing from which it is found again."""


class _Unreadable(Exception):
    """A query has syntax that is not rewritten: collections, or an error."""


def wrap_endpoint(endpoint: Endpoint, profile: Profile) -> Endpoint:
    """Return the endpoint with its indirect statements direct, or itself where a profile names none."""
    return DirectView(endpoint, profile) if profile.paths or profile.blank_things else endpoint


def find_anchored(iri: str, known: Iterable[str]) -> str:
    """Return the only known IRI of a blank node of the same name that says from where it is found; else the IRI."""
    start, name = f"{BLANK_PREFIX}::", iri.rpartition(":")[2]
    if not iri.startswith(start):
        return iri
    anchored = {each for each in known if _is_blank_thing(f"<{each}>") and each.rpartition(":")[2] == name} - {iri}
    return anchored.pop() if len(anchored) == 1 else iri


class DirectView:
    """An endpoint whose queries are rewritten by a profile; other attributes are those of the endpoint itself."""

    def __init__(self, endpoint: Endpoint, profile: Profile) -> None:
        self.name = endpoint.name
        self._endpoint, self._profile = endpoint, profile

    def __getattr__(self, name: str) -> Any:
        if name == "stream" or name.startswith("__"):  # it would not be rewritten
            raise AttributeError(name)
        return getattr(self._endpoint, name)

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query and return all of its solutions, in order.

        Raises:
            EndpointError: the query failed, as one of its subclasses.
        """
        rewriter = _Rewriter(self._profile, query)
        rows = self._endpoint.select(rewriter.text)
        return rewriter.read_rows(rows) if self._profile.blank_things else rows

    def ask(self, query: str) -> bool:
        """Run an ASK query and return its truth; raises as ``select`` does."""
        return self._endpoint.ask(_Rewriter(self._profile, query).text)

    def untrusted_view(self, stop: StopSignal | None = None) -> Endpoint:
        """Return the view of the same data for untrusted queries."""
        return DirectView(self._endpoint.untrusted_view(stop), self._profile)


class _Rewriter:
    """Rewrites one query, in ``text``, and reads its rows."""

    def __init__(self, profile: Profile, query: str) -> None:
        self._paths, self._has_blanks = dict(profile.paths), profile.blank_things
        self._naming = "|".join(self._path_of(iri) for iri in profile.naming if iri not in profile.alt_labels)
        self._tokens, self._at = _join_tokens(tokenize_query(query) or ()), 0
        self._triples: list[tuple[str, str, str]] = []
        self._bound_by: list[tuple[str, str]] = []
        self._found: list[str] = []
        self._number, self._suffix, self._blanks_here = 0, "", dict[str, str]()
        try:
            self.text = self._query() if self._tokens else query
        except (_Unreadable, IndexError):
            self.text = query

    def read_rows(self, rows: Iterable[Row]) -> list[Row]:
        """Return the rows with an IRI for each blank node whose name they hold."""
        read: dict[tuple[tuple[str, Term], ...], Row] = {}
        names = {variable: _NAME.format(variable) + self._suffix for variable in self._found}
        for number, row in enumerate(rows):
            plain = {key: term for key, term in row.items() if key not in names.values()}
            for variable, name in names.items():
                if isinstance(row.get(variable), BNode) and name in row:
                    plain[variable] = self._thing(variable, str(row[name]), row)
            is_named = plain.keys() != row.keys()  # one with two names comes twice
            read.setdefault((*plain.items(), *(() if is_named else (("", Literal(number)),))), plain)
        return list(read.values())

    def _thing(self, variable: str, name: str, row: Row) -> URIRef:
        bound = [iri for iri, by in self._bound_by if by == f"?{variable}" and unquote(iri.rpartition(":")[2]) == name]
        if bound:  # a query may name one node in several ways
            return URIRef(bound[0])
        anchor, path = self._anchor(f"?{variable}", row, _MAX_STEPS)
        return URIRef(BLANK_PREFIX + ":".join(quote(part, safe="") for part in (anchor, path, name)))

    def _anchor(self, node: str, row: Row, steps: int) -> tuple[str, str]:
        """Return a thing with an IRI and the path from it to a node; empty texts if the query has none."""
        beyond = []
        for subject, predicate, target in self._triples:
            for end, other, sign in ((target, subject, ""), (subject, target, "^")):
                path = _bound(predicate, row)
                if end != node or not path or RDF.type in path or path in self._naming:
                    continue
                found = _bound(other, row)
                if found.startswith("<"):
                    return found[1:-1], f"{sign}({path})"
                beyond.append((other, f"{sign}({path})"))
        for other, path in beyond if steps else ():
            if other.startswith("?"):
                rest = [triple for triple in self._triples if node not in triple]
                start, way = _with(self, rest)._anchor(other, row, steps - 1)
                if start:
                    return start, f"{way}/{path}"
        return "", ""

    def _query(self) -> str:
        head: list[str] = []
        while self._tokens[self._at].text != "{":
            head.append(self._take())
        body = self._group()
        tail = " ".join(token.text for token in self._tokens[self._at :])
        if not self._has_blanks or "SELECT" not in [each.upper() for each in head]:
            return " ".join((*head, body, tail))
        items = frozenset(_outside(head))
        ends = (end for triple in self._triples for end in triple[::2] if end.startswith("?"))
        nodes = dict.fromkeys((*ends, *(variable for _, variable in self._bound_by)))
        self._found = [node[1:] for node in nodes if items & {node, "*"} and "direct_" not in node]
        named = [(f"?{each}", "?" + _NAME.format(each)) for each in self._found]
        parts, columns = [f"{node} {self._naming} {name} FILTER(isBlank({node}))" for node, name in named], []
        if re.search(r"\bGROUP BY\b", tail, re.IGNORECASE):
            self._suffix = "_of"
            columns = [f"(SAMPLE({name}) AS {name}_of)" for _, name in named]
            parts = [
                f"SELECT {node} (SAMPLE({name}_) AS {name}) WHERE {{ {node} {self._naming} {name}_"
                f" FILTER(isBlank({node})) }} GROUP BY {node}"
                for node, name in named
            ]
        elif "*" not in items:
            columns = [name for _, name in named]
        optional = " ".join(f"OPTIONAL {{ {each} }}" for each in parts)
        where = head.index("WHERE") if "WHERE" in head else len(head)
        return " ".join((*head[:where], *columns, *head[where:], f"{body[:-1]} {optional} }}", tail))

    def _group(self) -> str:
        self._expect("{")
        outer, self._blanks_here, out = self._blanks_here, dict[str, str](), list[str]()
        while (token := self._tokens[self._at]).text != "}":
            upper = token.text.upper()
            if token.text == "{":
                out.append(self._group())
            elif upper == "SELECT":
                while self._tokens[self._at].text != "{":
                    out.append(self._take())
                out.append(self._group())
                while self._tokens[self._at].text != "}":
                    out.append(self._take())
            elif upper in ("FILTER", "BIND"):
                out.append(self._constraint())
            elif upper == "VALUES":
                out.append(self._values())
            elif token.text == ".":
                self._at += 1
            elif upper in _COPIED:
                out.append(self._take())
                while upper in ("GRAPH", "SERVICE") and self._tokens[self._at].text != "{":
                    out.append(self._take())
            else:
                subject = self._node(out)
                self._properties(subject, out)
        self._at += 1
        found = [self._find_again(iri, node) for iri, node in self._blanks_here.items()]
        self._blanks_here = outer
        return " ".join(("{", *found, *out, "}"))

    def _properties(self, subject: str, out: list[str]) -> None:
        while self._tokens[self._at].text not in (".", "}", "]", "{"):
            if self._tokens[self._at].text == ";":
                self._at += 1
                continue
            if self._tokens[self._at].text.upper() in _COPIED | {"FILTER", "BIND", "VALUES"}:
                return
            path = self._path()
            out.append(self._state(subject, path, self._node(out)))
            while self._tokens[self._at].text == ",":
                self._at += 1
                out.append(self._state(subject, path, self._node(out)))

    def _node(self, out: list[str]) -> str:
        text = self._take()
        if text == "(":
            raise _Unreadable
        if text == "[":
            node = self._new("node")
            self._properties(node, out)
            self._expect("]")
            return node
        return self._term(text)

    def _path(self) -> str:
        parts: list[str] = []
        depth, is_whole = 0, False
        while not is_whole or self._tokens[self._at].text in ("/", "|", "*", "+", "?") or depth:
            text = self._take()
            depth += (text == "(") - (text == ")")
            is_whole = not depth and text not in _PATH_SIGNS
            parts.append(self._path_of(str(_iri(text))) if _IRI.fullmatch(text) else text)
        return " ".join(parts)

    def _path_of(self, iri: str) -> str:
        return f"({self._paths[iri]})" if iri in self._paths else f"<{iri}>"

    def _state(self, subject: str, path: str, target: str) -> str:
        self._triples.append((subject, path, target))
        if not path.startswith("?"):
            return f"{subject} {path} {target} . {self._no_list(path, target)}"
        if not self._paths:
            return f"{subject} {path} {target} ."
        own = ", ".join(f"<{iri}>" for iri in self._paths)
        branches = [f"{subject} {path} {target} FILTER({path} NOT IN ({own}))"]
        branches += [
            f"{subject} ({way}) {target} . {self._no_list(way, target)} BIND(<{iri}> AS {path})"
            for iri, way in self._paths.items()
        ]
        return " UNION ".join(f"{{ {each} }}" for each in branches)

    def _no_list(self, path: str, node: str) -> str:
        """Return the filter that a node is no list, only a member of one."""
        steps = _steps(path)
        if not steps or not node.startswith("?"):
            return ""
        return f"FILTER({node} != {n3(RDF.nil)} && NOT EXISTS {{ {node} {'|'.join(steps)} {self._new('rest')} }})"

    def _constraint(self) -> str:
        _, _, term, sign, variable = (token.text for token in self._tokens[self._at : self._at + 5])
        if sign.upper() == "AS" and _is_blank_thing(term):
            self._bound_by.append((term[1:-1], variable))
        out = [self._take()]
        depth = 0
        while True:
            if self._tokens[self._at].text == "{":
                out.append(self._group())
            else:
                text = self._take()
                depth += (text == "(") - (text == ")")
                out.append(self._term(text))
            if not depth and out[-1].endswith((")", "}")):
                break
        written = " ".join(out)
        if self._has_blanks and out[0].upper() == "FILTER":
            named = rf"EXISTS {{ \g<node> {self._naming} {self._new('named')} }}"
            written = _IS_THING.sub(rf"(\g<test> || isBlank(\g<node>) && {named})", written)
        return written

    def _values(self) -> str:
        out = [self._take(), self._take()]
        variable, found = out[1], list[str]()
        while out[-1] != "}":
            text = self._take()
            if variable.startswith("?") and _is_blank_thing(text):
                self._bound_by.append((text[1:-1], variable))
                found.append(self._find_again(text[1:-1], variable))
            else:
                out.append(text)
        return " UNION ".join(f"{{ {each} }}" for each in (" ".join(out), *found)) if found else " ".join(out)

    def _term(self, text: str) -> str:
        if not _is_blank_thing(text):
            return text
        return self._blanks_here.setdefault(text[1:-1], self._new("thing"))

    def _find_again(self, iri: str, node: str) -> str:
        """Return the pattern that binds a variable to the blank nodes that an IRI stands for."""
        anchor, path, name = map(unquote, iri.removeprefix(BLANK_PREFIX).split(":"))
        label = self._new("label")
        found = f"{node} {self._naming} {label} FILTER(isBlank({node}) && STR({label}) = {n3(Literal(name))})"
        if not anchor:
            return f"{{ SELECT DISTINCT {node} WHERE {{ {found} }} }}"
        start, before = f"<{anchor}>", ""
        if _is_blank_thing(start):
            start = self._new("thing")
            before = self._find_again(anchor, start)
        return f"{{ SELECT DISTINCT {node} WHERE {{ {before} {start} {path} {node} . {found} }} }}"

    def _new(self, kind: str) -> str:
        self._number += 1
        return f"?direct_{kind}{self._number}"

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1].text

    def _expect(self, text: str) -> None:
        if self._take() != text:
            raise _Unreadable


def _with(rewriter: _Rewriter, triples: Sequence[tuple[str, str, str]]) -> _Rewriter:
    part = object.__new__(_Rewriter)
    part._naming, part._triples = rewriter._naming, list(triples)
    return part


def _bound(term: str, row: Mapping[str, Term]) -> str:
    """Return what a term stands for in a row: an IRI in brackets or a path; empty for a variable without an IRI."""
    if not term.startswith("?"):
        return term
    value = row.get(term[1:])
    return f"<{value}>" if isinstance(value, URIRef) else ""


def _steps(path: str) -> list[str]:
    return list(dict.fromkeys(f"<{iri}>" for iri in _IRI.findall(path) if is_list_step(iri)))


def _is_blank_thing(text: str) -> bool:
    return text.startswith(f"<{BLANK_PREFIX}") and text.count(":") == BLANK_PREFIX.count(":") + 2


def _iri(text: str) -> str:
    return text[1:-1]


def _outside(head: Sequence[str]) -> Iterable[str]:
    depth = 0
    for text in head:
        depth += (text == "(") - (text == ")")
        if not depth:
            yield text


def _join_tokens(tokens: Iterable[QueryToken]) -> list[QueryToken]:
    """Return tokens with each literal, with its language or datatype, and each name as one token, IRIs in full."""
    joined: list[QueryToken] = []
    prefixes: dict[str, str] = {}
    for token in tokens:
        if token.kind == "comment":
            continue
        last = joined[-1] if joined else None
        if last is not None and not token.is_spaced and _continues(last.text, token.text):
            joined[-1] = QueryToken(last.kind, last.text + token.text, last.is_spaced)
        else:
            joined.append(token)
    for keyword, name, iri in zip(joined, joined[1:], joined[2:], strict=False):
        if keyword.text.upper() == "PREFIX":
            prefixes[name.text] = iri.text[1:-1]
    return [
        QueryToken("iri", f"<{prefixes[found[1]]}{found[2]}>", True)
        if (found := re.fullmatch(r"([\w.-]*:)([\w%.-]+)", token.text)) and found[1] in prefixes
        else token
        for token in joined
    ]


def _continues(text: str, following: str) -> bool:
    if text + following in _OPERATORS:
        return True
    if text in (":", "-") or text.endswith(("@", "^^")) and text[0] in "\"'":
        return text != "-" or following[0].isdigit()
    if text[0] in "\"'":
        return following in ("@", "^")
    return text.endswith(":") and text[:1].isalpha() and following[0].isalnum()
