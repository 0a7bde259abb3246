"""An experience: solved questions of one graph, their file, and the protocol by which agents get examples from it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.jsonlines import LineSchema, read_lines, to_json_line, write_atomically
from chattyshared.kg import KnowledgeGraph
from chattyshared.sparql.analysis import parse_query_shape, strip_query_terms

from chattykg.linking.vocabulary_card import VocabularyCard

EXPERIENCE_SCHEMA = "experience.schema.json"
FORMAT = 1
"""The version of the file format."""
MAX_QUESTION_CHARACTERS, MAX_QUERY_CHARACTERS = 10_000, 20_000
"""Characters of a question and of a query, as in the schema."""
_FOREIGN_DATA = frozenset(("SERVICE", "FROM"))
"""Keywords of queries over other data; none of them is run."""


@dataclass(frozen=True, slots=True)
class ExperienceItem:
    """A standalone question with its right query, or one that the graph cannot answer.

    ``pattern`` is the question with classes in place of its names. ``attempt`` is the query of a first attempt that was
    wrong, and ``feedback`` says what was wrong with it; both are empty if the first attempt was right, or if nobody
    tried.
    ``unused`` are the words for which the graph has nothing: the question cannot be answered, and the query
    is one without answers.
    """

    question: str
    sparql: str
    pattern: str = ""
    attempt: str = ""
    feedback: str = ""
    unused: tuple[str, ...] = ()

    @property
    def is_success(self) -> bool:
        """Whether no attempt went wrong."""
        return not self.feedback


@dataclass(frozen=True, slots=True)
class Experience:
    """The items of a file, and its header: where they come from."""

    header: Mapping[str, Any]
    items: tuple[ExperienceItem, ...]

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the graph."""
        return str(self.header["kg"]["fingerprint"])


class ExampleSource(Protocol):
    """Finds the solved questions that help with a question."""

    def find_examples(self, question: str, card: VocabularyCard, kg: KnowledgeGraph) -> tuple[ExperienceItem, ...]:
        """Return the items for a prompt, nearest first; none if nothing is near."""


def make_header(kg: KnowledgeGraph, learn: Mapping[str, Any]) -> dict[str, Any]:
    """Return the header of an experience of a graph; ``learn`` says what made it (no times)."""
    graph = {"sources": kg.name.split(", "), "fingerprint": kg.fingerprint(), "triples": kg.count_triples()}
    return {"format": FORMAT, "kg": graph, "learn": dict(learn)}


def write_experience(path: Path, experience: Experience) -> None:
    """Write a whole experience file.

    Raises:
        ConfigError: the file cannot be written.
    """
    lines = (_item_to_json(item) for item in experience.items)
    write_atomically(path, map(to_json_line, ({"experience": dict(experience.header)}, *lines)))


def update_experience(path: Path, experience: Experience, *, overwrite: bool) -> None:
    """Write an experience file; one that is there is replaced only if it was learned from the same.

    Raises:
        ConfigError: another file is there, and ``overwrite`` is not set; or the file cannot be written.
    """
    if path.exists() and not overwrite and _header_of(path) != experience.header:
        raise ConfigError(f"{path} was learned from something else: choose another name, or replace it by --overwrite")
    write_experience(path, experience)


def _header_of(path: Path) -> Mapping[str, Any]:
    try:
        return read_experience(path).header
    except BenchmarkInvalid:
        return {}


