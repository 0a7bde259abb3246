from dataclasses import replace

import pytest
from rdflib import URIRef

from chattygen.context.facts import Entity, Fact, Step
from chattygen.dialogue_language import DialogueLanguage
from chattygen.turns import Condition, TurnSpec
from chattygen.wording.checks import check_verbalization
from chattygen.wording.planned import VERBALIZE

X = "https://peaks.example/"
BEN = Entity(URIRef(X + "Ben"), "Ben Torr", X + "Guide", "guide", ("guide", "person"), "male")
KITE = Entity(URIRef(X + "Kite"), "Kite Peak", X + "Peak", "peak", ("peak",))
LARK = Entity(URIRef(X + "Lark"), "Lark Peak", X + "Peak", "peak", ("peak",))
CLIMBED = Fact(1, (Step(X + "climbed", "climbed"),), "entity", class_labels=("peak",), count=4, forms=("list",))
HEIGHT = Fact(
    2, (Step(X + "height", "height"),), "number", "integer", forms=("number", "boolean"), offered_value="2310"
)
AGE = Fact(3, (Step(X + "age", "age"),), "number", offered_value="41", forms=("number", "boolean"))
MOST = Condition("most", HEIGHT.last_step, "number", "integer")
OVER = Condition("over", HEIGHT.last_step, "number", "integer", "2500")
PLAN = (
    TurnSpec(1, "list", "opens", BEN, CLIMBED),
    TurnSpec(2, "superlative", "among", BEN, CLIMBED, MOST, antecedent_turn=1),
    TurnSpec(3, "count", "among", BEN, CLIMBED, OVER, antecedent_turn=1),
    TurnSpec(4, "number", "position", KITE, HEIGHT, position=2, antecedent_turn=1),
    TurnSpec(5, "boolean", "topic", BEN, AGE),
    TurnSpec(6, "comparison", "answer", KITE, HEIGHT, MOST, LARK, is_yes_no=True, antecedent_turn=2),
    TurnSpec(7, "number", "shift", LARK, HEIGHT, antecedent_turn=4),
)  # fmt: skip
GOOD = (
    ("Which peaks has Ben Torr climbed?", "Which peaks has Ben Torr climbed?"),
    ("Which of the peaks that Ben Torr climbed is the highest?", "Which of them is the highest?"),
    ("How many of Ben Torr's peaks are higher than 2,500 metres?", "How many of those are higher than 2500 metres?"),
    ("How high is Kite Peak?", "How high is the second of them?"),
    ("Is Ben Torr 41?", "Is he 41?"),
    ("Is Kite Peak higher than Lark Peak?", "Is it higher than Lark Peak?"),
    ("How high is Lark Peak?", "And what about Lark Peak?"),
)


def rules(turn: int = 0, standalone: str = "", question: str = "") -> list[str]:
    said = [
        (standalone or alone, question or talk) if number == turn else (alone, talk)
        for number, (alone, talk) in enumerate(GOOD, 1)
    ]
    reply = {"turns": [{"turn": n, "standalone": a, "question": q} for n, (a, q) in enumerate(said, 1)]}
    return [problem.rule for problem in check_verbalization(reply, {"turns": PLAN})]


def test_good_words_pass():
    assert rules() == []


@pytest.mark.parametrize(
    ("turn", "standalone", "question", "rule"),
    [
        (1, "", "Which peaks has he climbed?", "opens"),
        (2, "Which of the peaks is the highest?", "", "names-entity"),
        (2, "", "Which is the highest?", "reference"),
        (2, "", "Which of them that Ben Torr climbed is the highest?", "hides-entity"),
        (3, "How many of Ben Torr's peaks are high?", "", "says-value"),
        (3, "", "How many of those are higher?", "says-value"),
        (3, "", "Which of those are higher than 2500 metres?", "asks-count"),
        (4, "", "How high is it?", "reference"),
        (4, "", "How high is the second one, Kite Peak?", "hides-entity"),
        (5, "Is Ben Torr old?", "", "offered-value"),
        (5, "How old is Ben Torr, 41?", "", "ends-agree"),
        (5, "", "Is she 41?", "gender"),
        (6, "Is Kite Peak higher than others?", "", "names-entity"),
        (6, "", "Is it higher than the other?", "names-entity"),
        (7, "", "And what about that one?", "names-entity"),
        (7, "", "And what about Lark Peak", "question-mark"),
    ],
)
def test_each_rule_finds_what_breaks_it(turn: int, standalone: str, question: str, rule: str):
    assert rule in rules(turn, standalone, question)


def test_turns_must_be_all_there():
    reply = {"turns": [{"turn": 1, "standalone": GOOD[0][0], "question": GOOD[0][1]}]}
    assert [problem.rule for problem in check_verbalization(reply, {"turns": PLAN})] == ["turns"]


