"""New names are put together from names of the same class, and stand wherever the old ones stood."""

from random import Random

from chattyshared.profile import Profile
from rdflib import RDF, RDFS, Literal, URIRef
from vessel_talk import TALK

from chattygen.twin.renaming import EntityRenamer, Renaming

PEOPLE = ("Ada Holt", "Ben Marsh", "Cleo Quist")
ALT = "http://www.w3.org/2004/02/skos/core#altLabel"


def v(name: str) -> URIRef:
    return URIRef(f"http://ex.org/{name}")


def people(*extra):
    named = {(v(f"p{n}"), RDFS.label, Literal(name, lang="en")) for n, name in enumerate(PEOPLE)}
    return named | {(v(f"p{n}"), RDF.type, v("Person")) for n in range(3)} | set(extra)


def renamed(graph, *names):
    renaming = EntityRenamer(graph, Profile(), Random(3)).rename(map(v, names))
    return renaming, {str(s).rpartition("/")[2]: str(o) for s, p, o in graph if p == RDFS.label}


def test_a_new_name_has_parts_of_two_others_and_nothing_has_it():
    graph = people()
    renaming, labels = renamed(graph, "p0")
    first, last = labels["p0"].split()
    assert labels["p0"] not in PEOPLE and first in "Ben Cleo" and last in "Holt Marsh Quist"
    assert renaming == Renaming({"Ada Holt": labels["p0"]}, 1, 0)
    assert next(o for s, p, o in graph if s == v("p0") and p == RDFS.label).language == "en"


def test_the_name_within_a_longer_label_is_replaced_there_and_other_names_are_removed():
    graph = people(
        (v("p0"), URIRef(ALT), Literal("Countess")),
        (v("p0"), v("note"), Literal("Ada Holt sailed.")),
        (v("p0"), RDFS.label, Literal("Kapitänin Holt", lang="de")),
    )
    renaming, _ = renamed(graph, "p0")
    new = renaming.texts["Ada Holt"]
    texts = {str(o) for s, p, o in graph if s == v("p0") and isinstance(o, Literal)}
    assert texts == {new, f"{new} sailed."}


def test_single_words_and_names_of_two_entities_stay():
    graph = people((v("p3"), RDFS.label, Literal("Ada Holt", lang="en")), (v("p4"), RDFS.label, Literal("Westhaven")))
    renaming, labels = renamed(graph, "p0", "p4")
    assert (renaming.renamed, renaming.kept) == (0, 2) and labels["p4"] == "Westhaven"


def test_questions_and_answers_have_the_new_names():
    dialogue = Renaming({"Ada Holt": "Cleo Marsh", "Albatross": "Albatross"}, 1).rewrite_dialogue(TALK)
    assert dialogue.turns[1].standalone == "Was Cleo Marsh born in Gullwick?"
    assert dialogue.turns[0].answers[0].label == "Cleo Marsh"
    assert dialogue.seed == TALK.seed and dialogue.turns[0].question == TALK.turns[0].question


def test_a_longer_name_that_stays_protects_a_shorter_one_in_it():
    renaming = Renaming({"Ring": "Stone", "The Ring": "The Ring"})
    assert renaming.rewrite("Ring, The Ring, Rings") == "Stone, The Ring, Rings"
    assert Renaming().rewrite("Ring") == "Ring"
