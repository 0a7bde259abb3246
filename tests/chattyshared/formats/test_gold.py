from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from chattyshared.benchmark import Benchmark
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.formats import chatty_gen, convquestions, qald, text2sparql
from chattyshared.formats.gold import read_gold
from chattyshared.formats.predictions import read_predictions
from chattyshared.kg import KnowledgeGraph
from vessel_talk import DIALOGUES, SHORT, TALK, vessels

R = "https://looms.example/"
QUERY = f"SELECT ?x WHERE {{ <{R}jenny> <{R}inventor> ?x }}"


def file_of(folder: Path, value: Any, name: str = "gold.json") -> Path:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def results(*values: str, name: str = "x") -> dict[str, Any]:
    return {"head": {"vars": [name]}, "results": {"bindings": [{name: {"type": "uri", "value": v}} for v in values]}}


def asked(id: Any, *answers: Any, **more: Any) -> dict[str, Any]:
    question = [{"language": "en", "string": "Who invented it?"}]
    return {"id": id, "question": question, "query": {"sparql": QUERY}, "answers": list(answers), **more}


def test_qald_with_booleans_tables_and_no_gold(tmp_path):
    two = {"head": {"vars": ["a", "b"]}, "results": {"bindings": [
        {"a": {"type": "uri", "value": R + "x"}, "b": {"type": "typed-literal", "value": "1764", "datatype": "urn:y"}},
        {"a": {"type": "uri", "value": R + "y"}},
    ]}}  # fmt: skip
    items = [
        asked(1, results(R + "hargreaves", R + "hargreaves"), answertype="resource", hybrid="false"),
        asked("2", {"head": {}, "boolean": False}),
        asked(3, two), asked(4, results()), asked(5, {}), asked(6), asked(7, results(f"<{R}kay>")),
        {"question": [{"language": "en", "string": "Is there no id?"}]},
    ]  # fmt: skip
    read = read_gold(file_of(tmp_path, {"dataset": {"id": "looms"}, "questions": items}))
    first, polar, table, empty, none, missing, bare, last = read.questions
    assert read.format == "qald" and not read.user_notes()
    assert (first.id, first.lang, first.answers, first.sparql) == (1, "en", (R + "hargreaves",), QUERY)
    assert first.extra["answertype"] == "resource"
    assert (polar.id, polar.answers) == ("2", ("false",))
    assert table.answers == (R + "x", "1764", R + "y")
    assert table.extra["rows"] == [[R + "x", "1764"], [R + "y", ""]] and table.extra["cols"] == 2
    assert empty.answers == () and none.answers is None and missing.answers is None
    assert bare.answers == (R + "kay",)
    assert (last.id, last.question, last.sparql) == (8, "Is there no id?", "")


def test_qald_in_several_languages(tmp_path):
    def in_many(**texts: str) -> list[dict[str, str]]:
        return [{"language": tag, "string": text, "keywords": ""} for tag, text in texts.items()]

    items = [
        {"id": 1, "question": in_many(en="Who?", de="Wer?", pt_BR="Quem?"), "query": {}, "answers": []},
        {"id": 2, "question": in_many(en="When?", de=""), "answers": []},
    ]
    path = file_of(tmp_path, {"questions": items})
    assert [question.question for question in read_gold(path).questions] == ["Who?", "When?"]
    german = read_gold(path, lang="de")
    assert [(each.question, each.lang) for each in german.questions] == [("Wer?", "de")]
    assert german.user_notes() == ("questions that are not in the language 'de', left out: 1",)
    assert [each.question for each in read_gold(path, lang="pt-br").questions] == ["Quem?"]
    assert [(each.question, each.lang) for each in read_gold(path, lang="pt").questions] == [("Quem?", "pt_BR")]
    with pytest.raises(ConfigError, match="no question is in the language 'fr'; there are de, en, pt_BR$"):
        read_gold(path, lang="fr")
    alone = file_of(tmp_path, {"questions": [{"id": 1, "question": in_many(fr="Qui ?")}]}, "fr.json")
    assert [each.lang for each in read_gold(alone).questions] == ["fr"]


