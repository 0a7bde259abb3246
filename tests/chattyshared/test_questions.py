from __future__ import annotations

import json
from importlib.resources import files

import pytest
from chattyshared.dialogue import (
    REASON_CODES,
    STATUSES,
    Answer,
    CandidateQuery,
    LinkedTerm,
    Reason,
    StageSeconds,
    Value,
)
from chattyshared.errors import BenchmarkInvalid
from chattyshared.jsonlines import to_json_line
from chattyshared.model import Usage
from chattyshared.questions import (
    AnswerLine,
    PriorTurn,
    Question,
    answer_to_json,
    error_to_json,
    group_by_conversation,
    read_answers,
    read_questions,
)

P, Q = "http://example.org/p", "http://example.org/q"


def file_of(tmp_path, *objects):
    path = tmp_path / "q.jsonl"
    path.write_text("".join((thing if isinstance(thing, str) else to_json_line(thing)) + "\n" for thing in objects))
    return path


def test_questions_are_read_as_they_are(tmp_path):
    path = file_of(
        tmp_path,
        {"id": 7, "question": "Who?", "dialogue_id": "d", "turn": 0, "lang": "en", "kg": "films",
         "answers": [P, 5, True], "answer_labels": ["Pé", None, "yes"], "source": {"a": 1}},
        "",
        {"question": "", "answers": None},
        {"id": None, "question": "x", "answers": []},
    )  # fmt: skip
    assert read_questions(path) == (
        Question(7, "Who?", "d", 0, "en", "films", (P, "5", "true"), (), ("Pé", "", "yes"), {"source": {"a": 1}}),
        Question(3, ""),
        Question(4, "x", answers=()),
    )


TURN, USER, ASSISTANT = (
    {"question": "Who?"},
    {"role": "user", "content": "Who?"},
    {"role": "assistant", "content": "P."},
)


@pytest.mark.parametrize(
    ("history", "turns"),
    [
        ([{"question": "Who?", "answer": "P."}], [("Who?", ("P.",))]),
        ([{"question": "How many?", "answer": 5}, {"question": "Is it?", "answer": True}],
         [("How many?", ("5",)), ("Is it?", ("true",))]),
        ([{"question": "Who?", "answer": ["P.", "Q."]}, TURN, {"question": "Who?", "answer": " "}],
         [("Who?", ("P.", "Q.")), ("Who?", ()), ("Who?", ())]),
        ([{"role": "system", "content": "Be kind."}, USER, ASSISTANT, USER, {"role": "assistant", "content": ""}],
         [("Who?", ("P.",)), ("Who?", ())]),
        ([TURN, USER, ASSISTANT], [("Who?", ()), ("Who?", ("P.",))]),
        ([], []), (None, []),
    ],
)  # fmt: skip
def test_earlier_turns_are_turns_or_the_messages_of_a_chat(tmp_path, history, turns):
    (question,) = read_questions(file_of(tmp_path, {"id": 1, "question": "When?", "history": history}))
    assert question.history == tuple(PriorTurn(*turn) for turn in turns)
    assert question.extra == {}


@pytest.mark.parametrize(
    ("history", "said"),
    [
        ("Who?", "$.history: 'Who?' is not of type 'array', 'null'"),
        ([{"question": 5}], "$.history[0].question: 5 is not of type 'string'"),
        ([{"question": "Who?", "answer": {"a": 1}}],
         "$.history[0].answer: {'a': 1} is not of type 'string', 'number', 'boolean', 'array', 'null'"),
        ([TURN, {"answer": "P."}],
         '$.history[1]: neither a turn {"question", "answer"} nor a message {"role", "content"}'),
        ([USER], "$.history[0]: a message of the user needs one of the assistant behind it"),
        ([USER, ASSISTANT, USER, USER], "$.history[2]: a message of the user needs one of the assistant behind it"),
        ([ASSISTANT], "$.history[0]: a message of the assistant needs one of the user before it"),
    ],
)  # fmt: skip
def test_a_broken_history_is_named_by_its_place(tmp_path, history, said):
    path = file_of(tmp_path, {"question": "x"}, {"question": "When?", "history": history})
    with pytest.raises(BenchmarkInvalid) as caught:
        read_questions(path)
    assert str(caught.value) == f"{path}, line 2, {said}"


