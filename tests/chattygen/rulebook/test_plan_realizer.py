"""The rule model's words for planned turns: sets, conditions, comparisons, orders, references, shifts."""

from dataclasses import replace

import pytest
from chattyshared.model import Message, Request
from rdflib import URIRef

from chattygen.rulebook import RULEBOOK
from chattygen.rulebook.comparison_questions import realize_comparison
from chattygen.rulebook.condition_phrases import ConditionPhrase
from chattygen.rulebook.question_realizer import deduplicate_wordings
from chattygen.rulebook.referring_expressions import (
    IT,
    PRONOUNS_BY_GENDER,
    THEY,
    introduce,
    refer_by_name,
    refer_by_pronoun,
)
from chattygen.rulebook.set_questions import ask_which_one_of_them, realize_set_follow_up, realize_set_question
from chattygen.stages.plan_verbalization import check_verbalization
from chattygen.stages.turn_plan import Condition, TurnPlan
from chattygen.subgraph.facts import Entity, Fact, Step

FORMS = {"most": "superlative", "least": "superlative", "over": "filter", "under": "filter", "with": "conjunction",
         "without": "negation", "rising": "list", "falling": "list"}  # fmt: skip
BRIDGE, RIVER, PERSON, CITY = ("Bridge", "Structure"), ("River",), ("Person",), ("City",)


def thing(label, *kinds, gender=""):
    return Entity(URIRef(f"https://x.example/{label.replace(' ', '_')}"), label, "", kinds[0], kinds, gender)


def fact(label, kinds=(), *, direction="out", shape="entity", count=1, offer="", via=()):
    steps = tuple(Step(one, one, direction if one == label.split("/")[-1] else "out") for one in label.split("/"))
    return Fact(1, steps, shape, "", kinds, count, (), offer, via)


def by(pick, label, shape="number", value="", *, kinds=(), direction="out", datatype="", comment=""):
    return Condition(pick, Step(label, label, direction, comment), shape, datatype, value, kinds)


ADA = thing("Ada Moss", "Architect", *PERSON, gender="female")
BUILT = fact("architect", BRIDGE, direction="in", count=4)


def asked(condition, *, about=ADA, what=BUILT, owner=None, form=""):
    ask = TurnPlan(1, form or FORMS[condition.kind], "opens", about, what, condition)
    return deduplicate_wordings(realize_set_question(ask, owner or refer_by_name(about)))