def test_chatty_kgs_files_gold_beside_the_systems_own_answers(tmp_path):
    scored = asked(0, results(R + "wrong"), golden_answers=[results(R + "right")])
    plain = {"id": 1, "question": "When did it start?", "answers": [{"head": {"link": []}, "boolean": True}]}
    read = read_gold(file_of(tmp_path, {"dataset": {"id": "looms_e11_20_5_dialogue"}, "questions": [scored, plain]}))
    assert [each.answers for each in read.questions] == [(R + "right",), ("true",)]
    assert "lost in this file" in read.user_notes()[0]


def test_lc_quad_has_queries_and_no_gold(tmp_path):
    first = [{"_id": "17", "corrected_question": "Which loom?", "intermediary_question": "Which <loom>?",
              "sparql_query": " SELECT DISTINCT COUNT(?uri) WHERE { ?uri <urn:p> <urn:o> . } ",
              "sparql_template_id": 101}]  # fmt: skip
    read = read_gold(file_of(tmp_path, first))
    assert read.format == "lc-quad"
    (question,) = read.questions
    assert (question.id, question.question, question.answers) == ("17", "Which loom?", None)
    assert question.sparql == "SELECT DISTINCT (COUNT(?uri) AS ?count) WHERE { ?uri <urn:p> <urn:o> . }"
    assert question.extra["sparql_template_id"] == 101
    second = [
        {"NNQT_question": "What is {it}?", "uid": 5, "question": None, "paraphrased_question": "What is it?",
         "sparql_wikidata": " select distinct ?o where { wd:Q1 wdt:P2 ?o } ", "sparql_dbpedia18": "x", "answer": []},
        {"NNQT_question": "n/a", "uid": 6, "question": "Since when?", "paraphrased_question": [],
         "sparql_wikidata": "ASK { wd:Q1 wdt:P2 wd:Q3 }", "answer": []},
    ]  # fmt: skip
    read = read_gold(file_of(tmp_path, second))
    assert read.format == "lc-quad-2"
    assert [(each.id, each.question, each.answers) for each in read.questions] == [
        (5, "What is it?", None), (6, "Since when?", None),
    ]  # fmt: skip
    assert read.user_notes() == ("2 queries are brought to SPARQL 1.1: prefixes declared (2)",)
    assert read.questions[1].sparql.startswith("PREFIX wd: <http://www.wikidata.org/entity/> PREFIX wdt: ")


def test_maestro(tmp_path):
    item = {"seed_withPrefix": R + "jenny", "questionString": "Is it a loom?", "questionStringTagged": "<qt>Is</qt>",
            "query": "ASK { <urn:a> <urn:p> <urn:b> }", "answers": ["true"], "questionType": "Yes-No-Is",
            "shapeType": "SINGLE_EDGE", "noOfTriples": 1, "answerCardinality": 1}  # fmt: skip
    read = read_gold(file_of(tmp_path, [item]))
    assert read.format == "maestro"
    assert [(q.id, q.question, q.answers) for q in read.questions] == [(1, "Is it a loom?", ("true",))]
    assert read.questions[0].extra["shapeType"] == "SINGLE_EDGE"


def test_convquestions_in_both_shapes(tmp_path):
    talks = [
        {"domain": "books", "seed_entity": "https://www.wikidata.org/wiki/Q8", "seed_entity_text": "Looms",
         "questions": [
            {"question": "Who wrote it?", "answer": "https://www.wikidata.org/wiki/Q42;Q43",
             "answer_text": "Ada;Ben", "completed_question": "Who wrote Looms?"},
            {"question": "Is it long?", "answer": "Yes"},
        ]},
        {"conv_id": 9, "questions": [{"turn": 0, "question_id": "9-0", "question": "And when?",
                                      "answers": [{"id": "1801", "label": "the year 1801"}]}]},
    ]  # fmt: skip
    read = read_gold(file_of(tmp_path, talks))
    assert read.format == "convquestions"
    first, polar, other = read.questions
    assert first.gold() == (
        ("http://www.wikidata.org/entity/Q42", "Ada"),
        ("http://www.wikidata.org/entity/Q43", "Ben"),
    )
    assert (first.id, first.dialogue_id, first.turn, first.standalone) == ("1/1", "1", 1, "Who wrote Looms?")
    assert polar.answers == ("true",) and polar.standalone == ""
    assert (other.id, other.dialogue_id, other.gold()) == ("9-0", "9", (("1801", "the year 1801"),))


