from collections import Counter
from collections.abc import Callable
from random import Random

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.popularity import assign_bands, fetch_degrees
from rdflib import URIRef

from chattygen.options import Options
from chattygen.sampling.node_types import select_types
from chattygen.sampling.seeds import draw_by_band, draw_seeds, next_bands, order_by_band

NODE = "https://rooms.example/Room"


def iris(*names: str) -> tuple[URIRef, ...]:
    return tuple(URIRef(f"https://rooms.example/{name}") for name in names)


@pytest.fixture
def rooms(open_turtle: Callable[[str], KnowledgeGraph]) -> KnowledgeGraph:
    """One great hall with 60 doors, four rooms with 15, and sixty closets with one."""
    lines = ["@prefix : <https://rooms.example/> ."]
    for place, doors in enumerate([60] + [15] * 4 + [1] * 60):
        targets = ", ".join(f":door{place}_{n}" for n in range(doors))
        lines.append(f":r{place} a :Room ; :door {targets} .")
    return open_turtle("\n".join(lines))


def test_each_band_holds_a_third_of_the_triples(rooms: KnowledgeGraph):
    counts = fetch_degrees(rooms, NODE, Random(0))
    found = assign_bands(counts)
    assert Counter(found.values()) == {"head": 3, "torso": 22, "tail": 40}
    assert found[iris("r0")[0]] == "head"
    total = sum(counts.values())
    for band in ("head", "torso", "tail"):
        assert sum(counts[iri] for iri in found if found[iri] == band) == pytest.approx(total / 3, abs=61)


def test_the_same_number_is_drawn_of_each_band(rooms: KnowledgeGraph):
    drawn = draw_by_band(rooms, NODE, rng=Random(3), limit=10)
    assert Counter(drawn.values()) == {"head": 3, "torso": 10, "tail": 10}
    assert (
        drawn
        == draw_by_band(rooms, NODE, rng=Random(3), limit=10)
        != draw_by_band(rooms, NODE, rng=Random(4), limit=10)
    )


def test_a_slot_finds_its_band_at_each_try():
    pool, band_of = iris(*"abcdef"), dict(zip(iris(*"abcdef"), ("head", "tail") * 3, strict=True))
    order = order_by_band(pool, band_of, ("tail", "head"))
    assert [band_of[iri] for iri in order] == ["tail", "head"] * 3
    assert set(order) == set(pool)


def test_a_band_that_is_exhausted_is_helped_out_by_the_nearest():
    pool = iris(*"abc")
    band_of = dict(zip(pool, ("head", "torso", "tail"), strict=True))
    assert [band_of[iri] for iri in order_by_band(pool, band_of, ("head",))] == ["head", "torso", "tail"]
    assert order_by_band(pool, band_of, ()) == ()


def test_shares_are_kept_over_rounds():
    shares = (("head", 0.25), ("tail", 0.75))
    assert Counter(next_bands(8, Counter(), shares)) == {"head": 2, "tail": 6}
    assert Counter(next_bands(2, Counter({"tail": 6}), shares)) == {"head": 2}
    assert next_bands(1, Counter({"head": 3}), shares) == ("tail",)


def test_a_pool_by_popularity_knows_the_band_of_each(rooms: KnowledgeGraph):
    options = Options(dialogues=4, popularity=(("head", 0.5), ("tail", 0.5)))
    pool = draw_seeds(rooms, select_types(rooms, options), options)
    first = pool.ordered_by_band({NODE: 4}, {NODE: Counter()}, options.popularity).entities[NODE][:4]
    assert Counter(pool.bands[iri] for iri in first) == {"head": 2, "tail": 2}
    used = pool.without(first)
    assert set(first) & set(used.entities[NODE]) == set()
