import pytest
from chattyshared.resources import open_kg

from chattykg.experience.experience_file import ExperienceItem
from chattykg.experience.retrieval import MAX_EXAMPLES, MAX_OF_KIND, ExamplePool, delexicalize
from chattykg.linking.vocabulary_card import VocabularyCard, build_vocabulary_card


@pytest.fixture(scope="module")
def demo():
    return open_kg("demo")


def item(pattern, predicate="p", form="SELECT ?x WHERE { ?s <http://b.org/%s> ?x }"):
    return ExperienceItem(pattern, form % predicate, pattern)


def nearest(pool, question, kg):
    return [i.question for i in pool.find_examples(question, VocabularyCard(), kg)]


def test_names_numbers_and_texts_become_their_kinds(demo):
    question = "Which films of 2010 did Christopher Nolan direct before Inception?"
    card = build_vocabulary_card(question, demo)
    assert delexicalize(question, card, demo) == "Which films of [number] did [person] direct before [film]?"


def test_the_nearest_questions_come_first(demo):
    pool = ExamplePool([item("Who is the author of [book]?", "a"), item("Who directed [film]?", "d")])
    assert nearest(pool, "Who directed [film]?", demo) == ["Who directed [film]?"]
    assert nearest(pool, "Who is the director that directed [film]?", demo)[0] == "Who directed [film]?"


def test_what_is_far_is_no_example(demo):
    assert nearest(ExamplePool([item("How tall is [mountain]?")]), "Who directed this?", demo) == []
    assert nearest(ExamplePool([]), "Who directed this?", demo) == []


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
