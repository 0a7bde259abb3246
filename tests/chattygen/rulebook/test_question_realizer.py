"""The rule model's English where plain patterns read badly: odd predicates, names, units, roles, echoes."""

from dataclasses import replace

import pytest
from chattyshared.language.inflection import class_noun, pluralize, singularize
from chattyshared.model import Message, Request
from rdflib import URIRef

from chattygen.lexicalization.amounts import group_digits, render_amount, unit_of
from chattygen.lexicalization.word_forms import name_in_sentence
from chattygen.rulebook import RULEBOOK
from chattygen.rulebook.comparison_questions import realize_comparison
from chattygen.rulebook.dialogue_rewriting import replace_name
from chattygen.rulebook.plan_realizer import drop_repetitive, expand_contraction
from chattygen.rulebook.question_realizer import deduplicate_wordings, realize_fact_question
from chattygen.rulebook.referring_expressions import IT, PRONOUNS_BY_GENDER, refer_by_name
from chattygen.rulebook.set_questions import realize_set_follow_up, realize_set_question
from chattygen.stages.turn_plan import Condition, TurnPlan
from chattygen.subgraph.facts import Entity, Fact, Step

PERSON, TOWN, PLAY, INN = ("Person",), ("Town",), ("Play",), ("Inn",)


def thing(label, *kinds, gender=""):
    return Entity(URIRef(f"https://x.example/{label.encode().hex()}"), label, "", kinds[0], kinds, gender)


def fact(label, shape="entity", *, kinds=(), count=1, direction="out", datatype="", offer="", via=(), comment=""):
    steps = tuple(
        Step(one, one, direction if one == label.split("/")[-1] else "out", comment) for one in label.split("/")
    )
    return Fact(1, steps, shape, datatype, kinds, count, (), offer, via)


def asked(what, form="object", about=None):
    return deduplicate_wordings(realize_fact_question(about or thing("Umber", *PLAY), what, form))


@pytest.mark.parametrize(
    ("what", "form", "about", "wording"),
    [
        (fact("takesPlaceIn", kinds=TOWN), "object", PLAY, "Where does Umber take place?"),
        (fact("causeOfDeath", "text"), "literal", PERSON, "What is Umber's cause of death?"),
        (fact("dateFounded", "date", datatype="date"), "date", INN, "When was Umber founded?"),
        (fact("inception", "date", datatype="date"), "date", ("Museum",), "When was Umber founded?"),
        (fact("inception", "date", datatype="date"), "date", ("Painting",), "When was Umber created?"),
        (fact("date of planting", "date", datatype="date"), "date", ("Tree",), "When was Umber planted?"),
        (fact("start time", "text"), "literal", PLAY, "At what time did Umber start?"),
        (fact("contract until", "date", datatype="date"), "date", PERSON, "When does Umber's contract end?"),
        (fact("inChargeSince", "date", datatype="date"), "date", PERSON, "What is Umber's start date in charge?"),
        (fact("part of edition", kinds=("Edition",)), "object", PLAY, "Which edition is Umber part of?"),
        (fact("looked after by", kinds=PERSON), "object", ("Tree",), "Who looks after Umber?"),
        (fact("composed by", kinds=PERSON), "object", ("Waltz",), "Who composed Umber?"),
        (fact("in_town", kinds=TOWN), "object", INN, "Where is Umber?"),
        (fact("in_parish", "text"), "literal", INN, "Which parish is Umber in?"),
        (fact("speaks", "text", count=2), "list", PERSON, "Which languages does Umber speak?"),
        (fact("mentionsTown", kinds=TOWN, count=2), "count", PLAY, "How many towns does Umber mention?"),
        (fact("first staged by", kinds=PERSON, count=2), "count", PLAY, "By how many people was Umber first staged?"),
        (fact("matches officiated", "number", datatype="integer"), "number", PERSON,
         "How many matches did Umber officiate?"),
        (fact("visitors per year", "number", datatype="integer"), "number", INN,
         "How many visitors per year does Umber have?"),
        (fact("opening hours", "text"), "literal", INN, "What are Umber's opening hours?"),
        (fact("number of specimens", "number", datatype="integer"), "number", ("Tree",),
         "How many specimens does Umber have?"),
        (fact("is male", "text"), "literal", PERSON, 'What is Umber\'s value for "is male"?'),
        (fact("type of inn", "text"), "literal", INN, "What type of inn is Umber?"),
        (fact("mountain range", "text"), "literal", ("Mountain",), "Which mountain range does Umber belong to?"),
        (fact("licence class", "text"), "literal", PERSON, "What is Umber's licence class?"),
        (fact("artist", kinds=PERSON), "object", ("Album",), "Who is Umber by?"),
        (fact("artist", kinds=("Album",), direction="in", count=3), "subject", PERSON, "Which albums are by Umber?"),
        (fact("nationality", kinds=("Country",)), "object", PERSON, "Which country is Umber a citizen of?"),
        (fact("nationality", "text"), "literal", PERSON, "What is Umber's nationality?"),
        (fact("nationality", kinds=PERSON, direction="in", count=2), "subject", ("Country",),
         "Who are the citizens of Umber?"),
        (fact("cast member", kinds=PLAY, direction="in"), "subject", PERSON, "Which play is Umber a cast member of?"),
        (fact("depicts", direction="in", count=2), "subject", TOWN, "What depicts Umber?"),
        (fact("building", kinds=("Unit",), direction="in", count=3), "subject", ("Building",),
         "Which units does Umber have?"),
        (fact("hangar", kinds=("Aircraft",), direction="in", count=3), "subject", ("Hangar",),
         "Which aircraft are in Umber?"),
        (fact("native language", kinds=PERSON, direction="in", count=2), "subject", ("Language",),
         "Which people speak Umber as their native language?"),
        (fact("participant", kinds=("Project",), direction="in", count=2), "count", ("Club",),
         "How many projects is Umber a participant of?"),
        (fact("player of the match", kinds=("Match",), direction="in", count=2), "count", PERSON,
         "How many matches was Umber the player of the match in?"),
        (fact("customer/in_town", kinds=TOWN, via=("Customer",)), "two-hop", ("Order",), "Where is Umber's customer?"),
        (fact("conductor/birth place", kinds=TOWN, via=("Conductor",)), "two-hop", ("Concert",),
         "Where was Umber's conductor born?"),
    ],
)  # fmt: skip
def test_odd_predicates_are_asked_in_plain_english(what, form, about, wording):
    assert wording in asked(what, form, thing("Umber", *about))