@pytest.mark.parametrize(
    ("condition", "wording"),
    [
        (by("most", "length (m)"), "Which of the bridges that Ada Moss designed is the longest?"),
        (by("most", "length of a span"), "Which of the bridges that Ada Moss designed has the longest span?"),
        (by("least", "length (m)"), "What is the shortest bridge that Ada Moss designed?"),
        (by("most", "cost"), "Which bridge designed by Ada Moss is the most expensive?"),
        (by("least", "toll revenue"), "Which bridge that Ada Moss designed has the lowest toll revenue?"),
        (by("most", "number of arches"), "Which of the bridges that Ada Moss designed has the most arches?"),
        (by("least", "arches"), "Which of the bridges that Ada Moss designed has the fewest arches?"),
        (by("most", "numberOfPrizesWon"), "Which of the bridges that Ada Moss designed won the most prizes?"),
        (by("most", "opening date", "date"), "Which of the bridges designed by Ada Moss was opened most recently?"),
        (by("least", "opened", "date"), "Which bridge that Ada Moss designed was opened first?"),
        (by("least", "year of construction"), "Which bridge that Ada Moss designed was built first?"),
        (by("most", "inspection deadline", "date"),
         "Which bridge that Ada Moss designed has the latest inspection deadline?"),
        (by("most", "rank"), "Which of the bridges that Ada Moss designed has the largest rank number?"),
        (by("over", "length (m)", value="300"), "Which bridges that Ada Moss designed are longer than 300 meters?"),
        (by("over", "length", value="300", comment="Length in meters."),
         "Which of the bridges that Ada Moss designed are longer than 300 meters?"),
        (by("under", "weight (g)", value="5"), "Which bridges that Ada Moss designed are lighter than 5 grams?"),
        (by("under", "price", value="10"), "Which of the bridges that Ada Moss designed cost less than 10?"),
        (by("with", "category", "entity", "Tower"), "Which of the bridges that Ada Moss designed are towers?"),
        (by("without", "category", "entity", "Tower"), "Which bridges designed by Ada Moss are not towers?"),
        (by("with", "status", "text", "done"), "Which of the bridges that Ada Moss designed are done?"),
        (by("with", "propulsion", "text", "diesel"),
         "Which of the bridges that Ada Moss designed have diesel propulsion?"),
        (by("without", "sister bridge", "entity", "Red Bridge", kinds=BRIDGE),
         "Which of the bridges that Ada Moss designed do not have the Red Bridge as their sister bridge?"),
        (by("over", "length", value="300"), "Which bridges designed by Ada Moss have a length of more than 300?"),
        (by("under", "arches", value="4"), "Which of the bridges that Ada Moss designed have fewer than 4 arches?"),
        (by("over", "opened", "date", "1950"), "Which bridges designed by Ada Moss were opened after 1950?"),
        (by("under", "inspection deadline", "date", "1950"),
         "Which of the bridges that Ada Moss designed have an inspection deadline before 1950?"),
        (by("with", "crosses", "entity", "Aar", kinds=RIVER), "Which bridges designed by Ada Moss cross the Aar?"),
        (by("without", "crosses", "entity", "Aar", kinds=RIVER),
         "Which of the bridges that Ada Moss designed do not cross the Aar?"),
        (by("with", "material", "entity", "steel"),
         "Which of the bridges that Ada Moss designed are made of steel?"),
        (by("with", "paintedBy", "entity", "Bo Lind", kinds=PERSON),
         "Which of the bridges that Ada Moss designed were painted by Bo Lind?"),
        (by("without", "located in", "entity", "Bern", kinds=CITY),
         "Which of the bridges that Ada Moss designed are not located in Bern?"),
        (by("with", "country", "entity", "Peru", kinds=("Country",)),
         "Which of the bridges that Ada Moss designed are from Peru?"),
        (by("without", "price", "text", "9 EUR"), "Which bridges that Ada Moss designed do not cost 9 EUR?"),
        (by("with", "landmark", "entity", "Bern", kinds=CITY, direction="in"),
         "Which of the bridges that Ada Moss designed are the landmark of Bern?"),
        (by("with", "lives under", "entity", "Bo Lind", kinds=PERSON, direction="in"),
         "Which of the bridges that Ada Moss designed does Bo Lind live under?"),
        (by("rising", "opening date", "date"), "Which bridges did Ada Moss design, from the oldest to the newest?"),
        (by("rising", "release date", "date"), "Which bridges did Ada Moss design, in order of release?"),
        (by("falling", "length (m)"), "Which bridges were designed by Ada Moss, from the longest to the shortest?"),
        (by("rising", "toll revenue"), "Which bridges did Ada Moss design, in increasing order of toll revenue?"),
    ],
)  # fmt: skip
def test_conditions_are_said_in_plain_english(condition, wording):
    assert wording in asked(condition), asked(condition)


