"""Make a box: benchmark, graph, profile, counts, license and Croissant metadata, checked to reproduce the gold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from chattyshared.benchmark import Benchmark, benchmark_lines, turn_id
from chattyshared.dialogue import Dialogue, Turn
from chattyshared.endpoint import Endpoint
from chattyshared.errors import ConfigError
from chattyshared.formats.box import BENCHMARK, FORMAT, GRAPH, MANIFEST, PROFILE, README, open_jsonl, write_box
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import in_filter, union_pattern
from chattyshared.kg.profile_file import render_profile
from chattyshared.templates import render_template
from chattyshared.terms import Term, Triple, n3
from rdflib import RDF, BNode

from chattygen.export.dataset_card import FIELDS
from chattygen.snapshot.extraction import Snapshot, SnapshotOptions, add_predicates, extract_snapshot
from chattygen.snapshot.reproduction import Reproduction, TurnLeftOut, keep_turns, reproduce_box

LICENSE_PREDICATES = (
    "http://purl.org/dc/terms/license", "http://creativecommons.org/ns#license", "http://schema.org/license",
    "https://schema.org/license",
)  # fmt: skip
_DATASET_CLASSES = (
    "http://www.w3.org/2002/07/owl#Ontology", "http://rdfs.org/ns/void#Dataset", "http://www.w3.org/ns/dcat#Dataset",
    "http://schema.org/Dataset", "https://schema.org/Dataset",
)  # fmt: skip
"""The classes of what stands for a whole graph: other things may have licenses of their own."""


def make_box(  # noqa: PLR0913
    output: Path,
    file: Path,
    benchmark: Benchmark,
    kg: KnowledgeGraph,
    options: SnapshotOptions,
    *,
    license: str = "",
    on_progress: Callable[[], None] = lambda: None,
) -> tuple[Snapshot, Reproduction]:
    """Write the box of a benchmark file, whose gold it reproduces.

    A query that the snapshot answers otherwise gets all triples of its predicates; if that does not help, the graph
    itself, or the row limit, gives another result than the file states.

    Raises:
        ConfigError: there is no dialogue; a turn is too large, or is not reproduced; the box cannot be written.
        EndpointError: the endpoint does not answer.
    """
    if not benchmark.dialogues:
        raise ConfigError(f"{file} holds no dialogue")
    snapshot = extract_snapshot(kg, benchmark, options, on_progress)
    if not snapshot.triples:
        raise ConfigError(f"{kg.name} has nothing that {file} asks for: it was made from another graph")

    def draft() -> tuple[dict[str, bytes], Reproduction]:
        members = box_members(file, kg, snapshot, options, license)
        return members, _check_members(members)

    members, reproduction = draft()
    if reproduction.differing:
        names = {name for name, _ in reproduction.differing}
        queries = [turn.sparql for one in snapshot.benchmark for turn in one.turns if turn_id(one, turn) in names]
        snapshot = add_predicates(kg, snapshot, queries, max_triples=options.max_triples)
        members, reproduction = draft()
    if reproduction.differing and options.skip:
        snapshot = _without_turns(snapshot, dict(reproduction.differing))
        members, reproduction = draft()
    if reproduction.differing:
        name, reason = reproduction.differing[0]
        raise ConfigError(
            f"{len(reproduction.differing)} turns are not reproduced, such as {name} ({reason}): `chattygen audit` "
            "compares the file with the graph, --skip leaves such turns out"
        )
    write_box(output, members)
    return snapshot, reproduction


def _without_turns(snapshot: Snapshot, reasons: Mapping[str, str]) -> Snapshot:
    """Return a snapshot without the turns that have a reason to be left out, and what follows them."""

    def read_turns(dialogue: Dialogue) -> Iterator[Turn]:
        for turn in dialogue.turns:
            if reason := reasons.get(turn_id(dialogue, turn)):
                raise TurnLeftOut(f"it is not reproduced ({reason})")
            yield turn

    kept, left_out = keep_turns(snapshot.benchmark, read_turns, lambda: None)
    return replace(snapshot, benchmark=kept, left_out=(*snapshot.left_out, *left_out))


def box_members(
    file: Path, kg: KnowledgeGraph, snapshot: Snapshot, options: SnapshotOptions, license: str = ""
) -> dict[str, bytes]:
    """Return the members of the box of a benchmark file and its snapshot of ``kg``; ``croissant.json`` is the metadata
    of Croissant 1.0, whose files are named as they are in the box.

    ``license`` is what the user says of the graph; it counts before what the graph states of itself.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    said, stated = " ".join(license.split()), read_license(kg.endpoint)
    licenses, own = [said] if said else stated, snapshot.benchmark
    render = partial(
        render_template, __package__, name=" ".join(own.name.split()), kg=" ".join(kg.name.split()), graph=GRAPH,
        benchmark=BENCHMARK, manifest=MANIFEST, said=said, stated=stated, licenses=licenses, fields=FIELDS,
        dialogues=len(own), turns=sum(len(dialogue.turns) for dialogue in own),
    )  # fmt: skip
    members = {
        README: _text([render("readme.md.j2")]),
        BENCHMARK: _benchmark_bytes(file, snapshot),
        GRAPH: _text(render_triples(snapshot.triples)),
        PROFILE: _text(render_profile(kg.profile)),
        MANIFEST: _json(_manifest(kg, snapshot, options, licenses)),
    }
    formats = {BENCHMARK: "application/jsonlines", GRAPH: "application/n-triples"}
    files = [
        {"name": name, "format": form, "size": len(members[name]), "sha256": hashlib.sha256(members[name]).hexdigest()}
        for name, form in formats.items()
    ]
    members["croissant.json"] = _json(json.loads(render("croissant.json.j2", files=files, name=own.name)))
    members["LICENSE-NOTE.md"] = _text([render("license_note.md.j2")])
    return members


