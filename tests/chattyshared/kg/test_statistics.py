import pytest
from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import EndpointTimeout
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.statistics import measure_statistics, read_or_measure

BEES, HIVES = 3_000, 1_000


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> LocalEndpoint:
    lines = ["@prefix : <https://bees.example/> ."]
    lines += [f":bee{number} a :Bee ." for number in range(BEES)] + [f":hive{n} a :Hive ." for n in range(HIVES)]
    path = tmp_path_factory.mktemp("bees") / "bees.ttl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return LocalEndpoint([path])


class Slow:
    """An endpoint that takes too long for queries with certain words."""

    name = "slow"

    def __init__(self, endpoint: LocalEndpoint, *words: str) -> None:
        self._endpoint, self._words, self.asked = endpoint, words, list[str]()

    def select(self, query: str) -> list[Row]:
        self.asked.append(query)
        if any(word in query for word in self._words):
            raise EndpointTimeout("too long", endpoint=self.name, query=query)
        return self._endpoint.select(query)

    def ask(self, query: str) -> bool:
        return self._endpoint.ask(query)

    def untrusted_view(self, stop: object = None) -> Endpoint:
        return self._endpoint.untrusted_view()


def test_classes_that_can_be_counted_have_no_error(local):
    found = measure_statistics(local)
    assert dict(found.classes) == {"https://bees.example/Bee": BEES, "https://bees.example/Hive": HIVES}
    assert (found.is_complete, dict(found.class_errors)) == (True, {})


def test_classes_that_cannot_be_counted_are_estimated_with_their_error(local):
    slow = Slow(local, "(COUNT(DISTINCT ?s) AS ?n)")
    found = measure_statistics(slow)
    assert found.is_complete is False
    assert sum(found.classes.values()) == pytest.approx(BEES + HIVES, abs=2)
    for name, true in (("Bee", BEES), ("Hive", HIVES)):
        kind = f"https://bees.example/{name}"
        assert found.class_errors[kind] > 0
        assert abs(found.classes[kind] - true) <= 2 * found.class_errors[kind]
    assert len(slow.asked) <= 25


def test_far_pages_that_take_too_long_are_replaced_by_nearer_ones(local):
    found = measure_statistics(Slow(local, "(COUNT(DISTINCT ?s) AS ?n)", "OFFSET 2", "OFFSET 1"))
    assert set(found.classes) <= {"https://bees.example/Bee", "https://bees.example/Hive"}
    assert found.classes


def test_where_nothing_at_random_places_can_be_read_a_part_is_counted(local):
    class Part(Slow):
        def select(self, query: str) -> list[Row]:
            self.asked.append(query)
            if "GROUP BY ?c" in query and "LIMIT" not in query or "OFFSET" in query:
                raise EndpointTimeout("too long", endpoint=self.name, query=query)
            return self._endpoint.select(query)

    found = measure_statistics(Part(local))
    assert found.classes["https://bees.example/Bee"] == BEES
    assert (found.is_complete, dict(found.class_errors)) == (False, {})


def test_an_estimate_is_told_as_one(local):
    types = {t.iri.rsplit("/", 1)[1]: t for t in KnowledgeGraph(Slow(local, "(COUNT(DISTINCT ?s) AS ?n)")).types()}
    assert types["Bee"].error > 0
    assert {t.error for t in KnowledgeGraph(local).types()} == {0.0}


def test_counts_are_kept_in_a_file_and_a_damaged_file_is_written_anew(local, tmp_path):
    path, measured = tmp_path / "counts.json", []

    def measure():
        measured.append(measure_statistics(local))
        return measured[-1]

    for content, times in ((None, 1), (None, 1), ("[1]", 2), ("{", 3), ('{"odd": 1}', 4)):
        if content:
            path.write_text(content)
        assert read_or_measure(path, measure) == measure_statistics(local)
        assert len(measured) == times
    assert read_or_measure(path / "below", measure) == measured[-1]
