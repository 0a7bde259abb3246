"""RDF files as triples and quads: which format, packed or not, and where they do not parse."""

from __future__ import annotations

import gzip
import re
import stat
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, cast
from urllib.parse import quote
from xml.parsers import expat

import pyoxigraph as ox

from chattyshared.endpoint.parser_limits import CheckedStream, ParserLimitExceeded
from chattyshared.errors import ConfigError

RDF_FORMATS: dict[str, ox.RdfFormat] = {
    ".ttl": ox.RdfFormat.TURTLE,
    ".turtle": ox.RdfFormat.TURTLE,
    ".nt": ox.RdfFormat.N_TRIPLES,
    ".ntriples": ox.RdfFormat.N_TRIPLES,
    ".nq": ox.RdfFormat.N_QUADS,
    ".nquads": ox.RdfFormat.N_QUADS,
    ".trig": ox.RdfFormat.TRIG,
    ".n3": ox.RdfFormat.N3,
    ".rdf": ox.RdfFormat.RDF_XML,
    ".rdfs": ox.RdfFormat.RDF_XML,
    ".xml": ox.RdfFormat.RDF_XML,
    ".jsonld": ox.RdfFormat.JSON_LD,
    ".json": ox.RdfFormat.JSON_LD,
}
"""Format by file ending; ``.gz`` behind it is taken off first. Other endings are judged by how the file begins."""

_BROKEN_GZIP = (gzip.BadGzipFile, EOFError, zlib.error)
_LINE = re.compile(r"(?:<[^<>\s]*>|_:\S+)\s+<[^<>\s]*>\s+\S.*\.\s*$")
_PREFIX = re.compile(r"\s*(?:@prefix|@base|prefix\s|base\s)", re.IGNORECASE)
_SNIFFED = 4096
_XML_PIECE = 8 << 20
"""Bytes that expat gets at a time: it begins a long text again with each piece."""


def check_files(files: Sequence[Path]) -> None:
    """Check that every file is there, is a file, can be opened and is of a known format.

    Raises:
        ConfigError: the first that is not so, named.
    """
    for path in files:
        with _readable(path):
            detect_rdf_format(path)


def detect_rdf_format(path: Path) -> ox.RdfFormat:
    """Tell a file's format by its ending, else by its beginning.

    Raises:
        ConfigError: neither says it, or the file cannot be read.
    """
    ending = Path(path.stem).suffix if path.suffix.lower() == ".gz" else path.suffix
    found = RDF_FORMATS.get(ending.lower())
    if found is None:
        with _readable(path), _opened(path) as stream:
            found = _sniff(stream.read(_SNIFFED).decode("utf-8", "replace"))
    if found is None:
        known = " ".join(RDF_FORMATS)
        raise ConfigError(f"{path}: cannot tell its RDF format; known file endings: {known}, each also with .gz")
    return found


def read_quads(path: Path, file_number: int) -> Iterator[ox.Quad]:
    """Yield what a file states: each triple in the default graph, and in its named graph as well if it has one.

    Blank nodes are named by the ``number`` of the file and the order in which they appear, so that those of two files
    never mix and equal runs name them equally. Statements about statements (RDF 1.2 triple terms) are left out.

    Raises:
        ConfigError: the file cannot be read or does not parse; names file, line and column.
    """
    kind = detect_rdf_format(path)
    names: dict[str, ox.BlankNode] = {}
    default = ox.DefaultGraph()

    def named(node: ox.BlankNode) -> ox.BlankNode:
        return names.setdefault(node.value, ox.BlankNode(f"f{file_number}n{len(names)}"))

    with _readable(path, kind), _opened(path) as stream:
        for quad in ox.parse(cast(IO[bytes], CheckedStream(stream, kind)), kind, base_iri=_base(path, kind)):
            subject, predicate, target, graph = quad
            if isinstance(target, ox.Triple):
                continue
            if isinstance(graph, ox.BlankNode) and kind == ox.RdfFormat.N3:
                continue  # a formula quotes triples, it does not state them
            if isinstance(subject, ox.BlankNode):
                subject = named(subject)
            if isinstance(target, ox.BlankNode):
                target = named(target)
            yield ox.Quad(subject, predicate, target, default)
            if graph != default:
                graph = named(graph) if isinstance(graph, ox.BlankNode) else graph
                yield ox.Quad(subject, predicate, target, graph)


@contextmanager
def _readable(path: Path, kind: ox.RdfFormat | None = None) -> Iterator[None]:
    """Say in one line what is wrong with a file, whichever library found it out."""
    if path.is_dir():
        raise ConfigError(f"{path}: is a folder, not an RDF file")
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # it is read more than once, by more than one process
            raise ConfigError(f"{path}: is a pipe, a socket or a device: store its content in a file first")
        yield
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such file") from error
    except SyntaxError as error:
        raise ConfigError(f"{path}: {_syntax(path, kind, error)}") from error
    except ParserLimitExceeded as error:
        raise ConfigError(f"{path}: {error}") from error
    except MemoryError as error:
        raise ConfigError(f"{path}: {_too_long(error)}") from error
    except _BROKEN_GZIP as error:
        raise ConfigError(f"{path}: is no whole gzip file ({error})") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror or error})") from error


