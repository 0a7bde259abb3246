"""Prompts: files with a ``# system`` and a ``# user`` part, ``$variables``, and a reply schema; and their
truncation."""

from __future__ import annotations

import hashlib
import json
import re
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from chattyshared.errors import ConfigError, ContextTooLong
from chattyshared.model import Message

MARGIN = 0.9
"""The share of the server's limit that is used: its tokens are not our characters."""
CHARACTERS_PER_TOKEN = 3
"""The least number of characters per token of plain text, to convert a limit in tokens."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def as_prompt_text(value: Any) -> str:
    """Return the text of a typed variable in a prompt.

    A string loses its control characters; a value with a method ``as_prompt_text`` is asked for its text; a sequence
    has one element per line, so a string in it loses its line breaks.
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
        names: set[str] = set()
        for text in (self.system, self.user):
            names.update(string.Template(text).get_identifiers())
        return frozenset(names)

    def render(self, variables: Mapping[str, Any]) -> tuple[Message, ...]:
        """Render both parts with exactly the template's variables.

        Raises:
            KeyError: a variable is missing or unknown (a programmer's mistake, not a user's).
        """
        names = self.variable_names()
        if names != variables.keys():
            missing, unknown = sorted(names - variables.keys()), sorted(variables.keys() - names)
            raise KeyError(f"prompt {self.name}: missing {missing}, unknown {unknown}")
        texts = {name: as_prompt_text(value) for name, value in variables.items()}
        system = string.Template(self.system).substitute(texts).strip()
        user = string.Template(self.user).substitute(texts).strip()
        return (Message("system", system), Message("user", user))


def load_prompt(name: str) -> Prompt:
    """Load a shipped prompt by its name, for example ``generate/questions``.

    Raises:
        ConfigError: there is no such prompt, or it lacks one of its parts.
    """
    package = files("chattyprompts")
    try:
        text = package.joinpath(f"{name}.md").read_text(encoding="utf-8")
        schema_text = package.joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
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


@dataclass(frozen=True, slots=True)
class TruncatableVariable:
    """A variable of a prompt that may be shown in part: a sequence by elements, other values by lines.

    The best elements and lines come first, or last with ``keeps_latest``; of indented lines under headings, each
    heading keeps its first ones. ``must_keep`` tells, for an element and the variables, what must be shown.
    """

    name: str
    keeps_latest: bool = False
    must_keep: Callable[[Any, Mapping[str, Any]], bool] = lambda *_: False

    def render(self, variables: Mapping[str, Any], limit: int) -> str:
        """Return the variable's text within ``limit`` characters, with a note on what is left out."""
        value = variables[self.name]
        is_list = isinstance(value, Sequence) and not isinstance(value, str)
        parts: list[Any] = list(value) if is_list else as_prompt_text(value).split("\n")
        texts = [as_prompt_text((part,)) if is_list else part for part in parts]
        kept_indexes = {position for position, part in enumerate(parts) if self.must_keep(part, variables)}
        limit -= sum(len(texts[position]) + 1 for position in kept_indexes)
        for position in self._preference_order(texts):
            limit -= 0 if position in kept_indexes else len(texts[position]) + 1
            if limit < 0:
                break
            kept_indexes.add(position)
        omitted = len(texts) - len(kept_indexes)
        note = [f"({omitted} more left out)"] if omitted else []
        lines = [texts[index] for index in sorted(kept_indexes)]
        return "\n".join((*note, *lines) if self.keeps_latest else (*lines, *note))

    def _preference_order(self, texts: Sequence[str]) -> list[int]:
        """Return the indexes, best first: headings, then the first line under each, the second, and so on."""
        if self.keeps_latest:
            return list(range(len(texts) - 1, -1, -1))
        ranks, rank = [], 0
        for text in texts:
            rank = rank + 1 if text.startswith(" ") else 0
            ranks.append(rank)
        return sorted(range(len(texts)), key=lambda index: (ranks[index], index))


def shorten_prompt(
    prompt: Prompt,
    variables: Mapping[str, Any],
    cuts: Sequence[TruncatableVariable],
    error: ContextTooLong,
    sent: Sequence[Message],
) -> tuple[Message, ...] | None:
    """Render a prompt again so that it fits the limit that the server reports; None if it cannot fit."""
    sizes = {cut.name: len(as_prompt_text(variables[cut.name])) for cut in cuts}
    variable_length, total = sum(sizes.values()), sum(len(message.content) for message in sent)
    available = variable_length - (total - _fitting_length(total, error))
    if not variable_length or available <= 0:
        return None
    shortened = {cut.name: cut.render(variables, available * sizes[cut.name] // variable_length) for cut in cuts}
    return prompt.render({**variables, **shortened})


def _fitting_length(total: int, error: ContextTooLong) -> int:
    """Return how many of the sent characters will fit; half of them if the limit is unknown."""
    limit, requested = error.limit, error.requested
    if limit and requested and requested > limit:
        return int(total * limit / requested * MARGIN)
    known_limit = int(limit * CHARACTERS_PER_TOKEN * MARGIN) if limit else total
    return known_limit if known_limit < total else total // 2
