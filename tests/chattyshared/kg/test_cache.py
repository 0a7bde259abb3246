from chattyshared.kg import KnowledgeGraph, cache
from chattyshared.kg.cache import KGCache, RecentResults
from rdflib import URIRef

PARIS = URIRef("http://ex.org/r/Paris")


def read_all(kg: KnowledgeGraph) -> tuple[object, ...]:
    return kg.label(PARIS), kg.types_of([PARIS]), kg.predicates_of([PARIS]), kg.search(["paris"])


def test_copies_of_a_local_graph_read_shared_terms_once_and_through_the_graph_itself(places, counting) -> None:
    own, seen = counting(places), counting(places)
    kg = KnowledgeGraph(own)
    first = read_all(kg.with_endpoint(seen, shares_terms=True))
    sent = own.count
    assert first == read_all(kg.with_endpoint(seen, shares_terms=True))
    assert own.count == sent and seen.count == 0
    assert first == read_all(kg.with_endpoint(seen)) and seen.count > 0


def test_copies_of_a_remote_graph_share_no_terms(places, counting) -> None:
    kg, counts = KnowledgeGraph(places, use_index=False), []
    for _ in range(2):
        seen = counting(places)
        read_all(kg.with_endpoint(seen, shares_terms=True))
        counts.append(seen.count)
    assert counts[0] == counts[1] > 0


def test_a_full_cache_begins_anew_for_later_copies_only(places, counting, monkeypatch) -> None:
    monkeypatch.setattr(cache, "MAX_SHARED_TERMS", 0)
    own = counting(places)
    kg = KnowledgeGraph(own)
    copy = kg.with_endpoint(places, shares_terms=True)
    assert copy.label(PARIS) == "Paris"
    sent = own.count
    assert copy.label(PARIS) == "Paris" and own.count == sent
    assert kg.with_endpoint(places, shares_terms=True).label(PARIS) == "Paris" and own.count == sent + 1


def test_the_results_that_were_used_last_are_kept(places) -> None:
    made: list[int] = []
    recent = RecentResults(2)

    def ask(key: int) -> int:
        return recent.get_or_create(key, lambda: made.append(key) or -key)

    assert [ask(key) for key in (1, 2, 1, 3, 1, 2)] == [-1, -2, -1, -3, -1, -2]
    assert made == [1, 2, 3, 2]


def test_results_are_remembered_for_copies_that_share_terms(places) -> None:
    kg = KnowledgeGraph(places)
    assert kg.with_endpoint(places, shares_terms=True).remember("test", "a", lambda: 1) == 1
    assert kg.with_endpoint(places, shares_terms=True).remember("test", "a", lambda: 2) == 1
    assert kg.with_endpoint(places).remember("test", "a", lambda: 3) == 3


def test_a_search_asks_only_for_new_texts():
    cache, asked = KGCache(), []

    def find(texts):
        asked.append(list(texts))
        return {text: len(text) for text in texts}

    assert cache.search(["a", "bb"], "name", find) == {"a": 1, "bb": 2}
    assert cache.search(["bb", "ccc", "ccc"], "name", find) == {"bb": 2, "ccc": 3}
    assert cache.search(["ccc"], "name", find) == {"ccc": 3}
    assert cache.search(["a"], "literal", find) == {"a": 1}
    assert asked == [["a", "bb"], ["ccc"], ["a"]]


def test_the_copies_of_one_conversation_at_a_server_look_nothing_up_twice(places, counting) -> None:
    kg, first, second = KnowledgeGraph(places, use_index=False, index_up_to=0), counting(places), counting(places)
    conversation = kg.for_conversation()
    expected = read_all(conversation.with_endpoint(first, shares_terms=True))
    assert first.count > 2
    assert read_all(conversation.with_endpoint(second, shares_terms=True)) == expected
    assert second.count == 0
    assert read_all(kg.for_conversation().with_endpoint(second, shares_terms=True)) == expected
    assert second.count == first.count