def test_only_the_first_turn_of_a_conversation_has_a_history(tmp_path):
    second = {"id": 2, "dialogue_id": "d", "turn": 2, "question": "When?", "history": [TURN]}
    path = file_of(tmp_path, second, {"id": 1, "dialogue_id": "d", "turn": 1, "question": "Who?"})
    with pytest.raises(BenchmarkInvalid, match=r"line 1, \$\.history: only the first turn of a conversation"):
        read_questions(path)
    read_questions(file_of(tmp_path, {**second, "turn": 0}, {"id": 1, "dialogue_id": "d", "turn": 1, "question": "?"}))


def test_conversations_go_by_turn_whatever_it_starts_at():
    def question(id, dialogue=None, turn=None):
        return Question(id, "?", dialogue, turn)

    asked = [question("a", "d", 5), question("b"), question("c", "e", 1), question("d", "d", 4), question("e")]
    assert [[q.id for q in group] for group in group_by_conversation(asked)] == [["d", "a"], ["b"], ["c"], ["e"]]
    unordered = [question("x", "d"), question("y", "d", 3), question("z", "d")]
    assert [[q.id for q in group] for group in group_by_conversation(unordered)] == [["y", "x", "z"]]


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        (Question(1, "?"), None),
        (Question(1, "?", answers=()), ()),
        (Question(1, "?", answers=(P, Q), answer_labels=("p", "q")), ((P, "p"), (Q, "q"))),
        (Question(1, "?", answers=("p",), answer_iris=(P,), answer_labels=("p",)), (("p", P),)),
        (Question(1, "?", answers=("p", "5"), answer_iris=(P, "")), (("p", P), ("5",))),
        (Question(1, "?", answers=("same",), answer_iris=(P, Q)), ((P,), (Q,))),
        (Question(1, "?", answer_iris=(P,)), ((P,),)),
    ],
)
def test_an_element_of_gold_may_be_named_by_iri_or_label(question, gold):
    assert question.gold() == gold


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "{file}: the file is empty"),
        ('{"id": 1}', "{file}, line 1, $: 'question' is a required property"),
        ('{"question": "x", "id": [1]}', "{file}, line 1, $.id: [1] is not of type 'string', 'integer', 'null'"),
        ('{"question": "x", "id": 1}\n{"question": "x", "id": "1"}', "{file}, line 2, $.id: the id '1' is taken"),
        ("Who?", "{file}, line 1: not JSON: Expecting value (column 1)"),
    ],
)
def test_broken_files_of_questions(tmp_path, content, said):
    file = tmp_path / "q.jsonl"
    file.write_text(content)
    with pytest.raises(BenchmarkInvalid) as caught:
        read_questions(file)
    assert str(caught.value) == said.format(file=file)


ANSWER = Answer(
    values=(Value(P, "iri", label="Pé"), Value("5", "number"), Value("true", "boolean")),
    scores=(0.123456, 0.1, 0.0),
    rows=((Value(P, "iri"), Value("5", "number")),),
    sparql="SELECT ?x WHERE { ?x ?y ?z }",
    standalone="Who is it?",
    confidence=0.5,
    sentence="It is Pé.",
    witness=((P, Q, '"5"'),),
    entities=(LinkedTerm("it", P, "Pé", 0.9, "vertex"),),
    relations=(LinkedTerm("is", Q, "q"),),
    proposed_entities=(P, Q),
    proposed_relations=(Q,),
    queries=3,
    candidate_queries=1,
    usage=Usage(2, 10, 5, estimated=True),
    stages=StageSeconds(0.1, 0.2, 0.3, 0.4),
    seconds=1.23456,
)


def test_an_answer_s_line_is_as_promised():
    said = answer_to_json(7, "It?", ANSWER)
    assert said == {
        "id": 7, "question": "It?", "status": "answered",
        "answers": [P, "5", "true"], "labels": ["Pé", "5", "true"], "scores": [0.1235, 0.1, 0.0],
        "rows": [[P, "5"]], "sparql": ANSWER.sparql, "standalone": "Who is it?", "confidence": 0.5,
        "sentence": "It is Pé.", "witness": [[P, Q, '"5"']],
        "links": {"entities": [{"mention": "it", "iri": P, "label": "Pé", "score": 0.9, "type": "vertex"}],
                  "relations": [{"mention": "is", "iri": Q, "label": "q", "score": 1.0}],
                  "proposed": {"entities": [P, Q], "relations": [Q]}},
        "queries": 3, "candidate_queries": 1,
        "usage": {"calls": 2, "prompt_tokens": 10, "completion_tokens": 5, "estimated": True},
        "stages": {"understanding": 0.1, "linking": 0.2, "selection": 0.3, "execution": 0.4}, "seconds": 1.2346,
    }  # fmt: skip
    assert "rows" not in answer_to_json(7, "It?", Answer())


