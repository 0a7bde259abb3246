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
_MATTERS = (
    "graphs", "proteins", "markets", "glaciers", "poems", "lasers", "forests", "languages", "galaxies", "networks",
    "memories", "enzymes", "rivers", "treaties", "symmetries", "vaccines",
)  # fmt: skip
_WAYS = ("Sampling", "Modelling", "Explaining", "Mapping", "Sorting", "Breaking", "Comparing", "Growing", "Counting")


class Zipf:
    """Draws places 0..size-1, the earlier the more often: weight 1 / (place + 1) ** 0.8."""

    def __init__(self, size: int) -> None:
        self._weights = list(accumulate((place + 1) ** -0.8 for place in range(size)))
        self._places = range(size)

    def draw(self, chance: Random, number: int = 1) -> list[int]:
        """Return distinct places, at most ``number``, sorted."""
        return sorted(set(chance.choices(self._places, cum_weights=self._weights, k=number)))


def graph(triples: int, seed: int = 0) -> Iterator[str]:
    """Yield the graph's lines: about as many as wanted (within some percent)."""
    chance = Random(f"scholarly/{seed}")
    papers = max(40, round(triples / PER_PAPER))
    sizes = {
        "Paper": papers, "Person": papers // 3 + 5, "Institute": papers // 60 + 4, "Venue": papers // 90 + 4,
        "Topic": papers // 50 + 6, "City": papers // 120 + 5, "Country": min(60, papers // 900 + 3),
    }  # fmt: skip
    zipf = {name: Zipf(size) for name, size in sizes.items()}
    yield from schema()
    names = Names(chance)
    for place in range(sizes["Country"]):
        yield from described("Country", place, names.word())
    for place in range(sizes["City"]):
        yield from described("City", place, names.word())
        yield edge("City", place, "country", "Country", *zipf["Country"].draw(chance))
        yield number("City", place, "population", chance.randrange(3_000, 9_000_000))
    for place in range(sizes["Topic"]):
        yield from described("Topic", place, f"{names.word()} {chance.choice(_MATTERS)}")
        if place:
            yield edge("Topic", place, "broaderTopic", "Topic", chance.randrange(place))
    for place in range(sizes["Venue"]):
        yield from described("Venue", place, f"Conference on {names.word()} {chance.choice(_MATTERS)}")
        yield edge("Venue", place, "locatedIn", "City", *zipf["City"].draw(chance))
        yield literal("Venue", place, "firstHeld", str(chance.randrange(1950, 2021)), "gYear")
        yield edge("Venue", place, "topic", "Topic", *zipf["Topic"].draw(chance))
    for place in range(sizes["Institute"]):
        yield from described("Institute", place, f"{names.word()} Institute")
        yield edge("Institute", place, "locatedIn", "City", *zipf["City"].draw(chance))
        yield literal("Institute", place, "founded", date(chance, 1850, 2010), "date")
        yield number("Institute", place, "staff", chance.randrange(12, 12_000))
    for place in range(sizes["Person"]):
        yield from person(place, names, zipf, chance)
    for place in range(sizes["Paper"]):
        yield from paper(place, names, zipf, chance)


def person(place: int, names: Names, zipf: dict[str, Zipf], chance: Random) -> Iterator[str]:
    """Yield what is stated of a person."""
    yield from described("Person", place, f"{names.word()} {names.word()}")
    yield edge("Person", place, "worksAt", "Institute", *zipf["Institute"].draw(chance))
    yield literal("Person", place, "birthDate", date(chance, 1930, 2000), "date")
    for topic in zipf["Topic"].draw(chance, chance.choice((1, 1, 2))):
        yield edge("Person", place, "fieldOfWork", "Topic", topic)
    if place and chance.random() < 0.6:
        yield edge("Person", place, "advisor", "Person", zipf["Person"].draw(chance)[0] % place)


def paper(place: int, names: Names, zipf: dict[str, Zipf], chance: Random) -> Iterator[str]:
    """Yield what is stated of a paper; it cites earlier ones only."""
    way, matter = chance.choice(_WAYS), chance.choice(_MATTERS)
    yield from described("Paper", place, f"{way} {names.word()} {matter} with {names.word()}")
    for author in zipf["Person"].draw(chance, chance.choice((1, 2, 2, 3, 4))):
        yield edge("Paper", place, "author", "Person", author)
    yield edge("Paper", place, "publishedAt", "Venue", *zipf["Venue"].draw(chance))
    for topic in zipf["Topic"].draw(chance, chance.choice((1, 1, 2, 3))):
        yield edge("Paper", place, "topic", "Topic", topic)
    yield literal("Paper", place, "publicationDate", date(chance, 1970, 2024), "date")
    yield number("Paper", place, "pages", chance.randrange(4, 60))
    if place:
        for cited in {draw % place for draw in zipf["Paper"].draw(chance, chance.randrange(0, 9))}:
            yield edge("Paper", place, "cites", "Paper", cited)


def schema() -> Iterator[str]:
    """Yield the labels of classes and predicates."""
    for name, label in CLASSES.items():
        yield f"<{BASE}vocab/{name}> {RDF_TYPE} <http://www.w3.org/2002/07/owl#Class> .\n"
        yield f'<{BASE}vocab/{name}> {LABEL} "{label}"@en .\n'
    for name, label in PREDICATES.items():
        yield f'<{BASE}vocab/{name}> {LABEL} "{label}"@en .\n'


def described(kind: str, place: int, label: str) -> Iterator[str]:
    """Yield the type and the label of a thing."""
    yield f"{thing(kind, place)} {RDF_TYPE} <{BASE}vocab/{kind}> .\n"
    yield f'{thing(kind, place)} {LABEL} "{label}"@en .\n'


def edge(kind: str, place: int, predicate: str, other: str, target: int) -> str:
    """Return a triple between two things."""
    return f"{thing(kind, place)} <{BASE}vocab/{predicate}> {thing(other, target)} .\n"


def number(kind: str, place: int, predicate: str, value: int) -> str:
    """Return a triple with a number."""
    return literal(kind, place, predicate, str(value), "integer")


def literal(kind: str, place: int, predicate: str, value: str, datatype: str) -> str:
    """Return a triple with a typed literal."""
    return f'{thing(kind, place)} <{BASE}vocab/{predicate}> "{value}"^^<{XSD}{datatype}> .\n'


def thing(kind: str, place: int) -> str:
    """Return the IRI of a thing in angle brackets."""
    return f"<{BASE}{kind.lower()}/{place}>"


def date(chance: Random, first: int, last: int) -> str:
    """Return a day between two years."""
    return f"{chance.randint(first, last)}-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}"


class Names:
    """Words that look like names; few of them twice."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def word(self) -> str:
        """Return a name of three or four syllables."""
        middles = "".join(self._chance.choices(_MIDDLES, k=self._chance.choice((1, 2, 2))))
        return self._chance.choice(_STARTS) + middles + self._chance.choice(_ENDS)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the graph and print its size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--triples", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, default=Path("scholarly.nt"))
    given = parser.parse_args(arguments)
    count = 0
    with given.output.open("w", encoding="utf-8") as file:
        for line in graph(given.triples, given.seed):
            file.write(line)
            count += 1
    print(f"{given.output}: {count:,} triples, {given.output.stat().st_size / 1e6:,.0f} MB")


if __name__ == "__main__":
    main()