@pytest.mark.parametrize(
    ("about", "what", "wording"),
    [
        (thing("Blue Fjord", "Company"), fact("reports to", PERSON, direction="in", count=3),
         "Which of the people who report to Blue Fjord is the tallest?"),
        (thing("Blue Fjord", "Company"), fact("memberOf", ("Employee",), direction="in", count=3),
         "Which of Blue Fjord's members is the tallest?"),
        (thing("Oslo", "City"), fact("birth place", PERSON, direction="in", count=3),
         "Who among the people born in Oslo is the tallest?"),
        (thing("Up", "Play"), fact("starring", PERSON, count=3), "Which of the people who star in Up is the tallest?"),
        (thing("Up", "Play"), fact("genre", ("Genre",), count=3), "Which of Up's genres is the tallest?"),
        (thing("Noir", "Genre"), fact("genre", ("Play",), direction="in", count=3),
         "Which of the plays that belong to the genre Noir is the tallest?"),
        (thing("Ann", "Person"), fact("award received", ("Award",), count=3),
         "Which of the awards that Ann received is the tallest?"),
        (thing("Oslo", "City"), fact("located in", ("Museum",), direction="in", count=3),
         "Which museum in Oslo is the tallest?"),
        (thing("Elm Court", "Building"), fact("building", ("Unit",), direction="in", count=3),
         "Which of the units that Elm Court has is the tallest?"),
        (thing("Blister", "Hangar"), fact("hangar", ("Aircraft",), direction="in", count=3),
         "Which of the aircraft in Blister is the tallest?"),
        (thing("Ann", "Person"), fact("keeper", ("Tower",), direction="in", count=3),
         "Which of the towers that Ann is the keeper of is the tallest?"),
        (thing("Ann", "Person"), fact("product manager", ("Hardware",), direction="in", count=3),
         "Which of the hardware items that Ann is the product manager of is the tallest?"),
        (thing("Up", "Play"), fact("author/novel", ("Novel",), count=3, via=PERSON),
         "Which of the novels of Up's author is the tallest?"),
    ],
)  # fmt: skip
def test_sets_have_noun_phrases(about, what, wording):
    found = asked(by("most", "height"), about=about, what=what)
    assert wording in found, found


def test_pronouns_agree_and_own():
    most = by("most", "length (m)")
    assert "Which of the bridges that she designed is the longest?" in asked(most, owner=PRONOUNS_BY_GENDER["female"])
    company = thing("Blue Fjord", "Company")
    members = fact("memberOf", PERSON, direction="in", count=3)
    found = asked(most, about=company, what=members, owner=IT)
    assert "Which of its members is the longest?" in found
    assert not [text for text in found if "of it " in text]


def test_counts_ask_how_many():
    found = asked(by("over", "arches", value="4"), form="count")
    assert {
        "How many of the bridges that Ada Moss designed have more than 4 arches?",
        "How many bridges designed by Ada Moss have more than 4 arches?",
    } <= set(found)


LONG, RED = thing("Long Bridge", *BRIDGE), thing("Red Bridge", *BRIDGE)


@pytest.mark.parametrize(
    ("condition", "polar", "wording"),
    [
        (by("most", "length"), False, "Which is longer, the Long Bridge or the Red Bridge?"),
        (by("least", "length"), False, "Which bridge is shorter, the Long Bridge or the Red Bridge?"),
        (by("least", "opened", "date"), False, "Which was opened first, the Long Bridge or the Red Bridge?"),
        (by("most", "toll revenue"), False, "Which has the higher toll revenue, the Long Bridge or the Red Bridge?"),
        (by("least", "arches"), False, "Which has fewer arches, the Long Bridge or the Red Bridge?"),
        (by("most", "length"), True, "Is the Long Bridge longer than the Red Bridge?"),
        (by("least", "opened", "date"), True, "Was the Long Bridge opened before the Red Bridge?"),
        (by("most", "toll revenue"), True, "Does the Long Bridge have a higher toll revenue than the Red Bridge?"),
        (by("most", "official ratings (millions)"), True,
         "Does the Long Bridge have higher official ratings than the Red Bridge?"),
    ],
)  # fmt: skip
def test_comparisons(condition, polar, wording):
    what = fact(condition.step.label, shape=condition.shape)
    ask = TurnPlan(1, "comparison", "opens", LONG, what, condition, RED, polar)
    found = deduplicate_wordings(realize_comparison(ask, refer_by_name(LONG)))
    assert wording in found, found


