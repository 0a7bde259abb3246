"""The engine that is given candidate queries: by a file, with its questions found by id or by text."""

import pytest
from chattyshared.dialogue import CandidateQuery
from chattyshared.errors import BenchmarkInvalid
from chattyshared.questions import Question

from chattykg.engines.candidate_lists import CandidateEngine, find_candidates
from chattykg.state import Verification

S, V = "https://ships.example/", "https://ships.example/vocab/"
CAPTAIN = f"SELECT ?x WHERE {{ <{S}aurora> <{V}captain> ?x }}"


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