def test_text2sparql_with_the_result_set_beside_it(tmp_path):
    file = {
        "dataset": {"id": "https://looms.example/data/", "prefix": "looms"},
        "questions": [
            {"id": 1, "question": {"en": "Who?", "es": "¿Quién?"}, "query": {"sparql": QUERY}, "features": ["SELECT"]},
            {"id": 2, "question": {"en": "Really?"}, "query": {"sparql": "ASK { ?s ?p ?o }"}},
        ],
    }
    path = file_of(tmp_path, yaml.safe_dump(file, allow_unicode=True), "questions.yml")
    read = read_gold(path, lang="es")
    assert read.format == "text2sparql"
    assert [(each.id, each.question, each.answers) for each in read.questions] == [("looms:1-es", "¿Quién?", None)]
    northern = "dataset: {id: urn:d}\nquestions:\n- question:\n    no: Hvem?\n"
    assert read_gold(file_of(tmp_path, northern, "no.yml"), lang="no").questions[0].question == "Hvem?"
    found = {"looms:1-en": {R + "a": 1, R + "b": 1}, "looms:2-en": {"true": 0}, "order_required": ["looms:1-en"]}
    file_of(tmp_path, found, "questions_result_set.json")
    read = read_gold(path)
    assert [each.answers for each in read.questions] == [(R + "a", R + "b"), ("false",)]
    assert read.user_notes() == ("the gold answers are those of questions_result_set.json, which lies beside it",)
    assert read.questions[0].extra["features"] == ["SELECT"]


def test_what_this_project_exports_is_read_as_it_was(tmp_path):
    turns = [turn for dialogue in DIALOGUES for turn in dialogue.turns]
    gold = [tuple(dict.fromkeys(answer.value for answer in turn.answers)) for turn in turns]
    single = qald.to_qald(DIALOGUES, dataset="ships", language="en", wording="standalone")
    read = read_gold(file_of(tmp_path, single)).questions
    assert [(each.question, each.sparql, each.answers) for each in read] == [
        (turn.standalone, turn.sparql, right) for turn, right in zip(turns, gold, strict=True)
    ]
    assert [each.id for each in read][:2] == ["d0001/1", "d0001/2"]
    text = text2sparql.render_questions(DIALOGUES, dataset="urn:s:", prefix="s", language="en", wording="standalone")
    file_of(tmp_path, text2sparql.to_result_set(DIALOGUES, prefix="s", language="en"), "q_result_set.json")
    read = read_gold(file_of(tmp_path, text, "q.yml")).questions
    assert [(each.question, each.sparql, each.answers) for each in read] == [
        (turn.standalone, turn.sparql, right) for turn, right in zip(turns, gold, strict=True)
    ]
    published = chatty_gen.to_chatty_gen(DIALOGUES)
    read = read_gold(file_of(tmp_path, published)).questions
    assert [(each.question, each.standalone, each.sparql, each.answers) for each in read] == [
        (turn.question, turn.standalone, turn.sparql, None) for turn in turns
    ]
    assert [each.dialogue_id for each in read] == ["d0001"] * len(TALK.turns) + ["d0002"] * len(SHORT.turns)
    read = read_gold(file_of(tmp_path, convquestions.to_convquestions(DIALOGUES))).questions
    assert [(each.question, each.standalone, each.turn) for each in read] == [
        (turn.question, turn.standalone, turn.turn) for turn in turns
    ]
    assert [each.answers for each in read] == [tuple(text.replace(";", ",") for text in right) for right in gold]