def test_persons_are_compared_as_who():
    ask = TurnPlan(1, "comparison", "opens", ADA, fact("birthDate", shape="date"), by("least", "birthDate", "date"),
              thing("Bo Lind", *PERSON))  # fmt: skip
    assert "Who was born first, Ada Moss or Bo Lind?" in deduplicate_wordings(
        realize_comparison(ask, refer_by_name(ADA))
    )
    assert "Who was born first, she or Bo Lind?" in deduplicate_wordings(
        realize_comparison(ask, PRONOUNS_BY_GENDER["female"])
    )


def test_a_set_is_called_by_the_head_of_its_noun():
    phrases = [ConditionPhrase("be", "the largest")]
    for noun, nouns in (("football club", "clubs"), ("repair request", "requests"), ("ticket type", "ticket types"),
                        ("radiocarbon date", "radiocarbon dates")):  # fmt: skip
        assert f"Which of those {nouns} is the largest?" in ask_which_one_of_them(phrases, noun, is_person=False)


def test_answers_just_given_are_picked_from():
    found = deduplicate_wordings(
        realize_set_follow_up(
            TurnPlan(2, "superlative", "among", ADA, BUILT, by("most", "length (m)"), antecedent_turn=1)
        )
    )
    assert {"Which of them is the longest?", "Which of those bridges is the longest?"} <= set(found)
    found = deduplicate_wordings(
        realize_set_follow_up(
            TurnPlan(2, "count", "among", ADA, BUILT, by("under", "arches", value="3"), antecedent_turn=1)
        )
    )
    assert "How many of them have fewer than 3 arches?" in found


