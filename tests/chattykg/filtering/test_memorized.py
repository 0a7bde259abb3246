"""The simulator of MemQA: nothing but what a query says tells which of its queries is right."""

from collections import Counter
from statistics import fmean

import pytest
from chattyshared.errors import ConfigError
from chattyshared.questions import Question

from chattykg.engines.switches import MemorizedSwitches
from chattykg.filtering.memorized import MemorizedQueries, write_plainly

X = "https://x.example/"


def made(count, write=lambda n: f"SELECT ?x WHERE {{ <{X}t{n}> <{X}p> ?x }}"):
    return [Question(f"q{n}", f"What is {n}?", extra={"sparql": write(n)}) for n in range(count)]


def test_the_gold_query_is_one_of_the_candidates_and_the_others_are_of_other_questions():
    questions = made(30)
    for count in (2, 3, 21):
        memorized = MemorizedQueries(questions, MemorizedSwitches(candidates=count))
        for question in questions:
            queries = [each.query for each in memorized(question.id, question.question)]
            assert len(set(queries)) == count and queries.count(question.sparql.replace("?x", "?v1")) == 1


def test_the_rank_of_the_gold_query_is_uniform_and_each_list_is_repeatable():
    questions, ranks = made(400), Counter()
    memorized, again = (MemorizedQueries(questions, MemorizedSwitches()) for _ in range(2))
    other = MemorizedQueries(questions, MemorizedSwitches(seed=1))
    for question in questions:
        queries = memorized(question.id, question.question)
        assert queries == again(question.id, question.question)
        ranks[[each.query for each in queries].index(write_plainly(question.sparql))] += 1
    assert sum((count - 80) ** 2 / 80 for count in ranks.values()) < 18.5  # chi-square, 4 degrees, p = 0.001
    assert memorized("q1", "What is 1?") != other("q1", "What is 1?")


def test_another_benchmark_with_the_same_ids_has_no_lists():
    memorized = MemorizedQueries(made(5), MemorizedSwitches())
    assert memorized("q1", "Who planted the old tree?") is None
    assert memorized("q1", "What is 3?") == memorized("q3", "What is 3?")


def test_score_and_text_tell_nothing():
    def write(n):  # the names, the comment and the blanks of a query are those of its question
        return f"PREFIX q{n}: <{X}>\n# what is {n}?\nselect   ?what{n} {{ q{n}:t{n % 47} q{n}:p   $what{n} }}"

    questions = made(150, write)
    memorized = MemorizedQueries(questions, MemorizedSwitches(candidates=2))
    own, others = [], []
    for number, question in enumerate(questions):
        for each in memorized(question.id, question.question):
            assert (each.score, each.verdict, each.reason) == (0.0, "", "")
            assert each.query.startswith("select ?v1 { <") and "#" not in each.query and "PREFIX" not in each.query
            is_own = f"/t{number % 47}>" in each.query
            (own if is_own else others).append(len(each.query))
    assert len(own) == len(others) == 150  # questions of the same query never hide each other's
    assert abs(fmean(own) - fmean(others)) < 0.2


@pytest.mark.parametrize(
    ("sparql", "written"),
    [
        ("SELECT ?film WHERE { ?film a <urn:F> } # films", "SELECT ?v1 WHERE { ?v1 a <urn:F> }"),
        ('SELECT $a { ?b ?a "# ?a  b"@en }', 'SELECT ?v1 { ?v2 ?v1 "# ?a  b"@en }'),
        ("PREFIX e: <urn:e:> ASK { e:a e:b/e:c 3 }", "ASK { <urn:e:a> <urn:e:b>/<urn:e:c> 3 }"),
        ("SELECT (COUNT(?x) AS ?howMany) { ?x ?p 1 }", "SELECT (COUNT(?v1) AS ?v2) { ?v1 ?v3 1 }"),
        ("SELECT ?x { ?x ?p _:director }", ""),
        ("SELECT", ""),
    ],
)
def test_queries_are_written_alike(sparql, written):
    assert write_plainly(sparql) == written


def test_questions_without_a_usable_query_have_no_list_and_too_few_queries_are_told():
    questions = [*made(5), Question("none", "Who?"), Question("odd", "Who?", extra={"sparql": "SELECT"})]
    memorized = MemorizedQueries(questions, MemorizedSwitches())
    assert [memorized(id, "Who?") for id in ("none", "odd", "unknown")] == [None] * 3
    with pytest.raises(ConfigError, match="has 5 different queries that can be read: --switch candidates=6"):
        MemorizedQueries(questions, MemorizedSwitches(candidates=6))
