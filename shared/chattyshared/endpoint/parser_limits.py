"""Checks of RDF files before the parser, which some files would crash: Oxigraph expands entities without a limit, and
recurses into nested structures.

Each check sees the bytes before the parser, keeps few of them, and raises ``ParserLimitExceeded``; bytes that it does
not understand are left to the parser.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import accumulate
from typing import IO, Any, Protocol

import pyoxigraph as ox

MAX_DEPTH = 200
"""Nesting of objects and arrays of JSON-LD, or of triple terms."""
MAX_XML_DEPTH = 2_000
"""Nesting of elements of RDF/XML: the parser's time grows with the square of the depth."""
MAX_EXPANDED_BYTES = 100 << 20
"""Bytes of one text, attribute or declaration of RDF/XML with its entities expanded."""
MAX_EXPANSION_FACTOR = 10
"""Bytes that entities may add to a file, as a multiple of its size, in addition to ``_FREE_EXPANSION_BYTES``."""
_FREE_EXPANSION_BYTES = 1 << 20
_LONG_TERM = 1_000
"""Characters from which a term counts as long: a file of short ones takes no more memory than others do."""
_MAX_DECLARATION_BYTES = 1 << 16
_MAX_REFERENCE_BYTES = 1_000
_MAX_CONTEXT_BYTES = 1 << 20
_MAX_CONTEXT_TERMS = 5_000
"""Terms of a JSON-LD context and its nested contexts: the parser copies them at each level."""
_MAX_CONTEXT_COST = 2_000_000
"""Terms of a JSON-LD context times its nested contexts, which is the parser's work."""
_MAX_CHAIN = 100
"""Length of a chain of terms of a JSON-LD context that are defined by each other."""


class ParserLimitExceeded(Exception):
    """A file would take the parser too much memory or depth; the message says of what."""


class _Check(Protocol):
    def feed(self, data: bytes) -> None:
        """Check the next bytes."""


class CheckedStream:
    """A binary stream whose bytes are checked as they are read."""

    def __init__(self, stream: IO[bytes], kind: ox.RdfFormat) -> None:
        self._stream, self._read, self._long = stream, 0, 0
        self._check = _CHECKS.get(kind, _TripleTermCheck)()

    def read(self, size: int = -1) -> bytes:
        """Read as the stream does.

        Raises:
            ParserLimitExceeded: the bytes read so far exceed a limit.
        """
        return self._checked(self._stream.read(size))

    def readline(self, size: int = -1) -> bytes:
        """Read a line, or its next part, as the stream does; raises as ``read``."""
        return self._checked(self._stream.readline(size))

    def _checked(self, data: bytes) -> bytes:
        self._read += len(data)
        self._check.feed(data)
        return data

    def check_quads(self, quads: Iterable[ox.Quad]) -> Iterator[ox.Quad]:
        """Yield the quads that are parsed from the stream.

        Raises:
            ParserLimitExceeded: a long prefix or base stands in too many of their terms.
        """
        for quad in quads:
            for term in quad:
                if isinstance(term, ox.Literal):
                    term = term.datatype
                if isinstance(term, ox.NamedNode) and len(term.value) > _LONG_TERM:
                    self._long += len(term.value)
            if self._long > MAX_EXPANSION_FACTOR * self._read + MAX_EXPANDED_BYTES:
                raise ParserLimitExceeded(
                    f"its prefixes expand to more than {MAX_EXPANSION_FACTOR} times the file: shorten the longest"
                )
            yield quad


class _TripleTermCheck:
    """Turtle and related formats: nesting of RDF 1.2 triple terms, which is always in the object and so at the end."""

    _TOKEN = re.compile(
        rb'\\.|<[^<>"\s]*>|"""(?:[^"\\]|\\.|"(?!""))*"""'
        rb"|'''(?:[^'\\]|\\.|'(?!''))*'''"
        rb"|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'|#[^\n]*",
        re.DOTALL,
    )
    _OPENING = b"<<("
    _LONGEST_GAP = 1 << 16

    def __init__(self) -> None:
        self._rest = b""
        self._depth = 0

    def feed(self, data: bytes) -> None:
        if not self._depth and self._OPENING not in self._rest + data:
            self._rest = (self._rest + data)[-2:]
            return
        *gaps, self._rest = (self._rest + data).split(self._OPENING)
        for gap in gaps:
            is_within = self._depth and b")>>" not in self._TOKEN.sub(b"", gap)
            self._depth = self._depth + 1 if is_within else 1
            if self._depth > MAX_DEPTH:
                raise ParserLimitExceeded(f"triple terms stand in each other more than {MAX_DEPTH} deep")
        if len(self._rest) > self._LONGEST_GAP:
            self._rest, self._depth = self._rest[-2:], 0


