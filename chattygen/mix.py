"""The mix of question forms: how its shares were met, and what a form that is short needs from a graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chattyshared.question_forms import LOOKUP_FORMS, needs_of

MAX_SHORTFALL = 3.0
"""Percent of the turns: a form that is short by less is not marked."""


@dataclass(frozen=True, slots=True)
class FormCoverage:
    """One form: its turns, its share of the turns, and its target share, both in percent."""

    form: str
    turns: int
    share: float
    target_share: float
    missing_turns: int

    @property
    def is_short(self) -> bool:
        """Whether it is short of its target by more than chance and rounding explain."""
        return self.target_share - self.share > MAX_SHORTFALL or (self.target_share > 0 and not self.turns)

    @property
    def needs(self) -> str:
        """What a graph must offer for the form."""
        return needs_of(self.form)

    def to_json(self) -> dict[str, float | str]:
        """Return its shares, and what it needs if it is short."""
        shares = {"share": round(self.share, 1), "wanted": round(self.target_share, 1)}
        return shares | ({"needs": self.needs} if self.is_short else {})


def form_coverage(forms: Mapping[str, int], mix: Sequence[tuple[str, float]]) -> tuple[FormCoverage, ...]:
    """Return the coverage per form of the mix; nothing if there are no turns.

    Single lookup forms count as ``lookup`` unless the mix names them.
    """
    total = sum(forms.values())
    named = {form for form, _ in mix}
    turns: Counter[str] = Counter()
    for form, number in forms.items():
        turns["lookup" if form in LOOKUP_FORMS and form not in named else form] += number
    targets = dict(mix)
    all_forms = dict.fromkeys((*targets, *sorted(turns)))
    return tuple(
        FormCoverage(
            form, turns[form], 100 * turns[form] / total, target, max(0, round(target * total / 100) - turns[form])
        )
        for form in all_forms
        for target in [targets.get(form, 0.0)]
        if total
    )