def read_license(endpoint: Endpoint) -> list[str]:
    """Return the licenses that a graph states of itself as a data set or an ontology, sorted.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    licensed = union_pattern([f"?set <{iri}> ?license" for iri in LICENSE_PREDICATES])
    pattern = f"{licensed} ?set <{RDF.type}> ?class {in_filter('class', _DATASET_CLASSES)}"
    rows = endpoint.select(f"SELECT DISTINCT ?license WHERE {{ {pattern} }} LIMIT 20")
    return sorted({str(row["license"]) for row in rows})


def render_triples(triples: Iterable[Triple]) -> list[str]:
    """Return triples as the lines of N-Triples, sorted."""
    return sorted(f"{' '.join(map(_term_text, triple))} ." for triple in triples)


def _term_text(term: Term) -> str:
    return f"_:{term}" if isinstance(term, BNode) else n3(term)


def _check_members(members: Mapping[str, bytes]) -> Reproduction:
    """Run the gold queries of a box that is not written yet."""
    with TemporaryDirectory(prefix="chatty-", ignore_cleanup_errors=True) as folder:
        draft = Path(folder) / "box.zip"
        write_box(draft, members)
        return reproduce_box(draft)


def _benchmark_bytes(file: Path, snapshot: Snapshot) -> bytes:
    """Return the file as it is; without the turns that are left out, if there are any."""
    if snapshot.left_out:
        return _text(benchmark_lines(snapshot.benchmark))
    with open_jsonl(file) as stream:
        return bytes(stream.read())


def _manifest(kg: KnowledgeGraph, snapshot: Snapshot, options: SnapshotOptions, licenses: list[str]) -> dict[str, Any]:
    benchmark = snapshot.benchmark
    return {
        "format": FORMAT,
        "name": benchmark.name,
        "source": {"name": kg.name, "fingerprint": kg.fingerprint(), "triples": kg.count_triples()},
        "graph": {"triples": len(snapshot.triples)},
        "benchmark": {
            "digest": benchmark.digest(),
            "dialogues": len(benchmark),
            "turns": sum(len(dialogue.turns) for dialogue in benchmark),
            "left_out": list(snapshot.left_out),
        },
        "options": asdict(options),
        "license": licenses,
    }


def _json(value: Any) -> bytes:
    return _text([json.dumps(value, ensure_ascii=False, indent=1)])


def _text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")