def test_a_line_tells_why_it_holds_no_answer():
    why = Reason("unknown-name", 'I do not know, because nothing is known of "Zog".')
    line = answer_to_json(1, "Who is Zog?", Answer(reason=why, notes=("A note.",), unused=("Zog",)))
    assert {name: line[name] for name in ("status", "reason", "notes", "unused", "answers")} == {
        "status": "unknown", "reason": {"code": why.code, "text": why.text}, "notes": ["A note."], "unused": ["Zog"],
        "answers": [],
    }  # fmt: skip
    none = answer_to_json(1, "?", Answer(without_values="empty", candidates=(CandidateQuery("ASK {}", 0.51239),)))
    assert (none["status"], none["candidates"]) == ("empty", [{"query": "ASK {}", "score": 0.5124}])
    memory = answer_to_json(1, "?", Answer((Value("5", "number"),), grounded=False))
    assert (memory["status"], memory["grounded"]) == ("answered", False)
    assert {"reason", "notes", "unused", "candidates", "grounded"}.isdisjoint(answer_to_json(1, "?", Answer()))


def test_answers_are_read_back(tmp_path):
    path = file_of(
        tmp_path,
        answer_to_json(7, "It?", ANSWER),
        error_to_json("x", "Who?", "the endpoint is gone"),
        {"id": 8, "answers": []},
    )
    first, failed, bare = read_answers(path)
    assert first == AnswerLine(
        id=7, answers=(P, "5", "true"), labels=("Pé", "5", "true"), scores=(0.1235, 0.1, 0.0), sparql=ANSWER.sparql,
        standalone="Who is it?", confidence=0.5, sentence="It is Pé.", queries=3, usage=Usage(2, 10, 5, estimated=True),
        stages=StageSeconds(0.1, 0.2, 0.3, 0.4), seconds=1.2346, rows=((P, "5"),),
        entities=(P,), relations=(Q,), has_links=True, proposed_entities=(P, Q), proposed_relations=(Q,),
        question="It?", status="answered",
        candidate_queries=1,
    )  # fmt: skip
    assert (failed.id, failed.answers, failed.error) == ("x", (), "the endpoint is gone")
    assert (bare, bare.status) == (AnswerLine(8), "")
    why = Reason("not-stated", "I do not know.")
    answer = Answer(reason=why, notes=("A note.",), unused=("it",), grounded=False)
    (read,) = read_answers(file_of(tmp_path, answer_to_json(1, "It?", answer)))
    assert (read.status, read.reason, read.notes, read.unused, read.grounded) == (
        "unknown", why, ("A note.",), ("it",), False,
    )  # fmt: skip


def test_the_schema_knows_every_status_and_reason():
    schema = json.loads(files("chattydata").joinpath("answers.schema.json").read_text(encoding="utf-8"))
    properties = schema["$defs"]["answer"]["properties"]
    assert properties["status"]["enum"] == list(STATUSES)
    assert properties["reason"]["properties"]["code"]["enum"] == list(REASON_CODES)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"id": 1}', "line 1, $: 'answers' is a required property"),
        ('{"answers": []}', "line 1, $: 'id' is a required property"),
        ('{"id": 1, "answers": [null]}', "line 1, $.answers[0]: None is not of type 'string', 'number', 'boolean'"),
        (
            '{"id": 1, "answers": [], "status": "no"}',
            "line 1, $.status: 'no' is not one of ['answered', 'empty', 'unknown', 'clarification']",
        ),
        ('{"id": 1, "answers": []}\n{"id": 1, "answers": []}', "line 2, $.id: the id 1 is taken"),
    ],
)
def test_broken_files_of_answers(tmp_path, content, said):
    file = tmp_path / "a.jsonl"
    file.write_text(content)
    with pytest.raises(BenchmarkInvalid) as caught:
        read_answers(file)
    assert str(caught.value) == f"{file}, {said}"
