"""All things of a class as a set: which classes are one, and that what is asked of them is what the graph says."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel
from rdflib import URIRef

from chattygen import RULEBOOK, Options
from chattygen.context.class_sets import class_context
from chattygen.context.reader import read_context
from chattygen.planning.offers import Offers
from chattygen.run import RunContext
from chattygen.runs.preparation import choose_types
from chattygen.wording.queries import run_turn

HEAD = """
@prefix : <https://peaks.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Peak a rdfs:Class ; rdfs:label "peak" .
:height rdfs:label "height" . :huts rdfs:label "number of huts" . :range rdfs:label "mountain range" .
:Low rdfs:label "Low Range" . :High rdfs:label "High Range" .
"""
NAMES = "Alder Birch Cedar Dune Elm Fern Gorse Hazel Iris Juniper Kestrel Larch".split()


def peaks(number: int, class_iri: str = ":Peak") -> str:
    return "\n".join(
        f':p{index} a {class_iri} ; rdfs:label "Mount {NAMES[index % 12]}{"x" * (index // 12)}" ; '
        f":height {1000 + 37 * index} ; :huts {20 + 7 * index} ; :range :{'Low' if index < number - 4 else 'High'} ."
        for index in range(number)
    )


def run_of(kg: KnowledgeGraph) -> RunContext:
    selection = choose_types(kg, Options(min_predicates=1, min_triples=1))
    return RunContext(kg, selection.naming, selection.options, selection.excluded_predicates, RuleModel(RULEBOOK))


@pytest.mark.parametrize(
    ("graph", "size"),
    [
        (peaks(12), 12), (peaks(30), 30), (peaks(2), 0), (peaks(31), 0),
        (peaks(5) + " :Spike rdfs:subClassOf :Peak . :s a :Spike ; rdfs:label \"Pike\" ; :height 9 .", 0),
        (peaks(5) + " :s a :Peak ; rdfs:label \"Pike\" .", 6),
    ],
)  # fmt: skip
def test_a_class_is_a_set_if_all_of_its_things_are_known_and_few(
    open_turtle: Callable[[str], KnowledgeGraph], graph: str, size: int
):
    context = class_context(run_of(open_turtle(HEAD + graph)), "https://peaks.example/Peak")
    assert (len(context.answer_sets[0].members) if context else 0) == size


def test_what_is_asked_of_a_class_is_what_the_graph_says(open_turtle: Callable[[str], KnowledgeGraph]):
    run = run_of(open_turtle(HEAD + peaks(12)))
    seed = URIRef("https://peaks.example/p11")
    context = read_context(run, seed, "https://peaks.example/Peak")
    turns = Offers(run, context).of_class(context.seed.entity)
    assert {turn.form for turn in turns} >= {"superlative", "count", "filter", "conjunction", "sum", "average"}
    for turn in turns:
        run_turn(run, turn)  # refuses a result that the graph does not say
    highest = next(turn for turn in turns if turn.form == "superlative" and turn.condition.kind == "most")
    assert highest.expected == (seed,) and highest.is_of_class
    assert next(turn for turn in turns if turn.form == "sum").expected == Decimal(sum(20 + 7 * n for n in range(12)))
    held = next(turn for turn in turns if turn.form == "conjunction")
    assert (
        held.condition.value == "High Range"
    )  # the one of the thing that was spoken of, though others are more frequent
