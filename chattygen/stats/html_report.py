"""The figures as one self-contained page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from chattyshared.pages.frame import (
    STYLE_COUNT,
    render_document,
    render_glossary,
    render_legend,
    render_plots,
    render_tiles,
)

from chattygen.stats.charts import chart_sections
from chattygen.stats.figures import Figures
from chattygen.stats.sources import BenchmarkSource
from chattygen.stats.text_report import format_decimal, format_percent, render_table, short_names
from chattygen.stats.transcript import render_transcript, select_examples

_NOTES = (
    ("form", "the operation that a question asks for; a two-hop question walks over a thing that it does not name"),
    (
        "link",
        "how a turn hangs on what came before: topic is the dialogue's entity by reference, answer the answer given "
        "before, among a choice from it, position one of it by its place, shift the same question of something else",
    ),
    (
        "first words, entropy",
        "the first two words of the questions as they stand in the dialogue; the entropy of their distribution in "
        "bits: 0 if all begin alike, log2 n if n beginnings are equally frequent",
    ),
    ("distinct-1, distinct-2", "distinct words and word pairs as a share of all; they sink as a file grows"),
    (
        "divergence",
        "Jensen-Shannon divergence between the types of the seeds and the types of the graph's entities, in bits: "
        "0 equal, 1 nothing in common; types that are rare or shadowed by a subclass are left out",
    ),
    ("askable predicates", "all of the graph's but types, names, codes and metadata"),
    (
        "complexity",
        "as Maestro measures it: words of the standalone question x triple patterns x SPARQL keywords / 300, at most 1",
    ),
    (
        "seeds that became dialogues",
        "of the seeds that were tried; those that did not meet the conditions do not count",
    ),
)


def render_page(sources: Sequence[BenchmarkSource], figures: Sequence[Figures], *, examples: int = 4) -> str:
    """Return the page for one or more files, with ``examples`` dialogues of each in full."""
    called = short_names(figures)
    title = sources[0].name if len(sources) == 1 else f"{len(sources)} benchmarks side by side"
    body = "\n".join(
        (
            f"<h1>{escape(title)}</h1>",
            f'<p class="soft">{escape(_lead(figures))}</p>',
            *_glance(figures, called),
            *_sections(figures, called),
            *_examples(sources, called, examples),
            *_all(figures),
            *_made(sources, called),
            "<h2>What the figures mean</h2>",
            render_glossary(_NOTES),
        )
    )
    return render_document(title, body)


def _lead(figures: Sequence[Figures]) -> str:
    """Say in one sentence what is looked at."""
    dialogues = sum(one.talk.dialogues for one in figures)
    turns = sum(one.talk.turns for one in figures)
    graphs = ", ".join(dict.fromkeys(one.kg for one in figures if one.kg))
    said = f"{dialogues:,} dialogues, {turns:,} questions" + (f" over {graphs}" if graphs else "")
    if len(figures) == 1 and figures[0].model:
        how = f"{figures[0].approach}, with the model {figures[0].model}".removeprefix(", ")
        return f"{said}; {how}"
    return said


def _percent(value: float | None) -> str:
    """Write a share for a tile: no places for all and for nothing."""
    return (
        format_percent(value).replace("100.0%", "100%").replace("0.0%", "0%")
        if value in (0, 1)
        else format_percent(value)
    )


def _glance(figures: Sequence[Figures], called: Sequence[str]) -> Iterator[str]:
    for place, (one, name) in enumerate(zip(figures, called, strict=True)):
        made = " · ".join(filter(None, (one.kg, one.approach, one.model)))
        if len(figures) > 1:
            yield (
                f'<div class="file"><span class="swatch s{place % STYLE_COUNT}"></span><h3>{escape(name)}</h3>'
                f'<span class="soft">{escape(made)}</span></div>'
            )
        yield render_tiles(_tiles(one))


def _tiles(one: Figures) -> Iterator[tuple[str, str]]:
    """Yield the headline figures that the file has."""
    talk, queries, costs, ground = one.talk, one.queries, one.costs, one.ground
    yield "dialogues", f"{talk.dialogues:,}"
    yield "questions", f"{talk.turns:,}"
    if talk.on_answer is not None:
        yield "of the later turns hang on an earlier answer", _percent(talk.on_answer)
    if talk.answerable is not None:
        yield "answerable from the graph", _percent(talk.answerable)
    if talk.false_asks is not None:
        yield 'of the yes-no answers are "no"', _percent(talk.false_asks)
    yield "words per question", format_decimal(one.wording.words.mean, 1)
    yield "bits of entropy in the first two words", format_decimal(one.wording.entropy)
    yield "triple patterns per query", format_decimal(queries.triples_per_query.mean)
    yield "complexity (Maestro)", format_decimal(queries.complexity.mean, 3)
    if ground is not None:
        yield "bits of divergence, seed types from the graph's", format_decimal(ground.divergence, 3)
        yield "of the graph's askable predicates are asked", _percent(ground.predicates)
    if costs.seeds is not None:
        yield "of the seeds became dialogues", _percent(costs.seeds.success)
    if costs.calls or costs.prompt_tokens:
        about = "tokens per dialogue" + (" (estimated)" if costs.estimated else "")
        yield about, f"{costs.tokens_per_dialogue.mean:,.0f}"
    if costs.usd is not None:
        yield "US dollars in all", f"{costs.usd:,.2f}"
    if costs.timing is not None:
        yield "seconds of model and endpoint", f"{costs.timing.seconds:,.1f}"


def _sections(figures: Sequence[Figures], called: Sequence[str]) -> Iterator[str]:
    marks = render_legend(called) if len(figures) > 1 else ""
    styles = tuple(f"s{place % STYLE_COUNT}" for place in range(len(figures)))
    for heading, drawn in chart_sections(figures, called, styles):
        yield f"<h2>{escape(heading)}</h2>\n{marks}"
        yield render_plots(drawn)


def _examples(sources: Sequence[BenchmarkSource], called: Sequence[str], number: int) -> Iterator[str]:
    if not number or not any(source.dialogues for source in sources):
        return
    yield "<h2>Dialogues in full</h2>"
    yield '<p class="note">Chosen so that together they show as many forms, links and types as possible.</p>'
    for place, (source, name) in enumerate(zip(sources, called, strict=True)):
        if len(sources) > 1:
            yield f'<div class="file"><span class="swatch s{place % STYLE_COUNT}"></span><h3>{escape(name)}</h3></div>'
        talks = "".join(render_transcript(dialogue, source) for dialogue in select_examples(source.dialogues, number))
        yield f'<div class="talks">{talks}</div>'


def _all(figures: Sequence[Figures]) -> Iterator[str]:
    yield "<h2>All figures</h2>"
    yield f'<details><summary>the table</summary><pre class="table">{escape(render_table(figures))}</pre></details>'


def _made(sources: Sequence[BenchmarkSource], called: Sequence[str]) -> Iterator[str]:
    if not any(source.header for source in sources):
        return
    yield "<h2>How they were made</h2>" if len(sources) > 1 else "<h2>How it was made</h2>"
    for source, name in zip(sources, called, strict=True):
        rows = "".join(
            f"<tr><th>{escape(key)}</th><td>{escape(said)}</td></tr>" for key, said in _flat(source.header) if said
        )
        yield f"<details><summary>{escape(name)}</summary><table>{rows}</table></details>"


def _flat(value: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield the header's values with their paths."""
    for key, part in value.items():
        path = f"{above}{key}"
        if isinstance(part, Mapping):
            yield from _flat(part, f"{path} / ")
        elif isinstance(part, list):
            yield path, ", ".join(" ".join(map(str, one)) if isinstance(one, list) else str(one) for one in part)
        else:
            yield path, str(part)
