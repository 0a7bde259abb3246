"""Files of seeds: one entity a line, as an IRI or as JSON that holds one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from chattyshared.errors import ConfigError
from chattyshared.jsonlines import parse_json
from rdflib import URIRef

from chattygen.subgraph.predicate_salience import is_writable


def read_seeds(path: Path) -> tuple[str, ...]:
    """Return the IRIs of a file, in order and without duplicates.

    A line is an IRI (angle brackets allowed), a JSON string, or a JSON object with the IRI under ``iri`` or ``seed``
    (itself a text, or an object with an ``iri``, as in a benchmark). Empty lines, lines that begin with ``#``, and the
    header of a benchmark are skipped.

    Raises:
        ConfigError: the file cannot be read or names no entity; a line holds no IRI (the message says which).
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    iris: dict[str, None] = {}
    for number, line in enumerate(map(str.strip, lines), 1):
        if not line or line.startswith("#"):
            continue
        iri = _read_iri(path, number, line)
        if iri:
            iris.setdefault(iri)
    if not iris:
        raise ConfigError(f"{path} names no entity: a line holds an IRI, or JSON with it")
    return tuple(iris)


def _read_iri(path: Path, number: int, line: str) -> str:
    """Return the IRI of a line, or an empty text for the header of a benchmark."""
    value: Any = line
    if line[0] in '{"':
        try:
            value = parse_json(line)
        except ValueError as error:
            raise ConfigError(f"{path}, line {number}: no JSON: {error}") from error
        if isinstance(value, dict) and "benchmark" in value:
            return ""
        while isinstance(value, dict):
            value = value.get("iri", value.get("seed"))
    iri = value.removeprefix("<").removesuffix(">") if isinstance(value, str) else ""
    if ":" not in iri or not is_writable(URIRef(iri)):
        raise ConfigError(f"{path}, line {number}: no IRI: {line[:80]}")
    return iri
