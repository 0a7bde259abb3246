from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from rdflib import Literal, URIRef
from rdflib.namespace import XSD
from ship_graph import ships

from chattygen.context.facts import Entity, Fact, HiddenEnds, QuestionRequest, Step, Summary
from chattygen.context.names import Naming
from chattygen.context.summary import fact_answer_texts, visible_facts
from chattygen.options import Options
from chattygen.run import RunContext
from chattygen.turns import Condition, TurnSpec
from chattygen.wording.checks import check_fact_binding, check_question_texts, names_class
from chattygen.wording.queries import check_written_query, query_on_one_line, run_untrusted_query
from chattygen.wording.single_shot import align_question, check_texts
from chattygen.wording.staged import QuestionTask, drop_confusable, number_turns

S, V = "https://ships.example/", "https://ships.example/vocab/"
JUNO = Entity(URIRef(f"{S}Juno"), "Juno", f"{V}Ship", "Cargo Ship", ("Cargo Ship", "Vessel"))
WORKS, YARD = URIRef(f"{S}Holm_Works"), URIRef(f"{S}North_Yard")
BUILDER = Fact(
    1,
    (Step(f"{V}builder", "builder"),),
    "entity",
    class_labels=("Shipyard",),
    forms=("object", "boolean"),
    offered_value="Holm Works",
)
CARGO = Fact(2, (Step(f"{V}cargo", "cargo"),), "text", count=2, forms=("list", "count", "boolean"))
LAUNCH = Fact(3, (Step(f"{V}launchDate", "launch date"),), "date", datatype="date", forms=("date", "boolean"))
FACTS = (BUILDER, CARGO, LAUNCH)
HIDDEN = (
    HiddenEnds((YARD,), (), offered_term=WORKS, is_offer_true=False),
    HiddenEnds((Literal("tea", lang="en"), Literal("wool", lang="en")), ()),
    HiddenEnds((Literal("1869-05-19", datatype=XSD.date, normalize=False),), ()),
)
SUMMARY = Summary(JUNO, FACTS, HIDDEN)
ALLOWED = {str(JUNO.iri), f"{V}builder", f"{V}cargo", str(WORKS)}


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path = tmp_path_factory.mktemp("ships") / "ships.ttl"
    path.write_text(ships(), encoding="utf-8")
    return open_kg([str(path)])


def said(problems) -> list[str]:
    return [str(problem) for problem in problems]


def test_a_foreign_query_gives_its_only_column(kg: KnowledgeGraph):
    query = f"SELECT DISTINCT ?c WHERE {{ <{S}Juno> <{V}cargo> ?c FILTER(LANG(?c) = 'en') }}"
    assert run_untrusted_query(kg.endpoint, query, ALLOWED) == (
        (Literal("grain", lang="en"), Literal("tea", lang="en")),
        (),
    )
    assert run_untrusted_query(kg.endpoint, f"ASK {{ <{S}Juno> <{V}builder> <{WORKS}> }}", ALLOWED) == (False, ())


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (
            "PREFIX v: <https://v/> ASK { ?s v:p ?o }",
            "prefix: write full IRIs in angle brackets, no prefixes: v:",
        ),
        ("ASK { ?s rdf:type ?o }", "prefix: write full IRIs in angle brackets, no prefixes: rdf:type"),
        ("ASK { ?s :builder ?o }", "prefix: write full IRIs in angle brackets, no prefixes: :builder"),
        (f"ASK {{ <{S}Iris> ?p ?o }}", f"foreign-iri: use only the IRIs that are given, not <{S}Iris>"),
        (f"SELECT * {{ ?a <{V}builder> ?b }}", "one-variable: select one variable, not ?a and ?b"),
        (f"DELETE {{ ?a <{V}builder> ?b }} WHERE {{ ?a <{V}builder> ?b }}", "query: the query cannot be run: "),
        (f"SELECT ?a WHERE {{ ?a <{V}builder> }}", "query: the query cannot be run: "),
        (
            "SELECT ?a FROM <https://x/g> { ?a ?b ?c }",
            "foreign-iri: use only the IRIs that are given, not <https://x/g>",
        ),
        ("CONSTRUCT { ?a ?b ?c } WHERE { ?a ?b ?c }", "query: the query cannot be run: "),
    ],
)
def test_a_foreign_query_that_is_not_taken(kg: KnowledgeGraph, query: str, sentence: str):
    result, problems = run_untrusted_query(kg.endpoint, query, ALLOWED)
    assert result is None
    assert said(problems)[0].startswith(sentence)


