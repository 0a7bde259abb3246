from __future__ import annotations

import json
from io import BytesIO

import yaml
from chattyshared.dialogue import Value
from chattyshared.formats import chatty_gen, convquestions, qald, text2sparql
from rdflib import Literal, URIRef
from rdflib.namespace import XSD
from rdflib.query import Result
from vessel_talk import DIALOGUES, SHORT, TALK, S, V


def test_qald_has_one_question_a_turn_by_the_turns_id() -> None:
    file = qald.to_qald(DIALOGUES, dataset="ships", language="en", wording="standalone")
    assert file["dataset"] == {"id": "ships"}
    assert [question["id"] for question in file["questions"]][:5] == [
        "d0001/1", "d0001/2", "d0001/3", "d0001/4", "d0002/1",
    ]  # fmt: skip
    assert file["questions"][1]["question"] == [{"language": "en", "string": "Was Ada Holt born in Gullwick?"}]
    follow = qald.to_qald(DIALOGUES, dataset="ships", language="en", wording="follow-up")
    assert follow["questions"][1]["question"][0]["string"] == "Was she born in Gullwick?"


def test_qald_says_what_kind_of_answer_and_whether_operations_are_needed() -> None:
    questions = qald.to_qald(DIALOGUES, dataset="", language="en", wording="standalone")["questions"]
    assert [q.get("answertype") for q in questions] == [
        "resource", "boolean", "resource", "resource", "number", "date", None, "string",
    ]  # fmt: skip
    assert [q["aggregation"] for q in questions] == [False, False, True, True, True, False, False, False]


def test_qald_answers_are_sparql_results_that_rdflib_reads() -> None:
    questions = qald.to_qald(DIALOGUES, dataset="", language="en", wording="standalone")["questions"]
    read = [Result.parse(BytesIO(json.dumps(q["answers"][0]).encode()), format="json") for q in questions]
    assert [row[0] for row in read[2]] == [URIRef(S + "Albatross"), URIRef(S + "Fulmar")]
    assert read[1].askAnswer is False
    assert str(read[4].vars[0]) == "n" and [row[0] for row in read[4]] == [Literal(2)]  # type: ignore[index]
    assert [row[0] for row in read[5]] == [Literal("1861-05-11", datatype=XSD.date)]
    assert list(read[6]) == []
    assert [row[0] for row in read[7]] == [Literal("grain", lang="en"), Literal("tea; coffee", lang="en")]


def test_qald_leaves_out_the_datatype_of_plain_texts() -> None:
    assert qald.to_binding(Value("a", "literal", str(XSD.string))) == {"type": "literal", "value": "a"}


def test_text2sparql_questions_are_yaml_numbered_through() -> None:
    text = text2sparql.render_questions(
        DIALOGUES, dataset="urn:ships:", prefix="ships", language="en", wording="standalone"
    )
    file = yaml.safe_load(text)
    assert file["dataset"] == {"id": "urn:ships:", "prefix": "ships"}
    assert [question["id"] for question in file["questions"]] == list(range(1, 9))
    superlative = file["questions"][3]
    assert superlative["question"] == {"en": "Which of the ships that Ada Holt commanded is the longest?"}
    assert superlative["query"] == {"sparql": TALK.turns[3].sparql}
    assert superlative["features"] == ["SELECT", "ORDER", "LIMIT"]
    assert superlative["classes"] == [V + "Ship"]
    assert superlative["properties"] == [V + "commandedBy", V + "length_m"]


def test_text2sparql_marks_lists_in_order_and_only_them() -> None:
    found = text2sparql.to_result_set(DIALOGUES, prefix="ships", language="en")
    assert found["order_required"] == ["ships:3-en"]
    assert found["ships:2-en"] == {"true": 0}
    assert found["ships:3-en"] == {S + "Albatross": 1, S + "Fulmar": 1}
    assert found["ships:5-en"] == {"2": 1}
    assert found["ships:7-en"] == {}
    assert "order_required" not in text2sparql.to_result_set([SHORT], prefix="ships", language="en")


def test_convquestions_answers_split_at_the_separator() -> None:
    first, second = convquestions.to_convquestions(DIALOGUES)
    assert (first["domain"], first["seed_entity"], first["seed_entity_text"]) == ("ship", S + "Albatross", "Albatross")
    assert first["questions"][1] == {
        "question": "Was she born in Gullwick?", "answer": "no", "answer_text": "No",
        "completed_question": "Was Ada Holt born in Gullwick?",
    }  # fmt: skip
    assert first["questions"][2]["answer"].split(";") == [S + "Albatross", S + "Fulmar"]
    assert first["questions"][2]["answer_text"] == "Albatross;Fulmar"
    assert second["questions"][2]["answer"] == ""
    assert second["questions"][3]["answer"].split(";") == ["grain", "tea, coffee"]


def test_chats_may_reply_with_the_query_and_begin_with_a_system_message() -> None:
    chat = next(convquestions.to_chats(DIALOGUES, reply="sparql", system="Answer in SPARQL."))
    assert chat["messages"][0] == {"role": "system", "content": "Answer in SPARQL."}
    assert chat["messages"][2]["content"] == TALK.turns[0].sparql


def test_chatty_gens_lists_run_side_by_side() -> None:
    file = chatty_gen.to_chatty_gen(DIALOGUES, errors=["query", "question JSON", "alignment", "budget", "query"])
    one = file["data"][0]
    assert one["dialogue"][1] == "Was she born in Gullwick?" and one["original"][1] == "Was Ada Holt born in Gullwick?"
    assert {len(one[name]) for name in ("dialogue", "original", "queries", "triples")} == {4}
    assert one["triples"][0] == [[S + "Albatross", V + "commandedBy", ""]]
    assert one["cost"] == {"total_tokens": 400, "prompt_tokens": 300, "completion_tokens": 100}
    assert one["query_status"] == {"Correct": 4}


def test_chatty_gens_counters_and_dialogues_sum_to_the_seeds_used() -> None:
    file = chatty_gen.to_chatty_gen(DIALOGUES, errors=["query", "question JSON", "alignment", "budget", "query"])
    counters = {name: number for name, number in file.items() if name.endswith(" Error")}
    assert counters["Sparql Validation Error"] == 2 and counters["Dialogue Validation Error"] == 1
    assert file["seeds_used"] == len(file["data"]) + sum(counters.values()) == 6
