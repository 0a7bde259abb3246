"""What a draft of a plan requests: forms at random, those with a greater share in the mix more often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from chattyshared.question_forms import SINGLE_ENTITY_FORMS

from chattygen.options import Options

LINK_SHARES: tuple[tuple[str, float], ...] = (("position", 1.5), ("shift", 3.0))
"""Percent of all turns, by link: those that refer to a position, and those that shift to another entity; set by
hand."""
MIN_TURNS_FOR_LINKS = 3
"""Turns: the fewest of a dialogue that the shares of the links hold for; a shorter one has no room."""
REQUESTED_SHARE = (0.3, 0.9)
"""Share of a dialogue's turns, 0..1, from which the number of requested forms is drawn evenly; set by hand."""
REPEATABLE_FORMS = frozenset((*SINGLE_ENTITY_FORMS, "position"))
"""Forms that one draft may request twice."""
EXCLUSIVE_FORMS = frozenset(("boolean", "two-hop"))
"""Forms of which one draft requests one, once: each needs other questions about the topic before it."""
ANSWER_TURNS = (0, 1, 1, 2, 2, 3)
"""Turns in a dialogue of ``ANSWER_TURNS_LENGTH`` that continue from an answer, each number equally likely; set by
hand."""
ANSWER_TURNS_LENGTH = 5
"""Turns: the length of dialogue that ``ANSWER_TURNS`` is stated for; longer ones get more in proportion."""
EVEN_ODDS = 0.5
"""Probability of each truth, of a comparison as a yes-no question, and of putting a continued answer first."""


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """One requested turn: its form (or ``answer``, ``shift``, ``position``), and the truth of a yes-no question.

    ``answer`` is any turn about the answer just given. ``is_yes_no``: ask a comparison as a yes-no question.
    """

    form: str
    truth: bool = True
    is_yes_no: bool = False


def form_shares(options: Options) -> dict[str, float]:
    """Return the share of each form but ``lookup``, and of each link, in percent of all turns."""
    shares = {form: share for form, share in options.mix if form != "lookup" and share > 0}
    if options.turns >= MIN_TURNS_FOR_LINKS:
        shares |= dict(LINK_SHARES)
    return shares


def form_weights(options: Options, available_forms: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return how often drafts request each form: its share, raised by how few of the seeds can be asked that form."""
    shares = form_shares(options)
    return {
        form: share * len(available_forms) / max(1, sum(form in forms for forms in available_forms))
        for form, share in shares.items()
    }


def sample_requests(
    available_forms: Sequence[str], weights: Mapping[str, float], options: Options, rng: Random, number: int
) -> list[TurnRequest]:  # fmt: skip
    """Return what draft ``number`` of a plan requests of the forms that a seed can be asked; drafts take turns in what
    comes first.

    There may be more requests than a dialogue has room for: the last ones are then dropped.
    """
    forms = [form for form in available_forms if form in weights]
    chosen = [forms[number % len(forms)]] if forms else []
    max_forms = max(1, round(options.turns * rng.uniform(*REQUESTED_SHARE)))
    while forms and len(chosen) < max_forms:
        form = rng.choices(forms, [weights[form] for form in forms])[0]
        is_excluded = form in EXCLUSIVE_FORMS and not EXCLUSIVE_FORMS.isdisjoint(chosen)
        if not is_excluded and chosen.count(form) < (2 if form in REPEATABLE_FORMS else 1):
            chosen.append(form)
        else:
            max_forms -= 1
    requests = [
        TurnRequest(form, rng.random() < EVEN_ODDS, form == "comparison" and rng.random() < EVEN_ODDS)
        for form in chosen
    ]
    if "answer" in available_forms and options.chain > 0 and options.turns > 1:
        answer_turns = rng.choice(ANSWER_TURNS)
        requests += [TurnRequest("answer")] * max(0, round(answer_turns * options.turns / ANSWER_TURNS_LENGTH))
        if requests and rng.random() < EVEN_ODDS:
            requests[0], requests[-1] = requests[-1], requests[0]
    return requests
