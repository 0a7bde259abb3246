"""A TOML file that says how to read one KG and how to ask its server; ``chattykg doctor`` writes it, people edit it.

[kg]                    each key in place of what the data would tell; what is left out is detected
labels = ["IRI", ...]   also alt-labels, languages, types, subclasses, metadata, metadata-classes
type-labels = { "class's IRI" = "predicate's IRI" }
name-pairs = { "predicate's IRI of a given name" = "that of the family name" }
[endpoint]
timeout = 60            seconds that one query may take
max-requests-per-second = 5
functions = ["http://example.org/fn#"]
                        beginnings of the IRIs of functions that queries from files and models may call beside those of
                        SPARQL, XML Schema and GeoSPARQL; they may be code of the server's
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from chattyshared.endpoint.allowed_functions import check_function_prefixes
from chattyshared.endpoint.connection_options import MAX_TIMEOUT
from chattyshared.errors import ConfigError
from chattyshared.option_specs import did_you_mean, parse_toml
from chattyshared.profile import Profile

_KEYS = {each.name.replace("_", "-"): each.name for each in fields(Profile)}
_SETS = frozenset(("metadata", "metadata_classes"))
_TABLES = {
    "type-labels": "a class's IRI and a predicate's IRI",
    "name-pairs": "two predicates' IRIs: given, family name",
}
_PAIRED = frozenset(_KEYS[key] for key in _TABLES)
_FUNCTIONS = "functions"
_NUMBERS = {"timeout": "timeout", "max-requests-per-second": "per_second"}


@dataclass(frozen=True, slots=True)
class ProfileSettings:
    """What a file states: fields of a profile by name, seconds for one query, requests a second (None: not said), and
    the beginnings of the IRIs of functions that foreign queries may call."""

    kg: Mapping[str, Any] = field(default_factory=dict)
    timeout: float | None = None
    per_second: float | None = None
    functions: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether nothing of the profile is left to be detected."""
        return self.kg.keys() == set(_KEYS.values())

    def apply_to(self, profile: Profile) -> Profile:
        """Return a profile with what is stated in place of its own."""
        return replace(profile, **self.kg)


def profile_file_to_json(path: Path | None) -> dict[str, Any]:
    """Return what a profile's file states of its KG, as JSON for a manifest; nothing without a file.

    The functions that queries may call are in it; how fast the server is asked is not: that changes no answer.

    Raises:
        ConfigError: as of ``read_profile``.
    """
    if path is None:
        return {}
    stated = read_profile(path)
    said = stated.kg
    functions = {_FUNCTIONS: list(stated.functions)} if stated.functions else {}
    return functions | {
        name: sorted(said[name]) if name in _SETS else list(map(list, said[name])) if name in _PAIRED
        else list(said[name])
        for name in sorted(said)
    }  # fmt: skip


def read_profile(path: Path) -> ProfileSettings:
    """Read a profile's file.

    Raises:
        ConfigError: it is missing or no TOML; a key is unknown, or its value of the wrong kind.
    """
    found = parse_toml(path)
    _check_keys(path, "", found, ("kg", "endpoint"))
    kg, server = (found.get(name, {}) for name in ("kg", "endpoint"))
    if not isinstance(kg, dict) or not isinstance(server, dict):
        raise ConfigError(f"{path}: kg and endpoint are tables, as in [kg]")
    _check_keys(path, "kg", kg, tuple(_KEYS))
    _check_keys(path, "endpoint", server, (*_NUMBERS, _FUNCTIONS))
    stated = {_KEYS[key]: _value(path, key, value) for key, value in kg.items()}
    numbers = {_NUMBERS[key]: _number(path, key, value) for key, value in server.items() if key != _FUNCTIONS}
    return ProfileSettings(stated, **numbers, functions=_functions(path, server.get(_FUNCTIONS, [])))


def render_profile(profile: Profile, *, timeout: float | None = None, notes: Sequence[str] = ()) -> Iterable[str]:
    """Yield the lines of a file that states all of a profile; ``notes`` stand on top as comments."""
    yield from (f"# {' '.join(note.split())}" for note in notes)
    yield "[kg]"
    for key, name in _KEYS.items():
        value = getattr(profile, name)
        if name in _PAIRED:
            pairs = ", ".join(f"{_text(kind)} = {_text(predicate)}" for kind, predicate in value)
            yield f"{key} = {{ {pairs} }}" if pairs else f"{key} = {{}}"
        else:
            ordered = sorted(value) if name in _SETS else value
            inner = "".join(f"\n  {_text(one)}," for one in ordered)
            yield f"{key} = [{inner}\n]" if inner else f"{key} = []"
    if timeout is not None:
        yield "\n[endpoint]"
        yield f"timeout = {timeout:g}"


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")  # TOML's strings are JSON's, but for DEL


def _check_keys(path: Path, table: str, found: Mapping[str, Any], known: Sequence[str]) -> None:
    for key in found:
        if key not in known:
            where = f" in [{table}]" if table else ""
            raise ConfigError(f"{path}: unknown key {key!r}{where}{did_you_mean(key, known, list_known=True)}")


def _value(path: Path, key: str, value: Any) -> Any:
    if key in _TABLES:
        if isinstance(value, dict) and all(isinstance(one, str) for one in value.values()):
            return tuple(value.items())
        raise ConfigError(f"{path}: {key} is a table of {_TABLES[key]}")
    if not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
        raise ConfigError(f"{path}: {key} is an array of texts")
    if key in ("types", "languages") and not value:
        raise ConfigError(f"{path}: {key} names at least one")
    return frozenset(value) if _KEYS[key] in _SETS else tuple(value)


def _functions(path: Path, value: Any) -> tuple[str, ...]:
    if not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
        raise ConfigError(f"{path}: {_FUNCTIONS} is an array of texts")
    try:
        check_function_prefixes(value)
    except ValueError as error:
        raise ConfigError(f"{path}: {_FUNCTIONS}: {error}") from error
    return tuple(value)


def _number(path: Path, key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MAX_TIMEOUT:
        raise ConfigError(f"{path}: {key} is a number above 0, and at most {MAX_TIMEOUT:,}")
    return float(value)
