"""RDF files as triples and quads: format detection, statements that cannot be read, the position of syntax errors."""

from __future__ import annotations

import io
import json
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import IO, Any, cast
from urllib.parse import quote

import pyoxigraph as ox

from chattyshared.endpoint.connection_options import FileReading
from chattyshared.endpoint.packed_files import BROKEN_PACKING, FileRefused, inner_name, is_packed, open_file
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
"""Format by file ending, without ``.gz`` and the like. For other endings the content is examined."""

_LINES = (ox.RdfFormat.N_TRIPLES, ox.RdfFormat.N_QUADS)
_TREES = (ox.RdfFormat.RDF_XML, ox.RdfFormat.JSON_LD)
_N_TRIPLES_LINE = re.compile(r"(?:<[^<>\s]*>|_:\S+)\s+<[^<>\s]*>\s+\S.*\.\s*$")
_PREFIX_LINE = re.compile(r"\s*(?:@prefix|@base|prefix\s|base\s)", re.IGNORECASE)
_SNIFFED_BYTES = 4096
MAX_PLAIN_BYTES = 32 << 10
"""Bytes of a file of Turtle or a related format that is parsed where it is needed, without a process of its own."""
_LONG_TERM = 250
"""Characters from which a term counts as long: short ones take no more memory than those of other files."""
_MAX_EXPANSION, _FREE_EXPANSION = 10, 100 << 20
"""Characters of long terms that a file may give, as a multiple of its bytes, and in addition."""
_BATCH_BLOCKS = 200
_MAX_BLOCK_BYTES = 16 << 20
_LANGUAGE = re.compile(r"[A-Za-z]+(?:-[A-Za-z0-9]+)*")


class UnreadableStatement(ConfigError):
    """A file that can be opened has a statement that cannot be read."""


def check_files(files: Sequence[Path]) -> None:
    """Check that every file exists, is a regular file, and can be opened.

    Raises:
        ConfigError: a file fails a check; names the first one.
    """
    for path in files:
        with _map_errors(path), path.open("rb"):
            pass


def is_plain(path: Path) -> bool:
    """Tell whether a file is safe to be parsed in this process, whoever wrote it.

    The parser of Turtle and its relatives takes at most the square of a file's size, in memory, time and depth; those
    of RDF/XML and JSON-LD, and unpacking, have no such bound.

    Raises:
        ConfigError: the file cannot be read, or its format is unknown.
    """
    with _map_errors(path):
        if path.stat().st_size > MAX_PLAIN_BYTES or is_packed(path):
            return False
    return detect_rdf_format(path) not in _TREES


def detect_rdf_format(path: Path) -> ox.RdfFormat:
    """Detect a file's format by its ending, else by its first bytes.

    Raises:
        ConfigError: the format is unknown, or the file cannot be read.
    """
    with _map_errors(path), open_file(path) as stream:
        by_ending = RDF_FORMATS.get(inner_name(path).suffix.lower())
        by_content = _detect_by_content(stream.read(_SNIFFED_BYTES).decode("utf-8", "replace"))
    is_other = by_content in _TREES or by_ending in _TREES or (by_content == ox.RdfFormat.TRIG and by_ending in _LINES)
    rdf_format = by_content if by_content and (by_ending is None or is_other) else by_ending
    if rdf_format is None:
        endings = " ".join(RDF_FORMATS)
        raise ConfigError(f"{path}: cannot tell its RDF format; known file endings: {endings}, each also with .gz")
    return rdf_format


