"""What several workers want at the same moment is asked once, and the number of workers changes no request."""

import threading
from collections import Counter

import pytest
from chattyshared.endpoint.remote import RemoteEndpoint
from chattyshared.endpoint.result_cache import RequestCoalescer
from chattyshared.errors import QueryRejected
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel
from wire.server import Fault

from chattygen import RULEBOOK, Options
from chattygen.pipeline import generate

TURTLE = "PREFIX e: <http://e/> e:a e:p 1, 2, 3 ."
ASKED = "SELECT ?o { ?s ?p ?o }"


def mills(number):
    lines = ["@prefix : <http://e/> . @prefix v: <http://e/v/> . @prefix r: <http://www.w3.org/2000/01/rdf-schema#> ."]
    for place in range(number):
        lines.append(
            f':m{place} a v:Mill ; r:label "Mill {place:03}"@en ; v:miller :p{place} ; v:stones {place % 7 + 1} ;'
            f' v:grain "{("rye", "oats", "barley")[place % 3]}" ; v:river :r{place % 4} ; v:built {1700 + place} .'
            f' :p{place} a v:Miller ; r:label "Miller {place:03}"@en ; v:born {1650 + place} .'
            f' :r{place % 4} a v:River ; r:label "River {place % 4}"@en ; v:length {40 + place % 4} .'
        )
    return "\n".join(lines)


def together(number, ask):
    found, threads = [], []

    def kept():
        try:
            found.append(ask())
        except QueryRejected as error:
            found.append(str(error))

    threads = [threading.Thread(target=kept) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_the_same_query_at_the_same_moment_is_one_request(sparql_server):
    server = sparql_server(TURTLE)
    server.always = Fault(body=None, delay=0.5)
    endpoint = RemoteEndpoint(server.url)
    found = together(8, lambda: endpoint.select(ASKED))
    assert len(server.received) == 1
    assert [len(rows) for rows in found] == [3] * 8
    found[0].clear()
    assert len(found[1]) == 3
    endpoint.select(ASKED)
    assert len(server.received) == 2


def test_all_hear_of_its_failure(sparql_server):
    server = sparql_server(TURTLE)
    server.always = Fault(400, "no", delay=0.5)
    endpoint = RemoteEndpoint(server.url)
    assert together(4, lambda: endpoint.select(ASKED)) == [f"{server.url}: HTTP 400: no"] * 4
    assert len(server.received) == 1


def test_who_waited_for_one_that_was_interrupted_asks_itself():
    began, goes_on, flying = threading.Event(), threading.Event(), RequestCoalescer()

    def interrupted():
        began.set()
        goes_on.wait(10)
        raise KeyboardInterrupt

    def first():
        with pytest.raises(KeyboardInterrupt):
            flying.run_once("a", interrupted)

    leader = threading.Thread(target=first)
    leader.start()
    began.wait(10)
    found = []
    other = threading.Thread(target=lambda: found.append(flying.run_once("a", lambda: 7)))
    other.start()
    goes_on.set()
    for thread in (leader, other):
        thread.join()
    assert found == [7] and flying.run_once("a", lambda: 8) == 8


def test_form_and_words_tell_queries_apart(sparql_server):
    server = sparql_server(TURTLE)
    server.always = Fault(body=None, delay=0.3)
    endpoint = RemoteEndpoint(server.url)
    with pytest.raises(QueryRejected):
        endpoint.ask(ASKED)
    numbers = iter(range(4))
    assert together(4, lambda: len(endpoint.select(f"SELECT ?o {{ ?s ?p ?o }} LIMIT {next(numbers)}"))) != [3] * 4
    assert len({each.query for each in server.received}) == 5


def test_more_workers_send_no_more_requests(sparql_server):
    """What belongs to the whole KG (classes, predicates, their labels, members of a class) is read once for all."""
    server = sparql_server(mills(60))

    def sent(workers):
        server.received.clear()
        kg = KnowledgeGraph(RemoteEndpoint(server.url), use_index=False)
        options = Options(dialogues=6, turns=3, workers=workers)
        assert sum(bool(one.dialogue) for one in generate(kg, RuleModel(RULEBOOK), options)) == 6
        return Counter(each.query for each in server.received)

    alone = sent(1)
    assert sum(sent(8).values()) <= sum(alone.values())
    shared = [query for query in alone if "http://e/m" not in query and "http://e/p" not in query]
    assert len(shared) > 10 and {alone[query] for query in shared if "GROUP BY" in query} == {1}
