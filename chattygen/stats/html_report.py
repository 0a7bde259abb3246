"""The figures as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any

from chattyshared.pages.frame import (
    render_document,
    render_glossary,
    render_sections,
    render_series_heading,
    render_text_details,
    render_tiles,
    series_style,
)
from chattyshared.pages.samples import Sample, render_samples, samples_of_dialogues

from chattygen.stats.charts import chart_sections
from chattygen.stats.figures import Figures
from chattygen.stats.sources import BenchmarkSource
from chattygen.stats.text_report import format_decimal, format_percent, render_table, short_names

_NOTES = (
    ("form", "the operation that a question asks for; a two-hop question passes an entity that it does not name"),
    (
        "link",
        "how a turn depends on earlier turns: topic refers to the dialogue's entity, answer to an earlier answer, "
        "among selects from one, position takes one element of it, shift asks the same about another entity",
    ),
    (
        "first words, entropy",
        "the first two words of the questions as they stand in the dialogue; the entropy of their distribution in "
        "bits: 0 if all begin alike, log2 n if n beginnings are equally frequent",
    ),
    ("distinct-1, distinct-2", "distinct words and word pairs as a share of all; they fall as a file grows"),
    (
        "divergence",
        "Jensen-Shannon divergence between the types of the seeds and the types of the graph's entities, in bits: "
        "0 equal, 1 nothing in common; only types that can carry dialogues",
    ),
    (
        "head, torso, tail",
        "entities of a class, or predicates, by their number of triples: each band holds a third of the triples",
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


def render_page(sources: Sequence[BenchmarkSource], figures: Sequence[Figures]) -> str:
    """Return the page for one or more files."""
    names, styles = short_names(figures), tuple(map(series_style, range(len(figures))))
    title = sources[0].name if len(sources) == 1 else f"{len(sources)} benchmarks side by side"
    samples = _samples(sources, names)
    body = "\n".join(
        (
            f"<h1>{escape(title)}</h1>",
            f'<p class="soft">{escape(_lead(figures))}</p>',
            *_overview(figures, names),
            render_samples(samples, ()),
            *render_sections(chart_sections(figures, names, styles), names),
            *render_text_details(render_table(figures)),
            *_provenance(sources, names),
            "<h2>What the figures mean</h2>",
            render_glossary(_NOTES),
        )
    )
    return render_document(title, body, parts=("samples",) if samples else ())


def _samples(sources: Sequence[BenchmarkSource], names: Sequence[str]) -> tuple[Sample, ...]:
    """Return the turns of all files; with several files the ids have the name of the file in front."""
    samples: list[Sample] = []
    for source, name in zip(sources, names, strict=True):
        turns = samples_of_dialogues(source.dialogues, is_annotated=source.is_annotated)
        if len(sources) > 1:
            ids = ((turn, f"{name}:{turn.id}", f"{name}:{turn.dialogue}") for turn in turns)
            turns = tuple(replace(turn, id=id, dialogue=dialogue, source=name) for turn, id, dialogue in ids)
        samples += turns
    return tuple(samples)


def _lead(figures: Sequence[Figures]) -> str:
    """Return one sentence about the files."""
    dialogues = sum(file_figures.talk.dialogues for file_figures in figures)
    turns = sum(file_figures.talk.turns for file_figures in figures)
    graphs = ", ".join(dict.fromkeys(file_figures.kg for file_figures in figures if file_figures.kg))
    text = f"{dialogues:,} dialogues, {turns:,} questions" + (f" over {graphs}" if graphs else "")
    if len(figures) == 1 and figures[0].model:
        origin = f"{figures[0].approach}, with the model {figures[0].model}".removeprefix(", ")
        return f"{text}; {origin}"
    return text


def _percent(value: float | None) -> str:
    """Format a share for a tile: all and nothing without decimals."""
    text = format_percent(value)
    return text.replace("100.0%", "100%").replace("0.0%", "0%") if value in (0, 1) else text


def _overview(figures: Sequence[Figures], names: Sequence[str]) -> Iterator[str]:
    yield "<h2>Headline figures</h2>"
    for index, (file_figures, name) in enumerate(zip(figures, names, strict=True)):
        origin = " · ".join(filter(None, (file_figures.kg, file_figures.approach, file_figures.model)))
        if len(figures) > 1:
            yield render_series_heading(index, name, origin)
        yield render_tiles(_tiles(file_figures))


def _tiles(figures: Figures) -> Iterator[tuple[str, str]]:
    """Yield the headline figures that the file has."""
    dialogues, queries, costs, coverage = figures.talk, figures.queries, figures.costs, figures.ground
    yield "dialogues", f"{dialogues.dialogues:,}"
    yield "questions", f"{dialogues.turns:,}"
    if dialogues.on_answer is not None:
        yield "of the later turns hang on an earlier answer", _percent(dialogues.on_answer)
    if dialogues.answerable is not None:
        yield "answerable from the graph", _percent(dialogues.answerable)
    if dialogues.false_asks is not None:
        yield 'of the yes-no answers are "no"', _percent(dialogues.false_asks)
    yield "words per question", format_decimal(figures.wording.words.mean, 1)
    yield "bits of entropy in the first two words", format_decimal(figures.wording.entropy)
    yield "triple patterns per query", format_decimal(queries.triples_per_query.mean)
    yield "complexity (Maestro)", format_decimal(queries.complexity.mean, 3)
    if coverage is not None:
        yield "bits of divergence, seed types from the graph's", format_decimal(coverage.divergence, 3)
        yield "of the graph's askable predicates are asked", _percent(coverage.predicates)
    if costs.seeds is not None:
        yield "of the seeds became dialogues", _percent(costs.seeds.success)
    if costs.calls or costs.prompt_tokens:
        label = "tokens per dialogue" + (" (estimated)" if costs.estimated else "")
        yield label, f"{costs.tokens_per_dialogue.mean:,.0f}"
    if costs.usd is not None:
        yield "US dollars in all", f"{costs.usd:,.2f}"
    if costs.timing is not None:
        yield "seconds of model and endpoint", f"{costs.timing.seconds:,.1f}"


def _provenance(sources: Sequence[BenchmarkSource], names: Sequence[str]) -> Iterator[str]:
    if not any(source.header for source in sources):
        return
    yield "<h2>How they were made</h2>" if len(sources) > 1 else "<h2>How it was made</h2>"
    for source, name in zip(sources, names, strict=True):
        rows = "".join(
            f"<tr><th>{escape(key)}</th><td>{escape(text)}</td></tr>" for key, text in _flatten(source.header) if text
        )
        yield f"<details><summary>{escape(name)}</summary><table>{rows}</table></details>"


def _flatten(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield the header's values with their paths."""
    for key, item in value.items():
        path = f"{prefix}{key}"
        if isinstance(item, Mapping):
            yield from _flatten(item, f"{path} / ")
        elif isinstance(item, list):
            texts = (" ".join(map(str, element)) if isinstance(element, list) else str(element) for element in item)
            yield path, ", ".join(texts)
        else:
            yield path, str(item)
