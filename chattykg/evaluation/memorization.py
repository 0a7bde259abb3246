"""How much of a score is memory, and how much grounding: the same questions on a graph and on its counterfactual twin.

On the twin, who reads the graph gives the twin's answer, and who remembers gives the original one. Only turns count
whose original gold has something that the twin's lacks, and the reverse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from chattyshared.benchmark import Benchmark
from chattyshared.errors import ConfigError
from chattyshared.figures import Estimate, Figure, Section, Values, format_estimate
from chattyshared.formats.gold import GoldFile

from chattykg.evaluation.answer_matching import AnswerElement
from chattykg.evaluation.gold import gold_of_file
from chattykg.evaluation.metrics import Gold, SystemAnswer, mean, score_turn
from chattykg.evaluation.significance import bootstrap_means
from chattykg.evaluation.system_runs import Answers

_MEASURES = {
    "f1_original": "F1 on the original graph",
    "grounding": "grounding: F1 on the twin",
    "drop": "drop: what is lost on the twin",
    "memory": "memory: F1 of the answers on the twin against the original gold",
    "neither": "neither: share of the turns with nothing of either gold",
}
TWIN = Section("", "memory and grounding, over the turns with another gold on the twin", dict, (
    Figure("turns", "turns"),
    Figure("same_gold", "not counted: with the same gold, or a part of it"),
    Figure("left_out", "not counted: left out of the twin"),
    Figure("unanswerable", "not counted: unanswerable"),
    Figure("missing", "counted as wrong: no answer line on the twin"),
    *(Figure(key, name, format_estimate) for key, name in _MEASURES.items()),
    Figure("intervals"),
))  # fmt: skip
"""The figures of one system on a graph and on its twin; ``memory`` is without what belongs to both golds."""


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
) -> Values:
    """Compare the answers of one system on a graph and on its twin; ``seed`` is that of the resampling.

    Raises:
        ConfigError: no turn has another gold on the twin.
    """
    twin_golds = {gold.id: gold for gold in gold_of_file(twin)}
    every = gold_of_file(original)
    originals = [gold for gold in every if gold.elements]
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
    intervals = dict(zip(_MEASURES, bootstrap_means(rows, seed=seed), strict=True))
    return {
        "turns": len(rows),
        "same_gold": len(pairs) - len(rows),
        "left_out": len(originals) - len(pairs),
        "unanswerable": len(every) - len(originals),
        "missing": sum(twin_answers.answer_to(new.id) is None for _, new in differing),
        **{
            name: Estimate(mean(values[index] for _, values in rows), len(rows), intervals[name])
            for index, name in enumerate(_MEASURES)
        },
        "intervals": intervals,
    }


def _measure(old: Gold, answer: SystemAnswer | None, new: Gold, twin_answer: SystemAnswer | None) -> Iterator[float]:
    """Yield the measures of one turn, in their order."""
    original, grounding = score_turn(old, answer).f1, score_turn(new, twin_answer).f1
    if twin_answer is not None:  # what goes by the number of its elements goes with those that both golds have
        shared = [element for element in old.elements if _is_in(element, new.elements)]
        twin_answer = replace(twin_answer, elements=_without(twin_answer.elements, shared))
    memory = score_turn(replace(old, elements=_without(old.elements, new.elements)), twin_answer).f1
    yield from (original, grounding, original - grounding, memory, float(not grounding and not memory))


def _without(elements: Iterable[AnswerElement], others: Sequence[AnswerElement]) -> tuple[AnswerElement, ...]:
    return tuple(element for element in elements if not _is_in(element, others))


def _is_in(element: AnswerElement, others: Iterable[AnswerElement]) -> bool:
    return any(element.iri == other.iri if element.iri and other.iri else element.matches(other) for other in others)
