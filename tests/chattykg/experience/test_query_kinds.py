import pytest

from chattykg.experience.query_kinds import kinds_of_query, kinds_of_question

P = "<http://b.org/a-b>"


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("Who directed [film]?", set()),
        ("Who directed [the longest film than all]?", set()),
        ("Is [person] the captain of [ship]?", {"boolean"}),
        ("How many ships are there for each harbor?", {"count", "group"}),
        ("What share of the ships is green?", {"arithmetic"}),
        ("What is the average length of the ships?", {"aggregate"}),
        ("Which ship is the longest?", {"superlative"}),
        ("Which ships are longer than [number] meters?", {"filter"}),
        ("Which ships have no captain?", {"negation"}),
        ("List the ships and their captains, if any.", {"table", "optional"}),
    ],
)
def test_the_words_of_a_question_tell_its_kinds(question, kinds):
    assert kinds_of_question(question) == kinds


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        (f"SELECT ?x {{ ?s {P} ?x }}", set()),
        (f"ASK {{ ?s {P} ?x }}", {"boolean"}),
        (f"SELECT ?s ?x {{ ?s {P} ?y OPTIONAL {{ ?s {P} ?x }} }}", {"table", "optional"}),
        (f"SELECT ?s (COUNT(?x) AS ?n) {{ ?s {P} ?x }} GROUP BY ?s", {"table", "count", "group"}),
        (f"SELECT ?s {{ ?s {P} ?x }} ORDER BY ?x LIMIT 1", {"superlative"}),
        (f"SELECT ?s {{ ?s {P} ?x FILTER(?x > 3) }}", {"filter"}),
        (f"SELECT ?s {{ ?s {P} ?x FILTER NOT EXISTS {{ ?x {P} ?s }} }}", {"negation"}),
        (f"SELECT (AVG(?x) / 2 AS ?y) {{ ?s {P} ?x }}", {"aggregate", "arithmetic"}),
        (f"SELECT (?x - ?y AS ?z) {{ ?s {P} ?x ; {P} ?y }}", {"arithmetic"}),
        (f"SELECT ?x {{ ?s {P}/{P}* ?x . ?x ({P}|^{P})+ ?s }}", set()),
        ("no query", {"unread"}),
    ],
)
def test_the_features_of_a_query_tell_its_kinds(query, kinds):
    assert kinds_of_query(query) == kinds
