"""Coverage of the knowledge graph by a benchmark: the classes of its seeds, and the predicates that it asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log2
from typing import Any

from chattyshared.figures import Counts, share
from chattyshared.kg import KnowledgeGraph
from chattyshared.popularity import BANDS, entity_bands, predicate_bands, rarest_band
from chattyshared.terms import iri_to_words, local_name
from rdflib import URIRef

from chattygen.context.predicate_salience import unaskable_predicates
from chattygen.options import Options
from chattygen.runs.preparation import choose_types
from chattygen.stats.measurement import MeasuredFile


def js_divergence(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return the Jensen-Shannon divergence of two distributions in bits (Lin 1991): 0 equal, 1 nothing in common."""
    means = {name: (one.get(name, 0.0) + other.get(name, 0.0)) / 2 for name in (*one, *other)}
    to_one, to_other = (
        sum(p * log2(p / means[name]) for name, p in shares.items() if p > 0) for shares in (one, other)
    )
    return min(1.0, max(0.0, (to_one + to_other) / 2))


def measure_coverage(file: MeasuredFile) -> dict[str, Any] | None:
    """Return the coverage of the knowledge graph by key; None without one.

    ``types`` compares the seeds with the types that get dialogues of the generator. Askable predicates are all but
    types, names, codes and metadata; ``triples`` is the share of their triples that have a used one. Bands are head,
    torso and tail.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    kg = file.kg
    if kg is None:
        return None
    nodes = {node.iri: node for node in choose_types(kg, Options()).types if not node.dropped}
    seeds = list(_seed_types(file, kg, nodes))
    counts = Counts.of(type_iri for _, type_iri in seeds)
    shares, numbers, classes = counts.shares(), dict(counts.items), kg.vocabulary.classes
    labels = {iri: entry.label for iri, entry in classes.items()} | {iri: node.label for iri, node in nodes.items()}
    rows: list[dict[str, Any]] = [
        {"iri": iri, "label": labels.get(iri) or type_name(iri), "seeds": numbers.get(iri, 0),
          "benchmark": shares.get(iri, 0.0), "kg": nodes[iri].share if iri in nodes else 0.0}
        for iri in dict.fromkeys([*nodes, *numbers])
    ]  # fmt: skip
    types = sorted(rows, key=lambda row: (-max(row["kg"], row["benchmark"]), row["label"]))
    unaskable = unaskable_predicates(kg, ())
    askable = {entry.iri: entry.triple_count for entry in kg.vocabulary.predicates.values()
               if entry.iri not in unaskable and entry.triple_count}  # fmt: skip
    used = {iri for iri, _ in file.predicates.items} & {*askable}
    bands, seed_bands = predicate_bands(kg), entity_bands(kg, dict(seeds))
    fingerprint = file.source.header.get("kg", {}).get("fingerprint", "")
    return {
        "kg": kg.name,
        "is_same": bool(fingerprint) and kg.is_source(fingerprint),
        "types": types,
        "divergence": js_divergence({t["iri"]: t["benchmark"] for t in types}, {t["iri"]: t["kg"] for t in types}),
        "askable": len(askable),
        "used": len(used),
        "predicates": share(len(used), len(askable)),
        "triples": share(sum(askable[iri] for iri in used), sum(askable.values())),
        "missing": [iri for iri in askable if iri not in used],
        "usable": len(nodes),
        "asked": len({*nodes} & {*numbers}),
        "seed_bands": Counts.of(seed_bands[iri] for iri, _ in seeds),
        "turn_bands": Counts.of(rarest_band(bands, shape.predicates) for _, shape in file.parsed),
        "band_predicates": {
            band: [sum(bands.get(iri) == band for iri in iris) for iris in (used, askable)] for band in BANDS
        },
    }


def _seed_types(file: MeasuredFile, kg: KnowledgeGraph, nodes: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the seeds with their classes; if the file does not state it, one of the KG's types that the seed has."""
    seeds = [dialogue.seed for dialogue in file.source.dialogues]
    unknown = {URIRef(seed.iri) for seed in seeds if not seed.type and seed.iri}
    types_by_iri = kg.types_of(unknown) if unknown else {}
    for seed in seeds:
        stated = types_by_iri.get(URIRef(seed.iri), ())
        type_iri = seed.type or next((iri for iri in stated if iri in nodes), next(iter(stated), ""))
        if type_iri:
            yield seed.iri, type_iri


def type_name(iri: str) -> str:
    """Return a readable name of a class whose label is not known."""
    return iri_to_words(iri) if local_name(iri) else iri
