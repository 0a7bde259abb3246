"""What a questions file of TEXT2SPARQL asks, and answers.json."""

import pytest
import yaml
from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.formats.text2sparql import read_challenge, to_answers_json


def file_of(room, *questions, **dataset):
    path = room / "questions.yml"
    path.write_text(yaml.safe_dump({"dataset": {"id": "urn:kilns/", **dataset}, "questions": list(questions)}))
    return path


def test_each_language_is_asked(tmp_path):
    path = file_of(
        tmp_path,
        {"id": 7, "question": {"en": "Who?", "de": "Wer?"}},
        {"id": 8, "question": {"en": "When?"}},
        prefix="k",
    )
    read = read_challenge(path)
    assert {(one.id, one.question) for one in read.questions} == {
        ("k:7-en", "Who?"),
        ("k:7-de", "Wer?"),
        ("k:8-en", "When?"),
    }
    assert [one.id for one in read_challenge(path, "de").questions] == ["k:7-de"]
    with pytest.raises(ConfigError, match="no question is in the language 'fr'; there are de, en"):
        read_challenge(path, "fr")


def test_answers_bear_names_where_questions_do(tmp_path):
    named = read_challenge(file_of(tmp_path, {"id": 7, "question": {"en": "Who?"}}, prefix="k"))
    assert to_answers_json(named, {"k:7-en": "ASK {}"}, "http://h/") == [
        {"dataset": "urn:kilns/", "question": "Who?", "query": "ASK {}", "endpoint": "http://h/",
         "qname": "k:7-en", "uri": "urn:kilns/7-en"},
    ]  # fmt: skip
    for path in (
        file_of(tmp_path, {"id": 7, "question": {"en": "Who?"}}),
        file_of(tmp_path, {"question": {"en": "Who?"}}),
    ):
        assert to_answers_json(read_challenge(path), {}) == [
            {"dataset": "urn:kilns/", "question": "Who?", "query": "", "endpoint": None}
        ]


def test_what_is_no_questions_file_is_told(tmp_path):
    (tmp_path / "qald.json").write_text('{"questions": [{"id": 1, "question": [{"language": "en", "string": "?"}]}]}')
    with pytest.raises(BenchmarkInvalid, match="no questions file of TEXT2SPARQL"):
        read_challenge(tmp_path / "qald.json")
    twice = {"id": 1, "question": {"en": "Who?"}}
    with pytest.raises(BenchmarkInvalid, match="two questions have one id"):
        read_challenge(file_of(tmp_path, twice, twice, prefix="k"))