@pytest.mark.parametrize(
    ("what", "about", "wording"),
    [
        (fact("occupation", kinds=("Occupation",), count=2, offer="engraver"), PERSON, "Is Umber an engraver?"),
        (fact("genre", kinds=("Genre",), offer="farce"), PLAY, "Is Umber's genre farce?"),
        (fact("area (km2)", "number", datatype="integer", offer="1141748"), TOWN,
         "Is Umber's area 1,141,748 square kilometers?"),
        (fact("postal code", "number", datatype="integer", offer="10115"), TOWN, "Is Umber's postal code 10115?"),
        (fact("number of prizes", "number", datatype="integer", offer="1"), PERSON, "Does Umber have 1 prize?"),
        (fact("annual budget (million EUR)", "number", datatype="decimal", offer="40.5"), INN,
         "Is Umber's annual budget 40.5 million euros?"),
        (fact("start time", "text", offer="19:00"), PLAY, "Did Umber start at 19:00?"),
    ],
)  # fmt: skip
def test_offered_values_are_said_as_one_says_them(what, about, wording):
    assert wording in asked(what, "boolean", thing("Umber", *about))


def test_a_date_with_a_verb_is_not_asked_as_a_noun():
    found = asked(fact("birth date", "date", datatype="date", offer="1961-03-02"), "boolean", thing("Umber", *PERSON))
    assert found == ["Was Umber born on 2 March 1961?"]


@pytest.mark.parametrize(
    ("label", "comment", "unit"),
    [("weight in grams", "", ""), ("height (cm)", "", "centimeters"), ("budget (million EUR)", "", "millions of euros"),
     ("length", "Given in minutes.", "minutes"), ("floor (square metres)", "", "square meters"), ("hue", "", "")],
)  # fmt: skip
def test_units_come_from_brackets_and_comments(label, comment, unit):
    assert unit_of(label, comment) == unit