class _JsonCheck:
    """JSON-LD: nesting depth and the cost of contexts."""

    _STEPS: Mapping[int, int] = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
    _OTHERS = bytes(set(range(256)) - set(b"[]{}"))
    _KEY = re.compile(
        b'"' + b"".join(rb"(?:%c|\\u00%02x)" % (char, char) for char in b"@context") + b'"', re.IGNORECASE
    )
    _TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|["\[\]{}]', re.DOTALL)
    _LONGEST_KEY = 60
    _KEY_ITSELF, _COLON, _VALUE = range(3)

    def __init__(self) -> None:
        self._half, self._is_string, self._depth = b"", False, 0
        self._seen, self._expected = b"", self._KEY_ITSELF
        self._scanned = self._opened = 0

    def feed(self, data: bytes) -> None:
        self._check_depth(data)
        self._seen += data
        while self._find_context():
            pass

    def _check_depth(self, data: bytes) -> None:
        data = self._half + data
        slashes = len(data) - len(data.rstrip(b"\\"))
        data, self._half = (data[:-1], b"\\") if slashes % 2 else (data, b"")
        parts = data.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
        brackets = b"".join(parts[self._is_string :: 2]).translate(None, self._OTHERS)
        self._is_string ^= len(parts) % 2 == 0
        depths = list(accumulate(map(self._STEPS.__getitem__, brackets), initial=self._depth))
        self._depth = depths[-1]
        if max(depths) > MAX_DEPTH:
            raise ParserLimitExceeded(f"objects and arrays stand in each other more than {MAX_DEPTH} deep")

    def _find_context(self) -> bool:
        """Find the key of a context, then its colon, then its value, which is checked; tell whether one was found."""
        if self._expected == self._KEY_ITSELF:
            key = self._KEY.search(self._seen)
            self._seen = self._seen[key.end() if key else -self._LONGEST_KEY :]
            self._expected = self._COLON if key else self._KEY_ITSELF
            return key is not None
        self._seen = self._seen.lstrip()
        if not self._seen:
            return False
        if self._expected == self._COLON:
            self._expected = self._VALUE if self._seen.startswith(b":") else self._KEY_ITSELF
            self._seen = self._seen.removeprefix(b":")
            return True
        if not self._seen.startswith((b"{", b"[")):
            self._expected = self._KEY_ITSELF
            return True
        for token in self._TOKEN.finditer(self._seen, self._scanned):
            if token[0] == b'"':  # the string is incomplete
                break
            self._scanned = token.end()
            self._opened += self._STEPS.get(token[0][0], 0)
            if not self._opened:
                _check_context(self._seen[: self._scanned])
                self._seen, self._expected = self._seen[self._scanned :], self._KEY_ITSELF
                self._scanned = 0
                return True
        if len(self._seen) > _MAX_CONTEXT_BYTES:
            raise ParserLimitExceeded(f"its context has more than {_MAX_CONTEXT_BYTES >> 20} MB")
        return False


@lru_cache(maxsize=1_000)
def _check_context(text: bytes) -> None:
    try:
        context = json.loads(text)
    except ValueError:
        return  # the parser reports it
    stack, terms, contexts = [context], 0, 0
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            contexts += 1
            definitions = {key: definition for key, definition in value.items() if not key.startswith("@")}
            terms += len(definitions)
            if terms > _MAX_CONTEXT_TERMS:
                raise ParserLimitExceeded(f"its context defines more than {_MAX_CONTEXT_TERMS:,} terms")
            _check_chains(definitions)
            stack.extend(
                definition["@context"]
                for definition in definitions.values()
                if isinstance(definition, dict) and "@context" in definition
            )
        elif isinstance(value, list):
            stack.extend(value)
    if terms * contexts > _MAX_CONTEXT_COST:
        raise ParserLimitExceeded("its context has too many contexts within it")


def _check_chains(terms: Mapping[str, Any]) -> None:
    """Check the chains of terms that are defined by each other, through prefixes or names."""
    dependencies = {
        term: {name for name in _referenced_names(term, definition) if name in terms} - {term}
        for term, definition in terms.items()
    }
    for _ in range(_MAX_CHAIN):
        dependencies = {
            term: remaining for term, needed in dependencies.items() if (remaining := needed & dependencies.keys())
        }
        if not dependencies:
            return
    # The remaining terms depend on a long chain or on a cycle, which the parser itself detects in as many steps.
    raise ParserLimitExceeded(f"terms of its context are defined one by the other in chains of more than {_MAX_CHAIN}")


def _referenced_names(term: str, definition: Any) -> Iterator[str]:
    values = definition.values() if isinstance(definition, dict) else [definition]
    for text in (term, *values):
        if isinstance(text, str):
            yield text
            yield text.partition(":")[0]


class _XmlCheck:
    """RDF/XML: the size of expanded entities, and nesting depth.

    Entities are read as in Oxigraph: from declarations anywhere, also in comments, and expanded in the text of their
    declaration at once, even if they are not used.
    """

    _BLANK = rb"(?:\s|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)*"
    _MARK = b"<!ENTITY"
    _DECLARED = _MARK + _BLANK + b"%?" + _BLANK + rb"([^\t\n\f\r <]+)[\t\n\f\r ]" + _BLANK + rb'"([^"<]*)"'
    _DECLARATION = re.compile(_DECLARED)
    _REFERENCE = re.compile(rb"&([^&;]{1,%d});" % _MAX_REFERENCE_BYTES)
    _TOKEN = re.compile(_DECLARED + rb"|&([^&;<]{1,%d});|<" % _MAX_REFERENCE_BYTES)
    _HIDDEN: Mapping[bytes, bytes] = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
    _HIDING = re.compile(rb"<!--|<!\[CDATA\[|<\?")

    def __init__(self) -> None:
        self._sizes: dict[bytes, int] = {}
        self._read = self._added = self._declared = self._text = 0
        self._rest = b""
        self._depth, self._hidden, self._tail = 0, b"", b""

    def feed(self, data: bytes) -> None:
        self._read += len(data)
        data_with_rest = self._rest + data
        if self._sizes or self._MARK in data_with_rest:
            self._check_entities(data_with_rest)
        else:
            self._rest = data_with_rest[-len(self._MARK) :]
            self._text = self._text + len(data) if b"<" not in data else len(data) - data.rindex(b"<")
        self._check_depth(data)
        if self._text > MAX_EXPANDED_BYTES or self._declared > MAX_EXPANDED_BYTES:
            raise ParserLimitExceeded(
                f"a text in it, with its entities expanded, has more than {MAX_EXPANDED_BYTES >> 20} MB"
            )
        if self._added > MAX_EXPANSION_FACTOR * self._read + _FREE_EXPANSION_BYTES:
            raise ParserLimitExceeded(f"its entities expand to more than {MAX_EXPANSION_FACTOR} times the file")

    def _check_entities(self, data: bytes) -> None:
        end = self._whole(data)
        data, self._rest = data[:end], data[end:]
        last = 0
        for token in self._TOKEN.finditer(data):
            self._text += token.start() - last
            last = token.end()
            if token[1] is not None:
                if len(token[1]) > _MAX_REFERENCE_BYTES:
                    raise ParserLimitExceeded(f"the name of an entity has more than {_MAX_REFERENCE_BYTES:,} bytes")
                size = self._size(token[2])
                self._sizes[token[1]] = size
                self._declared += size
                self._added += size
                self._text = 0
            elif token[3] is not None:
                size = self._sizes.get(token[3], 0)
                self._added += size
                self._text += size
            else:
                self._text = 0
            if max(self._text, self._declared) > MAX_EXPANDED_BYTES:
                return  # a larger size need not be computed
        self._text += len(data) - last

    def _size(self, text: bytes) -> int:
        references = self._REFERENCE.findall(text)
        return len(text) + sum(self._sizes.get(name, 0) for name in references)

    def _whole(self, data: bytes) -> int:
        """Return the start of an incomplete declaration or reference at the end of the data; else the end."""
        start = data.rfind(b"<")
        tail = data[start : start + len(self._MARK)] if start >= 0 else b""
        if tail and self._MARK.startswith(tail) and not self._DECLARATION.match(data, start):
            if len(data) - start > _MAX_DECLARATION_BYTES:
                raise ParserLimitExceeded(f"a declaration of an entity has more than {_MAX_DECLARATION_BYTES >> 10} KB")
            return start
        start = data.rfind(b"&")
        is_open = start >= 0 and b";" not in data[start:] and len(data) - start <= _MAX_REFERENCE_BYTES
        return start if is_open else len(data)

    def _check_depth(self, data: bytes) -> None:
        for part in self._elements(self._tail + data):
            marks = part.count(b"</") + part.count(b"<!")
            self._depth = max(0, self._depth + part.count(b"<") - marks - part.count(b"</") - part.count(b"/>"))
        if self._depth > MAX_XML_DEPTH:
            raise ParserLimitExceeded(f"elements stand in each other more than {MAX_XML_DEPTH:,} deep")

    def _elements(self, data: bytes) -> Iterator[bytes]:
        """Yield the text outside comments, CDATA and instructions; keep back bytes that may start or end one."""
        position = 0
        while True:
            if self._hidden:
                end = data.find(self._hidden, position)
                if end < 0:
                    self._tail = data[max(position, len(data) - len(self._hidden) + 1) :]
                    return
                position, self._hidden = end + len(self._hidden), b""
            start = self._HIDING.search(data, position)
            if start is None:
                last_bracket = data.rfind(b"<", max(position, len(data) - 9))
                end = last_bracket if last_bracket >= 0 else len(data) - data[position:].endswith(b"/")
                self._tail = data[end:]
                yield data[position:end]
                return
            yield data[position : start.start()]
            position, self._hidden = start.end(), self._HIDDEN[start[0]]


_CHECKS: Mapping[ox.RdfFormat, Callable[[], _Check]] = {
    ox.RdfFormat.RDF_XML: _XmlCheck,
    ox.RdfFormat.JSON_LD: _JsonCheck,
}
