"""Seed accounting: every used seed ends as a dialogue or as one error, as in Table 4 of the paper; costs foreseen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from chattyshared.benchmark import usage_from_json
from chattyshared.dialogue import Dialogue
from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import Usage
from chattyshared.model.cost_estimate import ModelCostEstimate, RecordingModel, estimate_cost, price_of_spec
from chattyshared.model.prices import Price
from chattyshared.model.rules import RuleModel
from chattyshared.text import Column, render_rows

from chattygen.mix import FormCoverage
from chattygen.options import Options
from chattygen.pipeline import generate
from chattygen.rejection import ERROR_CLASSES
from chattygen.rulebook import RULEBOOK
from chattygen.stage_models import open_stage_models

NO_SEED = "seed"
"""The error class of entities that do not meet the requirements of a seed: no dialogue was tried with them."""
INTERNAL = "internal"
"""The error class of seeds that an unexpected exception ended."""


@dataclass(slots=True)
class GenerationCounts:
    """The counts and the usage of a benchmark file; they grow slot by slot.

    ``rejected`` counts rejected seeds by stage and rule, ``errors`` the used ones among them by error class,
    ``unfit_seeds`` the entities that are no seeds, ``unexpected`` the unexpected errors by type and place in the code.
    ``dialogues`` counts a dialogue in each language, ``accepted_seeds`` the seeds that became dialogues. ``usage`` is
    that of the dialogues and of the rejected seeds, earlier parts of a resumed run included.
    """

    dialogues: int = 0
    accepted_seeds: int = 0
    turns: int = 0
    forms: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    unfit_seeds: int = 0
    unexpected: Counter[str] = field(default_factory=Counter)
    usage: Usage = Usage()

    @property
    def seeds_used(self) -> int:
        """The number of used seeds: accepted ones and errors."""
        return self.accepted_seeds + self.errors.total()

    def add(self, dialogues: Sequence[Mapping[str, Any]], rejected: Iterable[Mapping[str, Any]]) -> None:
        """Count one slot by its lines in the files."""
        self.accepted_seeds += bool(dialogues)
        for dialogue in dialogues:
            self.dialogues += 1
            self.turns += len(dialogue["turns"])
            self.forms.update(
                turn["form"] if turn.get("answerable", True) else "unanswerable" for turn in dialogue["turns"]
            )
            self.usage += usage_from_json(dialogue.get("usage", {}))
        for seed in rejected:
            rule = seed["problems"][0]["rule"] if seed["problems"] else "unknown"
            self.rejected[f"{seed['stage']}: {rule}"] += 1
            self.usage += usage_from_json(seed.get("usage", {}))
            if seed["error"] == INTERNAL:
                self.unexpected[seed["problems"][0]["sentence"]] += 1
            if seed["error"] == NO_SEED:
                self.unfit_seeds += 1
            else:
                self.errors[seed["error"]] += 1

    def to_json(self) -> dict[str, Any]:
        """Return the figures as one JSON object."""
        return {
            "dialogues": self.dialogues,
            "turns": self.turns,
            "seeds_used": self.seeds_used,
            "success": round(self.accepted_seeds / self.seeds_used, 4) if self.seeds_used else None,
            "errors": {kind: self.errors[kind] for kind in ERROR_CLASSES if kind != NO_SEED},
            "unfit_seeds": self.unfit_seeds,
            "rejected": dict(sorted(self.rejected.items())),
            "unexpected_errors": dict(sorted(self.unexpected.items())),
            "model_calls": self.usage.calls,
            "prompt_tokens": self.usage.prompt_tokens,
            "completion_tokens": self.usage.completion_tokens,
            "tokens_estimated": self.usage.estimated,
            "usd": self.usage.usd,
            "forms": dict(sorted(self.forms.items())),
        }


def render_counts(counts: GenerationCounts, *, seconds: float | None = None) -> str:
    """Return the counts as lines of text: success, errors by class, tokens, price if it is known, wall time."""
    success = f"{100 * counts.accepted_seeds / counts.seeds_used:.0f} %" if counts.seeds_used else "-"
    usage, about = counts.usage, "about " if counts.usage.estimated else ""
    rows = [
        ("seeds used", f"{counts.seeds_used} = {counts.accepted_seeds} dialogues + {counts.errors.total()} errors"),
        ("success", success),
        *((f"  {kind}", str(counts.errors[kind])) for kind in ERROR_CLASSES if counts.errors[kind]),
        ("not fit as seeds", f"{counts.unfit_seeds} (they do not count as used)"),
        ("model calls", str(usage.calls)),
        ("tokens", f"{about}{usage.prompt_tokens} in prompts, {usage.completion_tokens} in replies"),
    ]
    if usage.usd is not None:
        rows.append(("price", f"{usage.usd:.4f} USD"))
    if seconds is not None:
        rows.append(("time", f"{seconds:.1f} s"))
    return "\n".join(f"{name:<18}{value}" for name, value in rows)


def render_coverage(coverage: Iterable[FormCoverage]) -> str:
    """Return the coverage of the mix as lines of text, each form with its shortfall."""
    columns = (
        Column("form", min_width=18), Column("turns", right=True), Column("share", right=True, min_width=8),
        Column("wanted", right=True, min_width=8), Column(),
    )  # fmt: skip
    rows = []
    for row in coverage:
        shortfall = f"  {row.missing_turns or 1} more wanted: needs {row.needs}" if row.is_short else ""
        rows.append((row.form, str(row.turns), f"{row.share:.1f} %", f"{row.target_share:.1f} %", shortfall))
    return "\n".join(render_rows(columns, rows, gap=1))


SAMPLE_DIALOGUES = 5
"""Dialogues that are made for an estimate."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """The estimated cost of a run, and the few dialogues that it is based on."""

    forecast: ModelCostEstimate
    sample: tuple[Dialogue, ...]


def estimate_generation(
    kg: KnowledgeGraph, options: Options, models: Sequence[str], price_of: Callable[[str], Price | None]
) -> CostEstimate:
    """Estimate calls, tokens and US dollars of a run; ``price_of`` returns the price of a model, None if unknown.

    ``models`` are specs for ``open_stage_models``.

    Raises:
        ConfigError: not one dialogue can be made.
        EndpointError: the endpoint fails.
    """
    sample_options = replace(options, dialogues=min(SAMPLE_DIALOGUES, options.dialogues), workers=1)
    recorders: dict[str, RecordingModel] = {}
    model = open_stage_models(
        models, lambda spec: recorders.setdefault(spec, RecordingModel(spec, RuleModel(RULEBOOK)))
    )
    results = generate(kg, model, sample_options)
    made = [result.dialogues for result in results if result.dialogues]
    sample = tuple(dialogue for dialogues in made for dialogue in dialogues)
    if not sample:
        raise ConfigError(f"{kg.name}: not one dialogue can be made with these options: there is nothing to estimate")
    parts = [
        estimate_cost(recorder.usage, len(made), options.dialogues, price_of_spec(spec, price_of))
        for spec, recorder in recorders.items()
    ]
    return CostEstimate(sum(parts[1:], parts[0]), sample)
