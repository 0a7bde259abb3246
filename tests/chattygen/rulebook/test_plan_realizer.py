"""The rule model's words for planned turns: sets, conditions, comparisons, orders, references, shifts."""

import pytest
from chattyshared.model import Message, Request
from rdflib import URIRef

from chattygen.context.facts import Entity, Fact, Step
from chattygen.rulebook import RULEBOOK
from chattygen.rulebook.plan_realizer import deduplicate_wordings, drop_repetitive
from chattygen.rulebook.referring_expressions import PRONOUNS_BY_GENDER, introduce, refer_by_name
from chattygen.rulebook.set_questions import realize_comparison, word_turn
from chattygen.turns import Condition, TurnSpec
from chattygen.wording.checks import check_verbalization

FORMS = {"most": "superlative", "least": "superlative", "over": "filter", "under": "filter", "with": "conjunction",
         "without": "negation", "rising": "list", "falling": "list"}  # fmt: skip
BRIDGE, RIVER, PERSON, CITY = ("Bridge", "Structure"), ("River",), ("Person",), ("City",)


def thing(label, *kinds, gender=""):
    return Entity(URIRef(f"https://x.example/{label.replace(' ', '_')}"), label, "", kinds[0], kinds, gender)


def fact(label, kinds=(), *, direction="out", shape="entity", count=1, via=()):
    steps = tuple(Step(one, one, direction if one == label.split("/")[-1] else "out") for one in label.split("/"))
    return Fact(1, steps, shape, "", kinds, count, (), "", via)


def by(pick, label, shape="number", value="", *, kinds=(), direction="out"):
    return Condition(pick, Step(label, label, direction), shape, "", value, kinds)


ADA = thing("Ada Moss", "Architect", *PERSON, gender="female")
BUILT = fact("architect", BRIDGE, direction="in", count=4)


def asked(condition, *, about=ADA, what=BUILT, owner=None):
    ask = TurnSpec(1, FORMS[condition.kind], "opens", about, what, condition)
    return deduplicate_wordings(word_turn(ask, owner or refer_by_name(about)))


@pytest.mark.parametrize(
    ("condition", "about", "what", "wording"),
    [
        (by("under", "price", value="10"), ADA, BUILT,
         "Which of the bridges that Ada Moss designed cost less than 10?"),
        (by("without", "price", "text", "9 EUR"), ADA, BUILT,
         "Which bridges that Ada Moss designed do not cost 9 EUR?"),
        (by("with", "category", "entity", "Tower"), ADA, BUILT,
         "Which of the bridges that Ada Moss designed are towers?"),
        (by("over", "length", value="300"), ADA, BUILT,
         "Which bridges designed by Ada Moss have a length of more than 300?"),
        (by("most", "rank"), ADA, BUILT, "Which of the bridges that Ada Moss designed has the largest rank number?"),
        (by("falling", "length (m)"), ADA, BUILT,
         "Which bridges were designed by Ada Moss, from the longest to the shortest?"),
        (by("rising", "toll revenue"), ADA, BUILT,
         "Which bridges did Ada Moss design, in increasing order of toll revenue?"),
        (by("most", "height"), thing("Blister", "Hangar"), fact("hangar", ("Aircraft",), direction="in", count=3),
         "Which of the aircraft in Blister is the tallest?"),
        (by("most", "height"), thing("Up", "Play"), fact("author/novel", ("Novel",), count=3, via=PERSON),
         "Which of the novels of Up's author is the tallest?"),
    ],
)  # fmt: skip
def test_sets_and_conditions_are_said_in_plain_english(condition, about, what, wording):
    found = asked(condition, about=about, what=what)
    assert wording in found, found


LONG, RED = thing("Long Bridge", *BRIDGE), thing("Red Bridge", *BRIDGE)


@pytest.mark.parametrize(
    ("condition", "polar", "wording"),
    [
        (by("least", "opened", "date"), False, "Which bridge was opened earlier, the Long Bridge or the Red Bridge?"),
        (by("most", "goals of the home team"), False,
         "Of the Long Bridge and the Red Bridge, which has more home team goals?"),
        (by("most", "length"), True, "Is the Long Bridge longer than the Red Bridge?"),
    ],
)  # fmt: skip
def test_comparisons(condition, polar, wording):
    what = fact(condition.step.label, shape=condition.shape)
    ask = TurnSpec(1, "comparison", "opens", LONG, what, condition, RED, polar)
    found = deduplicate_wordings(realize_comparison(ask, refer_by_name(LONG)))
    assert wording in found, found


def test_wordings_that_say_a_word_twice_give_way():
    written = fact("author", ("Play",), direction="in", count=3)
    ask = TurnSpec(1, "conjunction", "opens", ADA, written, by("with", "written by", "entity", "Bo"))
    she = PRONOUNS_BY_GENDER["female"]
    assert not [text for text in drop_repetitive(word_turn(ask, she)) if "by her" in text]
    assert "Which of them did Bo write?" in word_turn(ask, None)
    authors = fact("author", PERSON, count=3)
    assert not [text for text in asked(by("most", "height"), about=thing("Up", "Play"), what=authors)
                if "written by" in text]  # fmt: skip


