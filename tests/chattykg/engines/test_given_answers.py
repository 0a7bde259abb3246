"""The engine that is given candidate queries: by a file, with its questions found by id or by text."""

from collections import Counter
from statistics import fmean

import pytest
from chattyshared.dialogue import CandidateQuery
from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.questions import Question

from chattykg.engines.given_answers import CandidateEngine, MemorizedQueries, find_candidates, write_plainly
from chattykg.engines.switches import MemorizedSwitches
from chattykg.state import Verification

S, V = "https://ships.example/", "https://ships.example/vocab/"
CAPTAIN = f"SELECT ?x WHERE {{ <{S}aurora> <{V}captain> ?x }}"
X = "https://x.example/"


def question(id, text, *queries):
    return Question(id, text, extra={"candidates": list(queries)})


def test_candidates_are_found_by_id_and_by_text_where_the_id_is_of_another_question():
    found = find_candidates([question(1, "Who?", "A"), question("x", "What  IS it?", "B"), question(3, "When?", "C")])
    assert [found(id, text)[0].query for id, text in (("1", "Who?"), ("1", "what is it?"), ("9", "When?"))] == [*"ABC"]
    assert found("9", "Unknown?") is None


def test_an_id_has_its_list_only_for_its_own_question_or_a_translation_of_it():
    found = find_candidates([
        Question(1, "When was she born?", extra={"candidates": ["A"], "standalone": "When was Ida Moor born?"})
    ])  # fmt: skip
    for text in ("When was she born?", "when was Ida Moor born?", "Wann wurde sie geboren?", "Когда она родилась?"):
        assert found("1", text) == (CandidateQuery("A"),)
    for text in ("Who planted the old tree?", "Ida Moor born"):  # the language of names is not known
        assert found("1", text) is None


def test_a_broken_list_is_told_before_the_first_question():
    with pytest.raises(BenchmarkInvalid, match=r"f.json, question 2: \$.candidates\[1\]"):
        find_candidates([question(1, "Who?"), question(2, "Who?", "A", 3)], "f.json")


def test_an_answer_has_its_costs(ships, scripted):
    model = scripted(verification={"verdict": "yes"})
    engine = CandidateEngine(ships, find_candidates([question(1, "Who?", CAPTAIN, CAPTAIN)]), models={"": model},
                             verification=Verification("openai:m"))  # fmt: skip
    answer = engine.answer("Who?", span="1")
    assert [value.label for value in answer.values] == ["Ann Lee"]
    assert (answer.standalone, answer.usage.calls, answer.candidate_queries) == ("Who?", 2, 1)
    assert answer.queries >= 1 and answer.seconds > 0
    unknown = engine.answer("When?", span="2")
    assert (unknown.status, unknown.reason.code, unknown.standalone) == ("unknown", "too-unsure", "When?")
    assert "no candidate queries for this question" in unknown.reason.text


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
    questions, ranks = made(200), Counter()
    memorized, again = (MemorizedQueries(questions, MemorizedSwitches()) for _ in range(2))
    other = MemorizedQueries(questions, MemorizedSwitches(seed=1))
    for question in questions:
        queries = memorized(question.id, question.question)
        assert queries == again(question.id, question.question)
        ranks[[each.query for each in queries].index(write_plainly(question.sparql))] += 1
    assert sum((count - 40) ** 2 / 40 for count in ranks.values()) < 18.5  # chi-square, 4 degrees, p = 0.001
    assert memorized("q1", "What is 1?") != other("q1", "What is 1?")


def test_score_and_text_tell_nothing():
    def write(n):  # the names, the comment and the blanks of a query are those of its question
        return f"PREFIX q{n}: <{X}>\n# what is {n}?\nselect   ?what{n} {{ q{n}:t{n % 47} q{n}:p   $what{n} }}"

    questions = made(100, write)
    memorized = MemorizedQueries(questions, MemorizedSwitches(candidates=2))
    own, others = [], []
    for number, question in enumerate(questions):
        for each in memorized(question.id, question.question):
            assert (each.score, each.verdict, each.reason) == (0.0, "", "")
            assert each.query.startswith("select ?v1 { <") and "#" not in each.query and "PREFIX" not in each.query
            is_own = f"/t{number % 47}>" in each.query
            (own if is_own else others).append(len(each.query))
    assert len(own) == len(others) == 100  # questions of the same query never hide each other's
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
    assert [memorized(id, "Who?") for id in ("none", "odd", "unknown", "q1")] == [None] * 4
    assert memorized("q1", "What is 3?") == memorized("q3", "What is 3?")
    with pytest.raises(ConfigError, match="has 5 different queries that can be read: --set candidates=6"):
        MemorizedQueries(questions, MemorizedSwitches(candidates=6))
