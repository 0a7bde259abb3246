"""Prompts: reviewed files with a ``# system`` and a ``# user`` part, ``$variables``, and a reply schema beside."""

from __future__ import annotations

import hashlib
import json
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from chattyshared.errors import ConfigError
from chattyshared.model import Message

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def as_prompt_text(value: Any) -> str:
    """Return the text by which a typed variable stands in a prompt.

    A string is itself, without control characters; a value that has a method ``shown()`` says it itself; a sequence
    is one element a line, so a string in it loses its line ends.
    """
    if isinstance(value, str):
        return _CONTROL.sub(" ", value)
    say = getattr(value, "as_prompt_text", None)
    if callable(say):
        return str(say())
    if isinstance(value, Sequence):
        return "\n".join(
            " ".join(as_prompt_text(i).split()) if isinstance(i, str) else as_prompt_text(i) for i in value
        )
    return str(value)


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt: its name (``answer/qir``), both templates, its reply's JSON Schema, and a digest of all three."""

    name: str
    system: str
    user: str
    schema: Mapping[str, Any]
    digest: str

    def variable_names(self) -> frozenset[str]:
        """Return the names of the variables that the templates use."""
        found: set[str] = set()
        for text in (self.system, self.user):
            found.update(string.Template(text).get_identifiers())
        return frozenset(found)

    def render(self, variables: Mapping[str, Any]) -> tuple[Message, ...]:
        """Render both parts with exactly the template's variables.

        Raises:
            KeyError: a variable is missing or unknown (a programmer's mistake, not a user's).
        """
        wanted = self.variable_names()
        if wanted != variables.keys():
            missing, unknown = sorted(wanted - variables.keys()), sorted(variables.keys() - wanted)
            raise KeyError(f"prompt {self.name}: missing {missing}, unknown {unknown}")
        said = {name: as_prompt_text(value) for name, value in variables.items()}
        system = string.Template(self.system).substitute(said).strip()
        user = string.Template(self.user).substitute(said).strip()
        return (Message("system", system), Message("user", user))


def load_prompt(name: str) -> Prompt:
    """Load the prompt ``name`` (``generate/questions``) from the prompts that are shipped.

    Raises:
        ConfigError: there is no such prompt, or it lacks one of its parts.
    """
    room = files("chattyprompts")
    try:
        text = room.joinpath(f"{name}.md").read_text(encoding="utf-8")
        schema_text = room.joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ConfigError(f"no prompt {name!r}: {error}") from error
    system, mark, user = text.partition("\n# user\n")
    if not mark or not system.lstrip().startswith("# system\n"):
        raise ConfigError(f"prompt {name!r} lacks its '# system' or its '# user' part")
    digest = hashlib.sha256((text + schema_text).encode()).hexdigest()[:16]
    return Prompt(name, system.lstrip().removeprefix("# system\n"), user, json.loads(schema_text), digest)


def prompt_digests(names: Iterable[str]) -> dict[str, str]:
    """Return the digest of each of these prompts, by name, sorted.

    Raises:
        ConfigError: there is no such prompt.
    """
    return {name: load_prompt(name).digest for name in sorted(names)}
