"""Dialogues in full, as HTML, and the choice of a file's most varied dialogues."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from chattyshared.dialogue import Dialogue, Turn

from chattygen.stats.sources import BenchmarkSource

MAX_SHOWN_ANSWERS = 8
"""The most elements of one answer that are shown."""


def select_examples(dialogues: Sequence[Dialogue], number: int) -> tuple[Dialogue, ...]:
    """Choose dialogues that together show the most: each next one adds the most new forms, links and seed types; ties
    in the file's order."""
    remaining = list(dialogues)
    chosen: list[Dialogue] = []
    shown: set[tuple[str, str]] = set()
    while remaining and len(chosen) < number:
        best = max(remaining, key=lambda dialogue: len(_facets(dialogue) - shown))
        remaining.remove(best)
        shown |= _facets(best)
        chosen.append(best)
    return tuple(chosen)


def _facets(dialogue: Dialogue) -> set[tuple[str, str]]:
    facets = {("type", dialogue.seed.type)} | {("answerable", str(turn.answerable)) for turn in dialogue.turns}
    return facets | {pair for turn in dialogue.turns for pair in (("form", turn.form), ("link", turn.link))}


def render_transcript(dialogue: Dialogue, source: BenchmarkSource) -> str:
    """Return one dialogue with its answers; queries unfold. What the file does not state is left out."""
    seed = dialogue.seed
    turns = "".join(_turn(turn, source.is_annotated) for turn in dialogue.turns)
    return (
        f'<article class="talk"><h3><span dir="auto">{escape(seed.label)}</span> '
        f'<small title="{escape(seed.iri, quote=True)}">{escape(dialogue.id)}</small></h3><ol>{turns}</ol></article>'
    )


def _turn(turn: Turn, is_whole: bool) -> str:
    style = "a" if turn.answers else "a soft"
    answer = f'<p class="{style}" dir="auto">{escape(render_answer(turn))}</p>' if is_whole else ""
    tags = (turn.form, turn.link, turn.difficulty) if is_whole else ()
    standalone = (
        f'<p class="alone" dir="auto">{escape(turn.standalone)}</p>' if turn.standalone != turn.question else ""
    )
    return (
        f'<li><p class="q" dir="auto">{escape(turn.question)}</p>{answer}'
        f"<details><summary>{' · '.join(map(escape, tags)) or 'query'}</summary>"
        f"{standalone}<pre>{escape(turn.sparql)}</pre></details></li>"
    )


def render_answer(turn: Turn) -> str:
    """Return a turn's gold answer for readers: labels, yes or no, or that the graph does not state it."""
    if not turn.answers:
        return "(the graph does not say)" if not turn.answerable else "(none)"
    if turn.answers[0].kind == "boolean":
        return "Yes" if turn.answers[0].value == "true" else "No"
    texts = [answer.label or answer.value for answer in turn.answers]
    more = f" … and {len(texts) - MAX_SHOWN_ANSWERS} more" if len(texts) > MAX_SHOWN_ANSWERS else ""
    return " · ".join(texts[:MAX_SHOWN_ANSWERS]) + more
