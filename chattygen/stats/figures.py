"""All figures of one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from chattyshared.dialogue import Dialogue
from chattyshared.kg import KnowledgeGraph

from chattygen.stats.costs import GenerationCosts, sum_costs
from chattygen.stats.dialogue_stats import DialogueStats, describe_dialogues
from chattygen.stats.distributions import Counts, QueryStats, SummaryStatistics, describe_queries, to_json
from chattygen.stats.kg_coverage import KGCoverage, measure_kg_coverage
from chattygen.stats.lexical_diversity import WordingStats, describe_wording
from chattygen.stats.sources import BenchmarkSource


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of one file; ``ground`` only if a KG was given."""

    file: str
    name: str
    model: str
    approach: str
    context: str
    kg: str
    talk: DialogueStats
    wording: WordingStats
    queries: QueryStats
    seed_types: Counts
    ground: KGCoverage | None
    costs: GenerationCosts

    def to_json(self) -> dict[str, Any]:
        """Return the figures as one JSON object; what the file does not state is null or empty."""
        figures: dict[str, Any] = to_json(self)
        return figures


def compute_figures(source: BenchmarkSource, kg: KnowledgeGraph | None = None) -> Figures:
    """Compute all figures of a file; with a KG also the coverage of the KG.

    Raises:
        EndpointError: the KG's endpoint does not answer.
    """
    queries = describe_queries(source.dialogues)
    dialogue_stats = describe_dialogues(source.dialogues, source.mix)
    kg_header = source.header.get("kg", {})
    return Figures(
        file=str(source.path),
        name=source.name,
        model=source.model,
        approach=str(source.options.get("approach", "")),
        context=str(source.options.get("context", "")),
        kg=", ".join(map(str, kg_header.get("sources", ()))),
        talk=dialogue_stats if source.is_annotated else _without_unstated(dialogue_stats),
        wording=describe_wording(source.dialogues),
        queries=queries,
        seed_types=_seed_types(source.dialogues),
        ground=None
        if kg is None
        else measure_kg_coverage(kg, source.dialogues, queries.predicates, kg_header.get("fingerprint", "")),
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


def _without_unstated(dialogue_stats: DialogueStats) -> DialogueStats:
    """Remove what a file without gold does not state: only whether a query asks, counts or looks up is known."""
    forms = Counts.of(
        name if name in ("boolean", "count") else "lookup (by its query)"
        for name, number in dialogue_stats.forms.items
        for _ in range(number)
    )
    return replace(
        dialogue_stats, forms=forms, mix=(), links=Counts(), on_answer=None, answer_types=Counts(),
        answer_kinds=Counts(), answers=SummaryStatistics(), answerable=None, false_asks=None, difficulty=Counts(),
    )  # fmt: skip
