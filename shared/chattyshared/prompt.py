"""Prompts: reviewed files with a ``# system`` and a ``# user`` part, ``$variables``, and a reply schema beside."""

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
"""How much of what a server says that it takes is used: its tokens are not our characters."""
CHARACTERS_PER_TOKEN = 3
"""The fewest characters that a token of plain text has, by which a limit is read where the server says no more."""
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


def _none(part: Any, variables: Mapping[str, Any]) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class TruncatableVariable:
    """A variable of a prompt that may be shown in part: a sequence by its elements, anything else by its lines.

    Elements and lines come best first, or with ``latest`` last; of lines under headings (options, which are indented)
    each heading keeps its first ones. ``stays`` tells, of an element and the variables, what must be shown anyway.
    """

    name: str
    keeps_latest: bool = False
    must_keep: Callable[[Any, Mapping[str, Any]], bool] = _none

    def render(self, variables: Mapping[str, Any], limit: int) -> str:
        """Return the variable's text within so many characters, and how much of it is left out."""
        value = variables[self.name]
        is_list = isinstance(value, Sequence) and not isinstance(value, str)
        parts: list[Any] = list(value) if is_list else as_prompt_text(value).split("\n")
        texts = [as_prompt_text((part,)) if is_list else part for part in parts]
        kept = {place for place, part in enumerate(parts) if self.must_keep(part, variables)}
        limit -= sum(len(texts[place]) + 1 for place in kept)
        for place in self._order(texts):
            limit -= 0 if place in kept else len(texts[place]) + 1
            if limit < 0:
                break
            kept.add(place)
        left = len(texts) - len(kept)
        note = [f"({left} more left out)"] if left else []
        said = [texts[place] for place in sorted(kept)]
        return "\n".join((*note, *said) if self.keeps_latest else (*said, *note))

    def _order(self, texts: Sequence[str]) -> list[int]:
        """Return the places, the best first: headings, then the first option under each, the second, and so on."""
        if self.keeps_latest:
            return list(range(len(texts) - 1, -1, -1))
        ranks, rank = [], 0
        for text in texts:
            rank = rank + 1 if text.startswith(" ") else 0
            ranks.append(rank)
        return sorted(range(len(texts)), key=lambda place: (ranks[place], place))


def shorten_prompt(
    prompt: Prompt,
    variables: Mapping[str, Any],
    cuts: Sequence[TruncatableVariable],
    error: ContextTooLong,
    sent: Sequence[Message],
) -> tuple[Message, ...] | None:
    """Render a prompt anew so that what was sent would fit, by what the server has said of its limit; None if leaving
    out all that may be left out would not do."""
    sizes = {cut.name: len(as_prompt_text(variables[cut.name])) for cut in cuts}
    there, total = sum(sizes.values()), sum(len(message.content) for message in sent)
    room = there - (total - _fitting(total, error))
    if not there or room <= 0:
        return None
    said = {cut.name: cut.render(variables, room * sizes[cut.name] // there) for cut in cuts}
    return prompt.render({**variables, **said})


def _fitting(total: int, error: ContextTooLong) -> int:
    """Return how many of the characters that were sent will fit; half of them where nothing tells."""
    limit, asked = error.limit, error.requested
    if limit and asked and asked > limit:
        return int(total * limit / asked * MARGIN)
    known = int(limit * CHARACTERS_PER_TOKEN * MARGIN) if limit else total
    return known if known < total else total // 2
