from turns_made import A, B, gold, says, turn

from chattykg.evaluation.error_analysis import failure_stage_of, measure_linking

QUERY = f"SELECT ?x WHERE {{ <{A}> <urn:p:sails> ?x }}"
RIGHT = {"has_links": True, "entities": (A,), "relations": ("urn:p:sails",)}


def stage(what, **rest: object) -> str:
    return failure_stage_of(turn(gold(B, sparql=QUERY, **rest), what))


def test_each_stage_is_told_by_what_is_there():
    assert stage(None) == "missing"
    assert failure_stage_of(turn(gold(B, sparql=QUERY), None), has_error=True) == "execution"
    assert stage(says()) == "unknown"
    assert stage(says(has_links=True)) == "understanding"
    assert stage(says(A, sparql=f"ASK {{ <{A}> <urn:p:sails> <{B}> }}", **RIGHT)) == "understanding"
    assert stage(says("2", sparql=QUERY.replace("?x", "(COUNT(?x) AS ?n)", 1), **RIGHT)) == "understanding"
    assert stage(says(A, has_links=True, entities=(B,))) == "linking"
    assert stage(says(A, sparql=QUERY.replace("sails", "owns"))) == "linking"
    assert stage(says(A, sparql=QUERY.replace("?x }", "?x . ?x a ?y }"))) == "selection"
    assert stage(says(sparql=QUERY)) == "empty"
    assert stage(says(**RIGHT)) == "selection"


def test_without_a_gold_query_yes_for_a_name_is_misunderstood():
    said = says("true", has_links=True, entities=(A,))
    assert failure_stage_of(turn(gold(B), said)) == "understanding"
    assert failure_stage_of(turn(gold(B), says(A, has_links=True, entities=(A,)))) == "selection"


def test_linking_is_recall_of_what_the_gold_query_names():
    turns = [
        turn(gold(B, id="1", sparql=QUERY), says(B, sparql="ASK { <urn:other:way> ?p ?o }")),
        turn(gold(B, id="2", sparql=QUERY), says(A, has_links=True, entities=(B,))),
        turn(gold(B, id="3", sparql=QUERY), None),
        turn(gold(B, id="4"), says(A)),
    ]
    found = measure_linking(turns, {"2": frozenset({A})})
    assert found == {
        "vertices": [0, 0, 0], "candidates": [0, 1, 0], "predicates": [0, 0, 0], "predicate_candidates": [0, 0, 0],
    }  # fmt: skip
    assert measure_linking(turns)["candidates"] == []


def test_linking_is_what_was_proposed_and_what_was_chosen():
    proposed = {"proposed_entities": (A, B), "proposed_relations": ("urn:p:sails",)}
    turns = [
        turn(gold(B, id="1", sparql=QUERY), says(B, **RIGHT, **proposed)),
        turn(gold(B, id="2", sparql=QUERY), says(A, sparql=f"ASK {{ <{B}> <urn:p:sails> ?x }}", **proposed)),
        turn(gold(B, id="3", sparql=QUERY), says(has_links=True, **proposed)),
        turn(gold(B, id="4", sparql=QUERY), None),
    ]
    recall = measure_linking(turns)
    assert (recall["candidates"], recall["vertices"]) == ([1, 1, 1, 0], [1, 0, 0, 0])
    assert (recall["predicate_candidates"], recall["predicates"]) == ([1, 1, 1, 0], [1, 1, 0, 0])


def test_a_system_that_says_neither_links_nor_queries_is_not_measured():
    assert measure_linking([turn(gold(B, sparql=QUERY), says(B))]) is None
    assert measure_linking([turn(gold(B), says(B, sparql=QUERY))]) is None
