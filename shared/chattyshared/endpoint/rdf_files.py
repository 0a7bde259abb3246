"""RDF files as triples and quads: format detection, gzip, and the position of syntax errors."""

from __future__ import annotations

import gzip
import logging
import re
import stat
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, cast
from urllib.parse import quote
from xml.parsers import expat

import pyoxigraph as ox

from chattyshared.endpoint.parser_limits import CheckedStream, ParserLimitExceeded, UnpackedStream
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
"""Format by file ending, without ``.gz``. For other endings the content is examined."""

_log = logging.getLogger(__name__)
_BROKEN_GZIP = (gzip.BadGzipFile, EOFError, zlib.error)
_N_TRIPLES_LINE = re.compile(r"(?:<[^<>\s]*>|_:\S+)\s+<[^<>\s]*>\s+\S.*\.\s*$")
_PREFIX_LINE = re.compile(r"\s*(?:@prefix|@base|prefix\s|base\s)", re.IGNORECASE)
_SNIFFED_BYTES = 4096
_XML_CHUNK_BYTES = 8 << 20
"""Bytes that expat gets at once: it starts a long text again with each chunk."""
MAX_LINE_BYTES = 100_000
"""Bytes of the longest line whose error column is searched; for a longer line only its number is returned."""


def check_files(files: Sequence[Path]) -> None:
    """Check that every file exists, is a regular file, can be opened and has a known format.

    Raises:
        ConfigError: a file fails a check; names the first one.
    """
    for path in files:
        with _map_errors(path):
            detect_rdf_format(path)


def detect_rdf_format(path: Path) -> ox.RdfFormat:
    """Detect a file's format by its ending, else by its first bytes.

    Raises:
        ConfigError: the format is unknown, or the file cannot be read.
    """
    ending = Path(path.stem).suffix if path.suffix.lower() == ".gz" else path.suffix
    rdf_format = RDF_FORMATS.get(ending.lower())
    if rdf_format is None:
        with _map_errors(path), _open_file(path) as stream:
            rdf_format = _detect_by_content(stream.read(_SNIFFED_BYTES).decode("utf-8", "replace"))
    if rdf_format is None:
        endings = " ".join(RDF_FORMATS)
        raise ConfigError(f"{path}: cannot tell its RDF format; known file endings: {endings}, each also with .gz")
    return rdf_format


def read_quads(path: Path, file_number: int) -> Iterator[ox.Quad]:
    """Yield the quads of a file, as ``merge_named_graphs`` does.

    Raises:
        ConfigError: the file cannot be read or does not parse; names file, line and column.
    """
    kind = detect_rdf_format(path)
    with _map_errors(path, kind), _open_file(path) as stream:
        checked = CheckedStream(stream, kind)
        parsed = ox.parse(cast(IO[bytes], checked), kind, base_iri=_base_iri(path, kind))
        quads: Iterable[ox.Quad] = checked.check_quads(parsed)
        if kind == ox.RdfFormat.N3:  # a formula quotes triples without asserting them
            quads = (quad for quad in quads if not isinstance(quad.graph_name, ox.BlankNode))
        yield from merge_named_graphs(quads, file_number)


def merge_named_graphs(quads: Iterable[ox.Quad], source_number: int) -> Iterator[ox.Quad]:
    """Yield each triple in the default graph, and also in its named graph if it has one.

    Blank nodes are named by ``source_number`` and their order of appearance, so that two sources never share them and
    names are reproducible. Statements about statements (RDF 1.2 triple terms) are left out, with a warning.
    """
    left_out = 0
    blank_nodes: dict[str, ox.BlankNode] = {}
    default = ox.DefaultGraph()

    def rename(node: ox.BlankNode) -> ox.BlankNode:
        return blank_nodes.setdefault(node.value, ox.BlankNode(f"f{source_number}n{len(blank_nodes)}"))

    for subject, predicate, target, graph in quads:
        if isinstance(target, ox.Triple):
            left_out += 1
            continue
        if isinstance(subject, ox.BlankNode):
            subject = rename(subject)
        if isinstance(target, ox.BlankNode):
            target = rename(target)
        yield ox.Quad(subject, predicate, target, default)
        if graph != default:
            graph = rename(graph) if isinstance(graph, ox.BlankNode) else graph
            yield ox.Quad(subject, predicate, target, graph)
    if left_out:
        _log.warning("%d statements about statements are not read", left_out)


@contextmanager
def _map_errors(path: Path, kind: ox.RdfFormat | None = None) -> Iterator[None]:
    """Map the errors of all libraries to a ConfigError with a message of one line."""
    if path.is_dir():
        raise ConfigError(
            f"{path}: is a folder, not an RDF file; the folder of a store goes behind --store, beside its files"
        )
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # the file is read more than once, by several processes
            raise ConfigError(f"{path}: is a pipe, a socket or a device: store its content in a file first")
        yield
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such file") from error
    except SyntaxError as error:
        raise ConfigError(f"{path}: {_syntax_message(path, kind, error)}") from error
    except ParserLimitExceeded as error:
        raise ConfigError(f"{path}: {error}") from error
    except MemoryError as error:
        raise ConfigError(f"{path}: {_memory_message(error)}") from error
    except _BROKEN_GZIP as error:
        raise ConfigError(f"{path}: is no whole gzip file ({error})") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror or error})") from error