@pytest.mark.parametrize(
    ("label", "wording"),
    [
        ("weightInGrams", "How heavy is Umber in grams?"),
        ("height_in_cm", "How tall is Umber in centimeters?"),
        ("floor area square metres", "What is the floor area of Umber in square meters?"),
        ("area in square metre", "How large is Umber in square meters?"),
    ],
)
def test_units_come_from_the_end_of_a_label(label, wording):
    assert wording in asked(fact(label, "number", datatype="integer"), "number", thing("Umber", *INN))


def test_amounts_have_commas_where_they_are_amounts():
    assert group_digits("331449281", "population") == "331,449,281"
    assert group_digits("4650", "salary") == "4650"
    assert group_digits("10115", "postal code") == "10115"
    assert group_digits("00420", "price") == "00420"
    assert group_digits("-12345.5", "balance") == "-12,345.5"
    assert render_amount("3", "millions of euros") == "3 million euros"
    assert render_amount("3", "") == "3"


def test_names_that_end_as_sentences_do_stand_in_quotation_marks_within_one():
    about = thing("Who Goes There?", "Play")
    assert name_in_sentence(about.label, about.class_labels) == '"Who Goes There?"'
    assert "Who directed Who Goes There?" in asked(fact("director", kinds=PERSON), "object", about)
    inside = asked(fact("takes place in", kinds=TOWN), "object", about)
    assert 'Where does "Who Goes There?" take place?' in inside
    assert replace_name(inside[0], about.label, IT) == "Where does it take place?"
    assert 'Who wrote "Hush!"?' in asked(fact("author", kinds=PERSON), "object", thing("Hush!", "Play"))


def test_long_names_take_no_possessive_and_no_contraction():
    about = thing("The Long Road to the Northern Lights", "Play")
    found = asked(fact("stage designer", kinds=PERSON), "object", about)
    assert found == ["Who is the stage designer of The Long Road to the Northern Lights?"]
    assert "Who's Umber's stage designer?" in asked(fact("stage designer", kinds=PERSON))
    assert expand_contraction("Who's the play's designer?") == "Who is the play's designer?"
    assert expand_contraction("And what's its color?") == "And what's its color?"


def picks(pick, label, shape="number", value="", *, kinds=(), about=None, what=None):
    condition = Condition(pick, Step(label, label), shape, "", value, kinds)
    form = {"most": "superlative", "over": "filter", "with": "conjunction", "without": "negation"}[pick]
    return TurnPlan(1, form, "opens", about or thing("Ada Moss", *PERSON, gender="female"),
               what or fact("author", kinds=PLAY, direction="in", count=3), condition)  # fmt: skip


@pytest.mark.parametrize(
    ("ask", "wording"),
    [
        (picks("with", "occupation", "entity", "painter", kinds=("Occupation",),
               about=thing("Umber", *TOWN), what=fact("birth place", kinds=PERSON, direction="in", count=3)),
         "Which of the people born in Umber are painters?"),
        (picks("without", "collection", "entity", "Lind House"),
         "Which of the plays that Ada Moss wrote do not have Lind House as their collection?"),
        (picks("without", "collection", "entity", "Lind Collection"),
         "Which of the plays that Ada Moss wrote do not belong to the Lind Collection?"),
        (picks("over", "number of acts", value="1"), "Which plays that Ada Moss wrote have more than 1 act?"),
        (picks("over", "attendance", value="20000"),
         "Which plays that Ada Moss wrote have an attendance of more than 20,000?"),
        (picks("most", "date", "date", what=fact("author", kinds=("Letter",), direction="in", count=3)),
         "Which of the letters that Ada Moss wrote is the most recent?"),
        (picks("most", "cost", what=fact("owner", kinds=("Tool",), direction="in", count=3)),
         "Which of the tools that Ada Moss owns is the most expensive?"),
        (picks("most", "max berths", what=fact("owner", kinds=("Boat",), direction="in", count=3)),
         "Which of the boats that Ada Moss owns has the largest maximum number of berths?"),
        (picks("most", "distance from the area", what=fact("owner", kinds=("Boat",), direction="in", count=3)),
         "Which of the boats that Ada Moss owns has the longest distance from the area?"),
        (picks("most", "attendance", what=fact("player of the match", kinds=("Match",), direction="in", count=3)),
         "Which of the matches in which Ada Moss was the player of the match has the highest attendance?"),
    ],
)  # fmt: skip
def test_picks_say_their_conditions_naturally(ask, wording):
    assert wording in deduplicate_wordings(realize_set_question(ask, refer_by_name(ask.entity)))


