"""Filtering: what is deleted, what is kept, and whose result is the answer."""

from dataclasses import replace

import pytest
from chattyshared.dialogue import Answer, CandidateQuery, Value
from chattyshared.errors import ModelUnavailable
from chattyshared.model.rules import RuleModel

from chattykg.filtering import MAX_CANDIDATES, answer_from_candidates, judge_query, label_query, verify_answer
from chattykg.rulebook import RULEBOOK
from chattykg.settings import Settings
from chattykg.state import AgentContext, Verification

S, V = "https://ships.example/", "https://ships.example/vocab/"
QUESTION = "Who is the captain of Aurora?"
CAPTAIN = f"SELECT ?x WHERE {{ <{S}aurora> <{V}captain> ?x }}"
LENGTH = f"SELECT ?x WHERE {{ <{S}aurora> <{V}length> ?x }}"


@pytest.fixture
def opened(ships):
    def open_context(model=None, verification=None):
        return AgentContext(ships, {"": model or RuleModel(RULEBOOK)}, Settings(theta=2), verification=verification)

    return open_context


def listed(*queries):
    return [CandidateQuery(query, 0.5) for query in queries]


def judged(opened, *queries, **options):
    return answer_from_candidates(QUESTION, listed(*queries), opened(verification=Verification("rules")), **options)


def verdicts(answer):
    return [each.verdict for each in answer.candidates]


def test_the_first_candidate_that_is_kept_gives_the_answer_and_all_are_judged(opened):
    answer = judged(opened, LENGTH, CAPTAIN, CAPTAIN, LENGTH)
    assert [value.label for value in answer.values] == ["Ann Lee"]
    assert (answer.sparql, answer.confidence, answer.scores) == (CAPTAIN, 0.5, (0.5,))
    assert verdicts(answer) == ["no", "yes", "yes", "no"]
    assert [each.query for each in answer.candidates] == [LENGTH, CAPTAIN, CAPTAIN, LENGTH]
    assert answer.notes == ("Deleted candidate queries: 2 of 4.",)


FAILING = CAPTAIN.replace("?x }", "?x . ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o }")


def test_without_a_judge_only_what_cannot_be_run_is_deleted(opened):
    answer = answer_from_candidates(QUESTION, listed("SELECT", FAILING, LENGTH, CAPTAIN), opened())
    assert [value.value for value in answer.values] == ["120.5"]
    assert verdicts(answer) == ["invalid", "invalid", "", ""]
    assert answer.candidates[1].reason.startswith("cannot be run: ")


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("", "empty"),
        ("SELECT ?x WHERE {", "does not parse"),
        ("DELETE WHERE { ?s ?p ?o }", "only SELECT and ASK are run"),
        ("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", "only SELECT and ASK are run"),
        ("SELECT * { SERVICE <http://other.example/> { ?s ?p ?o } }", "SERVICE"),
        (f"SELECT ?x {{ ?x unknown:captain <{S}aurora> }}", "prefix unknown: is not declared"),
        (f"SELECT ?x {{ ?x <{V}captain> '{'a' * 200_000}' }}", "longer than"),
        ("SELECT * { " + "{ " * 200 + "}" * 200 + " }", "deep"),
        ("\x00\ud800", ""),
    ],
)
def test_what_cannot_be_run_is_deleted_with_its_reason(opened, query, why):
    answer = judged(opened, query, CAPTAIN)
    assert verdicts(answer) == ["invalid", "yes"] and len(answer.values) == 1
    assert why in answer.candidates[0].reason and len(answer.candidates[0].reason) <= 200


def test_a_dialect_is_repaired(opened):
    answer = judged(opened, CAPTAIN.replace("?x }", "?x . ?x rdfs:label ?l }"))
    assert verdicts(answer) == ["yes"] and answer.sparql.startswith("PREFIX rdfs:")


def test_nothing_kept_is_a_refusal_that_says_so(opened):
    answer = judged(opened, LENGTH, "SELECT", LENGTH)
    assert answer.status == "unknown" and answer.reason.code == "too-unsure"
    assert answer.reason.text == (
        "I do not know, because of 3 candidate queries none is kept: 2 do not say what the question asks, "
        "1 cannot be run."
    )
    assert judged(opened).status == "unknown"
    assert judged(opened, CAPTAIN + " LIMIT 0").status == "empty"
    many = judged(opened, *[CAPTAIN] * (MAX_CANDIDATES + 7))
    assert len(many.candidates) == MAX_CANDIDATES
    assert many.notes == ("Candidate queries behind the first 100, not read: 7.",)