def _memory_message(error: MemoryError) -> str:
    """Return the message about a file that exceeds the parser's memory."""
    match = re.search(r"maximal size of (\d+)", str(error))
    return f"holds a line or a value of more than {int(match[1]) >> 20} MB" if match else "takes too much memory"


def _syntax_message(path: Path, kind: ox.RdfFormat | None, error: SyntaxError) -> str:
    message = " ".join(str(error.msg).split())
    if "LoadDocumentCallback" in message:
        return "its JSON-LD context lies on the web and is not fetched; write the context into the file"
    line, column = error.lineno, error.offset
    if line is None and kind == ox.RdfFormat.RDF_XML:
        line, column = _find_xml_error(path)
    if line is None and kind is not None:
        line, column = find_parse_error(lambda: _open_file(path), kind, _base_iri(path, kind))
    message = re.sub(r"^Parser error (?:at|between) line .*?: ", "", message)
    if line is None:
        return f"does not parse: {message}"
    return f"line {line}, column {column}: {message}"


def _find_xml_error(path: Path) -> tuple[int | None, int | None]:
    """Return line and column where XML is not well-formed, which Oxigraph does not report."""
    parser = expat.ParserCreate()
    try:
        with _open_file(path) as stream:
            checked = CheckedStream(stream, ox.RdfFormat.RDF_XML)
            while data := checked.read(_XML_CHUNK_BYTES):
                parser.Parse(data)
            parser.Parse(b"", True)
    except expat.ExpatError as error:
        return error.lineno, error.offset + 1
    except (ParserLimitExceeded, ValueError, LookupError):  # the last two: an encoding unknown to expat
        return None, None
    return None, None


def _open_file(path: Path) -> IO[bytes]:
    stream = cast(IO[bytes], UnpackedStream(path)) if path.suffix.lower() == ".gz" else path.open("rb")
    with ExitStack() as cleanup:
        cleanup.enter_context(stream)
        if stream.read(len(BOM_UTF8)) != BOM_UTF8:  # a byte order mark
            stream.seek(0)
        cleanup.pop_all()
    return stream


def _base_iri(path: Path, kind: ox.RdfFormat) -> str | None:
    """Return the base for relative IRIs: the file name without folder, so that IRIs are the same on every machine."""
    if kind in (ox.RdfFormat.N_TRIPLES, ox.RdfFormat.N_QUADS):
        return None
    return f"file:///{quote(path.name)}"


def _detect_by_content(start: str) -> ox.RdfFormat | None:
    text = start.lstrip("\ufeff \t\r\n")
    if text.startswith(("<?xml", "<rdf:RDF")):
        return ox.RdfFormat.RDF_XML
    if re.match(r'\{\s*["}]|\[\s*\{', text):
        return ox.RdfFormat.JSON_LD
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if any(_PREFIX_LINE.match(line) for line in lines[:1]):
        return ox.RdfFormat.TRIG  # holds all of Turtle
    if lines and _N_TRIPLES_LINE.match(lines[0]):
        return ox.RdfFormat.N_QUADS  # holds all of N-Triples
    return None


def find_parse_error(
    open_file: Callable[[], IO[bytes]], kind: ox.RdfFormat, base: str | None
) -> tuple[int | None, int | None]:
    """Return line and column where a parser rejects a file, or None twice.

    The parser reports some errors, for example an invalid identifier, without a position. The file is then read again
    in small chunks, first line by line, then the rejected line byte by byte.
    """
    with open_file() as stream:
        consumed = _count_chunks_until_error(_read_lines(stream), kind, base)
    if consumed is None:
        return None, None
    lines_before, line, is_start = consumed - 1, 1, True
    with open_file() as stream:
        for part in islice(_read_lines(stream), lines_before):
            is_start = part.endswith(b"\n")
            line += is_start
        last = next(_read_lines(stream), b"")
    if len(last) == MAX_LINE_BYTES or not is_start:
        return line, 1
    with open_file() as stream:
        chunks = chain(islice(_read_lines(stream), lines_before), (bytes((byte,)) for byte in last))
        consumed = _count_chunks_until_error(chunks, kind, base)
    return line, max(1, (consumed or 0) - lines_before)


def _read_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a stream; a line that is too long comes in several parts."""
    return iter(partial(stream.readline, MAX_LINE_BYTES), b"")


class _ChunkReader:
    """A file that returns one chunk per read, and counts the chunks."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self.chunk_count = 0
        self._chunks = chunks
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        """Return the next chunk, or its first ``size`` bytes."""
        if not self._rest:
            self._rest = next(self._chunks, b"")
            self.chunk_count += bool(self._rest)
        size = len(self._rest) if size < 0 else size
        data, self._rest = self._rest[:size], self._rest[size:]
        return data


def _count_chunks_until_error(chunks: Iterator[bytes], kind: ox.RdfFormat, base: str | None) -> int | None:
    file = _ChunkReader(chunks)
    try:
        for _ in ox.parse(cast(IO[bytes], file), kind, base_iri=base):
            pass
    except SyntaxError:
        return file.chunk_count
    return None
