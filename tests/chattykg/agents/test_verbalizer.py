"""An answer in a sentence: by a model that may add nothing, else by a template."""

import json

import pytest
from chattyshared.dialogue import Answer, Reason, Value
from chattyshared.model import Completion, Usage

from chattykg.agents.verbalizer import MAX_NAMED_ANSWERS, verbalize_answer, verbalize_by_template

ANN = Answer(
    (Value("https://w.example/ann", "iri", label="Ann Lund"), Value("https://w.example/bo", "iri", label="Bo"))
)


class Speaker:
    """A model that says what it is told to, one reply a call."""

    def __init__(self, *said: str, name: str = "openai:speaker") -> None:
        self.name, self.said, self.asked = name, list(said), []

    def complete(self, request):
        self.asked.append(request)
        return Completion(json.dumps({"sentence": self.said.pop(0) if len(self.said) > 1 else self.said[0]}), Usage(1))


def test_a_model_says_the_answer():
    model = Speaker("Foxhole is kept by Ann Lund and Bo.")
    assert verbalize_answer("Who keeps Foxhole?", ANN, model) == "Foxhole is kept by Ann Lund and Bo."
    assert "Ann Lund\nBo" in model.asked[0].messages[1].content and "2 in all" in model.asked[0].messages[1].content


def test_a_sentence_that_leaves_an_answer_out_is_asked_for_again():
    model = Speaker("Ann Lund keeps it.", "Ann Lund and Bo keep it.")
    assert verbalize_answer("Who keeps Foxhole?", ANN, model) == "Ann Lund and Bo keep it."
    assert 'Name "Bo", as it stands.' in model.asked[1].messages[-1].content


def test_a_model_that_says_something_else_gives_way_to_the_template():
    assert verbalize_answer("Who keeps Foxhole?", ANN, Speaker("Somebody keeps it.")) == "Ann Lund and Bo"


@pytest.mark.parametrize(
    ("value", "question", "said", "kept"),
    [
        (Value("true", "boolean"), "Is it deep?", "No, it is not deep.", False),
        (Value("true", "boolean"), "Is it deep?", "Ja, er ist tief.", True),
        (Value("false", "boolean"), "Is it deep?", "**Yes**, it is.", False),
        (Value("false", "boolean"), "Is it over 1,200 m?", "No, it is not over 1200 m.", True),
        (Value("Bo", "literal"), "Who keeps it?", "Bo has kept it since 1987.", False),
        (Value("Bo", "literal"), "Who kept it in 1987?", "In 1987, Bo kept it.", True),
        (Value("12000", "number"), "How deep is it?", "It is 12000 m (12,000 m) deep.", True),
        (Value("12000", "number"), "How deep is it?", "It is 12000 m, or 39370 feet, deep.", False),
        (Value("2010-07-04", "literal"), "When was it dug?", "On 2010-07-04, that is 4 July 2010.", True),
    ],
)
def test_a_sentence_that_says_more_or_the_opposite_gives_way(value, question, said, kept):
    answer = Answer((value,))
    assert verbalize_answer(question, answer, Speaker(said)) == (said if kept else verbalize_by_template(answer))


def test_rules_and_silence_ask_no_model():
    rules = Speaker("never", name="rules")
    assert verbalize_answer("Who keeps Foxhole?", ANN, rules) == "Ann Lund and Bo"
    silent = Answer(reason=Reason("not-stated", "I do not know, because the graph does not state it."))
    other = Speaker("never")
    assert verbalize_answer("Who?", silent, other) == "I do not know, because the graph does not state it."
    assert (rules.asked, other.asked) == ([], [])


TABLE = tuple((Value(f"urn:x:{n}", "iri", label=f"L{n}"), Value(str(n), "number")) for n in range(3))
MANY = Answer(tuple(Value(str(n), "number") for n in range(13)))


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Answer((Value("true", "boolean"),), sentence="whether the well is deep"), "Yes"),
        (MANY, f"{', '.join(map(str, range(MAX_NAMED_ANSWERS)))} and 3 more"),
        (Answer(), "I do not know."),
        (Answer(tuple(row[0] for row in TABLE), rows=TABLE, sentence="every film with its length"), "3 rows"),
    ],
)
def test_the_template(answer, sentence):
    assert verbalize_by_template(answer) == sentence


def test_the_template_speaks_the_language_of_the_question() -> None:
    assert verbalize_by_template(Answer((Value("false", "boolean"),)), "de") == "Nein"
    assert verbalize_by_template(ANN, "de") == "Ann Lund und Bo"
    assert verbalize_by_template(ANN, "fr") == "Ann Lund and Bo"
