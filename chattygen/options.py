"""The options of a run of the generator, as one value."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Literal, TypedDict, get_args

from chattyshared.errors import ConfigError
from chattyshared.option_specs import THETA, THETA_SETTING, WORKERS_OPTION, option, setting, specs_of
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

    Each field says itself what it is; those of shares are in percent, but for ``popularity``, whose shares sum to 1.
    ``domains``, ``types``, ``no_types`` and ``blocked`` are called domain, type, no_type and block on the command line.
    ``class_bounds`` are classes (IRI) whose entities have fewer predicates than ``min_predicates``, with the number
    that serves there (a run finds them, no user states them). ``lang``: the languages of the questions, in each of
    which every plan becomes a dialogue (empty: English); names are preferred in the first of them that the KG has.
    ``workers`` never changes a result.
    """

    # fmt: off
    approach: ApproachName = option(
        "planned", "How a dialogue is made: a plan first, whose words a model finds; the paper's three stages; the "
        "same with triples found afterwards; or one prompt.", choices=get_args(ApproachName))
    context: Literal["summarized", "full"] = setting(
        "summarized", "What a prompt shows: a line per predicate with its objects hidden, or all triples.",
        choices=("summarized", "full"))
    dialogues: int = option(20, "How many dialogues to make.", "integer", "N", minimum=1,
                            shown_default="20, or all of --seeds")
    turns: int = option(5, "How many questions each dialogue has.", metavar="N", minimum=1)
    seed: int = option(0, "Another seed draws other entities and questions; the same seed gives the same bytes.",
                       metavar="N")
    workers: int = option(1, WORKERS_OPTION.help, metavar="N", minimum=1)
    domains: tuple[str, ...] = setting((), "Only classes whose IRIs begin so.", name="domain", metavar="PREFIX",
                                       is_repeatable=True)
    types: tuple[str, ...] = option((), "Only this class, by IRI or label; may be given again.", name="type",
                                    metavar="CLASS", is_repeatable=True)
    no_types: tuple[str, ...] = option((), "Not this class; may be given again.", name="no_type", metavar="CLASS",
                                       is_repeatable=True)
    quota: QuotaRule = setting(
        "balanced", "How many dialogues a class gets: by the square root of its entities, every usable class at least "
        "once; or in proportion to its entities, without rare classes, as in the paper.", choices=QUOTA_RULES)
    rare: float = setting(0.01, "R: with proportional quotas, drop types with a smaller share of the entities.",
                          "number", minimum=0, maximum=1, shown_default="0.01")
    shadow: float = setting(0.99, "S: drop a class of whose entities a greater share are another class's as well.",
                            minimum=0, maximum=1)
    shadow_by: Literal["overlap", "child"] = setting(
        "overlap", "What is compared with S: shared entities / the class's (paper), or subclass / superclass (its "
        "code).", choices=("overlap", "child"))
    lang: tuple[str, ...] = option(
        (), "The language in which a hosted model writes the questions; names are the graph's labels, in this language "
        "where it has them. Several times: the same plans, each in every language.", metavar="TAG",
        is_repeatable=True, shown_default="English; names in the graph's first language")
    seeds: tuple[str, ...] = option(
        (), "Dialogues about the entities of this file: a line holds an IRI, or JSON with it.", "file", "FILE")
    popularity: tuple[tuple[str, float], ...] = setting(
        (), "Shares by number of triples, such as head=20,torso=30,tail=50: each a third of all triples.",
        metavar="SHARES", shown_default="uniform")
    min_triples: int = setting(5, "The fewest usable triples of a seed.", minimum=1)
    max_triples: int = setting(400, "The most triples of a seed.", minimum=1)
    min_predicates: int = setting(
        5, "The fewest distinct usable predicates of a seed. Where paths of two steps count (planned, hops=2), a class "
        "whose entities have fewer takes part with what they have.", minimum=1)
    class_bounds: tuple[tuple[str, int], ...] = ()
    max_label_words: int = setting(10, "The most words of a seed's name.", minimum=1)
    context_tokens: int = setting(3_000, "The most tokens (characters / 4) of the facts that a prompt shows.",
                                  minimum=1)
    hops: Literal[1, 2] = setting(2, "How far facts may lead from a seed.", minimum=1, maximum=2)
    direction: Literal["out", "in", "both"] = setting(
        "both", "Whether the seed is the subject of its facts, their object, or either.",
        choices=("out", "in", "both"))
    shape: Literal["star", "chain", "both"] = setting(
        "both", "Facts of the seed alone; preferably through its neighbors (two steps); or as it comes.",
        choices=("star", "chain", "both"))
    blocked: tuple[str, ...] = setting((), "Never ask about this predicate, by IRI or label.", name="block",
                                       metavar="PREDICATE", is_repeatable=True)
    list_limit: int = setting(50, "More answers are counted, not listed.", minimum=1)
    mix: tuple[tuple[str, float], ...] = option(
        DEFAULT_MIX, "A form's share of the turns in percent, such as count=20; the others keep their proportions; may "
        "be given again. Forms: of the default; sum, average; object, subject, list, literal, date, number.",
        metavar="FORM=SHARE", is_repeatable=True,
        shown_default=", ".join(f"{form} {share:g}" for form, share in DEFAULT_MIX))
    chain: float = setting(0.4, "Share (0 to 1) of the later turns that hang on an earlier answer.", minimum=0,
                           maximum=1)
    theta: int = setting(THETA, THETA_SETTING.help, minimum=1)
    queries: Literal["compiled", "llm"] = setting(
        "compiled", "Who writes the SPARQL: compiled from the facts, or a model, checked.", choices=("compiled", "llm"))
    rewording: Literal["rules", "none"] = setting(
        "rules", "What words a turn in English whose words by the model do not pass the checks (planned); the turn "
        "says so. With none, the seed is rejected.", choices=("rules", "none"))
    max_seeds: int = setting(0, "Try no more seeds.", "integer", minimum=1, shown_default="10 a dialogue and 50")
    # fmt: on

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


OptionFields = TypedDict("OptionFields", {  # noqa: UP013 - a table, not a line a field
    "approach": ApproachName, "context": Literal["summarized", "full"], "turns": int, "seed": int, "workers": int,
    "domains": Iterable[str], "types": Iterable[str], "no_types": Iterable[str], "blocked": Iterable[str],
    "lang": Iterable[str], "seeds": str | os.PathLike[str] | Iterable[str], "mix": Mapping[str, float] | Iterable[str],
    "popularity": str | Mapping[str, float],
    "quota": QuotaRule, "rare": float, "shadow": float, "shadow_by": Literal["overlap", "child"],
    "min_triples": int, "max_triples": int, "min_predicates": int, "max_label_words": int, "max_seeds": int,
    "context_tokens": int, "hops": Literal[1, 2], "direction": Literal["out", "in", "both"],
    "shape": Literal["star", "chain", "both"], "list_limit": int, "chain": float, "theta": int,
    "queries": Literal["compiled", "llm"], "rewording": Literal["rules", "none"],
}, total=False)  # fmt: skip
"""The options as a Python caller gives them: the fields of ``Options`` but for ``dialogues``."""

OPTION_SPECS = specs_of(Options)
"""The options and settings of the generator, by the fields of ``Options``; ``option_parsing`` makes ``Options``."""


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
