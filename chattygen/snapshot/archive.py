"""The members of a box: benchmark, graph, profile, counts, licence and Croissant metadata."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from chattyshared.benchmark import Benchmark, benchmark_lines
from chattyshared.endpoint import Endpoint
from chattyshared.formats.box import BENCHMARK, FORMAT, GRAPH, MANIFEST, PROFILE, open_jsonl, write_box
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import in_filter
from chattyshared.kg.profile_file import render_profile
from chattyshared.terms import Term, Triple, n3
from rdflib import BNode

from chattygen.export.dataset_card import FIELDS
from chattygen.snapshot.extraction import Snapshot
from chattygen.snapshot.options import SnapshotOptions

LICENSE_PREDICATES = (
    "http://purl.org/dc/terms/license", "http://creativecommons.org/ns#license", "http://schema.org/license",
    "https://schema.org/license",
)  # fmt: skip
_DATASET_CLASSES = (
    "http://www.w3.org/2002/07/owl#Ontology", "http://rdfs.org/ns/void#Dataset", "http://www.w3.org/ns/dcat#Dataset",
    "http://schema.org/Dataset", "https://schema.org/Dataset",
)  # fmt: skip
"""The classes of what stands for a whole graph: other things may have licenses of their own."""
_CROISSANT_CONTEXT = {
    "@language": "en", "@vocab": "https://schema.org/", "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/", "sc": "https://schema.org/", "conformsTo": "dct:conformsTo",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"}, "extract": "cr:extract", "field": "cr:field",
    "fileObject": "cr:fileObject", "jsonPath": "cr:jsonPath", "recordSet": "cr:recordSet", "repeated": "cr:repeated",
    "source": "cr:source",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class License:
    """The license of a graph: what the user says, else what the graph states of itself (empty: nothing)."""

    said: str = ""
    stated: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """What counts."""
        return (self.said,) if self.said else self.stated


def pack_box(  # noqa: PLR0913
    output: Path, file: Path, kg: KnowledgeGraph, snapshot: Snapshot, options: SnapshotOptions, license: str = ""
) -> None:
    """Write the box of a benchmark file and its snapshot of ``kg``.

    Raises:
        ConfigError: the box cannot be written.
        StorageFailed: the disk is full.
        EndpointError: the endpoint does not answer.
    """
    terms = License(" ".join(license.split()), read_license(kg.endpoint))
    graph = _text(render_triples(snapshot.triples))
    members = {
        BENCHMARK: _benchmark_bytes(file, snapshot),
        GRAPH: graph,
        PROFILE: _text(render_profile(kg.profile)),
        MANIFEST: _json(_manifest(kg, snapshot, options, terms)),
    }
    members["croissant.json"] = _json(_croissant(snapshot.benchmark, members, terms))
    members["LICENSE-NOTE.md"] = _text(_license_note(kg.name, terms))
    write_box(output, members)


def read_license(endpoint: Endpoint) -> tuple[str, ...]:
    """Return the licenses that a graph states of itself as a data set or an ontology, sorted.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    classes = in_filter("class", _DATASET_CLASSES)
    kinds = "?set <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> ?class"
    branches = " UNION ".join(f"{{ ?set <{iri}> ?license }}" for iri in LICENSE_PREDICATES)
    return tuple(sorted({str(row["license"]) for row in endpoint.select(
        f"SELECT DISTINCT ?license WHERE {{ {branches} {kinds} {classes} }} LIMIT 20")}))  # fmt: skip


def render_triples(triples: Iterable[Triple]) -> list[str]:
    """Return triples as the lines of N-Triples, sorted."""
    return sorted(f"{' '.join(map(_term_text, triple))} ." for triple in triples)


def _term_text(term: Term) -> str:
    return f"_:{term}" if isinstance(term, BNode) else n3(term)


def _benchmark_bytes(file: Path, snapshot: Snapshot) -> bytes:
    """Return the file as it is; without the turns that are left out, if there are any."""
    if snapshot.left_out:
        return _text(benchmark_lines(snapshot.benchmark))
    with open_jsonl(file) as stream:
        return bytes(stream.read())


def _manifest(kg: KnowledgeGraph, snapshot: Snapshot, options: SnapshotOptions, terms: License) -> dict[str, Any]:
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
        "license": list(terms.texts),
    }


def _croissant(benchmark: Benchmark, members: Mapping[str, bytes], terms: License) -> dict[str, Any]:
    """Return the metadata of Croissant 1.0; the files are named as they are in the box."""
    formats = {BENCHMARK: "application/jsonlines", GRAPH: "application/n-triples"}
    files = [
        {"@type": "cr:FileObject", "@id": name, "name": name, "contentUrl": name, "encodingFormat": formats[name],
         "contentSize": f"{len(members[name])} B", "sha256": hashlib.sha256(members[name]).hexdigest()}
        for name in formats
    ]  # fmt: skip
    return {
        "@context": _CROISSANT_CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": benchmark.name,
        "description": f"{benchmark.name}: conversational questions over a knowledge graph, with SPARQL queries, gold "
        "answers, and the part of the graph that reproduces them.",
        **({"license": list(terms.texts)} if terms.texts else {}),
        "distribution": files,
        "recordSet": [{
            "@type": "cr:RecordSet", "@id": "dialogues", "name": "dialogues",
            "description": "One dialogue a line; the first line of the file is the header.",
            "field": [_croissant_field(name, meaning) for name, meaning in FIELDS],
        }],
    }  # fmt: skip


def _croissant_field(name: str, meaning: str) -> dict[str, Any]:
    path = name.replace("[]", "[*]")
    return {
        "@type": "cr:Field", "@id": f"dialogues/{name}", "name": name, "description": meaning, "dataType": "sc:Text",
        "source": {"fileObject": {"@id": BENCHMARK}, "extract": {"jsonPath": f"$.{path}"}},
        **({"repeated": True} if "[]" in name else {}),
    }  # fmt: skip


def _license_note(name: str, terms: License) -> Sequence[str]:
    stated = f"The graph states of itself: {', '.join(terms.stated)}." if terms.stated else (
        "The graph states no license of its own: whoever passes this box on must ask its publisher.")  # fmt: skip
    said = [f"Who made this box says: {terms.said}", ""] if terms.said else []
    return (f"# License of {GRAPH}", "", f"{GRAPH} is a part of {' '.join(name.split())}.", "", *said, stated, "",
            f"{BENCHMARK} quotes names and values of that graph.")  # fmt: skip


def _json(value: Any) -> bytes:
    return _text([json.dumps(value, ensure_ascii=False, indent=1)])


def _text(lines: Any) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")