def test_our_own_files(tmp_path):
    read = read_gold(vessels(tmp_path))
    assert read.format == "benchmark" and isinstance(read.content, Benchmark)
    assert [each.id for each in read.questions][:2] == ["d0001/1", "d0001/2"]
    assert read.questions[0].gold() is not None and read.questions[0].standalone
    lines = "\n".join(json.dumps(line) for line in (
        {"id": 1, "question": "Who?", "lang": "en", "sparql": "SELECT COUNT(?x) { ?x ?p ?o }"},
        {"id": 2, "question": "Wer?", "lang": "de", "sparql": None}, {"id": 3, "question": "?"},
    ))  # fmt: skip
    path = file_of(tmp_path, "\n" + lines, "q.jsonl")
    read = read_gold(path, lang="en")
    assert [(each.id, each.sparql) for each in read.questions] == [
        (1, "SELECT (COUNT(?x) AS ?count) { ?x ?p ?o }"), (3, ""),
    ]  # fmt: skip
    assert read_gold(path, lang="en", repair_queries=False).questions[0].sparql == "SELECT COUNT(?x) { ?x ?p ?o }"


def test_lists_of_unequal_length_and_ids_that_stand_twice(tmp_path):
    uneven = {"dialogue": ["a?", "b?"], "original": ["A?", "B?", "C?"], "queries": [QUERY], "seed_entity": R + "s"}
    read = read_gold(file_of(tmp_path, {"seeds_used": 1, "data": [uneven], "analysis": None}))
    assert [each.question for each in read.questions] == ["a?"]
    assert read.user_notes() == ("dialogues with lists of unequal length, left out what has no partner: 1",)
    read = read_gold(file_of(tmp_path, {"questions": [asked(1), asked(1), asked(2)]}))
    assert [each.id for each in read.questions] == [1, "1#2", 2]
    assert read.user_notes() == ("ids that stand more than once, told apart as ID#2 and so on: 1",)


def test_hopeless_queries_are_counted_and_stay(tmp_path):
    items = [asked(1), asked(2) | {"query": {"sparql": "SELECT ?x WHERE { ?x text:'loom' }"}}]
    read = read_gold(file_of(tmp_path, {"questions": items}))
    assert read.user_notes() == ("1 query is hopeless, such as 2: the prefix text: is not declared",)
    assert read.questions[1].sparql == "SELECT ?x WHERE { ?x text:'loom' }"
    assert [(change.id, change.fault) for change in read.changes] == [("2", "the prefix text: is not declared")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "the file is empty"),
        ("{", r"not JSON: Expecting property name"),
        ("[]", "of no format that is known here: a benchmark or a file of questions of ours"),
        ("a: [b", "neither JSON nor YAML: while parsing"),
        ('{"data": ' + "[" * 50_000 + "]" * 50_000 + "}", "not JSON: nested too deeply"),
        ("a: " + "[" * 50_000 + "]" * 50_000, "neither JSON nor YAML: .*(nested too deeply|maximum nesting depth)"),
        ("a: " + "{b: " * 50_000, "neither JSON nor YAML: nested too deeply"),
        (
            "a: &a [x]\n" + "".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 20)}]\n" for a, b in pairwise("abcdefgh")),
            "neither JSON nor YAML: its aliases repeat too much",
        ),
        ('{"questions": []}', "no question has a text"),
        ({"questions": [{"question": [{"language": "en", "string": 5}]}]}, r"\[0\]\.string: a text should stand here"),
        ({"questions": [asked(1, "x")]}, r"\$\.questions\[0\]\.answers\[0\]: an object should stand here, not a text"),
        ({"questions": [asked(1) | {"query": 5}]}, r"\$\.questions\[0\]\.query: a text should stand here"),
        ([{"uid": 1, "sparql_wikidata": "ASK {}"}], r"\$\[0\]\.question: a text should stand here, not nothing"),
        ([{"questionString": " "}], r"\$\[0\]\.questionString: an empty text"),
        ([{"conv_id": 1, "questions": {}}], r"\$\[0\]\.questions: a list should stand here, not an object"),
        ({"data": [{"x": 1}]}, "no dialogue"),
        ({"data": {"system": []}}, "of no format that is known here"),
        ([{"dataset": "urn:d", "qname": "a:1-en", "endpoint": "urn:e", "query": "ASK {}"}], "a system's answers"),
        ({"a:1-en": {"x": 1}}, "a TEXT2SPARQL result set, which holds no questions"),
    ],
)  # fmt: skip
def test_broken_files_are_told_in_one_line(tmp_path, content, said):
    path = file_of(tmp_path, content)
    with pytest.raises(ConfigError, match=said) as raised:
        read_gold(path)
    assert "\n" not in str(raised.value) and str(path) in str(raised.value)