def read_quads(
    path: Path,
    file_number: int,
    reading: FileReading | None = None,
    notes: list[str] | None = None,
    *,
    lenient: bool = False,
) -> Iterator[ox.Quad]:
    """Yield the quads of a file, as ``merge_named_graphs`` does.

    If ``lenient``, statements that cannot be read are left out, up to the share of ``reading``. Sentences about what is
    left out are added to ``notes``.

    Raises:
        UnreadableStatement: a statement cannot be read, or if ``lenient`` too many; names file, line and column.
        ConfigError: the file cannot be read.
    """
    kind, reading, notes = detect_rdf_format(path), reading or FileReading(), [] if notes is None else notes
    with _map_errors(path), open_file(path) as opened:
        source = opened if reading.context is None else _with_context(opened, kind, reading.context)
        stream = _CountedStream(source, by_lines=kind in _TREES)
        base = _base_iri(path, kind)
        if lenient:
            parsed: Iterable[ox.Quad] = _LenientReader(path, kind, base, reading.unreadable, notes).read(stream)
        elif kind == ox.RdfFormat.JSON_LD:  # whose invalid statements the parser passes over in silence
            parsed = _valid_quads(ox.parse(cast(IO[bytes], stream), kind, base_iri=base, lenient=True), None)
        else:
            parsed = ox.parse(cast(IO[bytes], stream), kind, base_iri=base)
        quads: Iterable[ox.Quad] = stream.check_quads(parsed)
        if kind == ox.RdfFormat.N3:  # a formula quotes triples without asserting them
            quads = (quad for quad in quads if not isinstance(quad.graph_name, ox.BlankNode))
        try:
            yield from merge_named_graphs(quads, file_number, notes)
        except SyntaxError as error:
            raise UnreadableStatement(f"{path}: {_syntax_message(error, stream.line)}") from error


class _CountedStream:
    """A binary stream that counts its bytes, and compares what is parsed of them.

    If it is read ``by_lines``, ``line`` is the number of the line that the parser has got to, else 0.
    """

    def __init__(self, stream: IO[bytes], *, by_lines: bool) -> None:
        self._stream, self._by_lines, self._read = stream, by_lines, 0
        self.line, self._is_start = 0, by_lines

    def read(self, size: int = -1) -> bytes:
        """Read the next bytes, or at most one line."""
        if not self._by_lines:
            return self._counted(self._stream.read(size))
        data = self.readline(size)
        self.line += self._is_start and bool(data)
        self._is_start = data.endswith(b"\n")
        return data

    def readline(self, size: int = -1) -> bytes:
        """Read a line, or its next part."""
        return self._counted(self._stream.readline(size))

    def _counted(self, data: bytes) -> bytes:
        self._read += len(data)
        return data

    def check_quads(self, quads: Iterable[ox.Quad]) -> Iterator[ox.Quad]:
        """Yield the quads that are parsed from the stream.

        Raises:
            FileRefused: their long terms are much longer than the stream: a prefix, a base or an entity stands in many.
        """
        expanded = 0
        for quad in quads:
            for term in quad:
                size = len(getattr(term, "value", ""))
                if isinstance(term, ox.Literal):
                    size += len(term.datatype.value)
                if size > _LONG_TERM:
                    expanded += size
            if expanded > _MAX_EXPANSION * self._read + _FREE_EXPANSION:
                raise FileRefused(f"its prefixes or entities expand to more than {_MAX_EXPANSION} times the file")
            yield quad


