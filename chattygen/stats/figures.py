"""All figures of one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from chattyshared.dialogue import Dialogue
from chattyshared.kg import KnowledgeGraph

from chattygen.stats.costs import GenerationCosts, sum_costs
from chattygen.stats.dialogue_stats import DialogueStats, describe_dialogues
from chattygen.stats.distributions import Counts, SummaryStatistics, to_json
from chattygen.stats.kg_coverage import KGCoverage, measure_kg_coverage
from chattygen.stats.lexical_diversity import WordingStats, describe_wording
from chattygen.stats.queries import QueryStats, describe_queries
from chattygen.stats.sources import BenchmarkSource


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of one file; ``ground`` only where a KG was given."""

    file: str
    name: str
    model: str
    approach: str
    kg: str
    talk: DialogueStats
    wording: WordingStats
    queries: QueryStats
    seed_types: Counts
    ground: KGCoverage | None
    costs: GenerationCosts

    def to_json(self) -> dict[str, Any]:
        """Return the figures as one JSON object; what the file does not tell is null or empty."""
        said: dict[str, Any] = to_json(self)
        return said


def compute_figures(source: BenchmarkSource, kg: KnowledgeGraph | None = None) -> Figures:
    """Take all figures of a file; with a KG also how the benchmark stands to it.

    Raises:
        EndpointError: the KG's endpoint cannot be asked.
    """
    queries = describe_queries(source.dialogues)
    talk = describe_dialogues(source.dialogues, source.mix)
    stated = source.header.get("kg", {})
    return Figures(
        file=str(source.path),
        name=source.name,
        model=source.model,
        approach=str(source.options.get("approach", "")),
        kg=", ".join(map(str, stated.get("sources", ()))),
        talk=talk if source.is_annotated else _as_far_as_stated(talk),
        wording=describe_wording(source.dialogues),
        queries=queries,
        seed_types=_seed_types(source.dialogues),
        ground=None
        if kg is None
        else measure_kg_coverage(kg, source.dialogues, queries.predicates, stated.get("fingerprint", "")),
        costs=sum_costs(
            source.dialogues,
            rejected_usage=source.rejected_usage,
            seeds=source.seeds,
            timing=source.timing,
            run_usage=source.run_usage,
        ),
    )


def _seed_types(dialogues: Sequence[Dialogue]) -> Counts:
    return Counts.of(dialogue.seed.type for dialogue in dialogues if dialogue.seed.type)


def _as_far_as_stated(talk: DialogueStats) -> DialogueStats:
    """Take back what a file without gold does not state: only whether a query asks, counts or looks up is seen."""
    forms = Counts.of(
        name if name in ("boolean", "count") else "lookup (by its query)"
        for name, number in talk.forms.items
        for _ in range(number)
    )
    return replace(
        talk, forms=forms, mix=(), links=Counts(), on_answer=None, answer_types=Counts(), answer_kinds=Counts(),
        answers=SummaryStatistics(), answerable=None, false_asks=None, difficulty=Counts(),
    )  # fmt: skip