def test_a_file_that_is_not_there_or_no_text(tmp_path):
    with pytest.raises(ConfigError, match="No such file"):
        read_gold(tmp_path / "none.json")
    with pytest.raises(ConfigError, match="Is a directory"):
        read_gold(tmp_path)
    path = tmp_path / "bytes.json"
    path.write_bytes(b"[\xff\xfe]")
    with pytest.raises(BenchmarkInvalid, match="not UTF-8"):
        read_gold(path)
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps({"questions": [asked(1)]}).encode())
    assert len(read_gold(path).questions) == 1


def test_a_systems_answers_are_read_by_the_same_ids(tmp_path):
    found = {"looms:1-en": {R + "a": 1}, "looms:2-en": {"true": 0}, "looms:3-en": {}}
    lines = read_predictions(file_of(tmp_path, found))
    assert [(line.id, line.answers) for line in lines] == [
        ("looms:1-en", (R + "a",)), ("looms:2-en", ("false",)), ("looms:3-en", ()),
    ]  # fmt: skip
    lines = read_predictions(file_of(tmp_path, {"questions": [asked("7", results(R + "x")), asked(8)]}))
    assert [(line.id, line.answers, line.sparql) for line in lines] == [("7", (R + "x",), QUERY), (8, (), QUERY)]
    lines = read_predictions(file_of(tmp_path, '{"id": 1, "answers": ["x"]}\n', "a.jsonl"))
    assert [(line.id, line.answers) for line in lines] == [(1, ("x",))]


def test_queries_alone_are_run(tmp_path):
    (tmp_path / "looms.ttl").write_text(f"<{R}jenny> <{R}inventor> <{R}hargreaves> .", encoding="utf-8")
    kg = KnowledgeGraph(LocalEndpoint([tmp_path / "looms.ttl"]))
    item = {"dataset": "urn:d", "question": "?", "endpoint": "http://e.example"}
    file = [item | {"qname": "l:1-en", "query": QUERY.replace("SELECT ?x", "SELECT (?x)")},
            item | {"qname": "l:2-en", "query": "SELECT"}, item | {"qname": "l:3-en", "query": ""}]  # fmt: skip
    path = file_of(tmp_path, file)
    one, broken, none = read_predictions(path, kg)
    assert (one.id, one.answers, one.labels, one.error) == ("l:1-en", (R + "hargreaves",), ("hargreaves",), "")
    assert broken.error.startswith("does not parse") and not broken.answers
    assert (none.error, none.answers) == ("", ())
    with pytest.raises(ConfigError, match="name the graph that they are to be run on"):
        read_predictions(path)


@pytest.mark.parametrize("content", ["", "3", "{}", '{"x": 1}', "[1]"])
def test_a_file_without_answers_is_told(tmp_path, content):
    path = file_of(tmp_path, content)
    if not content:
        with pytest.raises(BenchmarkInvalid, match="the file is empty$"):
            read_predictions(path)
        return
    with pytest.raises(ConfigError) as raised:
        read_predictions(path)
    assert str(path) in str(raised.value)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('{"id": 1, "answers": [], "sparql": ""}\n{"id": 2, "answers": [], "sparql": ""}', "this is a file of answers"),
        ('{"id": 1, "answers": [], "sparql": ""}', "this is a file of answers"),
        ('{"kind": "query", "span": "1", "data": {}}\n{"kind": "note"}', "this is a trace"),
        ('{"id": 1, "text": "Who?"}\n{"id": 2, "text": "Why?"}', 'line 1: JSON Lines without the key "question"'),
    ],
)
def test_what_is_no_gold_is_called_what_it_is(tmp_path, lines, said):
    with pytest.raises(BenchmarkInvalid, match=said):
        read_gold(file_of(tmp_path, lines))


def test_questions_are_no_answers_of_a_system(tmp_path):
    path = file_of(tmp_path, '{"benchmark": "1", "kg": {}}\n{"id": "d0001", "turns": []}')
    with pytest.raises(BenchmarkInvalid, match=r"this is a benchmark .*; expected is lines of ours, answers\.json"):
        read_predictions(path)


