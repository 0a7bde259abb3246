from random import Random

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from rdflib import URIRef

V = "http://ex.org/v#"


def test_a_kg_behind_a_server_is_the_same_kg(places, sparql_server):
    near = KnowledgeGraph(places)
    far = open_kg([sparql_server(*places.files).url])
    assert (far.count_triples(), far.types(), far.profile) == (near.count_triples(), near.types(), near.profile)
    assert far.fingerprint() == near.fingerprint()
    assert far.vocabulary == near.vocabulary
    texts = ["Germani", "colonia", "lonely island", "anna alvarez"]
    assert far.search(texts) == near.search(texts)
    assert far.search_literals(["1844", "always on"]) == near.search_literals(["1844", "always on"])
    for kg in (near, far):
        assert kg.sample_entities(V + "City", rng=Random(3), limit=2) == near.sample_entities(
            V + "City", rng=Random(3), limit=2
        )
        koeln = [URIRef("http://ex.org/r/Koeln")]
        assert kg.neighbourhoods(koeln) == near.neighbourhoods(koeln)


def test_pages_that_a_server_has_cut_are_asked_on(places, counting):
    from chattyshared.kg.batches import fetch_pages

    class Cut(counting):
        def select(self, query):
            head, _, tail = query.rpartition(" LIMIT ")
            limit, _, offset = tail.partition(" OFFSET ")
            return super().select(f"{head} LIMIT {min(int(limit), 100)} OFFSET {offset or 0}")

    everything = "SELECT ?a ?b ?c WHERE { ?a ?p ?b . ?b ?q ?c }"
    pairs = "SELECT ?s ?o WHERE { ?s ?p ?x . ?o ?q ?y }"
    assert len(list(fetch_pages(Cut(places), pairs, 1000))) == len(places.select(pairs)) > 1000
    assert len(list(fetch_pages(Cut(places), everything, 1000))) == len(places.select(everything))