def read_experience(path: Path) -> Experience:
    """Read an experience file.

    Raises:
        ConfigError: the file is not there or cannot be read; it is empty, has no header, or a line is not valid.
    """
    lines = read_lines(path)
    header_schema, item_schema = (LineSchema(EXPERIENCE_SCHEMA, name) for name in ("header", "item"))
    first = next(lines, None)
    if first is None:
        raise BenchmarkInvalid("the file is empty", file=str(path))
    number, header = first
    if not isinstance(header, dict) or "experience" not in header:
        message = 'this is no experience file (its first line is no {"experience": ...}); chattykg learn makes one'
        raise BenchmarkInvalid(message, file=str(path), line=number)
    header_schema.check(header, file=path, line=number)
    items = []
    for number, value in lines:
        item_schema.check(value, file=path, line=number)
        if problem := find_query_problem(value["query"]):
            raise BenchmarkInvalid(problem, file=str(path), line=number, path="$.query")
        items.append(_item_from_json(value))
    if not items:
        raise BenchmarkInvalid("the file holds no solved question", file=str(path))
    return Experience(header["experience"], tuple(items))


def find_query_problem(query: str) -> str:
    """Return why a query is no example; "" if it is one."""
    if len(query) > MAX_QUERY_CHARACTERS:
        return f"the query has {len(query):,} characters; at most {MAX_QUERY_CHARACTERS:,} are learned"
    if parse_query_shape(query) is None:
        return "this is no SELECT or ASK query of SPARQL 1.1"
    foreign = _FOREIGN_DATA.intersection(strip_query_terms(query).upper().split())
    return f"the query asks other data than the graph ({min(foreign)})" if foreign else ""


def read_experience_of(paths: Sequence[Path], kg: KnowledgeGraph) -> tuple[ExperienceItem, ...]:
    """Read the items of experience files of one graph, each question with its query once.

    Raises:
        ConfigError: a file cannot be read, or is of another graph, or of another state of it.
    """
    items: dict[tuple[str, str], ExperienceItem] = {}
    for path in paths:
        experience = read_experience(path)
        require_same_graph(path, experience.fingerprint, kg)
        items |= {(item.question, item.sparql): item for item in experience.items}
    return tuple(items.values())


def assign_to_graphs(paths: Sequence[Path], kgs: Mapping[str, KnowledgeGraph]) -> dict[str, tuple[Path, ...]]:
    """Return the experience files of each of several graphs, by the graph's name.

    Raises:
        ConfigError: a file cannot be read, or is of none of the graphs.
    """
    fingerprints = {path: read_experience(path).fingerprint for path in paths}
    if len(kgs) == 1:
        return {name: tuple(paths) for name in kgs}
    known = {kg.fingerprint() for kg in kgs.values()}
    for path, fingerprint in fingerprints.items():
        if fingerprint not in known:
            raise ConfigError(f"{path} was made from none of the graphs {', '.join(kgs)}, or from another state of it")
    return {name: tuple(p for p in paths if fingerprints[p] == kg.fingerprint()) for name, kg in kgs.items()}


def require_same_graph(path: Path, fingerprint: str, kg: KnowledgeGraph) -> None:
    """Check that a file was made from a graph.

    Raises:
        ConfigError: it was made from another graph, or from another state of it.
    """
    if fingerprint != kg.fingerprint():
        raise ConfigError(
            f"{path} was made from another graph than {kg.name}, or from another state of it "
            f"(fingerprint {fingerprint:.16}, not {kg.fingerprint():.16}): make it anew from this graph"
        )


def experience_digest(paths: Iterable[Path]) -> str:
    """Return the digest of experience files, whatever their order."""
    digests = sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in paths)
    return hashlib.sha256(" ".join(digests).encode()).hexdigest()[:16]


def _item_to_json(item: ExperienceItem) -> dict[str, Any]:
    optional = {
        "pattern": item.pattern, "attempt": item.attempt, "feedback": item.feedback, "unused": list(item.unused),
    }  # fmt: skip
    line = {"question": item.question, "query": item.sparql, "success": item.is_success}
    return line | {name: value for name, value in optional.items() if value}


def _item_from_json(value: Mapping[str, Any]) -> ExperienceItem:
    optional = value.get("pattern", value["question"]), value.get("attempt", ""), value.get("feedback", "")
    return ExperienceItem(value["question"], value["query"], *optional, tuple(value.get("unused", ())))