def test_colons_in_strings_and_iris_and_language_tags_are_no_prefixes(kg: KnowledgeGraph):
    query = (
        f"SELECT ?x WHERE {{ <{S}Juno> <{V}cargo> ?x FILTER(?x != 'a:b' && STR(?x) != \"c:d\"@en "
        f"&& ?x != 'e'^^<{XSD.string}>) }}"
    )
    result, problems = run_untrusted_query(kg.endpoint, query, ALLOWED)
    assert problems == () and len(result or ()) == 2


def test_a_query_is_put_on_one_line_without_its_comments():
    assert query_on_one_line("SELECT ?x {\n  # all of it\n  ?x ?p ?o\n}") == "SELECT ?x { ?x ?p ?o }"


def test_a_written_yes_no_query_names_the_offered_value():
    asked = TurnSpec(0, "boolean", "topic", JUNO, BUILDER, hidden=HIDDEN[0])
    assert said(check_written_query(asked, f"ASK {{ <{S}Juno> <{V}builder> <{WORKS}> }}", False)) == []
    found = said(check_written_query(asked, f"ASK {{ <{S}Juno> <{V}builder> ?any }}", True))
    assert [problem.partition(":")[0] for problem in found] == ["offered-value", "result"]


@pytest.mark.parametrize(
    ("question", "body", "form", "fact"),
    [
        ("Who built Juno?", f"SELECT ?x WHERE {{ <{S}Juno> <{V}builder> ?x }}", "object", 1),
        ("Did Holm Works build Juno?", f"ASK {{ <{S}Juno> <{V}builder> <{WORKS}> }}", "boolean", 1),
        ("How much?", f"SELECT (count (DISTINCT ?c) AS ?n) WHERE {{ <{S}Juno> <{V}cargo> ?c }}", "count", 2),
        ("When?", f"SELECT ?d WHERE {{ <{S}Juno> <{V}launchDate> ?d }}", "date", 3),
    ],
)
def test_a_query_is_bound_to_the_fact_that_it_asks(kg: KnowledgeGraph, question: str, body: str, form: str, fact: int):
    bound, problems = align_question(kg.endpoint, SUMMARY, question, body)
    assert problems == () and bound is not None
    assert (bound.text, bound.turn.form, bound.turn.fact.number) == (question, form, fact)


@pytest.mark.parametrize(
    ("query", "rule"),
    [
        (f"ASK {{ <{S}Juno> <{V}builder> ?x }}", "offered-value"),
        (f"SELECT ?x WHERE {{ ?x <{V}builder> ?y }}", "one-fact"),
        (f"SELECT ?x WHERE {{ ?x <{V}builder> <{S}Juno> }}", "result"),
        (f"SELECT (COUNT(?x) AS ?n) WHERE {{ <{S}Juno> <{V}launchDate> ?x }}", "one-fact"),
        (f"SELECT ?x WHERE {{ <{S}Juno> <{V}builder> ?x ; <{V}cargo> ?y }}", "one-fact"),
        (f"SELECT (COUNT(*) AS ?n) WHERE {{ <{S}Juno> <{V}cargo> ?x FILTER(?x = 'tea'@en) }}", "result"),
        (f"SELECT ?x WHERE {{ <{S}Juno> <{V}homePort> ?x }}", "foreign-iri"),
    ],
)
def test_a_query_that_asks_no_fact_or_something_else_is_refused(kg: KnowledgeGraph, query: str, rule: str):
    bound, problems = align_question(kg.endpoint, SUMMARY, "What?", query)
    assert bound is None
    assert [problem.rule for problem in problems] == [rule]


def test_a_relation_that_holds_both_ways_is_two_facts(open_turtle: Callable[[str], KnowledgeGraph]):
    twins = open_turtle("<x:a> <x:twin> <x:b> . <x:b> <x:twin> <x:a> .")
    out = Fact(1, (Step("x:twin", "twin"),), "entity", forms=("object",))
    back = Fact(2, (Step("x:twin", "twin", "in"),), "entity", forms=("subject",))
    hidden = HiddenEnds((URIRef("x:b"),), ())
    summary = Summary(replace(JUNO, iri=URIRef("x:a")), (out, back), (hidden, hidden))
    for sparql, number in (
        ("SELECT ?x { <x:a> <x:twin> ?x }", 1),
        ("SELECT ?x { ?x <x:twin><x:a> }", 2),
        ("SELECT ?x { ?x <x:twin>  <x:a> . }", 2),
    ):
        bound, _ = align_question(twins.endpoint, summary, "Who?", sparql)
        assert bound is not None and bound.turn.fact.number == number


