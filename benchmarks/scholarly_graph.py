"""Write a synthetic scholarly knowledge graph of any size as N-Triples: equal arguments give equal bytes.

    python benchmarks/scholarly_graph.py --triples 1000000 -o scholarly.nt

People write papers, papers appear at venues, have topics and cite each other, people work at institutes in cities. How
often a thing is pointed to follows Zipf's law, as it does in real graphs: some authors, venues and topics are hubs.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from random import Random

BASE = "http://scholarly.example/"
RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
XSD = "http://www.w3.org/2001/XMLSchema#"
PER_PAPER = 15.3
"""Triples per paper, everything else of the graph included, as this script writes them."""

CLASSES = {
    "Paper": "paper", "Person": "person", "Institute": "institute", "Venue": "venue", "Topic": "topic", "City": "city",
    "Country": "country",
}  # fmt: skip
PREDICATES = {
    "author": "author", "publishedAt": "published at", "topic": "topic", "cites": "cites",
    "publicationDate": "publication date", "pages": "number of pages", "worksAt": "works at",
    "advisor": "doctoral advisor", "birthDate": "birth date", "locatedIn": "located in", "founded": "founded",
    "broaderTopic": "broader topic", "country": "country", "population": "population", "firstHeld": "first held",
    "staff": "number of employees", "fieldOfWork": "field of work",
}  # fmt: skip
_STARTS = (
    "Bra",
    "Cor",
    "Del",
    "Fen",
    "Gal",
    "Hol",
    "Jor",
    "Kel",
    "Lin",
    "Mar",
    "Nor",
    "Pet",
    "Ros",
    "Sil",
    "Tor",
    "Val",
)
_MIDDLES = ("a", "be", "da", "e", "gi", "la", "mo", "ne", "o", "ri", "sa", "ti", "va", "wi")
_ENDS = ("ck", "dan", "der", "las", "lin", "man", "nen", "ra", "rin", "son", "stad", "ta", "ton", "va", "ville", "x")
_SUBJECTS = (
    "graphs", "proteins", "markets", "glaciers", "poems", "lasers", "forests", "languages", "galaxies", "networks",
    "memories", "enzymes", "rivers", "treaties", "symmetries", "vaccines",
)  # fmt: skip
_ACTIVITIES = (
    "Sampling",
    "Modelling",
    "Explaining",
    "Mapping",
    "Sorting",
    "Breaking",
    "Comparing",
    "Growing",
    "Counting",
)


class Zipf:
    """Draws indices 0..size-1 with the weight 1 / (index + 1) ** 0.8."""

    def __init__(self, size: int) -> None:
        self._weights = list(accumulate((index + 1) ** -0.8 for index in range(size)))
        self._places = range(size)

    def draw(self, rng: Random, number: int = 1) -> list[int]:
        """Return distinct indices, at most ``number``, sorted."""
        return sorted(set(rng.choices(self._places, cum_weights=self._weights, k=number)))


def graph(triples: int, seed: int = 0) -> Iterator[str]:
    """Yield the lines of the graph: about ``triples`` of them (within some percent)."""
    rng = Random(f"scholarly/{seed}")
    papers = max(40, round(triples / PER_PAPER))
    sizes = {
        "Paper": papers, "Person": papers // 3 + 5, "Institute": papers // 60 + 4, "Venue": papers // 90 + 4,
        "Topic": papers // 50 + 6, "City": papers // 120 + 5, "Country": min(60, papers // 900 + 3),
    }  # fmt: skip
    zipf = {name: Zipf(size) for name, size in sizes.items()}
    yield from schema()
    names = Names(rng)
    for index in range(sizes["Country"]):
        yield from described("Country", index, names.word())
    for index in range(sizes["City"]):
        yield from described("City", index, names.word())
        yield edge("City", index, "country", "Country", *zipf["Country"].draw(rng))
        yield number("City", index, "population", rng.randrange(3_000, 9_000_000))
    for index in range(sizes["Topic"]):
        yield from described("Topic", index, f"{names.word()} {rng.choice(_SUBJECTS)}")
        if index:
            yield edge("Topic", index, "broaderTopic", "Topic", rng.randrange(index))
    for index in range(sizes["Venue"]):
        yield from described("Venue", index, f"Conference on {names.word()} {rng.choice(_SUBJECTS)}")
        yield edge("Venue", index, "locatedIn", "City", *zipf["City"].draw(rng))
        yield literal("Venue", index, "firstHeld", str(rng.randrange(1950, 2021)), "gYear")
        yield edge("Venue", index, "topic", "Topic", *zipf["Topic"].draw(rng))
    for index in range(sizes["Institute"]):
        yield from described("Institute", index, f"{names.word()} Institute")
        yield edge("Institute", index, "locatedIn", "City", *zipf["City"].draw(rng))
        yield literal("Institute", index, "founded", date(rng, 1850, 2010), "date")
        yield number("Institute", index, "staff", rng.randrange(12, 12_000))
    for index in range(sizes["Person"]):
        yield from person(index, names, zipf, rng)
    for index in range(sizes["Paper"]):
        yield from paper(index, names, zipf, rng)


def person(index: int, names: Names, zipf: dict[str, Zipf], rng: Random) -> Iterator[str]:
    """Yield what is stated of a person."""
    yield from described("Person", index, f"{names.word()} {names.word()}")
    yield edge("Person", index, "worksAt", "Institute", *zipf["Institute"].draw(rng))
    yield literal("Person", index, "birthDate", date(rng, 1930, 2000), "date")
    for topic in zipf["Topic"].draw(rng, rng.choice((1, 1, 2))):
        yield edge("Person", index, "fieldOfWork", "Topic", topic)
    if index and rng.random() < 0.6:
        yield edge("Person", index, "advisor", "Person", zipf["Person"].draw(rng)[0] % index)


def paper(index: int, names: Names, zipf: dict[str, Zipf], rng: Random) -> Iterator[str]:
    """Yield what is stated of a paper; it cites earlier ones only."""
    activity, subject = rng.choice(_ACTIVITIES), rng.choice(_SUBJECTS)
    yield from described("Paper", index, f"{activity} {names.word()} {subject} with {names.word()}")
    for author in zipf["Person"].draw(rng, rng.choice((1, 2, 2, 3, 4))):
        yield edge("Paper", index, "author", "Person", author)
    yield edge("Paper", index, "publishedAt", "Venue", *zipf["Venue"].draw(rng))
    for topic in zipf["Topic"].draw(rng, rng.choice((1, 1, 2, 3))):
        yield edge("Paper", index, "topic", "Topic", topic)
    yield literal("Paper", index, "publicationDate", date(rng, 1970, 2024), "date")
    yield number("Paper", index, "pages", rng.randrange(4, 60))
    if index:
        for cited in {draw % index for draw in zipf["Paper"].draw(rng, rng.randrange(0, 9))}:
            yield edge("Paper", index, "cites", "Paper", cited)


def schema() -> Iterator[str]:
    """Yield the labels of classes and predicates."""
    for name, label in CLASSES.items():
        yield f"<{BASE}vocab/{name}> {RDF_TYPE} <http://www.w3.org/2002/07/owl#Class> .\n"
        yield f'<{BASE}vocab/{name}> {LABEL} "{label}"@en .\n'
    for name, label in PREDICATES.items():
        yield f'<{BASE}vocab/{name}> {LABEL} "{label}"@en .\n'


def described(kind: str, index: int, label: str) -> Iterator[str]:
    """Yield the type and the label of a thing."""
    yield f"{thing(kind, index)} {RDF_TYPE} <{BASE}vocab/{kind}> .\n"
    yield f'{thing(kind, index)} {LABEL} "{label}"@en .\n'


def edge(kind: str, index: int, predicate: str, other: str, target: int) -> str:
    """Return a triple between two things."""
    return f"{thing(kind, index)} <{BASE}vocab/{predicate}> {thing(other, target)} .\n"


def number(kind: str, index: int, predicate: str, value: int) -> str:
    """Return a triple with a number."""
    return literal(kind, index, predicate, str(value), "integer")


def literal(kind: str, index: int, predicate: str, value: str, datatype: str) -> str:
    """Return a triple with a typed literal."""
    return f'{thing(kind, index)} <{BASE}vocab/{predicate}> "{value}"^^<{XSD}{datatype}> .\n'


def thing(kind: str, index: int) -> str:
    """Return the IRI of a thing in angle brackets."""
    return f"<{BASE}{kind.lower()}/{index}>"


def date(rng: Random, first: int, last: int) -> str:
    """Return a day between two years."""
    return f"{rng.randint(first, last)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"


class Names:
    """Random words that look like names, with few repetitions."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def word(self) -> str:
        """Return a name of three or four syllables."""
        middles = "".join(self._rng.choices(_MIDDLES, k=self._rng.choice((1, 2, 2))))
        return self._rng.choice(_STARTS) + middles + self._rng.choice(_ENDS)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the graph and print its size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--triples", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, default=Path("scholarly.nt"))
    options = parser.parse_args(arguments)
    count = 0
    with options.output.open("w", encoding="utf-8") as file:
        for line in graph(options.triples, options.seed):
            file.write(line)
            count += 1
    print(f"{options.output}: {count:,} triples, {options.output.stat().st_size / 1e6:,.0f} MB")


if __name__ == "__main__":
    main()
