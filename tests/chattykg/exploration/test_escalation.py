"""When a direct attempt leaves something to be looked up."""

from dataclasses import replace

import pytest
from chattyshared.errors import ModelRefused, ReplyInvalid
from chattyshared.kg.factory import open_kg

from chattykg.direct.attempt import QueryAttempts
from chattykg.direct.schema_prompt import build_schema_prompt
from chattykg.exploration.escalation import AttemptLog, find_reason_to_explore
from chattykg.linking.vocabulary_card import build_vocabulary_card

QUESTION = "Who is the vegan captain of the Aurora?"
CAPTAIN = "SELECT ?x { e:1 p:captain ?x }"
NONE = {"shape": "none", "sparql": ""}


@pytest.fixture
def reason(ships):
    """Check one reply; return the reason to explore, and the log."""

    def find(reply, question=QUESTION, is_complete=True):
        card = build_vocabulary_card(question, ships)
        schema_prompt = build_schema_prompt(ships, card)
        assert schema_prompt.named_share == 1
        if not is_complete:
            schema_prompt = replace(schema_prompt, named_share=0.5)
        log = AttemptLog(QueryAttempts(ships, schema_prompt, question, card))
        list(log.check_reply(reply, {}))
        return find_reason_to_explore(log), log

    return find


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ({"shape": "one", "sparql": CAPTAIN, "unused": []}, ""),
        ({"shape": "one", "sparql": "SELECT ?x { ?x p:captain e:1 }"}, "The query gives nothing. "),
        ({"shape": "one", "sparql": "SELECT ?x { e:1 p:"}, "The query cannot be run: "),
        ({**NONE, "unused": ["vegan"]}, ""),
        ({**NONE, "unused": []}, ""),
        ({"shape": "missing", "sparql": "", "unused": ["vegan"]}, ""),
    ],
)
def test_where_all_was_listed_only_a_failure_is_explored(reason, reply, told):
    assert reason(reply)[0].startswith(told) and bool(reason(reply)[0]) == bool(told)


def test_where_the_vocabulary_was_cut_a_refusal_is_explored(reason):
    assert (
        'search the graph for "vegan" before you refuse' in reason({**NONE, "unused": ["vegan"]}, is_complete=False)[0]
    )
    assert "search the graph for what is asked before" in reason({**NONE, "unused": []}, is_complete=False)[0]
    assert reason({"shape": "one", "sparql": CAPTAIN, "unused": []}, is_complete=False)[0] == ""


@pytest.mark.parametrize("word", ["country", "captain", "birth"])
def test_a_common_word_is_no_name(reason, word):
    """Any common word stands in some name: it would be looked up in vain."""
    assert reason({**NONE, "unused": [word]}, f"Which {word} does the Aurora have?")[0] == ""


def test_names_like_the_texts_of_an_empty_query_get_numbers(reason):
    sparql = 'SELECT ?x { ?s rdfs:label ?l ; p:captain ?x FILTER(LCASE(STR(?l)) = "borealiss") }'
    told, log = reason({"shape": "one", "sparql": sparql}, "Who commands the Northern Light?")
    assert 'e:1 "Borealis" [p:Tanker] is like "borealiss".' in told
    assert [vertex.label for vertex in log.attempts.schema_prompt.vertices] == ["Borealis"]


def test_what_is_listed_is_told_of_no_more(reason):
    question = "Who is the captain of the Aurora of the Borealis?"
    assert reason({**NONE, "unused": ["Borealis"]}, question)[0] == ""


def test_a_value_that_was_not_shown_is_told(tmp_path):
    woods = ["walnut", "oak", *(f"wood number {n}" for n in range(60))]
    boats = "".join(f':b{n} a :Boat ; rdfs:label "Boat {n}" ; :wood "{wood}" .\n' for n, wood in enumerate(woods))
    prefixes = "@prefix : <https://b.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    (tmp_path / "boats.ttl").write_text(prefixes + boats, encoding="utf-8")
    kg, question = open_kg([str(tmp_path / "boats.ttl")]), "Which boats are of walnutt or made of oak?"
    other_card, card = build_vocabulary_card("Which boats are there?", kg), build_vocabulary_card(question, kg)
    log = AttemptLog(QueryAttempts(kg, build_schema_prompt(kg, other_card), question, card))
    list(log.check_reply({**NONE, "unused": ["walnutt"]}, {}))
    told = find_reason_to_explore(log)
    assert told == (
        'Not listed so far: "walnut" stands under p:wood, like "walnutt".'
        " If that is what is meant, use it; else answer as before."
    )
    listed = AttemptLog(QueryAttempts(kg, build_schema_prompt(kg, card), question, card))
    list(listed.check_reply({**NONE, "unused": ["walnutt", "oak"]}, {}))
    assert find_reason_to_explore(listed) == ""


def test_a_model_that_declined_is_not_asked_again(ships):
    card = build_vocabulary_card(QUESTION, ships)
    log = AttemptLog(QueryAttempts(ships, build_schema_prompt(ships, card), QUESTION, card))
    log.record_failure(ModelRefused("no", model="m"))
    assert log.is_final and find_reason_to_explore(log) == ""


def test_a_reply_that_is_no_json_is_kept_as_text(ships):
    card = build_vocabulary_card(QUESTION, ships)
    log = AttemptLog(QueryAttempts(ships, build_schema_prompt(ships, card), QUESTION, card))
    log.record_failure(ReplyInvalid("x", model="m", problems=(), text="I " * 500, attempts=1))
    assert len(log.entries[0].reply["reply"]) == 300


@pytest.mark.parametrize("unused", ["1958", "in 1958", "back in 1958"])
def test_a_number_under_another_predicate_is_no_name(tmp_path, unused):
    lines = "".join(f':b{n} a :Boat ; rdfs:label "Boat {n}" ; :built "{1940 + n}" .\n' for n in range(60))
    prefixes = "@prefix : <https://b.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    (tmp_path / "boats.ttl").write_text(prefixes + lines, encoding="utf-8")
    kg, question = open_kg([str(tmp_path / "boats.ttl")]), f"Who kept the boats {unused}?"
    card = build_vocabulary_card("Who kept the boats?", kg)
    log = AttemptLog(QueryAttempts(kg, build_schema_prompt(kg, card), question, card))
    list(log.check_reply({**NONE, "unused": [unused]}, {}))
    assert find_reason_to_explore(log) == ""