def test_a_dialogue_begins_with_the_first_question_and_refers_then(kg: KnowledgeGraph):
    asked = [
        ("Who built Juno?", f"SELECT ?x WHERE {{ <{S}Juno> <{V}builder> ?x }}"),
        ("When was Juno launched?", f"SELECT ?x WHERE {{ <{S}Juno> <{V}launchDate> ?x }}"),
    ]
    aligned = [question for question, _ in (align_question(kg.endpoint, SUMMARY, *one) for one in asked) if question]
    questions = number_turns(aligned, JUNO)
    task = QuestionTask(SUMMARY, (QuestionRequest("object", 1), QuestionRequest("date", 3)))
    run = RunContext(kg, RuleModel({}), Options(), Naming({}, (), ()), frozenset())

    def rules(*texts: str) -> list[str]:
        return [problem.rule.removeprefix("dialogue/") for problem in check_texts(run, task, questions, texts)]

    assert rules("Who built Juno?", "When was it launched?") == []
    assert rules("Who built her?", "When was it launched?") == ["first-turn"]
    assert rules("Who built Juno?", "When was Juno launched?") == ["hides-entity", "reference"]
    assert rules("Who built Juno?", "Was it launched in 1869?") == ["ends-agree", "answer-in-question"]


def bound_problems(question: str, number: int, form: str) -> list[str]:
    variables = {"question": question, "facts": FACTS}
    return [p.rule for p in check_fact_binding({"facts": [number], "form": form}, variables)]


def test_the_fact_of_a_question_agrees_with_its_form_and_its_words():
    assert bound_problems("Who built Juno?", 1, "object") == []
    assert bound_problems("Who built Juno?", 9, "object") == ["facts"]
    assert bound_problems("Who built Juno?", 1, "list") == ["form"]
    assert bound_problems("Was Juno built by North Yard?", 1, "boolean") == ["offered-value"]
    assert bound_problems("Was Juno built by Holm Works?", 1, "object") == ["ends-agree"]
    assert bound_problems("How many cargoes does Juno carry?", 2, "count") == []
    assert bound_problems("How many cargoes does Juno carry?", 2, "list") == ["ends-agree"]
    assert bound_problems("Which cargoes does Juno carry?", 2, "count") == ["ends-agree"]


def texts(*questions: str, wanted: tuple[QuestionRequest, ...]) -> list[str]:
    variables = {"entity": JUNO, "wanted": wanted, "facts": FACTS}
    return [problem.rule for problem in check_question_texts({"questions": list(questions)}, variables)]


def test_questions_without_facts_are_as_many_and_as_polar_as_wanted():
    assert (
        texts(
            "Who built Juno?",
            "Did Holm Works build Juno?",
            wanted=(QuestionRequest("object"), QuestionRequest("boolean", 1)),
        )
        == []
    )
    assert texts("Who built Juno?", wanted=(QuestionRequest("object"), QuestionRequest("list"))) == [
        "number-of-questions"
    ]
    assert texts("Was Juno built?", wanted=(QuestionRequest("object"),)) == ["wanted", "offered-value"]
    assert texts("Who built it?", wanted=(QuestionRequest("object"),)) == ["names-entity"]
    assert texts("Who built Juno?", "who built Juno?", wanted=(QuestionRequest("object"), QuestionRequest("list"))) == [
        "repeated"
    ]


@pytest.mark.parametrize(
    ("question", "standalone", "is_said"),
    [
        ("Who built the ship?", "Who built Juno?", True),
        ("Who built the old cargo ship?", "Who built Juno?", True),
        ("What is the flag of the vessel's home port?", "What is the flag of the home port of Juno?", True),
        ("Who built the ships?", "Who built Juno?", True),
        ("Who is the captain of the tall beauty?", "Who is the captain of Juno?", True),
        ("Who won the first prize?", "Who won the first prize of Juno?", False),
        ("What is the length?", "What is Juno's length?", False),
        ("Is there a ship?", "Is Juno a ship?", False),
    ],
)
def test_an_entity_is_spoken_of_by_its_kind_or_by_a_new_noun(question: str, standalone: str, is_said: bool):
    assert names_class(question, standalone, JUNO) is is_said


def test_a_full_context_says_labels_and_trims_long_texts(kg: KnowledgeGraph):
    motto = Fact(4, (Step(f"{V}motto", "motto"),), "text", forms=("literal",))
    long = HiddenEnds((Literal("over all the seven seas and back again before the tea is cold, lads"),), ())
    cut = replace(HIDDEN[1], is_truncated=True)
    summary = Summary(JUNO, (BUILDER, CARGO, motto), (HIDDEN[0], cut, long))
    assert visible_facts(kg, summary, "summarized") == summary
    shown = [fact.as_prompt_text() for fact in visible_facts(kg, summary, "full").facts]
    assert shown[0].startswith('1. THIS --builder--> "North Yard"   [Shipyard; 1 value; object, boolean]')
    assert shown[1].startswith('2. THIS --cargo--> "tea"; "wool"; "..."   [text; 2 values')
    assert shown[2].startswith('4. THIS --motto--> "over all the seven seas and back again before the tea is..."   [')


