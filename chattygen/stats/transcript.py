"""Dialogues in full, as HTML, and which of a file's dialogues show best what it is like."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from chattyshared.dialogue import Dialogue, Turn

from chattygen.stats.sources import BenchmarkSource

MAX_SHOWN_ANSWERS = 8
"""How many elements of one answer are shown."""


def select_examples(dialogues: Sequence[Dialogue], number: int) -> tuple[Dialogue, ...]:
    """Choose dialogues that together show the most: each next one adds the most forms, links and seed types not yet
    shown; equal ones in the file's order."""
    left = list(dialogues)
    chosen: list[Dialogue] = []
    seen: set[tuple[str, str]] = set()
    while left and len(chosen) < number:
        best = max(left, key=lambda dialogue: len(_facets(dialogue) - seen))
        left.remove(best)
        seen |= _facets(best)
        chosen.append(best)
    return tuple(chosen)


def _facets(dialogue: Dialogue) -> set[tuple[str, str]]:
    facets = {("type", dialogue.seed.type)} | {("answerable", str(turn.answerable)) for turn in dialogue.turns}
    return facets | {pair for turn in dialogue.turns for pair in (("form", turn.form), ("link", turn.link))}


def render_transcript(dialogue: Dialogue, source: BenchmarkSource) -> str:
    """Return one dialogue with its answers; queries unfold. What the file does not state is not shown."""
    seed = dialogue.seed
    turns = "".join(_turn(turn, source.is_annotated) for turn in dialogue.turns)
    return (
        f'<article class="talk"><h4><span dir="auto">{escape(seed.label)}</span> '
        f'<small title="{escape(seed.iri, quote=True)}">{escape(dialogue.id)}</small></h4><ol>{turns}</ol></article>'
    )


def _turn(turn: Turn, is_whole: bool) -> str:
    style = "a" if turn.answers else "a soft"
    answer = f'<p class="{style}" dir="auto">{escape(render_answer(turn))}</p>' if is_whole else ""
    tags = (turn.form, turn.link, turn.difficulty) if is_whole else ()
    alone = f'<p class="alone" dir="auto">{escape(turn.standalone)}</p>' if turn.standalone != turn.question else ""
    return (
        f'<li><p class="q" dir="auto">{escape(turn.question)}</p>{answer}'
        f"<details><summary>{' · '.join(map(escape, tags)) or 'query'}</summary>"
        f"{alone}<pre>{escape(turn.sparql)}</pre></details></li>"
    )


def render_answer(turn: Turn) -> str:
    """Return a turn's gold answer as a reader would have it: labels, yes or no, or that the graph does not say."""
    if not turn.answers:
        return "(the graph does not say)" if not turn.answerable else "(none)"
    if turn.answers[0].kind == "boolean":
        return "Yes" if turn.answers[0].value == "true" else "No"
    said = [answer.label or answer.value for answer in turn.answers]
    more = f" … and {len(said) - MAX_SHOWN_ANSWERS} more" if len(said) > MAX_SHOWN_ANSWERS else ""
    return " · ".join(said[:MAX_SHOWN_ANSWERS]) + more
