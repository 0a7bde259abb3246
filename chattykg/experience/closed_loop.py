"""The closed loop of a round trip: training dialogues and others of one benchmark, and what the examples gain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chattyshared.benchmark import Benchmark, read_benchmark, write_benchmark
from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph

from chattykg.evaluation.comparison import PairedComparison, compare_with_first
from chattykg.evaluation.evaluate import Evaluation
from chattykg.experience.experience_file import Experience, make_header, write_experience
from chattykg.experience.learning import learn_items, read_training_set


@dataclass(frozen=True, slots=True)
class LearningGain:
    """What examples change: the scores without and with them, the items that there are, and those that were barred.

    ``scores`` and ``comparison``, that of both, are None if the model uses no examples.
    """

    without: Evaluation
    scores: Evaluation | None = None
    items: int = 0
    barred: Mapping[str, int] = field(default_factory=dict)
    comparison: PairedComparison | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the figures for a file of scores."""
        data: dict[str, Any] = {"items": self.items, "barred": dict(self.barred), "scores": None}
        if self.scores is not None and self.comparison is not None:
            data |= {"f1_without": round(self.without.f1, 6), "f1_with": round(self.scores.f1, 6)}
            data |= {"gain": round(self.scores.f1 - self.without.f1, 6), "better": len(self.comparison.wins)}
            data |= {"worse": len(self.comparison.losses)}
            data |= {"p": round(self.comparison.test.p, 6), "scores": self.scores.figures}
        return data

    def describe(self) -> str:
        """Return the sentences for the user."""
        if self.scores is None or self.comparison is None:
            return f"experience: {self.items} solved questions; the rules use no examples, so they gain nothing"
        kinds = ", ".join(f"{kind} {count}" for kind, count in self.barred.items())
        barred = f"{sum(self.barred.values())} barred by the leak guard" + (f" ({kinds})" if kinds else "")
        before, after = self.without.figures, self.scores.figures
        false_answers = f"{before['false_answers']:.1%} without, {after['false_answers']:.1%} with"
        turns = f"{len(self.comparison.wins)} turns better, {len(self.comparison.losses)} worse"
        p = self.comparison.test.describe_p()
        return (
            f"experience: F1 {self.without.f1:.3f} without, {self.scores.f1:.3f} with examples: "
            f"{self.scores.f1 - self.without.f1:+.3f} ({turns}, {p})\n"
            f"false answers: {false_answers}; model calls: {before['model_calls']:,} and "
            f"{after['model_calls']:,}; tokens: {_tokens(before):,} and {_tokens(after):,}\n"
            f"{self.items} solved questions, {barred}"
        )


def split_dialogues(path: Path, training: Path, test: Path, *, overwrite: bool = False) -> None:
    """Write the dialogues of every second seed of a benchmark to a training file, and the others to a test file.

    Raises:
        ConfigError: the benchmark holds fewer than two seeds; without ``overwrite``, another test file is there; or
            a file cannot be written.
    """
    benchmark = read_benchmark(path)
    seeds = list(dict.fromkeys(dialogue.seed.iri for dialogue in benchmark))
    if len(seeds) < 2:
        raise ConfigError(f"{path} holds dialogues about {len(seeds)} thing: two are needed to learn from one of them")
    learned = set(seeds[1::2])
    parts = [
        Benchmark(benchmark.header, tuple(d for d in benchmark if (d.seed.iri in learned) is is_training))
        for is_training in (False, True)
    ]
    if test.exists() and not overwrite and read_benchmark(test) != parts[0]:
        raise ConfigError(f"{test} belongs to another run: choose another folder, or replace it by --overwrite")
    write_benchmark(test, parts[0])
    write_benchmark(training, parts[1])


def learn_from_file(training: Path, output: Path, kg: KnowledgeGraph) -> int:
    """Write the experience of a training file, without a model; return the number of its items.

    Raises:
        ConfigError: the file has nothing to learn from, or the experience cannot be written.
        EndpointError: the graph could not be asked.
    """
    items = tuple(learn_items(read_training_set(training, kg).questions, kg))
    header = make_header(kg, {"benchmark": read_benchmark(training).digest(), "model": ""})
    write_experience(output, Experience(header, items))
    return len(items)


def measure_gain(without: Evaluation, with_examples: Evaluation, items: int, barred: Mapping[str, int]) -> LearningGain:
    """Return what examples change between two runs on the same questions."""
    (comparison,) = compare_with_first((without.card, with_examples.card))
    return LearningGain(without, with_examples, items, barred, comparison)


def _tokens(figures: Mapping[str, Any]) -> int:
    return int(figures["prompt_tokens"] + figures["completion_tokens"])