def test_answers_are_said_with_their_years_but_without_what_the_name_says(kg: KnowledgeGraph):
    assert fact_answer_texts(kg, SUMMARY, 1, "object") == ("North Yard",)
    assert fact_answer_texts(kg, SUMMARY, 1, "boolean") == fact_answer_texts(kg, SUMMARY, 2, "count") == ()
    assert fact_answer_texts(kg, SUMMARY, 3, "date") == ("1869-05-19", "1869")
    dated = replace(SUMMARY, entity=replace(JUNO, label="Juno of 1869"))
    assert fact_answer_texts(kg, dated, 3, "date") == ("1869-05-19",)


A, B = URIRef("https://x.example/a"), URIRef("https://x.example/b")
CREW = Fact(1, (Step("x:crew", "crew"),), "entity", count=2, forms=("list", "count"))
BY_AGE = Condition("rising", Step("x:age", "age"), "number", "integer")


def asked_turn(form: str, *ends: URIRef, condition: Condition | None = None) -> TurnSpec:
    members = (B, A) if condition is not None else ()
    return TurnSpec(1, form, "opens", JUNO, CREW, condition, hidden=HiddenEnds(ends, ()), members=members)


LONGER = TurnSpec(
    1, "comparison", "opens", JUNO, CREW, replace(BY_AGE, kind="most"), JUNO, is_yes_no=True,
    hidden=HiddenEnds((Literal(2),), ()), other_hidden=HiddenEnds((Literal(1),), ()),
)  # fmt: skip


def yes_no_turn(is_true: bool) -> TurnSpec:
    hidden = HiddenEnds((A,), (), offered_term=A if is_true else B, is_offer_true=is_true)
    return TurnSpec(1, "boolean", "opens", JUNO, CREW, hidden=hidden)


@pytest.mark.parametrize(
    ("asked", "sparql", "result", "rules"),
    [
        (asked_turn("list", A, B), "SELECT", (B, A), []),
        (asked_turn("list", A, B, condition=BY_AGE), "SELECT", (A, B), ["result"]),
        (asked_turn("list", A, B, condition=BY_AGE), "SELECT", (B, A), []),
        (asked_turn("object", B), "SELECT", (), ["result"]),
        (asked_turn("object"), "SELECT", (), []),
        (asked_turn("object", B), "ASK", True, ["result"]),
        (yes_no_turn(False), f"ASK {{ <a> <b> <{B}> }}", True, ["result"]),
        (yes_no_turn(True), f"ASK {{ <a> <b> <{A}> }}", True, []),
        (yes_no_turn(True), f"ASK {{ ?node <b> <a> . ?node <c> <{A}> }}", True, []),
        (yes_no_turn(True), "ASK { <a> <b?c> ?d }", True, ["offered-value"]),
        (yes_no_turn(True), f"SELECT ?x {{ <{A}> <b> ?x }}", (A,), ["result"]),
        (LONGER, "ASK { <a> <b> ?v . FILTER(?v > 1) }", True, []),
    ],
)
def test_a_written_query_gives_what_the_graph_says_of_its_turn(asked: TurnSpec, sparql: str, result, rules: list[str]):
    assert [problem.rule for problem in check_written_query(asked, sparql, result)] == rules


def test_what_no_reference_could_tell_from_the_entity_is_left_out_but_for_the_last_turn():
    sister = Fact(
        4, (Step(f"{V}sister", "sister ship"),), "entity", class_labels=("Cargo Ship", "Vessel"), forms=("object",)
    )
    tug = replace(sister, number=5, class_labels=("Vessel",))
    fleet = replace(sister, number=6, count=3, forms=("list",))
    summary = Summary(JUNO, (*FACTS, sister, tug, fleet), (*HIDDEN, *HIDDEN))

    def numbers(**given) -> list[int]:
        return [fact.number for fact in drop_confusable(summary, Random(1), **given).facts]

    assert numbers() == [1, 2, 3, 6]
    assert numbers(kept_fact=tug) == [1, 2, 3, 5, 6]
    assert numbers(keep_one=True) in ([1, 2, 3, 4, 6], [1, 2, 3, 5, 6])