def test_nobody_is_the_author_that_a_play_was_written_by():
    ask = picks("most", "height", about=thing("Umber", *PLAY), what=fact("author", kinds=PERSON, count=3))
    assert not [text for text in realize_set_question(ask, refer_by_name(ask.entity)) if "written by" in text]


def test_wordings_that_say_a_word_twice_give_way():
    ask = picks("with", "written by", "entity", "Bo", what=fact("author", kinds=PLAY, direction="in", count=3))
    she = PRONOUNS_BY_GENDER["female"]
    assert not [text for text in drop_repetitive(realize_set_question(ask, she)) if "by her" in text]
    assert drop_repetitive(["created by her were created", "that she made were created"]) == [
        "that she made were created"
    ]
    assert "Which of them did Bo write?" in realize_set_follow_up(ask)


def test_extremes_are_compared_by_whose_they_are():
    one, other = thing("Fir Park", "Stadium"), thing("Elm Park", "Stadium")
    ask = TurnPlan(
        1, "comparison", "opens", one, fact("lowest", "number"), Condition("most", Step("l", "lowest"), "number"), other
    )
    assert "Whose lowest value is higher, Fir Park's or Elm Park's?" in realize_comparison(ask, refer_by_name(one))
    assert "Whose lowest value is higher, this stadium's or Elm Park's?" in realize_comparison(ask, IT)


@pytest.mark.parametrize(
    ("label", "shape", "kind", "wordings"),
    [
        ("date", "date", "Letter",
         ["Which is more recent, North or South?", "Which letter is more recent, North or South?",
          "Of North and South, which is more recent?"]),
        ("height", "number", "Mast",
         ["Which is taller, North or South?", "Which mast is taller, North or South?",
          "Of North and South, which is taller?"]),
    ],
)  # fmt: skip
def test_dates_and_sizes_are_compared_by_one_adjective(label, shape, kind, wordings):
    one, other = thing("North", kind), thing("South", kind)
    ask = TurnPlan(
        1, "comparison", "opens", one, fact(label, shape), Condition("most", Step(label, label), shape), other
    )
    assert deduplicate_wordings(realize_comparison(ask, refer_by_name(one))) == wordings


def test_nouns_that_only_look_like_plurals_stay():
    assert [pluralize(noun) for noun in ("specimen", "TV series", "species", "headquarters", "person")] == [
        "specimens", "TV series", "species", "headquarters", "people",
    ]  # fmt: skip
    assert [singularize(noun) for noun in ("specimens", "TV series", "opening hours", "means")] == [
        "specimen", "TV series", "opening hours", "means",
    ]  # fmt: skip
    assert class_noun("human") == "person" and class_noun("Open-air concert") == "open-air concert"


def worded(*turns):
    request = Request("generate/plan_verbalization", (Message("user", str(len(turns))),), variables={"turns": turns})
    return {turn["turn"]: turn["question"] for turn in RULEBOOK["generate/plan_verbalization"](request)["turns"]}


def test_one_person_after_a_list_is_called_by_the_part_they_have_in_it():
    someone = thing("Pia Lind", "Person")
    plays = fact("author", kinds=PLAY, direction="in", count=4)
    about = Condition("with", Step("theme", "theme"), "entity", "", "Exile", ("Theme",))
    longest = Condition("most", Step("duration", "duration (min)"), "number")
    said = worded(TurnPlan(1, "subject", "opens", someone, plays),
                  TurnPlan(2, "conjunction", "among", someone, plays, about, antecedent_turn=1),
                  TurnPlan(3, "superlative", "among", someone, plays, longest, antecedent_turn=1))  # fmt: skip
    assert "that the author wrote" in said[3] or "written by the author" in said[3], said


def test_a_shift_to_a_name_that_asks_is_asked_in_full():
    first, other = thing("Umber", "Play"), thing("Who Goes There?", "Play")
    director = fact("director", kinds=PERSON)
    said = worded(
        TurnPlan(1, "object", "opens", first, director),
        TurnPlan(2, "object", "shift", other, director, antecedent_turn=1),
    )
    assert "direct" in said[2] and said[2].endswith("?") and not said[2].endswith("??")


