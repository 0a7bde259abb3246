"""Checks of RDF files on their way to the parser, which some of them would bring down: Oxigraph expands entities
without a limit, and recurses into what is nested.

Each check sees the bytes before the parser does, keeps little of them, and raises ``Excess``; what it does not
understand is left to the parser.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import accumulate
from typing import IO, Any, Protocol

import pyoxigraph as ox

MAX_DEPTH = 200
"""Objects and arrays of JSON-LD, or triple terms, that may stand in each other."""
MAX_XML_DEPTH = 2_000
"""Elements of RDF/XML that may stand in each other: the parser's time grows with the square of their number."""
MAX_EXPANDED_BYTES = 100 << 20
"""Bytes that one text, attribute or declaration of RDF/XML may have, with its entities expanded."""
MAX_EXPANSION_FACTOR = 10
"""How many times the bytes of a file its entities may add to it, beyond ``_FREE``."""
_FREE = 1 << 20
_LONGEST_DECLARATION = 1 << 16
_LONGEST_REFERENCE = 1_000
_LARGEST_CONTEXT = 1 << 20
_MOST_TERMS = 5_000
"""Terms of a JSON-LD context, each nested context's included: the parser copies them at each level."""
_MOST_SCOPED = 2_000_000
"""Terms of a JSON-LD context times the contexts within it: the parser's work."""
_LONGEST_CHAIN = 100
"""Terms of a JSON-LD context that may be defined one by the other."""


class ParserLimitExceeded(Exception):
    """A file that is larger or deeper, in the parser, than it may be; the sentence says in what."""


class _Check(Protocol):
    def feed(self, data: bytes) -> None:
        """Look at the next bytes."""


class CheckedStream:
    """A binary stream whose bytes are checked as they are read."""

    def __init__(self, stream: IO[bytes], kind: ox.RdfFormat) -> None:
        self._stream = stream
        self._check = _CHECKS.get(kind, _Terms)()

    def read(self, size: int = -1) -> bytes:
        """Read as the stream does.

        Raises:
            Excess: the bytes read so far are more than the parser should get.
        """
        data = self._stream.read(size)
        self._check.feed(data)
        return data


class _Terms:
    """Turtle and its kin: triple terms of RDF 1.2 may stand in each other, always as the object and so at the end."""

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


class _Json:
    """JSON-LD: how deep it is, and what its contexts cost."""

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
        """Find the key of a context, then its colon, then its value, which is checked; tell whether one has come."""
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
            if token[0] == b'"':  # the string has not come whole
                break
            self._scanned = token.end()
            self._opened += self._STEPS.get(token[0][0], 0)
            if not self._opened:
                _check_context(self._seen[: self._scanned])
                self._seen, self._expected = self._seen[self._scanned :], self._KEY_ITSELF
                self._scanned = 0
                return True
        if len(self._seen) > _LARGEST_CONTEXT:
            raise ParserLimitExceeded(f"its context has more than {_LARGEST_CONTEXT >> 20} MB")
        return False


@lru_cache(maxsize=1_000)
def _check_context(text: bytes) -> None:
    try:
        found = json.loads(text)
    except ValueError:
        return  # the parser says it better
    todo, terms, contexts = [found], 0, 0
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            contexts += 1
            named = {key: each for key, each in value.items() if not key.startswith("@")}
            terms += len(named)
            if terms > _MOST_TERMS:
                raise ParserLimitExceeded(f"its context defines more than {_MOST_TERMS:,} terms")
            _check_chains(named)
            todo.extend(each["@context"] for each in named.values() if isinstance(each, dict) and "@context" in each)
        elif isinstance(value, list):
            todo.extend(value)
    if terms * contexts > _MOST_SCOPED:
        raise ParserLimitExceeded("its context has too many contexts within it")


def _check_chains(terms: Mapping[str, Any]) -> None:
    """Check how many terms are defined one by the other: by their prefixes, or as each other's names."""
    rest = {term: {name for name in _names(term, said) if name in terms} - {term} for term, said in terms.items()}
    for _ in range(_LONGEST_CHAIN):
        rest = {term: left for term, needed in rest.items() if (left := needed & rest.keys())}
        if not rest:
            return
    # What is left hangs on a long chain, or on a circle, which the parser finds by itself in as many steps.
    raise ParserLimitExceeded(
        f"terms of its context are defined one by the other in chains of more than {_LONGEST_CHAIN}"
    )