def plan():
    return (
        TurnSpec(1, "object", "opens", LONG, fact("architect", PERSON)),
        TurnSpec(2, "object", "answer", thing("Ada Moss", *PERSON), fact("birth place", CITY), antecedent_turn=1),
        TurnSpec(3, "list", "topic", thing("Ada Moss", *PERSON), BUILT, by("rising", "length (m)")),
        TurnSpec(4, "date", "position", RED, fact("opened", shape="date"), position=2, antecedent_turn=3),
        TurnSpec(5, "date", "shift", LONG, fact("opened", shape="date"), antecedent_turn=4),
        TurnSpec(6, "comparison", "topic", LONG, fact("cost", shape="number"), by("most", "cost"), RED),
        TurnSpec(7, "object", "position", RED, fact("painter", PERSON), position=2, antecedent_turn=6),
        TurnSpec(
            8,
            "filter",
            "among",
            thing("Ada Moss", *PERSON),
            BUILT,
            by("over", "length (m)", value="300"),
            antecedent_turn=3,
        ),
    )


def worded_plan(nonce="", turns=None):
    asks = turns or plan()
    request = Request("generate/plan_verbalization", (Message("user", nonce),), variables={"turns": asks})
    return {turn["turn"]: turn for turn in RULEBOOK["generate/plan_verbalization"](request)["turns"]}


@pytest.mark.parametrize("nonce", [str(number) for number in range(25)])
def test_a_whole_plan_passes_the_checks_of_its_agent(nonce):
    found = worded_plan(nonce)
    assert not list(check_verbalization({"turns": list(found.values())}, {"turns": plan()}))
    assert found[1]["standalone"] == found[1]["question"]


def test_a_pronoun_does_not_follow_what_it_could_mean_as_well():
    city = thing("Bern", "City")
    rivers = fact("flows through", RIVER, direction="in", count=3)
    first = TurnSpec(1, "object", "opens", city, fact("mayor", PERSON))
    has = by("with", "passes", "entity", "Thun", kinds=("Town",))
    second = TurnSpec(2, "conjunction", "topic", city, rivers, has)
    third = TurnSpec(3, "object", "topic", city, fact("twin town", ("Town",)))
    said = {worded_plan(str(nonce), (first, second, third))[3]["question"] for nonce in range(12)}
    assert all("the city" in question for question in said), said
    maker = thing("Rudd Farm", "Cheesemaker")
    cheeses = TurnSpec(1, "subject", "opens", maker, fact("made by", ("Cheese",), direction="in", count=4))
    place = TurnSpec(2, "object", "topic", maker, fact("located in", CITY))
    said = {worded_plan(str(nonce), (cheeses, place))[2]["question"] for nonce in range(12)}
    assert not [question for question in said if "they" in question], said


def test_an_earlier_set_is_named_once_more_where_them_would_mean_a_later_one():
    first = TurnSpec(1, "subject", "opens", ADA, BUILT)
    second = TurnSpec(2, "filter", "among", ADA, BUILT, by("over", "length (m)", value="300"), antecedent_turn=1)
    condition = by("without", "country", "entity", "Peru", kinds=("Country",))
    third = TurnSpec(3, "negation", "among", ADA, BUILT, condition, antecedent_turn=1)
    said = worded_plan(turns=(first, second, third))[3]["question"]
    assert said in {
        "Which of the bridges that she designed are not from Peru?",
        "Which of the bridges designed by her are not from Peru?",
    }
    assert not list(check_verbalization({"turns": [*worded_plan(turns=(first, second, third)).values()]},
                           {"turns": (first, second, third)}))  # fmt: skip


def test_a_set_that_is_said_in_full_is_not_spoken_of_as_them():
    asks = (TurnSpec(1, "object", "opens", ADA, fact("born in", CITY)),
            TurnSpec(2, "filter", "topic", ADA, BUILT, by("over", "length (m)", value="300")))  # fmt: skip
    good = worded_plan(turns=asks)
    bad = good[2] | {"question": "Which of them are longer than 300 meters, of hers?"}
    (problem,) = check_verbalization({"turns": [good[1], bad]}, {"turns": asks})
    assert problem.sentence.startswith('turn 2: say what they are, not only "of them"')
    assert not list(check_verbalization({"turns": [*good.values()]}, {"turns": asks}))


@pytest.mark.parametrize(
    ("label", "kind", "expected"),
    [
        ("fiat 131", "Car", "the car fiat 131"),
        ("Who Goes There?", "Novel", 'the novel "Who Goes There?"'),
        ("Repair of the roof", "Job", 'the job "Repair of the roof"'),
        ("Museum of the Northern Alps", "Company", "Museum of the Northern Alps"),
        ("Denali", "Mountain", "Denali"),
    ],
)
def test_an_odd_name_is_introduced_by_its_class(label, kind, expected):
    assert introduce(thing(label, kind)).label == expected
