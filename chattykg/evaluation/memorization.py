"""How much of a score is memory, and how much grounding: the same questions on a graph and on its counterfactual twin.

On the twin, who reads the graph gives the twin's answer, and who remembers gives the original one. Only turns count
whose original gold has something that the twin's lacks, and the reverse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from chattyshared.benchmark import Benchmark
from chattyshared.errors import ConfigError
from chattyshared.formats.gold import GoldFile

from chattykg.evaluation.answer_matching import AnswerElement
from chattykg.evaluation.gold import gold_of_file
from chattykg.evaluation.metrics import Gold, SystemAnswer, mean, score_turn
from chattykg.evaluation.significance import ConfidenceInterval, bootstrap_means
from chattykg.evaluation.system_runs import Answers

MEASURES = {
    "f1_original": "F1 on the original graph",
    "grounding": "F1 on the twin",
    "drop": "what is lost on the twin",
    "memory": "F1 of the answers on the twin against the original gold",
    "neither": "share of the turns with nothing of either gold",
}
"""The measures, and what they mean."""


@dataclass(frozen=True, slots=True)
class Memorization:
    """The figures of one system over the ``turns`` whose gold differs between a graph and its twin.

    Of ``means`` and ``intervals``: ``f1_original`` is the F1 on the original graph, ``grounding`` that on the twin,
    ``drop`` their difference; ``memory`` is the F1 of the answers on the twin against the original gold, without what
    belongs to both golds; ``neither`` is the share of turns with nothing of either gold. Of the turns that do not
    count, ``same_gold`` have the same gold, or one that holds the other; ``left_out`` are not in the twin; and
    ``unanswerable`` have no gold on either. ``missing`` of those that count have no answer line on the twin.
    """

    turns: int
    same_gold: int
    left_out: int
    unanswerable: int
    missing: int
    means: Mapping[str, float] = field(default_factory=dict)
    intervals: Mapping[str, ConfidenceInterval] = field(default_factory=dict)


def check_twin(original: GoldFile, twin: GoldFile) -> None:
    """Check that a benchmark is the twin of another one.

    Raises:
        ConfigError: it is not.
    """
    if not isinstance(original.content, Benchmark) or not isinstance(twin.content, Benchmark):
        raise ConfigError("a benchmark and its twin are compared, no other files of questions")
    stated = twin.content.header.get("twin")
    if not isinstance(stated, dict) or stated.get("of") != original.content.digest():
        raise ConfigError(f"{twin.path} is no twin of {original.path} as it is now: `chattygen twin` makes one")


def measure_memorization(
    original: GoldFile, answers: Answers, twin: GoldFile, twin_answers: Answers, *, seed: int = 0
) -> Memorization:
    """Compare the answers of one system on a graph and on its twin; ``seed`` is that of the resampling.

    Raises:
        ConfigError: no turn has another gold on the twin.
    """
    twin_golds = {gold.id: gold for gold in gold_of_file(twin)}
    every = gold_of_file(original)
    originals = [gold for gold in every if gold.elements]
    counted_out = len(originals) - sum(gold.id in twin_golds for gold in originals), len(every) - len(originals)
    pairs = [(gold, twin_golds[gold.id]) for gold in originals if gold.id in twin_golds]
    differing = [
        (old, new)
        for old, new in pairs
        if _without(old.elements, new.elements) and _without(new.elements, old.elements)
    ]
    if not differing:
        raise ConfigError(f"{twin.path}: no turn has another gold than in {original.path}")
    rows = [
        (old.dialogue, tuple(_measure(old, answers.answer_to(old.id), new, twin_answers.answer_to(new.id))))
        for old, new in differing
    ]
    means = {name: mean(values[index] for _, values in rows) for index, name in enumerate(MEASURES)}
    intervals = dict(zip(MEASURES, bootstrap_means(rows, seed=seed), strict=True))
    missing = sum(twin_answers.answer_to(new.id) is None for _, new in differing)
    return Memorization(len(rows), len(pairs) - len(rows), *counted_out, missing, means, intervals)


def render_memorization(figures: Memorization) -> str:
    """Return the figures as lines of text, each with its 95 % interval."""
    counts = ((figures.left_out, "left out of the twin"), (figures.unanswerable, "unanswerable"),
              (figures.same_gold, "with the same gold, or a part of it"))  # fmt: skip
    total = figures.turns + sum(count for count, _ in counts)
    others = ", ".join(f"{count} {reason}" for count, reason in counts if count)
    lines = [f"memory and grounding, over the {figures.turns} of {total} turns with another gold on the twin"
             f"{f' (not over {others})' if others else ''}"]  # fmt: skip
    if figures.missing:
        lines.append(f"  {figures.missing} of them have no answer line on the twin and count as wrong")
    for name, meaning in MEASURES.items():
        interval = figures.intervals[name]
        lines.append(f"  {name.replace('_', ' '):<12}{figures.means[name]:7.3f}   "
                     f"{interval.low:.3f} to {interval.high:.3f}   {meaning}")  # fmt: skip
    return "\n".join(lines)


def memorization_to_json(figures: Memorization) -> dict[str, Any]:
    """Return the figures as a flat object."""
    return {
        "turns": figures.turns, "same_gold": figures.same_gold, "left_out": figures.left_out,
        "unanswerable": figures.unanswerable, "missing": figures.missing, **figures.means,
        "intervals": {name: [interval.low, interval.high] for name, interval in figures.intervals.items()},
    }  # fmt: skip


def _measure(old: Gold, answer: SystemAnswer | None, new: Gold, twin_answer: SystemAnswer | None) -> Iterator[float]:
    """Yield the measures of one turn, in their order."""
    original, grounding = score_turn(old, answer).f1, score_turn(new, twin_answer).f1
    if twin_answer is not None:  # what goes by the number of its elements goes with those that both golds have
        shared = [element for element in old.elements if _is_in(element, new.elements)]
        twin_answer = replace(twin_answer, elements=_without(twin_answer.elements, shared), scores=())
    memory = score_turn(replace(old, elements=_without(old.elements, new.elements)), twin_answer).f1
    yield from (original, grounding, original - grounding, memory, float(not grounding and not memory))


def _without(elements: Iterable[AnswerElement], others: Sequence[AnswerElement]) -> tuple[AnswerElement, ...]:
    return tuple(element for element in elements if not _is_in(element, others))


def _is_in(element: AnswerElement, others: Iterable[AnswerElement]) -> bool:
    return any(element.iri == other.iri if element.iri and other.iri else element.matches(other) for other in others)
