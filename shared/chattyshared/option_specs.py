"""Settings of a command: what they are called and what they take, as values; and the TOML file that may hold them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from chattyshared.errors import ConfigError

THETA = 3
"""Attempts in all for one item (Chatty-KG, section 4.2; Chatty-Gen, retry policy)."""
SHOWN_ANSWERS = 100
"""L: the first answers of each earlier turn that a model is shown (Chatty-KG, section 4.2)."""
VERTEX_LIMIT = 600
"""v_limit: the most vertices that are retrieved for a mention (Chatty-KG, Algorithm 2)."""
QUERY_LIMIT = 40
"""query_num: the most candidate queries of a question (Chatty-KG, Algorithm 3)."""
OptionKind = Literal["text", "integer", "number", "choice", "switch", "file"]


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option of a command line.

    ``name`` is its Python name, the flag has hyphens in place of underscores; ``section`` is the heading under which
    the help shows it (empty: among the first). ``least`` and ``most`` bound numbers, both included. ``many``: it may be
    given several times. ``shown`` is the default as the help says it, where that differs from ``default``; ``variable``
    names the setting in the environment.
    """

    name: str
    help: str
    kind: OptionKind = "text"
    default: Any = None
    metavar: str = ""
    section: str = ""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    is_repeatable: bool = False
    shown_default: str = ""
    environment_variable: str = ""

    @property
    def flag(self) -> str:
        """What the user types."""
        return f"--{self.name.replace('_', '-')}"


@dataclass(frozen=True, slots=True)
class TomlKey:
    """What a TOML file may say under one key: ``many`` values, or the truth of a ``switch``."""

    is_repeatable: bool = False
    is_switch: bool = False


def parse_toml(path: Path) -> dict[str, Any]:
    """Parse a TOML file.

    Raises:
        ConfigError: the file is missing or no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is no TOML: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{path} is no TOML: nested too deeply") from error


def read_toml(path: Path, known: Mapping[str, TomlKey]) -> dict[str, Any]:
    """Read settings, by their keys (with hyphens); keys may be written with underscores as well.

    Where several values are allowed there stands one, or an array; a table says the same as texts ``name=value``.
    Values come back as texts, as a user would type them: the command line checks them as it checks flags.

    Raises:
        ConfigError: the file is missing or no TOML; a key is unknown (the nearest known one is named), stands twice,
            or its value is of the wrong kind.
    """
    found = parse_toml(path)
    settings: dict[str, Any] = {}
    for written, value in found.items():
        key = written.replace("_", "-")
        if key not in known:
            raise ConfigError(f"{path}: unknown key {written!r}{did_you_mean(key, tuple(known), list_known=True)}")
        if key in settings:
            raise ConfigError(f"{path}: {key!r} stands there twice, with hyphens and with underscores")
        settings[key] = _value(path, written, value, known[key])
    return settings


def _value(path: Path, key: str, value: Any, kind: TomlKey) -> Any:
    if kind.is_switch:
        if not isinstance(value, bool):
            raise ConfigError(f"{path}: {key} is true or false")
        return value
    if isinstance(value, dict):
        value = [f"{name}={part}" for name, part in value.items()]
        value = value if kind.is_repeatable else ",".join(value)
    several = isinstance(value, list)
    if several and not kind.is_repeatable:
        raise ConfigError(f"{path}: {key} takes one value, not an array")
    for one in value if several else [value]:
        if isinstance(one, bool) or not isinstance(one, str | int | float):
            raise ConfigError(f"{path}: {key} is a text or a number, not {one!r}")
    return [str(one) for one in value] if several else [str(value)] if kind.is_repeatable else str(value)


def did_you_mean(word: str, known: Sequence[str], *, list_known: bool = False) -> str:
    """Return ``; did you mean ...?`` for a word that is not known, or nothing (``otherwise``: all that is known)."""
    folded = {name.casefold(): name for name in known}
    close = [folded[name] for name in get_close_matches(word.casefold(), folded, n=3, cutoff=0.5)]
    if close:
        return f"; did you mean {' or '.join(close)}?"
    return f"; there are {', '.join(known)}" if list_known and known else ""