def test_the_prompt_is_short_and_hides_what_is_asked():
    messages = VERBALIZE.prompt.render({"turns": PLAN[:5], "language": DialogueLanguage()})
    assert sum(len(message.content) for message in messages) / 4 < 1_000
    assert '3. among of turn 1 | count | "Ben Torr" (guide, male) | THIS --climbed--> ? [peak; 4]' in (
        messages[1].content
    )
    assert 'those over the bound in "height" [integer]: "2500"' in messages[1].content


GERMAN = (
    ("Welche Gipfel hat Ben Torr bestiegen?", "Welche Gipfel hat Ben Torr bestiegen?"),
    ("Welcher von Ben Torrs Gipfeln ist der höchste?", "Welcher davon ist der höchste?"),
    ("Wie viele von Ben Torrs Gipfeln sind höher als 2.500 Meter?", "Wie viele davon sind höher als 2.500 Meter?"),
    ("Wie hoch ist Kite Peak?", "Wie hoch ist der zweite?"),
    ("Ist Ben Torr 41?", "Ist er 41?"),
    ("Ist Kite Peak höher als Lark Peak?", "Ist er höher als Lark Peak?"),
    ("Wie hoch ist Lark Peak?", "Und Lark Peak?"),
)


@pytest.mark.parametrize(
    ("turn", "standalone", "question", "rule"),
    [
        (0, "", "", ""),
        (3, "Wie viele von Ben Torrs Gipfeln sind hoch?", "", "says-value"),
        (4, "Wie hoch ist der Drachengipfel?", "", "names-entity"),
        (4, "", "Wie hoch ist Kite Peak?", "hides-entity"),
        (5, "Ist Ben Torr 40?", "", "offered-value"),
        (6, "", "Ist er höher?", "names-entity"),
        (7, "", "Wie hoch ist er.", "question-mark"),
    ],
)
def test_in_other_languages_names_and_values_are_checked_and_no_english_words(turn, standalone, question, rule):
    said = [
        (standalone or alone, question or talk) if number == turn else (alone, talk)
        for number, (alone, talk) in enumerate(GERMAN, 1)
    ]
    reply = {"turns": [{"turn": n, "standalone": a, "question": q} for n, (a, q) in enumerate(said, 1)]}
    variables = {"turns": PLAN, "language": DialogueLanguage("de")}
    found = [problem.rule for problem in check_verbalization(reply, variables)]
    assert rule in found if rule else found == []


def test_in_other_languages_only_the_standalone_question_keeps_the_name_of_a_country():
    fact = replace(AGE, shape="entity", class_labels=("country",), offered_value="Germany")
    plan = replace(PLAN[4], fact=fact)
    for standalone, expected in (
        ("Ist Ben Torr aus Germany?", []),
        ("Ist Ben Torr aus Deutschland?", ["offered-value"]),
    ):
        reply = {"turns": [{"turn": 5, "standalone": standalone, "question": "Ist er aus Deutschland?"}]}
        found = check_verbalization(reply, {"turns": (plan,), "language": DialogueLanguage("de")})
        assert [problem.rule for problem in found if problem.rule == "offered-value"] == expected


@pytest.mark.parametrize(
    ("tag", "bound", "text", "is_said"),
    [
        ("de", "148.5", "Welche davon sind länger als 148,5 Meter?", True),
        ("de", "1500000", "Welche davon haben mehr als 1.500.000 Einwohner?", True),
        ("fr", "1500000", "Lesquelles ont plus de 1\u202f500\u202f000 habitants\u202f?", True),
        ("zh", "20", "其中哪些超过20米？", True),
        ("zh", "20", "其中哪些超过二十米？", False),
        ("de", "148.5", "Welche davon sind länger als 1485 Meter?", False),
    ],
)
def test_a_bound_is_said_in_digits_in_the_form_of_the_language(tag, bound, text, is_said):
    plan = replace(PLAN[2], form="filter", condition=replace(OVER, value=bound))
    reply = {"turns": [{"turn": 3, "standalone": f"Ben Torr: {text}", "question": text}]}
    found = check_verbalization(reply, {"turns": (plan,), "language": DialogueLanguage(tag)})
    problems = [problem.sentence for problem in found if problem.rule == "says-value"]
    assert (problems == []) is is_said and all(f'say "{bound}" in digits' in sentence for sentence in problems)


@pytest.mark.parametrize(
    ("label", "classes", "expected"),
    [
        ("Help! (album)", ("Album",), "the album Help!"),
        ("Help! (song)", ("Album",), "Help! (song)"),
        ("Drake (musician)", ("Solo Artist", "Person"), "the musician Drake"),
        ("Wildflowers (Tom Petty album)", ("Album",), "Wildflowers (Tom Petty album)"),
        ("(album)", ("Album",), "(album)"),
    ],
)
def test_a_kind_in_brackets_stands_before_the_name(label: str, classes: tuple[str, ...], expected: str):
    entity = Entity(URIRef(X + "A"), label, X + "Album", classes[0], classes)
    assert TurnSpec(1, "date", "opens", entity, HEIGHT).with_kinds_before_names().entity.label == expected
