"""All figures of one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from chattyshared.dialogue import Dialogue
from chattyshared.kg import KnowledgeGraph

from chattygen.stats.costs import Costs, costs_of
from chattygen.stats.dialogue_stats import Talk, talk_of
from chattygen.stats.distributions import Counts, Spread, to_json
from chattygen.stats.kg_coverage import Ground, ground_of
from chattygen.stats.lexical_diversity import Wording, wording_of
from chattygen.stats.queries import Queries, queries_of
from chattygen.stats.sources import Source


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of one file; ``ground`` only where a KG was given."""

    file: str
    name: str
    model: str
    approach: str
    kg: str
    talk: Talk
    wording: Wording
    queries: Queries
    seed_types: Counts
    ground: Ground | None
    costs: Costs

    def to_json(self) -> dict[str, Any]:
        """Return the figures as one JSON object; what the file does not tell is null or empty."""
        said: dict[str, Any] = to_json(self)
        return said


def measure(source: Source, kg: KnowledgeGraph | None = None) -> Figures:
    """Take all figures of a file; with a KG also how the benchmark stands to it.

    Raises:
        EndpointError: the KG's endpoint cannot be asked.
    """
    queries = queries_of(source.dialogues)
    talk = talk_of(source.dialogues, source.mix)
    stated = source.header.get("kg", {})
    return Figures(
        file=str(source.path),
        name=source.name,
        model=source.model,
        approach=str(source.options.get("approach", "")),
        kg=", ".join(map(str, stated.get("sources", ()))),
        talk=talk if source.is_whole else _as_far_as_stated(talk),
        wording=wording_of(source.dialogues),
        queries=queries,
        seed_types=_seed_types(source.dialogues),
        ground=None
        if kg is None
        else ground_of(kg, source.dialogues, queries.predicates, stated.get("fingerprint", "")),
        costs=costs_of(
            source.dialogues,
            rejected=source.rejected,
            seeds=source.seeds,
            timing=source.timing,
            spent=source.spent,
        ),
    )


def _seed_types(dialogues: Sequence[Dialogue]) -> Counts:
    return Counts.of(dialogue.seed.type for dialogue in dialogues if dialogue.seed.type)


def _as_far_as_stated(talk: Talk) -> Talk:
    """Take back what a file without gold does not state: only whether a query asks, counts or looks up is seen."""
    forms = Counts.of(
        name if name in ("boolean", "count") else "lookup (by its query)"
        for name, number in talk.forms.items
        for _ in range(number)
    )
    return replace(
        talk, forms=forms, mix=(), links=Counts(), on_answer=None, answer_types=Counts(), answer_kinds=Counts(),
        answers=Spread(), answerable=None, false_asks=None, difficulty=Counts(),
    )  # fmt: skip
