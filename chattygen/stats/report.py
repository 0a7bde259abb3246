"""The figures of benchmark files as text, and as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from chattyshared.figures import Values, render_rows_of_figures
from chattyshared.pages.figure_page import render_figure_page
from chattyshared.pages.samples import Sample, samples_of_dialogues
from chattyshared.text import render_figures

from chattygen.stats.figures import SECTIONS
from chattygen.stats.sources import BenchmarkSource


def render_table(figures: Sequence[Values]) -> str:
    """Return the figures of one or more files side by side, as lines of text: one column a file, one row a figure."""
    names, rows = short_names(figures), list(render_rows_of_figures(SECTIONS, figures))
    lines = render_figures(names if len(names) > 1 else (), rows)
    short = short_forms(figures)
    return "\n".join([*(names if len(names) == 1 else ()), *lines, *([""] if short else []), *short])


def short_forms(figures: Sequence[Values]) -> tuple[str, ...]:
    """Return a line for each form that a file has fewer of than its mix wanted: what it needs from a graph."""
    names = short_names(figures)
    short = [(name, entry) for name, file in zip(names, figures, strict=True) for entry in file.get("talk.mix") or ()]
    return tuple(
        f"{f'{name}: ' if len(names) > 1 else ''}fewer {entry['name']} questions than wanted: needs {entry['needs']}"
        for name, entry in short if entry["needs"]
    )  # fmt: skip


def short_names(figures: Sequence[Values]) -> tuple[str, ...]:
    """Return a short name for each file: its own, with its folder where two files have the same name."""
    paths = [Path(file["file"]) for file in figures]
    stems = [path.stem for path in paths]
    if len(set(stems)) == len(stems):
        return tuple(stems)
    folders = [f"{path.parent.name}/{path.name}" for path in paths]
    return tuple(folders if len(set(folders)) == len(folders) else [str(path) for path in paths])


def render_page(sources: Sequence[BenchmarkSource], figures: Sequence[Values]) -> str:
    """Return the page for one or more files."""
    names = short_names(figures)
    dialogues, turns = (sum(file[f"talk.{key}"] for file in figures) for key in ("dialogues", "turns"))
    graphs = ", ".join(dict.fromkeys(file["kg"] for file in figures if file["kg"]))
    size = f"{dialogues:,} dialogues, {turns:,} questions" + (f" over {graphs}" if graphs else "")
    return render_figure_page(
        SECTIONS,
        dict(zip(names, figures, strict=True)),
        title=sources[0].name if len(sources) == 1 else f"{len(sources)} benchmarks side by side",
        lead="; ".join((size, *short_forms(figures))),
        origins=[" · ".join(filter(None, (file["kg"], file["approach"], file["model"]))) for file in figures],
        samples=_samples(sources, names),
        headers={name: source.header for name, source in zip(names, sources, strict=True) if source.header},
    )


def _samples(sources: Sequence[BenchmarkSource], names: Sequence[str]) -> list[Sample]:
    """Return the turns of all files; with several files the ids have the name of the file in front."""
    samples: list[Sample] = []
    for source, name in zip(sources, names, strict=True):
        turns = samples_of_dialogues(source.dialogues, is_annotated=source.is_annotated)
        if len(sources) > 1:
            turns = tuple(
                replace(turn, id=f"{name}:{turn.id}", dialogue=f"{name}:{turn.dialogue}", source=name) for turn in turns
            )
        samples += turns
    return samples
