import json

import pytest
from chattyshared.errors import ConfigError

import chattykg
from chattykg.experience.experience_file import Experience, ExperienceItem, make_header, write_experience
from chattykg.experience.leak_guard import HeldOutQuestion
from chattykg.experience.retrieval import (
    MAX_EXAMPLES,
    MAX_OF_KIND,
    ExamplePool,
    delexicalize,
    examples_from,
    select_examples,
)
from chattykg.linking.vocabulary_card import VocabularyCard, build_vocabulary_card

SHIPS = "https://ships.example/"
ITEMS = (
    ExperienceItem(
        "Who commands the Comet?",
        f"SELECT ?x WHERE {{ <{SHIPS}comet> <{SHIPS}vocab/captain> ?x }}",
        "Who commands the [tanker]?",
    ),
    ExperienceItem(
        "Who commands the Aurora of Lund?",
        f"SELECT ?x WHERE {{ <{SHIPS}aurora> <{SHIPS}vocab/captain> ?x ; <{SHIPS}vocab/homeHarbor> <{SHIPS}lund> }}",
        "Who commands the [ship] of [harbor]?",
    ),
)
GOLD = f"SELECT ?x WHERE {{ <{SHIPS}aurora> <{SHIPS}vocab/captain> ?x }}"


def item(pattern, predicate="p", form="SELECT ?x WHERE { ?s <http://b.org/%s> ?x }"):
    return ExperienceItem(pattern, form % predicate, pattern)


def nearest(pool, question, kg):
    return [i.question for i in pool.find_examples(question, VocabularyCard(), kg)]


def test_names_numbers_and_texts_become_their_kinds(demo):
    question = "Which films of 2010 did Christopher Nolan direct before Inception?"
    card = build_vocabulary_card(question, demo)
    assert delexicalize(question, card, demo) == "Which films of [number] did [person] direct before [film]?"


def test_the_nearest_questions_come_first_and_what_is_far_is_no_example(demo):
    pool = ExamplePool([item("Who is the author of [book]?", "a"), item("Who directed [film]?", "d")])
    assert nearest(pool, "Who directed [film]?", demo) == ["Who directed [film]?"]
    assert nearest(pool, "Who is the director that directed [film]?", demo)[0] == "Who directed [film]?"
    assert nearest(ExamplePool([item("How tall is [mountain]?")]), "Who directed this?", demo) == []


ORDERED = "SELECT ?x WHERE { ?x <http://b.org/%s> ?v } ORDER BY DESC(?v) LIMIT 1"
COUNTED = "SELECT (COUNT(?x) AS ?n) WHERE { ?x <http://b.org/%s> ?v }"
HOP = "SELECT ?x WHERE { ?s <http://b.org/%s> ?y . ?y <http://b.org/q> ?x }"


def test_examples_are_of_different_queries_and_kinds_and_few(demo):
    items = [item(f"Who directed [film] {n}?") for n in range(9)]
    for form in ("SELECT ?x WHERE { ?s <http://b.org/%s> ?x }", ORDERED, COUNTED, HOP):
        items += [item(f"Who directed the [film] of {n} {len(form)}?", f"p{n}", form) for n in range(9)]
    found = nearest(ExamplePool(items), "Who directed [film]?", demo)
    assert len(found) == MAX_EXAMPLES
    assert sum("of" not in question for question in found) <= 1
    assert sum(str(len(ORDERED)) in question for question in found) <= MAX_OF_KIND


def test_examples_of_the_kind_of_the_question_come_first_and_lookups_are_left_out(demo):
    pool = ExamplePool(
        [
            item("What is the length of [river]?", "length"),
            item("What is the length of the mouth of [river]?", "mouth", HOP),
            item("How many have the length of [river]?", "length", COUNTED),
            item("Which has the highest length?", "length", ORDERED),
        ]
    )
    found = nearest(pool, "Which river has the lowest length of all?", demo)
    assert found[0] == "Which has the highest length?"
    assert "What is the length of [river]?" not in found
    assert nearest(pool, "What is the length of [river]?", demo)[0] == "What is the length of [river]?"


