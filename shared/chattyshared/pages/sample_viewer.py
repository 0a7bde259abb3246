"""The sample viewer of HTML pages: a list of turns with filters, and one turn in detail with the answers of systems."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from chattyshared.dialogue import Value
from chattyshared.pages.samples import Sample, SampleAnswer, value_name
from chattyshared.sparql.query_layout import lay_out_query

MAX_SAMPLES = 20_000
"""The most turns on one page; it then has some 90 MB with three systems and their traces."""
MAX_VALUES = 200
"""The most values of one answer on the page."""
_SKELETON = (
    '<form class="filters" role="search" aria-label="Filters"></form><p class="count" role="status"></p>'
    '<div class="panes"><div class="list" role="listbox" tabindex="0" aria-label="Turns"><div></div></div>'
    '<section class="detail" tabindex="0" aria-label="The turn"></section></div>'
    "<noscript><p>The samples need JavaScript.</p></noscript>"
)


def render_samples(samples: Sequence[Sample], systems: Sequence[str]) -> str:
    """Return the section of the viewer with its data; the answers of each sample are in the order of ``systems``.

    The page needs the script and the style of the viewer: ``render_document(..., parts=("samples",))``.
    """
    if not samples:
        return ""
    data = {"systems": list(systems), "samples": list(map(_sample_to_json, samples[:MAX_SAMPLES]))}
    # "<" is escaped, so that no text ends the element; JSON reads it back.
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    hidden = len(samples) - MAX_SAMPLES
    note = f'<p class="note">{hidden:,} more turns are left out of this page.</p>' if hidden > 0 else ""
    return (
        f'<h2 id="samples">Samples</h2>\n{note}<div class="samples">{_SKELETON}</div>\n'
        f'<script type="application/json" id="sample-data">{text}</script>'
    )


def _sample_to_json(sample: Sample) -> dict[str, Any]:
    gold = {} if sample.gold is None else {"gold": [], **_values_to_json("gold", sample.gold)}
    return gold | _without_empty(
        id=sample.id, question=sample.question, dialogue=sample.dialogue, turn=sample.turn,
        standalone=sample.standalone, form=sample.form, link=sample.link, seed=sample.seed, source=sample.source,
        query=lay_out_query(sample.query) if sample.query else "", witness=sample.witness[:MAX_VALUES],
        answers=list(map(_answer_to_json, sample.answers)), **{"class": sample.seed_class},
    )  # fmt: skip


def _answer_to_json(answer: SampleAnswer) -> dict[str, Any]:
    scored = {} if answer.f1 is None else {"f1": round(answer.f1, 4)}
    line = answer.line
    return scored | _values_to_json("values", line.values) | _without_empty(
        stage=answer.stage, explanation=answer.explanation, standalone=line.standalone,
        query=lay_out_query(line.sparql) if line.sparql else "", notes=answer.notes,
        confidence=round(line.confidence, 4), seconds=round(line.seconds, 4),
        steps=[[step.agent, step.text, step.seconds] for step in answer.steps],
    )  # fmt: skip


def _values_to_json(name: str, values: Sequence[Value]) -> dict[str, Any]:
    """Return the first values, an IRI behind its name, and how many more there are."""
    shown = [[value_name(value), *([value.value] if value.kind == "iri" else [])] for value in values[:MAX_VALUES]]
    return _without_empty(**{name: shown, "more": max(0, len(values) - MAX_VALUES)})


def _without_empty(**parts: Any) -> dict[str, Any]:
    return {name: part for name, part in parts.items() if part not in ("", 0, [], ())}