class _LenientReader:
    """Reads what can be read of a file, and counts what cannot.

    RDF/XML and JSON-LD must be well-formed; only terms may be invalid. Other formats are read in blocks of statements,
    each of which is left out if it cannot be read: the parser itself does not find the next statement reliably.
    """

    def __init__(self, path: Path, kind: ox.RdfFormat, base: str | None, share: float, notes: list[str]) -> None:
        self._path, self._kind, self._base, self._share, self._notes = path, kind, base, share, notes
        self._header = b""
        self._read = self._lost = 0
        self._first = ""

    def read(self, stream: _CountedStream) -> Iterator[ox.Quad]:
        """Yield the valid quads.

        Raises:
            UnreadableStatement: the share of the others is too large.
        """
        if self._kind in _TREES:
            parsed: Iterable[ox.Quad] = ox.parse(cast(IO[bytes], stream), self._kind, base_iri=self._base, lenient=True)
            quads: Iterator[ox.Quad] = _valid_quads(parsed, self._lose)
        else:
            quads = self._read_blocks(stream)
        for quad in quads:
            self._read += 1
            yield quad
        if self._lost:
            self._check_share()
            share = f"{self._lost:,} of {self._read + self._lost:,} statements"
            self._notes.append(f"{self._path.name}: {share} could not be read and are left out; first: {self._first}")

    def _lose(self, reason: str, count: int = 1) -> None:
        self._first = self._first or reason
        self._lost += count
        if self._lost > 10_000:
            self._check_share()

    def _check_share(self) -> None:
        total = self._read + self._lost
        if self._lost > self._share * total:
            share = f"{self._lost:,} of {total:,} statements cannot be read, more than {100 * self._share:g} %"
            raise UnreadableStatement(f"{self._path.name}: {share} (--set unreadable=)")

    def _read_blocks(self, stream: _CountedStream) -> Iterator[ox.Quad]:
        blocks: list[tuple[int, bytes]] = []
        for line, block in _split_blocks(stream, self._kind):
            is_directive = _PREFIX_LINE.match(block.decode("utf-8", "replace")) is not None
            if is_directive or len(blocks) == _BATCH_BLOCKS:
                yield from self._parse(blocks)
                blocks = []
            if is_directive:
                lost = self._lost
                yield from self._parse([(line, block)])
                self._header += block if self._lost == lost and block not in self._header else b""
            else:
                blocks.append((line, block))
        yield from self._parse(blocks)

    def _parse(self, blocks: list[tuple[int, bytes]]) -> list[ox.Quad]:
        if not blocks:
            return []
        text = self._header + b"".join(block for _, block in blocks)
        try:
            return list(ox.parse(text, self._kind, base_iri=self._base))
        except SyntaxError as error:
            if len(blocks) > 1:
                half = len(blocks) // 2
                return self._parse(blocks[:half]) + self._parse(blocks[half:])
            message = re.sub(r"^Parser error .*?: ", "", " ".join(str(error.msg).split()))
        line, block = blocks[0]
        reason = f"line {line}: {message}"
        try:
            parsed = list(ox.parse(text, self._kind, base_iri=self._base, lenient=True))
        except SyntaxError:
            self._lose(reason, max(1, sum(1 for part in block.splitlines() if part.strip())))
            return []
        return list(_valid_quads(parsed, lambda _: self._lose(reason)))


def _split_blocks(stream: _CountedStream, kind: ox.RdfFormat) -> Iterator[tuple[int, bytes]]:
    """Yield parts of a file that hold whole statements, with the numbers of their first lines.

    A part is a line of N-Triples and N-Quads. In other formats a line that is not indented starts a part, unless the
    line before it goes on, or a long string is open; each directive is a part.
    """
    start, block, is_open = 1, b"", False
    for number, line in enumerate(iter(partial(stream.readline, _MAX_BLOCK_BYTES), b""), 1):
        is_new = kind in _LINES or not (is_open or line[:1].isspace() or block.count(b'"""') % 2)
        if block and (is_new or len(block) > _MAX_BLOCK_BYTES):
            yield start, block
            start, block = number, b""
        block += line
        content = line.strip()
        if content and not content.startswith(b"#"):
            is_open = not content.endswith((b".", b"}")) and not _PREFIX_LINE.match(line.decode("utf-8", "replace"))
    if block:
        yield start, block


def _valid_quads(quads: Iterable[ox.Quad], lose: Callable[[str], None] | None) -> Iterator[ox.Quad]:
    """Yield the quads whose IRIs and language tags are valid, and tell ``lose`` about the others; None raises.

    Language tags may have longer parts than BCP 47 allows.
    """
    for quad in quads:
        fault = next(filter(None, map(_term_fault, quad)), "")
        if not fault:
            yield quad
        elif lose is None:
            raise SyntaxError(fault)
        else:
            lose(fault)


def _term_fault(term: Any) -> str:
    if isinstance(term, ox.Literal):
        if term.language and not _LANGUAGE.fullmatch(term.language):
            return f"{term.language!r:.50} is no language tag"
        return _iri_fault(term.datatype.value)
    return _iri_fault(term.value) if isinstance(term, ox.NamedNode) else ""


