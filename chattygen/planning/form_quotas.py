"""What a draft of a plan shall ask: forms by chance, those with a greater share in the mix more often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from chattyshared.question_forms import SINGLE_ENTITY_FORMS

from chattygen.options import Options

LINK_SHARES: tuple[tuple[str, float], ...] = (("position", 4.0), ("shift", 3.0))
"""Shares of the turns, in percent, that go back to a place, or on to another thing."""


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """One turn that is wanted: its form (or ``answer``, ``shift``, ``position``), and the truth of a yes-no question.

    ``answer`` is any turn about the answer just given. ``polar``: a comparison is asked as a yes-no question.
    """

    form: str
    truth: bool = True
    is_yes_no: bool = False


def form_shares(options: Options) -> dict[str, float]:
    """Return, in percent of all turns, how often each form that is no plain lookup, and each link, is wanted."""
    found = {form: share for form, share in options.mix if form != "lookup" and share > 0}
    if options.turns > 2:
        found |= dict(LINK_SHARES)
    return found


def form_weights(options: Options, available_forms: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return how often drafts shall ask for each form: its share, and the more, the fewer of some seeds are able."""
    wanted = form_shares(options)
    return {
        form: share * len(available_forms) / max(1, sum(form in some for some in available_forms))
        for form, share in wanted.items()
    }


def sample_requests(
    available_forms: Sequence[str], weights: Mapping[str, float], options: Options, rng: Random, number: int
) -> list[TurnRequest]:  # fmt: skip
    """Return what draft ``number`` of a plan shall ask, of what a seed is able to give; first comes each in its turn.

    There may be more than a dialogue has room for: what comes late is then left out.
    """
    forms = [form for form in available_forms if form in weights]
    chosen = [forms[number % len(forms)]] if forms else []
    most = max(1, round(options.turns * rng.uniform(0.3, 0.9)))
    while forms and len(chosen) < most:
        form = rng.choices(forms, [weights[form] for form in forms])[0]
        if chosen.count(form) < (2 if form in _OFTEN else 1):
            chosen.append(form)
        else:
            most -= 1
    wants = [TurnRequest(form, rng.random() < 0.5, form == "comparison" and rng.random() < 0.5) for form in chosen]
    if "answer" in available_forms and options.chain > 0 and options.turns > 1:
        some = rng.choice((0, 1, 1, 2, 2, 3))
        wants += [TurnRequest("answer")] * max(0, round(some * options.turns / 5))
        if rng.random() < 0.5:
            wants[0], wants[-1] = wants[-1], wants[0]
    return wants


_OFTEN = frozenset((*SINGLE_ENTITY_FORMS, "position"))
