"""Options and settings of the commands, each declared once, and the TOML file that can hold them."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
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
MAX_STEPS = 6
"""The most calls of the agent strategy for a question."""
MAX_LISTED = 20
"""The most known names that a message lists where none is near."""
OptionKind = Literal["text", "integer", "number", "choice", "switch", "file", "output", "folder"]


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option of a command line, or a setting (``is_setting``), which ``--set NAME=VALUE`` or a file gives.

    ``name`` is its Python name; the flag has hyphens instead of underscores. ``minimum`` and ``maximum`` are inclusive.
    ``shown_default`` is the default in the help if that differs from ``default``; ``environment_variable`` sets the
    option, too.
    """

    name: str
    help: str
    kind: OptionKind = "text"
    default: Any = None
    metavar: str = ""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    is_repeatable: bool = False
    shown_default: str = ""
    environment_variable: str = ""
    is_setting: bool = False

    @property
    def flag(self) -> str:
        """The flag on the command line."""
        return f"--{self.name.replace('_', '-')}"


def option(default: Any, help: str, kind: OptionKind | None = None, metavar: str = "", *, name: str = "",
           **details: Any) -> Any:  # fmt: skip
    """Return a dataclass field that declares an option; ``details`` are those of ``OptionSpec``.

    The kind is that of the default, and the name that of the field, unless given. With ``shown_default`` the default is
    found by the program, and the command line gives None.
    """
    kinds: dict[type, OptionKind] = {bool: "switch", int: "integer", float: "number"}
    kind = kind or ("choice" if details.get("choices") else kinds.get(type(default), "text"))
    is_plain = isinstance(default, bool | int | float | str) and not details.get("shown_default")
    spec = OptionSpec(name, help, kind, default if is_plain else None, metavar, **details)
    return field(default=default, metadata={"spec": spec})


def setting(default: Any, help: str, kind: OptionKind | None = None, **details: Any) -> Any:
    """Return a dataclass field that declares a setting; see ``option``."""
    return option(default, help, kind, is_setting=True, **details)


def specs_of(declared: type[Any]) -> dict[str, OptionSpec]:
    """Return the options and settings that a dataclass declares, by its fields."""
    found = {each.name: each.metadata["spec"] for each in fields(declared) if "spec" in each.metadata}
    return {name: spec if spec.name else replace(spec, name=name) for name, spec in found.items()}


LANG_OPTION = OptionSpec("lang", "The language to read of a file that holds several.", default="", metavar="TAG")
JSON_OPTION = OptionSpec("json", "Print the result as one JSON object.", "switch", False)
MODEL_TIMEOUT_OPTION = OptionSpec("model_timeout", "Seconds that one reply of the model may take.", "number", 120.0,
                                  "S", minimum=0.1)  # fmt: skip
WORKERS_OPTION = OptionSpec("workers", "How many conversations at a time; the result is the same.", "integer", 1, "N",
                            minimum=1)  # fmt: skip
OVERWRITE_OPTION = OptionSpec("overwrite", "Start anew, and replace existing files.", "switch", default=False)
STORE_OPTION = OptionSpec("store", "Keep the loaded files here, so that the next start is quick.", "folder")
CACHE_OPTION = OptionSpec(
    "cache_dir", "Keep indexes of labels, answers of endpoints and replies of models here between runs.", "folder"
)
CONFIG_OPTION = OptionSpec("config", "Take options and settings from this TOML file; those given here come first.",
                           "file", metavar="FILE")  # fmt: skip
TRACE_SETTING = OptionSpec("trace", "Write every model call and every query to this file, not beside the output.",
                           "output", is_setting=True)  # fmt: skip
THETA_SETTING = OptionSpec("theta", "Attempts that a model has at each reply.", "integer", THETA, "N", minimum=1,
                           is_setting=True)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TomlKey:
    """The values that a TOML key takes: one, several (``is_repeatable``), or a boolean (``is_switch``); that of an
    option or of a setting."""

    is_repeatable: bool = False
    is_switch: bool = False
    is_setting: bool = False


