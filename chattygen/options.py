"""The options of a run of the generator, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Literal, get_args

from chattyshared.errors import ConfigError
from chattyshared.option_specs import THETA
from chattyshared.question_forms import MIX_SHARES

ApproachName = Literal["planned", "multi-stage", "simplified", "single-shot"]
QuotaRule = Literal["balanced", "proportional"]
QUOTA_RULES: tuple[QuotaRule, ...] = get_args(QuotaRule)

NOT_IN_HEADER = frozenset({"workers", "seed", "class_bounds"})
"""The options that the header does not state among the others, or at all, because they change no result."""
DEFAULT_MIX = MIX_SHARES
"""Shares of the turns, in percent; ``lookup`` is any plain lookup (object, subject, list, literal, date, number)."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a run makes, and within which bounds.

    Types: ``domains`` are IRI prefixes of the classes to keep (empty: all), ``types`` and ``no_types`` name
    classes (IRI or label) to keep or to leave out. ``quota``: a class gets dialogues by the square root of its count,
    every one at least once, or in proportion to its count (the paper), where ``rare`` drops small ones. ``rare`` and
    ``shadow`` are the thresholds R and S (0 to 1) of the type selection, ``shadow_by`` is the ratio for S: overlap /
    parent (paper) or child / parent (its code).

    Seeds: a seed needs ``min_predicates`` distinct usable predicates, a label of at most ``max_label_words`` words,
    between ``min_triples`` and ``max_triples`` triples after filtering, and a context of at most ``context_tokens``
    tokens; ``class_bounds`` are classes (IRI) whose entities have fewer predicates, with the number that serves there
    (a run finds them, no user states them); ``popularity`` are the shares of head, torso and tail (empty: uniform);
    ``seeds`` are IRIs to take instead.

    Subgraph: ``hops``, ``direction``, ``shape`` (chains are two steps), ``blocked`` predicates; ``context``: whether a
    prompt shows one line per predicate with its objects hidden, or the triples. ``lang``: the languages of the
    questions, in each of which every plan becomes a dialogue (empty: English); names are preferred in the first of them
    that the KG has.

    ``mix`` has the shares of the turns by form, in percent; ``chain`` is the share (0 to 1) of the later turns that
    refer to an earlier answer. ``queries``: who writes the SPARQL. More than ``list_limit`` answers are counted, not
    listed. ``theta`` is the number of attempts per reply. ``workers`` never changes a result.
    """

    approach: ApproachName = "planned"
    context: Literal["summarized", "full"] = "summarized"
    dialogues: int = 20
    turns: int = 5
    seed: int = 0
    workers: int = 1
    domains: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    no_types: tuple[str, ...] = ()
    quota: QuotaRule = "balanced"
    rare: float = 0.01
    shadow: float = 0.99
    shadow_by: Literal["overlap", "child"] = "overlap"
    lang: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    popularity: tuple[tuple[str, float], ...] = ()
    min_triples: int = 5
    max_triples: int = 400
    min_predicates: int = 5
    class_bounds: tuple[tuple[str, int], ...] = ()
    max_label_words: int = 10
    context_tokens: int = 3_000
    hops: Literal[1, 2] = 2
    direction: Literal["out", "in", "both"] = "both"
    shape: Literal["star", "chain", "both"] = "both"
    blocked: tuple[str, ...] = ()
    list_limit: int = 50
    mix: tuple[tuple[str, float], ...] = DEFAULT_MIX
    chain: float = 0.4
    theta: int = THETA
    queries: Literal["compiled", "llm"] = "compiled"
    max_seeds: int = 0

    @property
    def lines(self) -> int:
        """The dialogues of a whole benchmark: each of ``dialogues`` in every language."""
        return self.dialogues * max(1, len(self.lang))

    @property
    def seed_limit(self) -> int:
        """The most seeds that a run tries."""
        return self.max_seeds or 10 * self.dialogues + 50

    @property
    def allows_two_hops(self) -> bool:
        """Whether questions can go beyond the seed: in two hops at once, or on from an answer."""
        return self.hops == 2 and self.shape != "star"

    @property
    def mix_names(self) -> frozenset[str]:
        """The names in the mix."""
        return frozenset(name for name, _ in self.mix)

    def bounds_of(self, type_iri: str) -> tuple[int, int]:
        """Return the fewest usable predicates and the fewest usable triples of a seed of a class."""
        predicates = dict(self.class_bounds).get(type_iri, self.min_predicates)
        return predicates, self.min_triples if predicates == self.min_predicates else min(predicates, self.min_triples)

    def to_header(self) -> dict[str, Any]:
        """Return the options that can change a result, for the header of the benchmark; seeds by number and digest."""
        header = {name: value for name, value in asdict(self).items() if name not in NOT_IN_HEADER}
        if self.seeds:
            digest = sha256("\n".join(self.seeds).encode()).hexdigest()[:16]
            header["seeds"] = {"number": len(self.seeds), "digest": digest}
        return header


def complete_mix(shares: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """Return shares of the turns that sum to 100 percent: the given ones, and the rest by ``DEFAULT_MIX``.

    Given shares that sum to more than 100 are scaled down to it; then the other forms have none.

    Raises:
        ConfigError: no form has a share.
    """
    if not shares:
        return DEFAULT_MIX
    other_shares = {form: share for form, share in DEFAULT_MIX if form not in shares}
    scale = max(0.0, 100 - sum(shares.values())) / sum(other_shares.values()) if other_shares else 0.0
    all_shares = {**{form: share * scale for form, share in other_shares.items()}, **shares}
    total = sum(all_shares.values())
    if not total:
        raise ConfigError("--mix: no form has a share")
    ordered = dict.fromkeys((*(form for form, _ in DEFAULT_MIX), *shares))
    return tuple((form, round(100 * all_shares[form] / total, 6)) for form in ordered)