@pytest.mark.parametrize("form", ["object", "count", "boolean"])
@pytest.mark.parametrize(
    "label",
    [
        "keeper", "kept by", "first kept by", "was first kept by", "looked after by", "keeps", "is kept in", "at",
        "kept since", "member of", "responsible for", "part of", "has member", "keepsTown", "near", "keeping",
        "last visited on",
    ],
)  # fmt: skip
def test_every_kind_of_label_has_a_wording(label, form):
    count = 1 if form == "object" else 2
    assert asked(fact(label, kinds=PERSON, count=count), form)


def test_a_two_hop_question_repeats_no_verb_and_names_a_person_by_the_role():
    located = asked(fact("located in/contained in country", kinds=("Country",), via=TOWN), "two-hop")
    assert "Which country is Umber's town in?" in located
    twice = asked(fact("located in/located in", kinds=("Country",), via=TOWN), "two-hop")
    assert twice and not any("located located" in text for text in twice)
    painter = asked(fact("painted by/birth place", kinds=TOWN, via=PERSON), "two-hop")
    assert "Where was Umber's painter born?" in painter


@pytest.mark.parametrize(
    ("what", "form", "about", "one", "several"),
    [
        (fact("writer", kinds=("Song",), direction="in"), "subject", PERSON, "Which song did Umber write?",
         "Which songs did Umber write?"),
        (fact("treats", kinds=("Disease",)), "object", ("Drug",), "Which disease does Umber treat?",
         "Which diseases does Umber treat?"),
        (fact("facility", kinds=("Facility",)), "object", ("Pier",), "What is the facility of Umber?",
         "Which facilities does Umber have?"),
    ],
)  # fmt: skip
def test_one_answer_is_asked_for_in_the_plural_where_there_may_be_several(what, form, about, one, several):
    topic = thing("Umber", *about)
    assert one in asked(what, form, topic) and several not in asked(what, form, topic)
    open_ended = replace(what, allows_several=True)
    assert several in asked(open_ended, form, topic) and one not in asked(open_ended, form, topic)


@pytest.mark.parametrize(
    ("label", "shape", "datatype", "kinds", "wording"),
    [
        ("height of tower", "number", "decimal", ("lighthouse",), "How tall is Umber?"),
        ("length of hull", "number", "decimal", ("ship",), "How long is Umber's hull?"),
        ("date of alteration", "date", "date", ("alteration",), "When did Umber take place?"),
        ("account opened date", "date", "date", ("customer",), "When was Umber's account opened?"),
        ("laid year", "number", "gYear", ("pipe",), "When was Umber laid?"),
        ("withdrawn on", "date", "date", ("lightvessel",), "When was Umber withdrawn?"),
        ("built at", "text", "", ("ship",), "Where was Umber built?"),
        ("country", "text", "", ("section of coast",), "Which country is Umber in?"),
        ("range afterwards", "number", "integer", ("alteration",), "What is Umber's range afterwards?"),
    ],
)
def test_parts_and_events_of_a_thing_are_asked_as_people_do(label, shape, datatype, kinds, wording):
    fact = Fact(1, (Step("https://x.example/p", label),), shape, datatype, (), 1, ("number",))
    assert wording in asked(fact, {"date": "date", "text": "literal"}.get(shape, "number"), thing("Umber", *kinds))


@pytest.mark.parametrize(
    ("label", "shape", "kinds", "wording", "unwanted"),
    [
        ("headquarters", "text", ("company",), "Where is Umber based?", "have?"),
        ("empty weight", "number", ("vehicle",), "What is Umber's empty weight?", "have?"),
        ("power", "number", ("vehicle",), "What is Umber's power?", "have?"),
        ("field", "text", ("award",), "What is Umber's field?", "have?"),
        (
            "distance from lower terminus",
            "number",
            ("station",),
            "What is Umber's distance from the lower terminus?",
            "x",
        ),
    ],
)
def test_what_is_a_things_own_is_not_had(label, shape, kinds, wording, unwanted):
    fact = Fact(1, (Step("https://x.example/p", label),), shape, "decimal" if shape == "number" else "", (), 1, ("x",))
    found = asked(fact, "number" if shape == "number" else "literal", thing("Umber", *kinds))
    assert wording in found and not any(text.endswith(unwanted) for text in found)