def parse_toml(path: Path) -> dict[str, Any]:
    """Parse a TOML file.

    Raises:
        ConfigError: the file is missing or not TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is no TOML: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{path} is no TOML: nested too deeply") from error


def read_toml(path: Path, known: Mapping[str, TomlKey], successors: Mapping[str, str]) -> dict[str, Any]:
    """Read options by their keys (with hyphens); keys may also have underscores.

    ``successors`` says what is used instead of keys that are gone.

    A repeatable key takes one value or an array; a table stands for texts ``name=value``. Values are returned as texts,
    as on the command line, which validates them like flags.

    Raises:
        ConfigError: the file is missing or not TOML; a key is unknown (the message names the nearest known one) or
        occurs twice, or its value has the wrong type.
    """
    table = parse_toml(path)
    settings: dict[str, Any] = {}
    for written_key, value in table.items():
        key = written_key.replace("_", "-")
        if key not in known:
            hint = did_you_mean(key, tuple(known), list_known=True)
            hint = f"; use {successors[key]}" if key in successors else hint
            raise ConfigError(f"{path}: unknown key {written_key!r}{hint}")
        if key in settings:
            raise ConfigError(f"{path}: {key!r} stands there twice, with hyphens and with underscores")
        settings[key] = _option_value(path, written_key, value, known[key])
    return settings


def _option_value(path: Path, key: str, value: Any, toml_key: TomlKey) -> Any:
    if toml_key.is_switch:
        if not isinstance(value, bool):
            raise ConfigError(f"{path}: {key} is true or false")
        return value
    if isinstance(value, dict):
        value = [f"{name}={part}" for name, part in value.items()]
        value = value if toml_key.is_repeatable else ",".join(value)
    is_array = isinstance(value, list)
    if is_array and not toml_key.is_repeatable:
        raise ConfigError(f"{path}: {key} takes one value, not an array")
    for item in value if is_array else [value]:
        if isinstance(item, bool) or not isinstance(item, str | int | float):
            raise ConfigError(f"{path}: {key} is a text or a number, not {item!r}")
    return [str(item) for item in value] if is_array else [str(value)] if toml_key.is_repeatable else str(value)


def check_value(spec: OptionSpec, value: object) -> None:
    """Check the value that a Python caller gives to an option, which no command line has parsed.

    Raises:
        ConfigError: it has another type, is out of range, or is none of the choices.
    """
    if spec.kind == "choice":
        if value not in spec.choices:
            raise ConfigError(f"{spec.name}: {value!r:.100} is none of {', '.join(map(repr, spec.choices))}")
        return
    types: tuple[type, ...] = {"integer": (int,), "number": (int, float), "switch": (bool,)}.get(spec.kind, (str,))
    if not isinstance(value, types) or (isinstance(value, bool) and spec.kind != "switch"):
        raise ConfigError(f"{spec.name}: {value!r:.100} is no {spec.kind}")
    if isinstance(value, int | float):
        low, high = (
            math.inf * sign if bound is None else bound for sign, bound in ((-1, spec.minimum), (1, spec.maximum))
        )
        if not low <= value <= high:
            bounds = f"from {low:g} to {high:g}" if spec.maximum is not None else f"at least {low:g}"
            raise ConfigError(f"{spec.name}: {value:g} is not {bounds}")


def did_you_mean(word: str, known: Sequence[str], *, list_known: bool = False) -> str:
    """Return ``; did you mean ...?`` for an unknown word, or "" (``list_known``: what is known, if it is little)."""
    folded = {name.casefold(): name for name in known}
    close = [folded[name] for name in get_close_matches(word.casefold(), folded, n=3, cutoff=0.5)]
    if close:
        return f"; did you mean {' or '.join(close)}?"
    return f"; there are {', '.join(known)}" if list_known and 0 < len(known) <= MAX_LISTED else ""