QALD_5 = {"questions": [
    {"id": "1", "body": [{"language": "en", "string": "Who invented it?"}], "query": QUERY,
     "answers": [{"uri": R + "hargreaves", "string": "Hargreaves"}]},
    {"id": "2", "body": [{"language": "en", "string": "When?"}], "query": "", "answers": [{"date": "1764-01-01"}]},
    {"id": "3", "body": [{"language": "en", "string": "Is it?"}], "query": QUERY, "answers": [{"boolean": "true"}]},
    {"id": "4", "body": [{"language": "en", "string": "Why?"}], "query": "OUT OF SCOPE", "answers": []},
]}  # fmt: skip
QALD_3 = f"""<?xml version="1.0" encoding="UTF-8"?>
<dataset id="qald-3"><question id="1" answertype="resource"><string lang="de">Wer?</string>
<string lang="en"><![CDATA[Who invented it?]]></string><keywords lang="en">who</keywords><query>
<![CDATA[{QUERY}]]></query><answers><answer><uri>{R}hargreaves</uri><string lang="en">H</string></answer></answers>
</question><question id="2"><string lang="en">When?</string><query/><answers><answer><date>1764-01-01</date></answer>
</answers></question><question id="3"><string lang="en">Is it?</string><query/><answers><answer><boolean>true</boolean>
</answer></answers></question><question id="4"><string lang="en">Why?</string><query>OUT OF SCOPE</query></question>
</dataset>"""


@pytest.mark.parametrize("content", [QALD_5, QALD_3])
def test_older_qald(tmp_path, content):
    read = read_gold(file_of(tmp_path, content), repair_queries=False)
    first, date, polar, why = read.questions
    assert (first.question, first.answers, first.sparql) == ("Who invented it?", (R + "hargreaves",), QUERY)
    assert (date.answers, polar.answers, why.answers) == (("1764-01-01",), ("true",), None)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (QALD_3.replace("?>", '?><!DOCTYPE d [<!ENTITY a "b">]>'), "it declares entities"),
        (QALD_3[:-20], "not XML: "),
        ("<html><body/></html>", "XML, but no QALD: its root is 'html'"),
    ],
)
def test_other_xml_is_told(tmp_path, content, why):
    with pytest.raises(BenchmarkInvalid, match=why):
        read_gold(file_of(tmp_path, content))


def test_scholarly_qald_and_arrays_of_our_own(tmp_path):
    item = {"id": "Q1", "question": {"string": "Who invented it?"}, "paraphrased_question": {"string": "By whom?"},
            "query": {"sparql": QUERY}}  # fmt: skip
    read = read_gold(file_of(tmp_path, {"questions": [item]}))
    assert (read.format, read.questions[0].question, read.questions[0].sparql) == ("qald", "Who invented it?", QUERY)
    own = [{"id": 1, "question": "Who?", "answers": ["x"]}, {"id": 2, "question": "When?", "dialogue_id": "d"}]
    for text in (json.dumps(own), json.dumps(own, indent=1)):
        assert [q.answers for q in read_gold(file_of(tmp_path, text)).questions] == [("x",), None]
    with pytest.raises(BenchmarkInvalid, match="the id 1 is taken"):
        read_gold(file_of(tmp_path, [own[0], own[0]]))


def test_of_several_wordings_the_first_is_asked_or_all(tmp_path):
    several = asked(1) | {"question": [{"language": tag, "string": text} for tag, text in (
        ("en", "Who invented it?"), ("ru", ""), ("en", "By whom was it invented?"), ("en", "Its inventor?"),
    )]}  # fmt: skip
    path = file_of(tmp_path, {"questions": [several, asked(2)]})
    read = read_gold(path)
    assert [question.question for question in read.questions] == ["Who invented it?"] * 2
    assert read.user_notes() == (
        "questions with several wordings, of which the first is asked (chattykg answer --set wordings=all asks each): "
        "1",
    )
    every = read_gold(path, wordings="all")
    assert [(question.id, question.question) for question in every.questions] == [
        (1, "Who invented it?"), ("1#2", "By whom was it invented?"), ("1#3", "Its inventor?"), (2, "Who invented it?"),
    ]  # fmt: skip
