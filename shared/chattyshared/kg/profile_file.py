"""A TOML file with the profile of one KG and the limits of its server; ``chattykg doctor`` writes it, people edit it.

[kg]                    each key overrides what is detected from the data
labels = ["IRI", ...]   also alt-labels, languages, types, subclasses, metadata, metadata-classes
type-labels = { "class's IRI" = "predicate's IRI" }
name-pairs = { "predicate's IRI of a given name" = "that of the family name" }
paths = { "predicate's IRI" = "<IRI>/<IRI>" }
                        predicates that stand for a property path, for example a label that is a node of its own
blank-things = true     whether blank nodes with a name are things
[kg.names]              what people call classes and predicates, where the graph does not tell it
"IRI" = "name"
[endpoint]
timeout = 60            seconds that one query may take
max-requests-per-second = 5
functions = ["http://example.org/fn#"]
                        IRI prefixes of further functions that queries from files and models may call, next to those of
                        SPARQL, XML Schema and GeoSPARQL
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
from chattyshared.terms import is_property_path

_KEYS = {each.name.replace("_", "-"): each.name for each in fields(Profile)}
_SET_FIELDS = frozenset(("metadata", "metadata_classes"))
_TABLES = {
    "type-labels": "a class's IRI and a predicate's IRI",
    "name-pairs": "two predicates' IRIs: given, family name",
    "paths": "a predicate's IRI and the property path that it stands for",
    "names": "a class's or predicate's IRI and what people call it, one line of words",
}
_NAMES = "names"
_PATHS, _FLAG = "paths", "blank-things"
_OPTIONAL = frozenset((_NAMES, _PATHS, "blank_things"))
"""What a complete file may leave out."""
_PAIR_FIELDS = frozenset(_KEYS[key] for key in _TABLES)
_FUNCTIONS = "functions"
_NUMBERS = {"timeout": "timeout", "max-requests-per-second": "per_second"}


@dataclass(frozen=True, slots=True)
class ProfileSettings:
    """The contents of a file: fields of a profile by name, seconds per query, requests per second (None: not stated),
    and IRI prefixes of functions that untrusted queries may call."""

    kg: Mapping[str, Any] = field(default_factory=dict)
    timeout: float | None = None
    per_second: float | None = None
    functions: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether the file states every field of the profile that each graph has."""
        return self.kg.keys() | _OPTIONAL == set(_KEYS.values())

    def apply_to(self, profile: Profile) -> Profile:
        """Return the profile with the stated fields replaced."""
        return replace(profile, **self.kg)


def profile_file_to_json(path: Path | None) -> dict[str, Any]:
    """Return the KG settings of a profile file as JSON for a manifest; empty without a file.

    Allowed functions are included; request limits are not, since they change no answer.

    Raises:
        ConfigError: as for ``read_profile``.
    """
    if path is None:
        return {}
    settings = read_profile(path)
    kg_settings = settings.kg
    functions = {_FUNCTIONS: list(settings.functions)} if settings.functions else {}
    return functions | {name: _to_json(name, kg_settings[name]) for name in sorted(kg_settings)}


def _to_json(name: str, value: Any) -> list[Any] | bool:
    if name in _SET_FIELDS:
        return sorted(value)
    if isinstance(value, bool):
        return value
    return list(map(list, value)) if name in _PAIR_FIELDS else list(value)


def read_profile(path: Path) -> ProfileSettings:
    """Read a profile file.

    Raises:
        ConfigError: it is missing or not TOML; a key is unknown, or its value has the wrong type.
    """
    tables = parse_toml(path)
    _check_keys(path, "", tables, ("kg", "endpoint"))
    kg, server = (tables.get(name, {}) for name in ("kg", "endpoint"))
    if not isinstance(kg, dict) or not isinstance(server, dict):
        raise ConfigError(f"{path}: kg and endpoint are tables, as in [kg]")
    _check_keys(path, "kg", kg, tuple(_KEYS))
    _check_keys(path, "endpoint", server, (*_NUMBERS, _FUNCTIONS))
    kg_settings = {_KEYS[key]: _parse_value(path, key, value) for key, value in kg.items()}
    numbers = {_NUMBERS[key]: _parse_number(path, key, value) for key, value in server.items() if key != _FUNCTIONS}
    return ProfileSettings(kg_settings, **numbers, functions=_parse_functions(path, server.get(_FUNCTIONS, [])))


def render_profile(profile: Profile, *, timeout: float | None = None, notes: Sequence[str] = ()) -> Iterable[str]:
    """Yield the lines of a file with the whole profile; ``notes`` become comments at the top."""
    yield from (f"# {' '.join(note.split())}" for note in notes)
    yield "[kg]"
    for key, name in _KEYS.items():
        value = getattr(profile, name)
        if name == _NAMES or (name in _OPTIONAL and not value):
            continue
        if isinstance(value, bool):
            yield f"{key} = {str(value).lower()}"
            continue
        if name in _PAIR_FIELDS:
            pairs = ", ".join(f"{_toml_string(key_iri)} = {_toml_string(predicate)}" for key_iri, predicate in value)
            yield f"{key} = {{ {pairs} }}" if pairs else f"{key} = {{}}"
        else:
            ordered = sorted(value) if name in _SET_FIELDS else value
            inner = "".join(f"\n  {_toml_string(item)}," for item in ordered)
            yield f"{key} = [{inner}\n]" if inner else f"{key} = []"
    if profile.names:
        yield "\n[kg.names]"
        yield from (f"{_toml_string(iri)} = {_toml_string(term_name)}" for iri, term_name in profile.names)
    if timeout is not None:
        yield "\n[endpoint]"
        yield f"timeout = {timeout:g}"


def _toml_string(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")  # DEL differs


def _check_keys(path: Path, table: str, table_values: Mapping[str, Any], known: Sequence[str]) -> None:
    for key in table_values:
        if key not in known:
            where = f" in [{table}]" if table else ""
            raise ConfigError(f"{path}: unknown key {key!r}{where}{did_you_mean(key, known, list_known=True)}")


def _parse_value(path: Path, key: str, value: Any) -> Any:
    if key == _FLAG:
        if isinstance(value, bool):
            return value
        raise ConfigError(f"{path}: {key} is true or false")
    if key in _TABLES:
        is_table = isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
        if is_table and key == _PATHS and not all(map(is_property_path, value.values())):
            raise ConfigError(f"{path}: {key} are property paths of IRIs in angle brackets, as <IRI>/<IRI>")
        if is_table and (key != _NAMES or all(name.isprintable() and name.strip() for name in value.values())):
            return tuple(value.items())
        raise ConfigError(f"{path}: {key} is a table of {_TABLES[key]}")
    if not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
        raise ConfigError(f"{path}: {key} is an array of texts")
    if key in ("types", "languages") and not value:
        raise ConfigError(f"{path}: {key} names at least one")
    return frozenset(value) if _KEYS[key] in _SET_FIELDS else tuple(value)


def _parse_functions(path: Path, value: Any) -> tuple[str, ...]:
    if not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
        raise ConfigError(f"{path}: {_FUNCTIONS} is an array of texts")
    try:
        check_function_prefixes(value)
    except ValueError as error:
        raise ConfigError(f"{path}: {_FUNCTIONS}: {error}") from error
    return tuple(value)


def _parse_number(path: Path, key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MAX_TIMEOUT:
        raise ConfigError(f"{path}: {key} is a number above 0, and at most {MAX_TIMEOUT:,}")
    return float(value)