@lru_cache(maxsize=10_000)
def _iri_fault(iri: str) -> str:
    try:
        ox.NamedNode(iri)
    except ValueError as error:
        return f"<{iri[:200]}> is no IRI: {error}"
    return ""


def _with_context(stream: IO[bytes], kind: ox.RdfFormat, context: Path) -> IO[bytes]:
    """Return a JSON-LD file with the context of another file in place of each that lies on the web."""
    if kind != ox.RdfFormat.JSON_LD:
        return stream
    try:
        own = json.loads(context.read_bytes())
        value = json.load(stream)
    except OSError as error:
        raise ConfigError(f"{context}: cannot be read ({error.strerror or error})") from error
    except (ValueError, RecursionError) as error:
        raise FileRefused(f"not JSON, or its context is none: {error}") from error
    own = own.get("@context", own) if isinstance(own, dict) else own
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict) and "@context" in node:
            stated = node["@context"]
            parts = stated if isinstance(stated, list) else [stated]
            node["@context"] = [own if isinstance(part, str) else part for part in parts]
        stack.extend(node.values() if isinstance(node, dict) else node if isinstance(node, list) else ())
    return io.BytesIO(json.dumps(value).encode())


def merge_named_graphs(quads: Iterable[ox.Quad], source_number: int, notes: list[str]) -> Iterator[ox.Quad]:
    """Yield each triple in the default graph, and also in its named graph if it has one.

    Blank nodes are named by ``source_number`` and their order of appearance, so that two sources never share them and
    names are reproducible. Statements about statements (RDF 1.2 triple terms) are left out, and counted in ``notes``.
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
        notes.append(f"{left_out} statements about statements are not read")


@contextmanager
def _map_errors(path: Path) -> Iterator[None]:
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
    except FileRefused as error:
        raise ConfigError(f"{path}: {error}") from error
    except MemoryError as error:
        raise ConfigError(f"{path}: {explain_memory_error(error)}") from error
    except UnicodeError as error:
        raise ConfigError(f"{path}: is not in the encoding that it states ({error})") from error
    except BROKEN_PACKING as error:
        raise ConfigError(f"{path}: cannot be unpacked: it is cut, damaged or encrypted ({error})") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror or error})") from error


def explain_memory_error(error: MemoryError) -> str:
    """Return the message about a file that exceeds the parser's memory."""
    match = re.search(r"maximal size of (\d+)", str(error))
    return f"holds a line or a value of more than {int(match[1]) >> 20} MB" if match else "takes too much memory"


def _syntax_message(error: SyntaxError, line: int) -> str:
    """Return the message about a statement; ``line`` is where the parser is, if it does not tell itself."""
    message = " ".join(str(error.msg).split())
    if "LoadDocumentCallback" in message:
        return "its JSON-LD context lies on the web and is not fetched; name a copy of it (--set jsonld_context=FILE)"
    place = f"line {error.lineno}, column {error.offset}" if error.lineno else f"line {line}"
    return re.sub(r"^(?:Parser error (?:at|between) line .*?: )?", f"{place}: ", message, count=1)


def _base_iri(path: Path, kind: ox.RdfFormat) -> str | None:
    """Return the base for relative IRIs: the file name without folder, so that IRIs are the same on every machine."""
    if kind in (ox.RdfFormat.N_TRIPLES, ox.RdfFormat.N_QUADS):
        return None
    return f"file:///{quote(path.name)}"


def _detect_by_content(start: str) -> ox.RdfFormat | None:
    text = start.lstrip("\ufeff \t\r\n")
    if text.startswith(("<?xml", "<rdf:RDF", "<!")):
        return ox.RdfFormat.RDF_XML
    if re.match(r'\{\s*(?:"|\}\s*$)|\[\s*\{', text):
        return ox.RdfFormat.JSON_LD
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if any(_PREFIX_LINE.match(line) for line in lines[:1]):
        return ox.RdfFormat.TRIG  # holds all of Turtle
    if lines and _N_TRIPLES_LINE.match(lines[0]):
        return ox.RdfFormat.N_QUADS  # holds all of N-Triples
    return None
