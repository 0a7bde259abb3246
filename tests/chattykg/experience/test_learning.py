import pytest
from chattyshared.errors import ConfigError
from chattyshared.kg.factory import open_kg
from chattyshared.questions import Question

import chattygen
from chattykg.experience.leak_guard import HeldOutQuestion
from chattykg.experience.learning import (
    Attempt,
    is_solved,
    learn_items,
    own_examples,
    read_training_set,
    select_own_examples,
)

V = "https://chatty.example/vocab/"
GOLD = f"SELECT DISTINCT ?x WHERE {{ <https://chatty.example/inception> <{V}director> ?x }}"


def solved(id="1", question="Who directed Inception?", sparql=GOLD, answers=("x",), **extra):
    return Question(id, question, answers=answers, extra={"sparql": sparql, "form": "object", **extra})


def test_each_solved_question_is_kept_once_in_standalone_wording(demo):
    follow_up = solved("2", "And who directed it?", standalone="Who directed INCEPTION")
    unanswerable = solved("3", "Who insured Inception?", answers=())
    broken = solved("4", "Who?", "SELECT ?x WHERE")
    items = list(learn_items([solved(), follow_up, unanswerable, broken], demo))
    assert [(i.question, i.pattern, i.is_success) for i in items] == [
        ("Who directed Inception?", "Who directed [film]?", True)
    ]


def test_questions_about_a_name_that_nothing_bears_are_kept_with_it(demo):
    name = {"unanswerable": "entity", "certificate": {"names": ["Queen Rain"]}}
    value = {"unanswerable": "not-stated"}
    items = learn_items(
        [
            solved("2", "Who directed Queen Rain?", answers=(), **name),
            solved("3", "Who paid for Inception?", answers=(), **value),
        ],
        demo,
    )
    assert [(i.unused, i.is_success, i.sparql) for i in items] == [
        (("Queen Rain",), True, GOLD),
    ]


def test_what_no_file_may_hold_is_not_learned(demo):
    service = GOLD.replace("{ <", "{ SERVICE <https://e.example/> { ?a ?b ?c } <")
    long = GOLD.replace("?x }", f'"{"x" * 20_000}" }}')
    questions = [solved("1", sparql=service), solved("2", sparql=long), solved("3", "Who directed " + "x" * 10_000)]
    assert not any(map(is_solved, questions)) and not list(learn_items(questions, demo))
    assert is_solved(solved(answers=None)) and not is_solved(Question("1", "Who?", answers=("x",)))


@pytest.mark.parametrize(
    ("attempt", "feedback"),
    [
        (Attempt(GOLD.replace("director", "writer"), 0.0), f"not <{V}writer>; <{V}director> is needed"),
        (
            Attempt(GOLD.replace("inception", "other"), 0.5),
            "not <https://chatty.example/other>; <https://chatty.example/inception> is meant",
        ),
        (Attempt(GOLD.replace("?x }", "?x } LIMIT 1"), 0.5), "it had LIMIT; it needs nothing more"),
        (
            Attempt(f"SELECT DISTINCT ?x WHERE {{ ?x <{V}director> <https://chatty.example/inception> }}", 0.0),
            "right predicates, but another direction, column or value",
        ),
        (Attempt("", 0.0, "I do not know."), "there was no query (I do not know.)"),
        (Attempt("", 0.0), "there was no query"),
        (Attempt(GOLD, 1.0), ""),
    ],
)
def test_feedback_says_what_was_wrong_and_what_mends_it(attempt, feedback, demo):
    (item,) = learn_items([solved()], demo, {"1": attempt})
    tried = attempt.sparql if feedback else ""
    assert (item.attempt, item.feedback, item.is_success, item.sparql) == (tried, feedback, not feedback, GOLD)


def test_a_training_set_of_another_graph_or_without_queries_is_refused(demo, ships, tmp_path):
    path = tmp_path / "train.jsonl"
    chattygen.generate("demo", dialogues=1, turns=2).save(path)
    assert read_training_set(path, demo).format == "benchmark"
    with pytest.raises(ConfigError, match="was made from another graph than ships.ttl"):
        read_training_set(path, ships)
    path.write_text('{"id": 1, "question": "Who?", "answers": ["x"]}\n')
    with pytest.raises(ConfigError, match="holds no question with a query"):
        read_training_set(path, demo)


def test_a_graph_makes_its_examples_once(tmp_path, monkeypatch):
    monkeypatch.setattr("chattykg.experience.learning.OWN_DIALOGUES", 4)
    items = own_examples(open_kg(["demo"], cache_dir=tmp_path))
    assert len(items) > 8 and all(item.sparql and not item.unused for item in items)
    (kept,) = tmp_path.glob("own-*.experience.jsonl")
    monkeypatch.setattr("chattykg.experience.learning._make_questions", lambda kg: [])
    kg = open_kg(["demo"], cache_dir=tmp_path)
    assert own_examples(kg) == items and kept.exists()
    held_out = [HeldOutQuestion((items[0].question,)), HeldOutQuestion(("Other words?",), items[1].sparql)]
    selected = select_own_examples(kg, held_out)
    assert selected.guarded.barred["question"] == 1 and selected.guarded.barred["query"] >= 1
    assert selected.to_manifest()["items"] == len(items)
