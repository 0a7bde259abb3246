"""The ledger of a run: every seed that was used ends as a dialogue or as one error, as in the paper's Table 4."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chattyshared.benchmark import usage_from_json
from chattyshared.model import Usage
from chattyshared.question_forms import LOOKUP_FORMS

from chattygen.rejection import ERROR_CLASSES

NO_SEED = "seed"
"""The class of entities that did not meet the conditions of a seed: no dialogue was tried, so they are not used."""
INTERNAL = "internal"
"""The class of seeds that an unexpected error of ours has ended."""
MAX_SHORTFALL = 3.0
"""Percent of the turns: a form that falls short of its share by less is not worth a word."""


@dataclass(slots=True)
class GenerationCounts:
    """What a benchmark file holds and what its making took; it grows slot by slot.

    ``rejected`` counts rejected seeds by stage and rule, ``errors`` the used ones among them by error class, ``unfit``
    the entities that were no seeds, ``unexpected`` the unexpected errors by type and place. ``usage`` is that of the
    dialogues and of the rejected seeds, of earlier parts of a resumed run as well.
    """

    dialogues: int = 0
    turns: int = 0
    forms: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    unfit_seeds: int = 0
    unexpected: Counter[str] = field(default_factory=Counter)
    usage: Usage = Usage()

    @property
    def seeds_used(self) -> int:
        """The number of seeds that were used: dialogues and errors."""
        return self.dialogues + self.errors.total()

    def add(self, dialogue: Mapping[str, Any] | None, rejected: Iterable[Mapping[str, Any]]) -> None:
        """Count one slot, by its lines."""
        if dialogue is not None:
            self.dialogues += 1
            self.turns += len(dialogue["turns"])
            self.forms.update(
                turn["form"] if turn.get("answerable", True) else "unanswerable" for turn in dialogue["turns"]
            )
            self.usage += usage_from_json(dialogue.get("usage", {}))
        for one in rejected:
            rule = one["problems"][0]["rule"] if one["problems"] else "unknown"
            self.rejected[f"{one['stage']}: {rule}"] += 1
            self.usage += usage_from_json(one.get("usage", {}))
            if one["error"] == INTERNAL:
                self.unexpected[one["problems"][0]["sentence"]] += 1
            if one["error"] == NO_SEED:
                self.unfit_seeds += 1
            else:
                self.errors[one["error"]] += 1

    def to_json(self) -> dict[str, Any]:
        """Return the figures as one object."""
        return {
            "dialogues": self.dialogues,
            "turns": self.turns,
            "seeds_used": self.seeds_used,
            "success": round(self.dialogues / self.seeds_used, 4) if self.seeds_used else None,
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


@dataclass(frozen=True, slots=True)
class FormCoverage:
    """One form: its turns, its share of the turns in percent, and the share that was wanted."""

    form: str
    turns: int
    share: float
    target_share: float

    @property
    def is_short(self) -> bool:
        """Whether it falls short of its share by more than chance and rounding would explain."""
        return self.target_share - self.share > MAX_SHORTFALL or (self.target_share > 0 and not self.turns)


def form_coverage(forms: Mapping[str, int], mix: Sequence[tuple[str, float]]) -> tuple[FormCoverage, ...]:
    """Return, per form of the mix, what was wanted and what was made; nothing where there are no turns.

    Plain lookups count as ``lookup`` unless the mix names their own form.
    """
    total = sum(forms.values())
    named = {form for form, _ in mix}
    made: Counter[str] = Counter()
    for form, number in forms.items():
        made["lookup" if form in LOOKUP_FORMS and form not in named else form] += number
    wanted = dict(mix)
    every = dict.fromkeys((*wanted, *sorted(made)))
    return tuple(
        FormCoverage(form, made[form], 100 * made[form] / total, wanted.get(form, 0.0)) for form in every if total
    )


def render_counts(counts: GenerationCounts, *, seconds: float | None = None) -> str:
    """Return the ledger as lines of text: success, errors by class, tokens, price where it is known, wall time."""
    success = f"{100 * counts.dialogues / counts.seeds_used:.0f} %" if counts.seeds_used else "-"
    usage, about = counts.usage, "about " if counts.usage.estimated else ""
    rows = [
        ("seeds used", f"{counts.seeds_used} = {counts.dialogues} dialogues + {counts.errors.total()} errors"),
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
    """Return the coverage of the mix as lines of text, each form with what it falls short by."""
    lines = [f"{'form':<18}{'turns':>6}{'share':>9}{'wanted':>9}"]
    for one in coverage:
        short = f"   {one.target_share - one.share:.0f} short" if one.is_short else ""
        lines.append(f"{one.form:<18}{one.turns:>6}{one.share:>7.1f} %{one.target_share:>7.1f} %{short}")
    return "\n".join(lines)