def test_the_usual_wording_of_a_query_is_shown(demo):
    usual = [item(f"In which city is the {n} of [firm]?", n) for n in ("seat", "branch", "works")]
    odd = item("What city did the seat of [firm] in?", "seat")
    assert nearest(ExamplePool([odd, *usual]), "What city is the seat of [firm] in?", demo)[0] == usual[0].question


def test_one_question_that_the_graph_does_not_answer_comes_last(demo):
    unanswerable = [ExperienceItem(f"Why did [film] {w}?", "", f"Why did [film] {w}?", unused=(w,)) for w in ("a", "b")]
    pool = ExamplePool([*unanswerable, item("Who directed [film]?"), item("Who wrote [film]?", "w")])
    assert nearest(pool, "Who directed [film] b?", demo)[-1] == "Why did [film] b?"
    assert len(nearest(pool, "Who directed [film]?", demo)) == 3
    assert nearest(ExamplePool(unanswerable), "Why did [film] a?", demo) == []


def test_the_question_itself_is_barred_where_it_is_under_test(demo):
    items = [item("Who directed it?"), item("Who directed that one?", "q")]
    assert nearest(ExamplePool(items, bars_same_question=True), "WHO directed it", demo) == ["Who directed that one?"]
    assert nearest(ExamplePool(items), "WHO directed it", demo)[0] == "Who directed it?"


@pytest.fixture
def file(ships, tmp_path):
    path = tmp_path / "ships.experience.jsonl"
    write_experience(path, Experience(make_header(ships, {}), ITEMS))
    return path


class Function:
    """A model as a Python function; it keeps the prompts."""

    def __init__(self):
        self.prompts = []

    def __call__(self, messages):
        self.prompts.append(messages[-1]["content"])
        return json.dumps({"shape": "one", "sparql": "SELECT DISTINCT ?x WHERE { e:1 p:captain ?x }"})


def test_the_question_itself_is_an_example_in_a_conversation_but_not_under_test(file, ships):
    asked, guarded, chatted = ITEMS[0].question, Function(), Function()
    answers = chattykg.answer([asked], ships, model=guarded, strategy="direct", experience=file)
    assert answers.manifest["engine"]["experience"]["barred"] == {"question": 1}
    chattykg.Chat(ships, model=chatted, strategy="direct", verbalize=False, experience=[file]).ask(asked)
    assert [f'"{asked}" ->' in model.prompts[0] for model in (guarded, chatted)] == [False, True]
    assert '"Who commands the Aurora of Lund?" -> SELECT ?x WHERE {' in chatted.prompts[0]
    assert chatted.prompts[0].endswith(f"\n\nQuestion: {asked}")


def test_what_gives_a_gold_query_away_is_left_out(file, ships):
    held_out = [HeldOutQuestion(("Name her.",), GOLD.replace("aurora", "comet"))]
    selected = select_examples([file], ships, held_out)
    assert selected.pool.items == ITEMS[1:]
    assert selected.to_manifest()["barred"] == {"query": 1}
    assert select_examples([file], ships).pool.items == ITEMS


def test_an_experience_of_no_path_or_of_another_graph_is_refused_and_the_rules_use_none(file, ships):
    assert examples_from(file, ships, "rules") is None and examples_from(None, ships, "rules") is None
    for source in (7, [7]):
        with pytest.raises(ConfigError, match="7 is no path of a file"):
            examples_from(source, ships, "function")
    with pytest.raises(ConfigError, match="was made from another graph than demo"):
        chattykg.Chat("demo", model=Function(), experience=file)
    with pytest.raises(ConfigError, match="No such file"):
        chattykg.answer(["Who?"], ships, model=Function(), experience="none")
