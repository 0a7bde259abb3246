"""Which predicate names the entities of a type: chosen once per type, with fall-backs for single entities."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.jsonlines import parse_json, write_atomically
from chattyshared.kg import KnowledgeGraph, LiteralPredicate
from chattyshared.literals import read_count
from chattyshared.model import LanguageModel, Usage
from chattyshared.runs.threads import map_unordered
from chattyshared.terms import n3
from rdflib import URIRef

from chattygen.checks import check_label_choice
from chattygen.subgraph.naming import Naming, profile_naming

logger = logging.getLogger(__name__)
SAMPLE = 1_000
MIN_DISTINCT_SHARE = 0.7
"""The least share of differing values among the samples of a name: what many things share is no name of one."""
CHOOSE_LABEL = load_agent("generate/label", check_label_choice, truncatable=(TruncatableVariable("candidates"),))


@dataclass(frozen=True, slots=True)
class LabelCandidate:
    """One literal predicate of a type, as the prompt shows it."""

    number: int
    iri: str
    label: str
    share: float
    distinct_share: float
    languages: tuple[str, ...]
    samples: tuple[str, ...]

    def as_prompt_text(self) -> str:
        """Say the candidate in one line."""
        samples = "; ".join(repr(sample[:60]) for sample in self.samples[:4])
        languages = f", languages {' '.join(sorted(filter(None, self.languages)))}" if any(self.languages) else ""
        return (
            f"{self.number}. {self.label} <{self.iri}>: on {self.share:.0%} of the entities, "
            f"{self.distinct_share:.0%} of the values differ{languages}; {samples}"
        )


def choose_label_predicates(
    kg: KnowledgeGraph,
    model: LanguageModel,
    types: Iterable[tuple[str, str]],
    *,
    theta: int,
    known: Naming | None = None,
    workers: int = 1,
) -> Naming:
    """Choose the naming predicate of each type (IRI and label); a type with one candidate is not asked about.

    ``known`` is the naming so far, which is extended. Where a model gives no usable reply, a warning says so, and the
    KG's usual labels serve. What a model has chosen is kept in the KG's cache folder, if it
    has one, per KG, model and prompt.

    Raises:
        ModelUnavailable: the model cannot be asked.
        ConfigError: the cache folder cannot be written.
    """
    naming, kept = known or profile_naming(kg), ChoiceCache.load(kg, model)
    chosen, usage = dict(naming.by_type), naming.usage
    halves = {given for given, _ in naming.name_pairs}
    every = list(types)
    wanted = [(iri, label) for iri, label in every if chosen.get(iri) not in halves]  # a half names nobody alone

    def chosen_for(named: tuple[str, str]) -> tuple[str, Usage]:
        return _chosen(kg, model, named, kept.choices.get(named[0]), theta)

    for place, (predicate, spent) in sorted(map_unordered(chosen_for, wanted, workers=workers)):
        usage += spent
        if predicate:
            chosen[wanted[place][0]] = predicate
        if predicate and spent.calls:
            kept.add(wanted[place][0], predicate)
    asked = frozenset({*naming.decided_types, *(iri for iri, _ in every)})
    return replace(naming, by_type=chosen, usage=usage, decided_types=asked)


def _chosen(
    kg: KnowledgeGraph, model: LanguageModel, named: tuple[str, str], kept: str | None, theta: int
) -> tuple[str, Usage]:
    """Return the naming predicate of one type (IRI and label), or nothing, and what choosing it used."""
    iri, label = named
    found = find_label_candidates(kg, iri)
    if len(found) == 1 or not found:
        return (found[0].iri if found else ""), Usage()
    if kept in {candidate.iri for candidate in found}:
        return str(kept), Usage()
    variables: dict[str, Any] = {"type": label, "candidates": found}
    try:
        reply = CHOOSE_LABEL(model, variables, theta=theta)
    except (ReplyInvalid, ModelRefused, ContextTooLong) as error:
        logger.warning("no name was chosen for %s (%s): its entities go by the KG's usual labels", label, error)
        return "", error.usage or Usage()
    return next(c.iri for c in found if c.number == reply.value["candidate"]), reply.usage


@dataclass(frozen=True, slots=True)
class ChoiceCache:
    """What a model has chosen in earlier runs over the same KG: predicates by type, and the file that keeps them."""

    path: Path | None
    choices: dict[str, str]

    @classmethod
    def load(cls, kg: KnowledgeGraph, model: LanguageModel) -> ChoiceCache:
        """Read them from the KG's cache folder; a file that cannot be read is told and made anew."""
        if kg.cache_dir is None:
            return cls(None, {})
        made_by = sha256(f"{model.name} {CHOOSE_LABEL.prompt.digest} {kg.profile.digest}".encode()).hexdigest()[:12]
        path = kg.cache_dir / f"names-{kg.fingerprint()}-{made_by}.json"
        if not path.exists():
            return cls(path, {})
        try:
            found = parse_json(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            logger.warning("%s cannot be read (%s): the names are chosen anew", path, error)
            found = {}
        return cls(path, {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {})

    def add(self, type_iri: str, predicate: str) -> None:
        """Put down one more choice.

        Raises:
            ConfigError: the file cannot be written.
        """
        self.choices[type_iri] = predicate
        if self.path is not None:
            write_atomically(self.path, [json.dumps(self.choices, indent=1, sort_keys=True, ensure_ascii=False)])


def find_label_candidates(kg: KnowledgeGraph, type_iri: str) -> tuple[LabelCandidate, ...]:
    """Return the literal predicates that may be names: on half of the entities or more, differing, short texts."""
    found = [p for p in kg.literal_predicates(type_iri) if p.share >= 0.5 and p.samples and not _never_a_name(p)]
    differing = fetch_distinct_shares(kg, type_iri, [p.iri for p in found])
    kept = [p for p in found if differing.get(p.iri, 0.0) >= MIN_DISTINCT_SHARE]
    return tuple(
        LabelCandidate(number, p.iri, p.label, p.share, differing[p.iri], p.languages, p.samples)
        for number, p in enumerate(kept, 1)
    )


def fetch_distinct_shares(kg: KnowledgeGraph, type_iri: str, predicates: Sequence[str]) -> dict[str, float]:
    """Return, per predicate, how many values differ in a bounded sample of a type's entities (a share), in one query;
    translations of one name count as one."""
    if not predicates:
        return {}
    values = " ".join(n3(URIRef(iri)) for iri in predicates)
    rows = kg.endpoint.select(
        "SELECT ?p (COUNT(DISTINCT ?v) AS ?values) (COUNT(DISTINCT ?s) AS ?entities) WHERE { "
        f"{{ SELECT DISTINCT ?s WHERE {{ {kg.members_pattern(type_iri)} }} LIMIT {SAMPLE} }} "
        f"VALUES ?p {{ {values} }} ?s ?p ?v }} GROUP BY ?p"
    )
    counts = {str(row["p"]): (read_count(row["values"]), read_count(row["entities"])) for row in rows if "p" in row}
    return {iri: min(1.0, some / entities) for iri, (some, entities) in counts.items() if entities}


def _never_a_name(predicate: LiteralPredicate) -> bool:
    words = sum(len(sample.split()) for sample in predicate.samples) / len(predicate.samples)
    textual = predicate.datatype in ("", "string", str(URIRef("http://www.w3.org/2001/XMLSchema#string")))
    tagged = any(predicate.languages) or predicate.datatype.endswith("langString")
    linked = any("://" in sample or "@" in sample for sample in predicate.samples)
    coded = sum(bool(re.search(r"\d{3}", sample)) for sample in predicate.samples) > 0.8 * len(predicate.samples)
    bare = all(re.fullmatch(r"[\d\W_]*", sample) for sample in predicate.samples)
    return words > 10 or not (textual or tagged) or linked or bare or (coded and words < 2)