def _names(term: str, said: Any) -> Iterator[str]:
    values = said.values() if isinstance(said, dict) else [said]
    for text in (term, *values):
        if isinstance(text, str):
            yield text
            yield text.partition(":")[0]


class _Xml:
    """RDF/XML: what its entities make of it, and how deep it is.

    Entities are read as Oxigraph reads them: wherever a declaration stands, also in a comment, and expanded in its own
    text at once, used or not.
    """

    _BLANK = rb"(?:\s|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)*"
    _MARK = b"<!ENTITY"
    _DECLARED = _MARK + _BLANK + b"%?" + _BLANK + rb"([^\t\n\f\r <]+)[\t\n\f\r ]" + _BLANK + rb'"([^"<]*)"'
    _DECLARATION = re.compile(_DECLARED)
    _REFERENCE = re.compile(rb"&([^&;]{1,%d});" % _LONGEST_REFERENCE)
    _TOKEN = re.compile(_DECLARED + rb"|&([^&;<]{1,%d});|<" % _LONGEST_REFERENCE)
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
        if self._added > MAX_EXPANSION_FACTOR * self._read + _FREE:
            raise ParserLimitExceeded(f"its entities expand to more than {MAX_EXPANSION_FACTOR} times the file")

    def _check_entities(self, data: bytes) -> None:
        end = self._whole(data)
        data, self._rest = data[:end], data[end:]
        last = 0
        for token in self._TOKEN.finditer(data):
            self._text += token.start() - last
            last = token.end()
            if token[1] is not None:
                if len(token[1]) > _LONGEST_REFERENCE:
                    raise ParserLimitExceeded(f"the name of an entity has more than {_LONGEST_REFERENCE:,} bytes")
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
                return  # a size without end is not computed
        self._text += len(data) - last

    def _size(self, text: bytes) -> int:
        names = self._REFERENCE.findall(text)
        return len(text) + sum(self._sizes.get(name, 0) for name in names)

    def _whole(self, data: bytes) -> int:
        """Return where in the data a declaration or a reference begins that has not come whole."""
        start = data.rfind(b"<")
        tail = data[start : start + len(self._MARK)] if start >= 0 else b""
        if tail and self._MARK.startswith(tail) and not self._DECLARATION.match(data, start):
            if len(data) - start > _LONGEST_DECLARATION:
                raise ParserLimitExceeded(f"a declaration of an entity has more than {_LONGEST_DECLARATION >> 10} KB")
            return start
        start = data.rfind(b"&")
        is_open = start >= 0 and b";" not in data[start:] and len(data) - start <= _LONGEST_REFERENCE
        return start if is_open else len(data)

    def _check_depth(self, data: bytes) -> None:
        for part in self._elements(self._tail + data):
            marks = part.count(b"</") + part.count(b"<!")
            self._depth = max(0, self._depth + part.count(b"<") - marks - part.count(b"</") - part.count(b"/>"))
        if self._depth > MAX_XML_DEPTH:
            raise ParserLimitExceeded(f"elements stand in each other more than {MAX_XML_DEPTH:,} deep")

    def _elements(self, data: bytes) -> Iterator[bytes]:
        """Yield what stands outside of comments, CDATA and instructions; keep back what may begin or end one."""
        place = 0
        while True:
            if self._hidden:
                end = data.find(self._hidden, place)
                if end < 0:
                    self._tail = data[max(place, len(data) - len(self._hidden) + 1) :]
                    return
                place, self._hidden = end + len(self._hidden), b""
            start = self._HIDING.search(data, place)
            if start is None:
                keep = data.rfind(b"<", max(place, len(data) - 9))
                end = keep if keep >= 0 else len(data) - data[place:].endswith(b"/")
                self._tail = data[end:]
                yield data[place:end]
                return
            yield data[place : start.start()]
            place, self._hidden = start.end(), self._HIDDEN[start[0]]


_CHECKS: Mapping[ox.RdfFormat, Callable[[], _Check]] = {ox.RdfFormat.RDF_XML: _Xml, ox.RdfFormat.JSON_LD: _Json}
