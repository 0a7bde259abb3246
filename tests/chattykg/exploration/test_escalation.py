"""When a direct attempt leaves something to be looked up."""

from dataclasses import replace

import pytest
from chattyshared.errors import ModelRefused, ReplyInvalid

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


HEAD = "@prefix : <https://b.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"


def log_of(kg, shown, question, unused):
    """The log of one reply to a question, where the prompt shows what another question would bring."""
    prompt = build_schema_prompt(kg, build_vocabulary_card(shown, kg))
    log = AttemptLog(QueryAttempts(kg, prompt, question, build_vocabulary_card(question, kg)))
    list(log.check_reply({**NONE, "unused": unused}, {}))
    return log


def test_a_value_that_was_not_shown_is_told(open_graph):
    woods = ["walnut", "oak", *(f"wood number {n}" for n in range(60))]
    boats = "".join(f':b{n} a :Boat ; rdfs:label "Boat {n}" ; :wood "{wood}" .\n' for n, wood in enumerate(woods))
    kg, question = open_graph(HEAD + boats), "Which boats are of walnutt or made of oak?"
    told = find_reason_to_explore(log_of(kg, "Which boats are there?", question, ["walnutt"]))
    assert told == (
        'Not listed so far: "walnut" stands under p:wood, like "walnutt".'
        " If that is what is meant, use it; else answer as before."
    )
    assert find_reason_to_explore(log_of(kg, question, question, ["walnutt", "oak"])) == ""


@pytest.mark.parametrize("unused", ["1958", "back in 1958"])
def test_a_number_under_another_predicate_is_no_name(open_graph, unused):
    boats = "".join(f':b{n} a :Boat ; rdfs:label "Boat {n}" ; :built "{1940 + n}" .\n' for n in range(60))
    log = log_of(open_graph(HEAD + boats), "Who kept the boats?", f"Who kept the boats {unused}?", [unused])
    assert find_reason_to_explore(log) == ""


@pytest.mark.parametrize(
    ("error", "is_final", "replies"),
    [
        (ModelRefused("no", model="m"), True, []),
        (ReplyInvalid("x", model="m", problems=(), text="I " * 500, attempts=1), False, [300]),
    ],
)
def test_a_failure_is_kept_and_a_model_that_declined_is_not_asked_again(ships, error, is_final, replies):
    card = build_vocabulary_card(QUESTION, ships)
    log = AttemptLog(QueryAttempts(ships, build_schema_prompt(ships, card), QUESTION, card))
    log.record_failure(error)
    assert (log.is_final, [len(entry.reply["reply"]) for entry in log.entries]) == (is_final, replies)
    assert not is_final or find_reason_to_explore(log) == ""