def _too_long(error: MemoryError) -> str:
    """Say what the parser's buffer does not take."""
    found = re.search(r"maximal size of (\d+)", str(error))
    return f"holds a line or a value of more than {int(found[1]) >> 20} MB" if found else "takes too much memory"


def _syntax(path: Path, kind: ox.RdfFormat | None, error: SyntaxError) -> str:
    message = " ".join(str(error.msg).split())
    if "LoadDocumentCallback" in message:
        return "its JSON-LD context lies on the web and is not fetched; write the context into the file"
    line, column = error.lineno, error.offset
    if line is None and kind == ox.RdfFormat.RDF_XML:
        line, column = _xml_place(path)
    if line is None and kind is not None:
        line, column = find_parse_error(lambda: _opened(path), kind, _base(path, kind))
    message = re.sub(r"^Parser error (?:at|between) line .*?: ", "", message)
    if line is None:
        return f"does not parse: {message}"
    return f"line {line}, column {column}: {message}"


def _xml_place(path: Path) -> tuple[int | None, int | None]:
    """Find where XML is ill-formed: Oxigraph does not say it."""
    parser = expat.ParserCreate()
    try:
        with _opened(path) as stream:
            checked = CheckedStream(stream, ox.RdfFormat.RDF_XML)
            while data := checked.read(_XML_PIECE):
                parser.Parse(data)
            parser.Parse(b"", True)
    except expat.ExpatError as error:
        return error.lineno, error.offset + 1
    except (ParserLimitExceeded, ValueError, LookupError):  # the last two: an encoding that expat does not read
        return None, None
    return None, None


def _opened(path: Path) -> IO[bytes]:
    stream = cast(IO[bytes], gzip.open(path, "rb")) if path.suffix.lower() == ".gz" else path.open("rb")
    with ExitStack() as opened:
        opened.enter_context(stream)
        if stream.read(len(BOM_UTF8)) != BOM_UTF8:  # the mark that some editors set in front of a file
            stream.seek(0)
        opened.pop_all()
    return stream


def _base(path: Path, kind: ox.RdfFormat) -> str | None:
    """Relative IRIs hang on the file's bare name, so that they are the same on every machine."""
    if kind in (ox.RdfFormat.N_TRIPLES, ox.RdfFormat.N_QUADS):
        return None
    return f"file:///{quote(path.name)}"


def _sniff(start: str) -> ox.RdfFormat | None:
    text = start.lstrip("\ufeff \t\r\n")
    if text.startswith(("<?xml", "<rdf:RDF")):
        return ox.RdfFormat.RDF_XML
    if re.match(r'\{\s*["}]|\[\s*\{', text):
        return ox.RdfFormat.JSON_LD
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if any(_PREFIX.match(line) for line in lines[:1]):
        return ox.RdfFormat.TRIG  # holds all of Turtle
    if lines and _LINE.match(lines[0]):
        return ox.RdfFormat.N_QUADS  # holds all of N-Triples
    return None


MAX_LINE_BYTES = 100_000
"""Bytes of a line that are handed out one by one; a longer one is only named by its number."""


def find_parse_error(
    open_file: Callable[[], IO[bytes]], kind: ox.RdfFormat, base: str | None
) -> tuple[int | None, int | None]:
    """Return line and column at which a parser finds fault with what it has read so far, or None twice.

    Files that are wrong by their meaning (an identifier that is none) are told without a place: they are read again in
    small bites, first line by line, then the line in question byte by byte.
    """
    with open_file() as stream:
        taken = _bites_until_refused(_pieces(stream), kind, base)
    if taken is None:
        return None, None
    head, line, is_start = taken - 1, 1, True
    with open_file() as stream:
        for piece in islice(_pieces(stream), head):
            is_start = piece.endswith(b"\n")
            line += is_start
        last = next(_pieces(stream), b"")
    if len(last) == MAX_LINE_BYTES or not is_start:
        return line, 1
    with open_file() as stream:
        bites = chain(islice(_pieces(stream), head), (bytes((byte,)) for byte in last))
        taken = _bites_until_refused(bites, kind, base)
    return line, max(1, (taken or 0) - head)


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield lines; those that are too long in several pieces."""
    return iter(partial(stream.readline, MAX_LINE_BYTES), b"")


class _Bites:
    """A file that hands out one bite a read, and counts them."""

    def __init__(self, bites: Iterator[bytes]) -> None:
        self.taken = 0
        self._bites = bites
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        """Return the next bite, or as much of it as is wanted."""
        if not self._rest:
            self._rest = next(self._bites, b"")
            self.taken += bool(self._rest)
        size = len(self._rest) if size < 0 else size
        bite, self._rest = self._rest[:size], self._rest[size:]
        return bite


def _bites_until_refused(bites: Iterator[bytes], kind: ox.RdfFormat, base: str | None) -> int | None:
    file = _Bites(bites)
    try:
        for _ in ox.parse(cast(IO[bytes], file), kind, base_iri=base):
            pass
    except SyntaxError:
        return file.taken
    return None
