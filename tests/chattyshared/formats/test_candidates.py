"""Lists of candidate queries in the formats of several systems."""

import json

import pytest
from chattyshared.dialogue import CandidateQuery
from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.formats.candidates import read_candidates
from chattyshared.formats.gold import read_gold

WHO, ASK = "Who leads it?", "ASK { ?s ?p ?o }"
MEMQA = {
    "question": WHO,
    "languages": ["de"],
    "queries": [{"query": ASK, "correct": True, "confidence": 0.9, "kb": "wikidata", "user": "open"}],
}


def lists(path, text, lang=""):
    path.write_text(text if isinstance(text, str) else json.dumps(text, indent=1), encoding="utf-8")
    questions = read_gold(path, lang=lang, repair_queries=False).questions
    return [(each.id, each.question, each.lang, read_candidates(each)) for each in questions]


def test_plain_lists_are_read_as_json_and_as_lines(tmp_path):
    items = [
        {"id": "a", "question": WHO, "lang": "en", "candidates": [ASK, {"query": "SELECT", "score": 0.5}]},
        {"id": "b", "question": "Who?", "candidates": []},
    ]
    expected = [("a", WHO, "en", (CandidateQuery(ASK), CandidateQuery("SELECT", 0.5))), ("b", "Who?", "", ())]
    assert lists(tmp_path / "c", items) == expected
    assert lists(tmp_path / "c", "\n".join(map(json.dumps, items))) == expected
    assert [each[0] for each in lists(tmp_path / "c", [items[0] | {"lang": "de"}, items[1]], "en")] == ["b"]


def test_our_answers_give_their_candidates_else_their_query(tmp_path):
    line = {"question": WHO, "answers": [], "sparql": ASK, "queries": 3}
    lines = [line | {"id": 1}, line | {"id": 2, "candidates": [{"query": "SELECT", "score": 1, "verdict": "no"}]},
             line | {"id": 3, "sparql": ""}]  # fmt: skip
    read = [each[3] for each in lists(tmp_path / "c", "\n".join(map(json.dumps, lines)))]
    assert read == [(CandidateQuery(ASK),), (CandidateQuery("SELECT", 1.0),), ()]


def test_qald_like_lists_are_read_in_one_language(tmp_path):
    wordings = [{"language": "de", "string": "Wer?"}, {"language": "en", "string": WHO}]
    file = {"questions": [{"id": "7", "question": wordings, "candidates": [ASK]}]}
    assert lists(tmp_path / "c", file) == [("7", WHO, "en", (CandidateQuery(ASK),))]
    assert lists(tmp_path / "c", file, "de") == [("7", "Wer?", "de", (CandidateQuery(ASK),))]
    with pytest.raises(ConfigError, match="in the language 'fr'"):
        lists(tmp_path / "c", file, "fr")


@pytest.mark.parametrize("file", [MEMQA, [MEMQA]])
def test_what_memqa_tells_of_the_right_query_is_not_read(tmp_path, file):
    assert lists(tmp_path / "c", file) == [(1, WHO, "de", (CandidateQuery(ASK),))]


def test_a_question_without_any_list_has_none(tmp_path):
    assert lists(tmp_path / "c", json.dumps({"question": WHO}))[0][3] is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ([{"question": WHO, "candidates": "SELECT"}], r"question 1: \$.candidates: a list"),
        ([{"question": WHO, "candidates": [3]}], r"candidates\[0\]: an object"),
        ([{"question": WHO, "queries": [{"query": 3}]}], r"queries\[0\].query: a text"),
        ([{"question": 3, "queries": []}], r"question: a text"),
        ([{"candidates": []}], "of no format"),
        ([{"question": WHO, "candidates": []}, {"candidates": []}], "question: a text"),
        ({"candidates": []}, "of no format"),
        ('{"id": 1, "question": "?"}\n{"id": 1, "question": "?"}', "id 1 is taken"),
    ],
)
def test_files_of_no_lists_are_told(tmp_path, text, why):
    with pytest.raises(BenchmarkInvalid, match=why):
        lists(tmp_path / "c", text)
