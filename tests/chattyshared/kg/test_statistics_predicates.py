"""Predicates with few distinct objects say what stands there."""

from dataclasses import replace

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.statistics import measure_predicates, measure_statistics
from chattyshared.profile import Profile

V = "http://ex.org/v#"
STATES = ("open", "closed", "open", "open", "closed", "open")
LOCKS = "".join(
    f':l{n} a v:Lock ; rdfs:label "Lock {n}"@en ; v:state "{state}"@en ; v:number "N{n}" ; v:on :canal{n % 2} .'
    for n, state in enumerate(STATES)
)
CANALS = ':canal0 rdfs:label "Long Canal"@en . :canal1 rdfs:label "Short Canal"@en .'


def entries(turtle, text):
    return KnowledgeGraph(turtle(text)).vocabulary.predicates


def test_few_objects_are_listed_most_frequent_first_and_by_their_labels(turtle):
    found = entries(turtle, LOCKS + CANALS)
    assert (found[V + "state"].values, found[V + "state"].has_all_values) == (("open", "closed"), True)
    assert found[V + "on"].values == ("Long Canal", "Short Canal")


def test_what_tells_things_apart_is_not_listed_nor_are_names_and_classes(turtle):
    found = entries(turtle, LOCKS + CANALS)
    listed = {iri for iri, entry in found.items() if entry.values}
    assert listed == {V + "state", V + "on"}
    assert not found[V + "number"].has_all_values


def test_more_than_eight_are_not_few(turtle):
    many = "".join(f':t{n} rdfs:label "T{n}"@en ; v:kind "kind {n % 9}" .' for n in range(36))
    few = "".join(f':t{n} rdfs:label "T{n}"@en ; v:kind "kind {n % 8}" .' for n in range(36))
    assert entries(turtle, many)[V + "kind"].values == ()
    assert len(entries(turtle, few)[V + "kind"].values) == 8


def test_a_blank_node_among_them_forbids_a_list(turtle):
    said = "".join(f":x{n} v:part [ v:size {n} ] ; v:part :same ." for n in range(1)) + ":y v:part :same ."
    assert entries(turtle, said + ":z v:part :same . :w v:part :same .")[V + "part"].values == ()


def test_it_takes_one_request_when_cold_and_none_when_warm(turtle, counting):
    plain = "".join(f':l{n} rdfs:label "Lock {n}"@en ; v:number "N{n}" .' for n in range(6))
    spent = []
    for text in (plain, plain + ':l0 v:state "open" . :l1 v:state "open" .'):
        endpoint = counting(turtle(text))
        kg = KnowledgeGraph(endpoint)
        before = endpoint.count
        assert kg.vocabulary.predicates
        spent.append(endpoint.count - before)
        assert kg.vocabulary.predicates and endpoint.count == before + spent[-1]
    assert spent[1] == spent[0] + 1


def test_each_class_with_names_is_a_domain_of_the_label_however_many_others_a_sample_shows_first(turtle):
    rafts = "".join(f':a{n} a v:Raft ; rdfs:label "Raft {n}"@en .' for n in range(300))
    lone = ':{0} a v:{0} ; rdfs:label "{0}"@en .'
    endpoint = turtle(lone.format("Lock") + rafts + ":quay a v:Quay ; v:number 3 ." + lone.format("Weir"))
    counts = measure_statistics(endpoint)
    big = replace(counts, predicates={p: n * 1_000_000 for p, n in counts.predicates.items()})
    sampled = measure_predicates(endpoint, big, Profile())
    assert set(sampled["http://www.w3.org/2000/01/rdf-schema#label"].domains) == {V + "Raft", V + "Lock", V + "Weir"}
