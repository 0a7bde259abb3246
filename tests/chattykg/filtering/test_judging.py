"""The judges of candidate queries: what they read, and what they say."""

import pytest
from chattyshared.errors import ModelUnavailable

from chattykg.filtering.judging import judge_query, label_query
from chattykg.state import Verification

S, V = "https://ships.example/", "https://ships.example/vocab/"
CAPTAIN = f"SELECT ?x WHERE {{ <{S}aurora> <{V}captain> ?x }}"
QUESTION = "Who is the captain of Aurora?"


def test_a_query_is_read_with_the_labels_of_its_iris(ships):
    query = label_query(f"SELECT ?x {{ ?x a <{V}Ship> ; <{V}homeHarbor> <{S}lund> ; <{V}color> 'red' }}", ships)
    assert (query.names, query.values) == (("Lund Port",), ("red",))
    assert set(query.relations) == {"ship", "home harbor", "color"}
    text = query.as_prompt_text()
    assert f"\n<{S}lund> = Lund Port" in text and "\nIn words: every ship whose" in text
    assert "22-rdf-syntax-ns" not in text


def test_a_query_without_a_phrase_has_its_labels_alone(ships):
    query = label_query(
        f"SELECT ?a {{ {{ SELECT ?a (COUNT(*) AS ?n) {{ ?a <{V}captain> ?b }} GROUP BY ?a ?b }} }}", ships
    )
    assert query.relations == ("captain",)


@pytest.mark.parametrize(
    ("question", "query", "verdict"),
    [
        (QUESTION, CAPTAIN, "yes"),
        ("Which captain does the Aurora have?", CAPTAIN, "yes"),
        ("Who is the captain of Borealis?", CAPTAIN, "no"),
        ('Who is "Aurora"\'s captain?', CAPTAIN, "yes"),
        ("How long is Aurora?", CAPTAIN, "no"),
        ("Which ships are red?", f"SELECT ?x {{ ?x a <{V}Ship> ; <{V}color> 'red' }}", "yes"),
        ("Which ships are red?", f"SELECT ?x {{ ?x a <{V}Ship> ; <{V}color> 'blue' }}", "no"),
        ("Which ships are longer than 200?", f"SELECT ?x {{ ?x <{V}length> ?l FILTER(?l > 300) }}", "no"),
        ("Who is the captain of the Comet?", f"SELECT ?x {{ ?s <{V}captain> ?x }}", "no"),
        ("Is Ann Lee the captain of Aurora?", f"ASK {{ <{S}aurora> <{V}captain> <{S}ann> }}", "yes"),
        ("Is Ann Lee the captain of Aurora?", CAPTAIN, "no"),
        (QUESTION, f"ASK {{ <{S}aurora> <{V}captain> ?x }}", "no"),
        ("Wer ist der Kapitän der Aurora?", CAPTAIN, "yes"),  # names alone, in another language
        ("Wer ist der Kapitän der Borealis?", CAPTAIN, "no"),
        ("Wer ist der Kapitän des Schiffes?", f"SELECT ?x {{ ?s <{V}captain> ?x }}", "no"),
    ],
)
def test_the_rules_judge_by_the_words_that_are_shared(opened, question, query, verdict):
    judge = Verification("rules")
    assert judge_query(judge, question, query, opened(verification=judge)) == (verdict, "")


def test_a_model_judges_question_and_labels(opened, scripted):
    model = scripted(verification={"verdict": "no"})
    assert judge_query(Verification("openai:m"), QUESTION, CAPTAIN, opened(model)) == ("no", "")
    text = model.asked[0].messages[1].content
    assert QUESTION in text and CAPTAIN in text and "= Aurora" in text


@pytest.mark.parametrize("said", ["perhaps", {"verdict": "maybe"}, {"verdict": None}, [], ""])
def test_a_judge_that_says_neither_is_asked_again_and_then_told(opened, scripted, said):
    model, context = scripted(verification=said if isinstance(said, str) else [said]), None
    context = opened(model)
    verdict, reason = judge_query(Verification("openai:m"), QUESTION, CAPTAIN, context)
    assert verdict == "unread" and reason.startswith("the judge said neither yes nor no")
    assert (len(model.asked), context.usage.calls) == (2, 2)


def test_a_judge_that_corrects_itself_counts(opened, scripted):
    model = scripted(verification=["hm", {"verdict": "yes"}])
    assert judge_query(Verification("openai:m"), QUESTION, CAPTAIN, opened(model)) == ("yes", "")


def test_a_judge_that_cannot_be_reached_stops_the_run(opened):
    class Gone:
        name = "gone"

        def complete(self, request):
            raise ModelUnavailable("closed")

    with pytest.raises(ModelUnavailable):
        judge_query(Verification("openai:m"), QUESTION, CAPTAIN, opened(Gone()))


def test_a_query_with_a_missing_label_is_judged_by_the_local_name_or_dropped(opened, scripted):
    query = f"SELECT ?x {{ <{S}aurora> <{V}refitYear> ?x }}"
    model = scripted(verification={"verdict": "yes"})
    assert judge_query(Verification("openai:m", "name"), QUESTION, query, opened(model))[0] == "yes"
    assert "= refit year" in model.asked[0].messages[1].content
    verdict, reason = judge_query(Verification("openai:m", "drop"), QUESTION, query, opened(model))
    assert (verdict, reason) == ("no", f"the graph has no label of {V}refitYear")
    assert len(model.asked) == 1
    assert judge_query(Verification("openai:m", "drop"), QUESTION, CAPTAIN, opened(model)) == ("yes", "")