def test_an_unread_candidate_is_kept_and_counted(opened, scripted):
    context = opened(scripted(verification="perhaps"), Verification("openai:m"))
    answer = answer_from_candidates(QUESTION, listed(LENGTH, CAPTAIN), context)
    assert verdicts(answer) == ["unread", "unread"] and answer.sparql == LENGTH
    assert answer.notes == ("Kept unjudged, the judge said neither yes nor no: 2.",)


ANN = Answer((Value(f"{S}ann", "iri", label="Ann Lee"),), (0.9,), sparql=CAPTAIN, confidence=0.9)


def test_an_answer_whose_query_is_kept_stays(opened):
    context = opened(verification=Verification("rules"))
    kept = verify_answer(ANN, QUESTION, context)
    assert (kept.values, kept.confidence, context.candidate_queries) == (ANN.values, 0.9, 0)
    assert [(each.query, each.verdict) for each in kept.candidates] == [(CAPTAIN, "yes")]


def test_an_answer_whose_query_is_deleted_gives_way_to_the_next_candidate(opened):
    wrong = Answer((Value("120.5", "number"),), (0.9,), sparql=LENGTH, confidence=0.9)
    empty = CAPTAIN.replace("?x }", "?x . ?x <urn:none> ?y }").replace("SELECT ?x", "SELECT ?y")
    wrong = Answer(wrong.values, wrong.scores, sparql=LENGTH, confidence=0.9, candidates=tuple(
        CandidateQuery(query, 0.8) for query in (empty, LENGTH, CAPTAIN, LENGTH + " LIMIT 3")
    ))  # fmt: skip
    context = opened(verification=Verification("rules"))
    answer = verify_answer(wrong, QUESTION, context)
    assert [value.label for value in answer.values] == ["Ann Lee"] and answer.confidence == 0.8
    assert [(each.query, each.verdict) for each in answer.candidates] == [
        (LENGTH, "no"), (empty, "invalid"), (CAPTAIN, "yes"), (LENGTH + " LIMIT 3", "")
    ]  # fmt: skip
    assert answer.candidates[1].reason == "it has no result"


def test_answers_that_no_judge_has_to_see_stay(opened, scripted):
    model = scripted(verification={"verdict": "no"})
    context = opened(model, Verification("openai:m"))
    for answer in (Answer(), Answer(ANN.values), Answer(sparql=CAPTAIN)):
        assert verify_answer(answer, QUESTION, context) is answer
    assert verify_answer(ANN, QUESTION, opened(model)) is ANN
    ranked = replace(ANN, candidates=tuple(listed(LENGTH, CAPTAIN)))
    assert [each.query for each in verify_answer(ranked, QUESTION, opened(model)).candidates] == [CAPTAIN, LENGTH]
    assert model.asked == []


def test_a_query_is_read_with_the_labels_of_its_iris(ships):
    query = label_query(f"SELECT ?x {{ ?x a <{V}Ship> ; <{V}homeHarbor> <{S}lund> ; <{V}color> 'red' }}", ships)
    assert (query.names, query.values) == (("Lund Port",), ("red",))
    assert set(query.relations) == {"ship", "home harbor", "color"}
    text = query.as_prompt_text()
    assert f"\n<{S}lund> = Lund Port" in text and "\nIn words: every ship whose" in text
    assert "22-rdf-syntax-ns" not in text


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


@pytest.mark.parametrize("said", ["perhaps", {"verdict": "maybe"}, [], ""])
def test_a_judge_that_says_neither_is_asked_again_and_then_told(opened, scripted, said):
    model = scripted(verification=said if isinstance(said, str) else [said])
    context = opened(model)
    verdict, reason = judge_query(Verification("openai:m"), QUESTION, CAPTAIN, context)
    assert verdict == "unread" and reason.startswith("the judge said neither yes nor no")
    assert (len(model.asked), context.usage.calls) == (2, 2)


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