def plan():
    return (
        TurnPlan(1, "object", "opens", LONG, fact("architect", PERSON)),
        TurnPlan(2, "object", "answer", thing("Ada Moss", *PERSON), fact("birth place", CITY), antecedent_turn=1),
        TurnPlan(3, "list", "topic", thing("Ada Moss", *PERSON), BUILT, by("rising", "length (m)")),
        TurnPlan(4, "date", "position", RED, fact("opened", shape="date"), position=2, antecedent_turn=3),
        TurnPlan(5, "date", "shift", LONG, fact("opened", shape="date"), antecedent_turn=4),
        TurnPlan(6, "comparison", "topic", LONG, fact("cost", shape="number"), by("most", "cost"), RED),
        TurnPlan(7, "object", "position", RED, fact("painter", PERSON), position=2, antecedent_turn=6),
        TurnPlan(
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


def test_one_of_two_persons_is_the_other_person():
    ada, bea = thing("Ada Moss", "Person"), thing("Bea Holt", "Person")
    turns = (
        TurnPlan(1, "object", "opens", ada, fact("birth place", CITY)),
        TurnPlan(2, "comparison", "topic", ada, fact("height", shape="number"), by("most", "height"), bea),
        TurnPlan(3, "object", "position", bea, fact("birth place", CITY), position=2, antecedent_turn=2),
    )
    said = {worded_plan(str(nonce), turns)[3]["question"] for nonce in range(10)}
    assert said and all("the other person" in question for question in said)


def test_places_in_what_was_said_become_references():
    found = [worded_plan(str(nonce)) for nonce in range(40)]
    said = {turns[4]["question"] for turns in found}
    assert {"When was the second one opened?", "When was the second bridge opened?"} <= said
    assert all("the other one" in turns[7]["question"] for turns in found)
    assert {turns[5]["question"] for turns in found} >= {"What about the Long Bridge?", "And the Long Bridge?"}
    assert {"Where was that architect born?", "Where were they born?"} <= {turns[2]["question"] for turns in found}


def test_a_shift_to_something_else_is_asked_in_full():
    first = TurnPlan(1, "date", "opens", LONG, fact("opened", shape="date"))
    other = TurnPlan(2, "object", "shift", RED, fact("painter", PERSON), antecedent_turn=1)
    question = worded_plan(turns=(first, other))[2]["question"]
    assert "paint" in question and "the Red Bridge" in question


def test_a_shift_asks_shortly_however_many_answers_there_are():
    first = TurnPlan(1, "list", "opens", LONG, fact("painter", PERSON, count=3))
    other = TurnPlan(2, "object", "shift", RED, fact("painter", PERSON), antecedent_turn=1)
    short = {"What about the Red Bridge?", "And the Red Bridge?"}
    assert worded_plan(turns=(first, other))[2]["question"] in short


def test_and_begins_one_question_and_what_about_is_asked_once():
    turns = [TurnPlan(1, "date", "opens", LONG, fact("opened", shape="date"))]
    for number, name in enumerate(("Red Bridge", "Blue Bridge", "Low Bridge"), 2):
        other = thing(name, *BRIDGE)
        turns.append(TurnPlan(number, "date", "shift", other, fact("opened", shape="date"), antecedent_turn=number - 1))
    beginnings = [turn["question"].split()[0] for turn in worded_plan(turns=tuple(turns)).values()]
    assert sorted(beginnings[1:3]) == ["And", "What"]


def test_a_football_player_is_the_player_and_no_agent_is_a_pronoun():
    player = thing("Ola Vik", "Football Player", "Person")
    first = TurnPlan(1, "object", "opens", player, fact("club", ("Club",)))
    second = TurnPlan(2, "list", "topic", player, fact("scored by", ("Goal",), direction="in", count=2))
    said = {worded_plan(str(nonce), (first, second))[2]["question"] for nonce in range(20)}
    assert not any("football player" in text or text.endswith("by them?") for text in said)
    assert any("the player" in text for text in said)


def test_a_thing_calls_the_place_that_it_is_in_its_own():
    where = fact("located in/mayor", PERSON, via=CITY)
    turns = (
        TurnPlan(1, "number", "opens", LONG, fact("length", shape="number")),
        TurnPlan(2, "two-hop", "topic", LONG, where),
    )
    assert "the Long Bridge's city" in worded_plan(turns=turns)[2]["standalone"]


def test_a_pronoun_does_not_follow_what_it_could_mean_as_well():
    city = thing("Bern", "City")
    rivers = fact("flows through", RIVER, direction="in", count=3)
    first = TurnPlan(1, "object", "opens", city, fact("mayor", PERSON))
    has = by("with", "passes", "entity", "Thun", kinds=("Town",))
    second = TurnPlan(2, "conjunction", "topic", city, rivers, has)
    third = TurnPlan(3, "object", "topic", city, fact("twin town", ("Town",)))
    said = {worded_plan(str(nonce), (first, second, third))[3]["question"] for nonce in range(12)}
    assert all("the city" in question for question in said), said
    maker = thing("Rudd Farm", "Cheesemaker")
    cheeses = TurnPlan(1, "subject", "opens", maker, fact("made by", ("Cheese",), direction="in", count=4))
    place = TurnPlan(2, "object", "topic", maker, fact("located in", CITY))
    said = {worded_plan(str(nonce), (cheeses, place))[2]["question"] for nonce in range(12)}
    assert not [question for question in said if "they" in question], said


def test_after_another_thing_a_thing_without_a_noun_of_its_own_is_named():
    shift = TurnPlan(2, "object", "shift", thing("Thun", "City"), fact("river", RIVER), antecedent_turn=1)
    first = replace(shift, number=1, link="opens", entity=thing("Bern", "City"), antecedent_turn=0)
    turns = (first, shift, TurnPlan(3, "number", "topic", shift.entity, fact("population", shape="number")))
    said = {worded_plan(str(nonce), turns)[3]["question"].removeprefix("And h") for nonce in range(12)}
    assert any("Thun" in question for question in said) and not any(" it" in question for question in said), said


def test_the_winner_among_persons_of_one_kind_is_named():
    emil, ola = (thing(name, "Football player", "Person") for name in ("Emil Strand", "Ola Vik"))
    born = fact("birth date", shape="date")
    turns = (
        TurnPlan(1, "object", "opens", emil, fact("club", ("Club",))),
        TurnPlan(2, "comparison", "topic", emil, born, by("least", "birth date", "date"), ola),
        TurnPlan(3, "literal", "answer", ola, fact("position", shape="text"), antecedent_turn=2),
        TurnPlan(4, "date", "answer", ola, fact("joining date", shape="date"), antecedent_turn=2),
    )
    found = worded_plan(turns=turns)
    assert "Ola Vik" not in found[4]["question"]
    assert found[3]["question"].endswith(("Ola Vik's position?", "Ola Vik play?", "position of Ola Vik?")), found[3]
    assert not list(check_verbalization({"turns": list(found.values())}, {"turns": turns}))


def test_an_earlier_set_is_named_once_more_where_them_would_mean_a_later_one():
    first = TurnPlan(1, "subject", "opens", ADA, BUILT)
    second = TurnPlan(2, "filter", "among", ADA, BUILT, by("over", "length (m)", value="300"), antecedent_turn=1)
    condition = by("without", "country", "entity", "Peru", kinds=("Country",))
    third = TurnPlan(3, "negation", "among", ADA, BUILT, condition, antecedent_turn=1)
    said = worded_plan(turns=(first, second, third))[3]["question"]
    assert said in {
        "Which of the bridges that she designed are not from Peru?",
        "Which of the bridges designed by her are not from Peru?",
    }
    assert not list(check_verbalization({"turns": [*worded_plan(turns=(first, second, third)).values()]},
                           {"turns": (first, second, third)}))  # fmt: skip


def test_a_set_that_is_said_in_full_is_not_spoken_of_as_them():
    asks = (TurnPlan(1, "object", "opens", ADA, fact("born in", CITY)),
            TurnPlan(2, "filter", "topic", ADA, BUILT, by("over", "length (m)", value="300")))  # fmt: skip
    good = worded_plan(turns=asks)
    bad = good[2] | {"question": "Which of them are longer than 300 meters, of hers?"}
    (problem,) = check_verbalization({"turns": [good[1], bad]}, {"turns": asks})
    assert problem.sentence.startswith('turn 2: say what they are, not only "of them"')
    assert not list(check_verbalization({"turns": [*good.values()]}, {"turns": asks}))


def test_equal_requests_get_equal_words_and_others_vary():
    assert worded_plan("a") == worded_plan("a")
    assert len({turns[3]["standalone"] for turns in map(worded_plan, "abcdefghij")}) > 3


@pytest.mark.parametrize(
    ("label", "kinds", "expected"),
    [
        ("fiat 131", ("Car",), "the car fiat 131"),
        ("floorboards creaking", ("Repair request",), 'the repair request "floorboards creaking"'),
        ("Inductor Sensor", ("Hardware",), "the hardware Inductor Sensor"),
        ("HV-03", ("Unit",), "the unit HV-03"),
        ("Who Goes There?", ("Novel",), 'the novel "Who Goes There?"'),
        ("Repair of the roof", ("Job",), 'the job "Repair of the roof"'),
        ("Restoration of a barn", ("Project",), 'the project "Restoration of a barn"'),
        ("Museum of the Northern Alps", ("Company",), "Museum of the Northern Alps"),
        ("Denali", ("Mountain",), "Denali"),
        ("John Wood", ("Person",), "John Wood"),
        ("Long Lake", ("Lake",), "Long Lake"),
    ],
)
def test_an_odd_name_is_introduced_by_its_class(label, kinds, expected):
    assert introduce(Entity(URIRef("https://x.example/a"), label, "", kinds[0], kinds)).label == expected


def test_an_organization_is_no_they():
    assert refer_by_pronoun(Entity(URIRef("https://x.example/a"), "Juno", "", "Supplier", ("Supplier", "Agent"))) == IT
    assert refer_by_pronoun(Entity(URIRef("https://x.example/a"), "Ann", "", "Employee", ("Employee",))) == THEY
