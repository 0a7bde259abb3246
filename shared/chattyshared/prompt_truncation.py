"""A prompt that does not fit a model's context is cut: the parts that are lists, best first, never what is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chattyshared.errors import ContextTooLong
from chattyshared.model import Message
from chattyshared.prompt import Prompt, as_prompt_text

MARGIN = 0.9
"""How much of what a server says that it takes is used: its tokens are not our characters."""
CHARACTERS_PER_TOKEN = 3
"""The fewest characters that a token of plain text has, by which a limit is read where the server says no more."""


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
