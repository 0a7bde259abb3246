"""Label predicate selection: which predicate names the entities of a type, chosen once per type."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.jsonlines import parse_json, write_atomically
from chattyshared.kg import KnowledgeGraph, LiteralPredicate
from chattyshared.kg.batches import in_filter
from chattyshared.language.morphology import NAMING
from chattyshared.literals import read_count
from chattyshared.model import LanguageModel, Usage
from chattyshared.runs.threads import map_unordered
from chattyshared.text import are_sentences
from rdflib import URIRef

from chattygen.context.names import Naming, profile_naming

logger = logging.getLogger(__name__)
DISTINCT_SAMPLE = 1_000
"""Entities of a type whose names are compared."""
MIN_SHARE = 0.5
"""The least share (0 to 1) of the entities of a type that must have a label predicate."""
MIN_DISTINCT_SHARE = 0.7
"""The least share (0 to 1) of distinct values of a label predicate: a value that many entities share names none."""
_FACT_BESIDE_NAME = re.compile(r"[\d(\[]")


def check_label_choice(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """The label predicate is one of the candidates."""
    numbers = [candidate.number for candidate in variables["candidates"]]
    if reply["candidate"] not in numbers:
        yield Problem("candidate", f"choose a number from {numbers[0]} to {numbers[-1]}, not {reply['candidate']}")


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
        """Return the candidate in one line."""
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
    """Choose the label predicate of each type (IRI and label); a type with one clear candidate needs no model.

    ``known`` is the naming so far, which is extended. If no reply of the model is usable, a warning says so, and the
    fallbacks of the KG serve. The choices of a model are kept in the cache folder of the KG, if there is one, per KG,
    model and prompt.

    Raises:
        ModelUnavailable: the model is gone.
        ConfigError: the cache folder cannot be written.
    """
    naming, cache = known or profile_naming(kg), ChoiceCache.load(kg, model)
    by_type, usage = dict(naming.by_type), naming.usage
    given_name_predicates = {given for given, _ in naming.name_pairs}
    all_types = list(types)
    # Where the profile pairs given names with family names, nothing is left to choose.
    open_types = [(iri, label) for iri, label in all_types if by_type.get(iri) not in given_name_predicates]

    def choose(labelled_type: tuple[str, str]) -> tuple[str, Usage]:
        return _choose_for_type(kg, model, labelled_type, cache.choices.get(labelled_type[0]), theta)

    for index, (predicate, spent) in sorted(map_unordered(choose, open_types, workers=workers)):
        type_iri, _ = open_types[index]
        usage += spent
        if predicate:
            by_type[type_iri] = predicate
        if predicate and spent.calls:
            cache.add(type_iri, predicate)
    decided_types = frozenset({*naming.decided_types, *(iri for iri, _ in all_types)})
    return replace(naming, by_type=by_type, usage=usage, decided_types=decided_types)


def _choose_for_type(
    kg: KnowledgeGraph, model: LanguageModel, labelled_type: tuple[str, str], cached: str | None, theta: int
) -> tuple[str, Usage]:
    """Return the label predicate of one type (IRI and label), or an empty text, and the usage of choosing it."""
    iri, label = labelled_type
    candidates = find_label_candidates(kg, iri)
    only_one = find_clear_name(candidates, frozenset(kg.profile.alt_labels))
    if only_one is not None or not candidates:
        return (only_one.iri if only_one is not None else ""), Usage()
    if cached in {candidate.iri for candidate in candidates}:
        return str(cached), Usage()
    variables: dict[str, Any] = {"type": label, "candidates": candidates}
    try:
        reply = CHOOSE_LABEL(model, variables, theta=theta)
    except (ReplyInvalid, ModelRefused, ContextTooLong) as error:
        logger.warning("no name was chosen for %s (%s): its entities go by the KG's usual labels", label, error)
        return "", error.usage or Usage()
    return next(c.iri for c in candidates if c.number == reply.value["candidate"]), reply.usage


@dataclass(frozen=True, slots=True)
class ChoiceCache:
    """The choices of a model in earlier runs over the same KG: predicates by type, and the file that keeps them."""

    path: Path | None
    choices: dict[str, str]

    @classmethod
    def load(cls, kg: KnowledgeGraph, model: LanguageModel) -> ChoiceCache:
        """Read the cache folder of the KG; an unreadable file causes a warning and is written anew."""
        if kg.cache_dir is None:
            return cls(None, {})
        key = sha256(f"{model.name} {CHOOSE_LABEL.prompt.digest} {kg.profile.digest}".encode()).hexdigest()[:12]
        path = kg.cache_dir / f"names-{kg.fingerprint()}-{key}.json"
        if not path.exists():
            return cls(path, {})
        try:
            choices = parse_json(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            logger.warning("%s cannot be read (%s): the names are chosen anew", path, error)
            choices = {}
        return cls(path, {str(k): str(v) for k, v in choices.items()} if isinstance(choices, dict) else {})

    def add(self, type_iri: str, predicate: str) -> None:
        """Store one more choice.

        Raises:
            ConfigError: the file cannot be written.
        """
        self.choices[type_iri] = predicate
        if self.path is not None:
            write_atomically(self.path, [json.dumps(self.choices, indent=1, sort_keys=True, ensure_ascii=False)])


def find_label_candidates(kg: KnowledgeGraph, type_iri: str) -> tuple[LabelCandidate, ...]:
    """Return the literal predicates that can be names: short, distinct texts on at least half of the entities; of
    several with the same samples one."""
    predicates = [
        predicate
        for predicate in kg.literal_predicates(type_iri)
        if predicate.share >= MIN_SHARE and predicate.samples and not _is_never_a_name(predicate)
    ]
    distinct_shares = fetch_distinct_shares(kg, type_iri, [predicate.iri for predicate in predicates])
    named = [p for p in predicates if distinct_shares.get(p.iri, 0.0) >= MIN_DISTINCT_SHARE]
    # Of several with the same texts, the first serves: there is nothing to choose.
    kept = list({(p.samples, p.share, distinct_shares[p.iri]): p for p in reversed(named)}.values())[::-1]
    return tuple(
        LabelCandidate(number, p.iri, p.label, p.share, distinct_shares[p.iri], p.languages, p.samples)
        for number, p in enumerate(kept, 1)
    )


def find_clear_name(candidates: Sequence[LabelCandidate], alternatives: frozenset[str]) -> LabelCandidate | None:
    """Return the only candidate, or the only one that is called a name, if each entity has one of its own without
    digits and brackets; None if there is a choice. ``alternatives`` are predicates of other names."""
    if len(candidates) == 1:
        return candidates[0]
    names = [c for c in candidates if c.iri not in alternatives and not NAMING.isdisjoint(c.label.casefold().split())]
    is_clear = (
        len(names) == 1 and names[0].label.casefold() in NAMING and names[0].share == names[0].distinct_share == 1
    )
    return names[0] if is_clear and not any(map(_FACT_BESIDE_NAME.search, names[0].samples)) else None


def fetch_distinct_shares(kg: KnowledgeGraph, type_iri: str, predicates: Sequence[str]) -> dict[str, float]:
    """Return, per predicate, the distinct values per entity (0 to 1) in a sample of a type's entities, in one query.

    Translations of one name count as one value.
    """
    if not predicates:
        return {}
    rows = kg.endpoint.select(
        "SELECT ?p (COUNT(DISTINCT ?v) AS ?values) (COUNT(DISTINCT ?s) AS ?entities) WHERE { "
        f"{{ SELECT DISTINCT ?s WHERE {{ {kg.members_pattern(type_iri)} }} LIMIT {DISTINCT_SAMPLE} }} "
        f"?s ?p ?v {in_filter('p', predicates)} }} GROUP BY ?p"
    )
    counts = {str(row["p"]): (read_count(row["values"]), read_count(row["entities"])) for row in rows if "p" in row}
    return {iri: min(1.0, distinct / entities) for iri, (distinct, entities) in counts.items() if entities}


def _is_never_a_name(predicate: LiteralPredicate) -> bool:
    """Tell whether the samples of a predicate are long, sentences, untagged non-texts, links, codes or bare numbers."""
    words = sum(len(sample.split()) for sample in predicate.samples) / len(predicate.samples)
    textual = predicate.datatype in ("", "string", str(URIRef("http://www.w3.org/2001/XMLSchema#string")))
    tagged = any(predicate.languages) or predicate.datatype.endswith("langString")
    linked = any("://" in sample or "@" in sample for sample in predicate.samples)
    coded = sum(bool(re.search(r"\d{3}", sample)) for sample in predicate.samples) > 0.8 * len(predicate.samples)
    bare = all(re.fullmatch(r"[\d\W_]*", sample) for sample in predicate.samples)
    is_prose = words > 10 or are_sentences(predicate.samples)
    return is_prose or not (textual or tagged) or linked or bare or (coded and words < 2)
