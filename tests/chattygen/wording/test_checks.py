from chattyshared.check import Problem
from rdflib import URIRef

from chattygen.context.facts import Entity, Fact, QuestionRequest, Step
from chattygen.wording import checks
from chattygen.wording.checks import check_answers_hidden, check_names_entity, check_reference, check_well_formed
from chattygen.wording.drafts import DraftTurn

JUNO = Entity(URIRef("https://ships.example/Juno"), "Juno", "https://ships.example/vocab/Ship", "Ship", ("Ship",))
ADA = Entity(URIRef("https://ships.example/Ada"), "Ada Holt", "x", "Captain", ("Captain", "Person"), "female")
OWNER = Fact(
    1, (Step("p", "owner"),), "entity", class_labels=("Person",), forms=("object", "boolean"), offered_value="Ben Marsh"
)
LENGTH = Fact(2, (Step("q", "length"),), "number", datatype="integer", forms=("number", "boolean"))


def said(problems):
    return [str(problem) for problem in problems]


ANY = (QuestionRequest("object"),)


def asked(*items, wanted=ANY):
    reply = {"questions": [dict(zip(("question", "facts", "form"), item, strict=True)) for item in items]}
    return said(checks.check_questions(reply, {"entity": JUNO, "facts": (OWNER, LENGTH), "wanted": wanted}))


def test_a_good_question_passes():
    assert asked(("Who owns Juno?", [1], "object")) == []


def test_a_question_names_its_entity():
    assert list(check_names_entity("Who owns it?", JUNO)) == [Problem("names-entity", 'name "Juno" in: "Who owns it?"')]
    assert list(check_names_entity("Who owns Junon?", JUNO)) != []


def test_a_question_is_more_than_a_word_and_ends_with_one_question_mark():
    assert said(check_well_formed("Juno?")) == ['one-word: write more than one word: "Juno?"']
    assert said(check_well_formed("Who owns Juno")) == ['question-mark: end with one question mark: "Who owns Juno"']
    assert said(check_well_formed("Who owns <https://x> ?")) == [
        'plain-words: use plain words, no IRIs and no markup: "Who owns <https://x> ?"'
    ]


def test_the_number_of_questions_and_the_forms_are_as_wanted():
    assert asked(wanted=(QuestionRequest("object", 1),)) == [
        "number-of-questions: write exactly 1 questions, not 0",
        "wanted: write 1 of the form object, not 0",
        "wanted: ask fact 1 as object",
    ]


def test_facts_exist_and_carry_the_form():
    assert asked(("Who owns Juno?", [9], "object")) == [
        'facts: give the number of one listed fact for: "Who owns Juno?"'
    ]
    assert asked(("How long is Juno?", [2], "object")) == [
        'form: fact 2 can be asked as number or boolean, not as object: "How long is Juno?"'
    ]


def test_a_yes_no_question_is_never_about_mere_existence():
    wanted = (QuestionRequest("boolean"),)
    assert asked(("Does Juno have an owner?", [1], "boolean"), wanted=wanted) == [
        'offered-value: ask about the value "Ben Marsh" in: "Does Juno have an owner?"'
    ]
    assert asked(("Does Juno have a length?", [2], "boolean"), wanted=wanted) == [
        "offered-value: fact 2 has no yes-no value: ask another fact as boolean"
    ]
    assert asked(("Is Juno owned by Ben Marsh?", [1], "boolean"), wanted=wanted) == []


def test_form_and_wording_agree():
    assert asked(("Is there an owner of Juno?", [1], "object")) == [
        'ends-agree: the form is object, but this is a yes-no question: "Is there an owner of Juno?"'
    ]


def test_nothing_is_asked_twice():
    twice = asked(
        ("Who owns Juno?", [1], "object"), ("Who owns Juno?", [1], "object"), wanted=(QuestionRequest("object"),) * 2
    )
    assert twice == [
        'repeated: ask this only once: "who owns juno?"',
        "repeated-fact: ask each fact only once; fact 1 is asked 2 times",
    ]


def test_no_answer_stands_in_its_own_question():
    assert said(check_answers_hidden("Is the admiral Ada?", ["Ada"])) == [
        'answer-in-question: the answer "Ada" stands in its own question: "Is the admiral Ada?"'
    ]
    assert said(check_answers_hidden("How is Adam?", ["Ada"])) == []


def test_a_follow_up_refers_and_does_not_name():
    assert said(check_reference("Who owns Juno?", "Who owns Juno?", JUNO)) == [
        'hides-entity: do not name "Juno", refer to it: "Who owns Juno?"',
        'reference: refer to "Juno" by a pronoun or its kind: "Who owns Juno?"',
    ]
    assert said(check_reference("Who owns it?", "Who owns Juno?", JUNO)) == []
    assert said(check_reference("Who owns the ship?", "Who owns Juno?", JUNO)) == []


def test_stiff_rewrites_are_found_and_their_neighbors_are_not():
    assert said(check_reference("Who is the owner of it?", "Who is the owner of Juno?", JUNO)) == [
        'stiff: write this naturally (possessives, no "of it"): "Who is the owner of it?"'
    ]
    for fine in ("Who is its owner?", "Which lists is it part of?", "Who took care of her mother, the captain?"):
        assert "stiff" not in "".join(said(check_reference(fine, "Who is the owner of Ada Holt?", ADA)))


def test_a_pronoun_needs_a_stated_gender():
    assert said(check_reference("Where was she born?", "Where was Juno born?", JUNO)) == [
        'gender: nothing says that "Juno" is female: "Where was she born?"'
    ]
    assert said(check_reference("Where was she born?", "Where was Ada Holt born?", ADA)) == []
    assert said(check_reference("Where was he born?", "Where was Ada Holt born?", ADA)) == [
        'gender: nothing says that "Ada Holt" is male: "Where was he born?"'
    ]


def test_a_yes_no_question_stays_one():
    assert said(check_reference("Who was she born to?", "Was Ada Holt born?", ADA)) == [
        'ends-agree: "Who was she born to?" must ask the same as "Was Ada Holt born?"'
    ]


def test_all_later_turns_are_rewritten_once():
    drafts = tuple(DraftTurn(n, f"Who owns Juno {n}?", JUNO, "topic") for n in (1, 2, 3))
    reply = {"turns": [{"turn": 3, "question": "Who owns it?"}, {"turn": 3, "question": "Who owns it?"}]}
    assert said(checks.check_rewriting(reply, {"turns": drafts})) == [
        "turns: rewrite the turns 2 to 3, each once and in order; got [3, 3]",
        'repeated: two turns read the same: "who owns it?"',
    ]
