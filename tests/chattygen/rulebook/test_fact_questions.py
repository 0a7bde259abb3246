"""The rule model's English where plain patterns read badly: odd predicates, names, units, roles, echoes."""

import pytest
from chattyshared.model import Request
from rdflib import URIRef

from chattygen.context.facts import Entity, Fact, QuestionRequest, Step
from chattygen.rulebook.agent_rules import write_questions
from chattygen.rulebook.fact_questions import realize_fact_question
from chattygen.rulebook.plan_realizer import deduplicate_wordings

PERSON, TOWN, PLAY, INN, COMPANY, SHIP = ("Person",), ("City", "Town"), ("Play",), ("Inn",), ("Company",), ("Ship",)


def asked(label, form="object", shape="entity", *, kinds=(), about=PLAY, count=1, direction="out", datatype="",
          offer="", via=(), is_past=False):  # fmt: skip
    steps = tuple(Step(one, one, direction if one == label.split("/")[-1] else "out") for one in label.split("/"))
    fact = Fact(1, steps, shape, datatype, kinds, count, (), offer, via)
    topic = Entity(URIRef("https://x.example/umber"), "Umber", "", about[0], about, "", is_past)
    return deduplicate_wordings(realize_fact_question(topic, fact, form))


@pytest.mark.parametrize(
    ("label", "form", "extra", "wording"),
    [
        ("looked after by", "object", {"kinds": PERSON, "about": ("Tree",)}, "Who looks after Umber?"),
        ("owner person", "object", {"kinds": PERSON}, "Who owns Umber?"),
        ("coachOf", "object", {"kinds": COMPANY, "about": PERSON}, "Which company is Umber a coach of?"),
        ("station of", "object", {"kinds": ("Railway",), "about": ("Station",)}, "Which railway does Umber belong to?"),
        ("claim for", "object", {"kinds": ("Policy",), "about": ("Claim",)}, "Which policy is Umber a claim for?"),
        ("performer", "object", {"kinds": PERSON, "about": ("Concert", "Event")}, "Who performed at Umber?"),
        ("weekly hours", "object", {"kinds": ("Schedule",)}, "What are the weekly hours of Umber?"),
        ("instrument used", "object", {"kinds": ("Instrument",), "about": ("Discovery",)},
         "Which instrument was used for Umber?"),
        ("available from dealer", "object", {"kinds": ("Dealer",)}, "Which dealer is Umber available from?"),
        ("withinCity", "object", {"kinds": TOWN}, "Which city is Umber within?"),
        ("location", "object", {"kinds": TOWN, "about": ("Match", "Event")}, "Where does Umber take place?"),
        ("capital of", "object", {"kinds": ("Country",)}, "Which country is Umber the capital of?"),
        ("directly overlies", "object", {"kinds": ("Deposit",)}, "Which deposit does Umber directly overlie?"),
        ("player of the match", "object", {"kinds": PERSON, "about": ("Match",)},
         "Who is the player of the match in Umber?"),
        ("composed by", "object", {"kinds": PERSON, "about": ("Waltz",)}, "Who composed Umber?"),
        ("composer", "object", {"kinds": PERSON, "about": ("Song",)}, "Who composed Umber?"),
        ("artist", "object", {"kinds": PERSON, "about": ("Album",)}, "Who is Umber by?"),
        ("facility", "object", {"kinds": ("Facility",), "about": ("Pier",)}, "What is the facility of Umber?"),
        ("operated by", "object", {"kinds": ("Operating company",), "about": ("Ferry",)},
         "Which company operates Umber?"),
        ("children", "list", {"kinds": PERSON, "count": 3}, "Who are the children of Umber?"),
        ("has category", "list", {"kinds": ("Category",), "count": 3}, "What are the categories of Umber?"),
        ("owns", "literal", {"shape": "text"}, "What does Umber own?"),
        ("start time", "literal", {"shape": "text"}, "At what time did Umber start?"),
        ("type of inn", "literal", {"shape": "text", "about": INN}, "What type of inn is Umber?"),
        ("engine type", "literal", {"shape": "text", "about": ("Locomotive",)}, "What is the engine type of Umber?"),
        ("file name", "literal", {"shape": "text", "about": ("Photo",)}, "What is the file name of Umber?"),
        ("year", "literal", {"shape": "text"}, "Which year is Umber from?"),
        ("make name", "literal", {"shape": "text", "about": ("Car",)}, "What is the make of Umber?"),
        ("built at", "literal", {"shape": "text", "about": SHIP}, "Where was Umber built?"),
        ("headquarters", "literal", {"shape": "text", "about": COMPANY}, "Where is Umber based?"),
        ("workshop in", "object", {"kinds": TOWN, "about": PERSON}, "Where does Umber have a workshop?"),
        ("selling club", "object", {"kinds": ("Club",), "about": PERSON}, "Which club sold Umber?"),
        ("residence", "object", {"kinds": TOWN, "about": PERSON}, "Where does Umber live?"),
        ("played on", "object", {"kinds": ("Station",), "about": ("Song",)}, "Which station was Umber played on?"),
        ("played on", "object", {"kinds": ("Album",), "about": PERSON}, "Which album did Umber play on?"),
        ("designed", "object", {"kinds": PERSON, "about": ("House",)}, "Who was Umber designed by?"),
        ("donor", "object", {"kinds": PERSON, "about": ("Jug",)}, "Who donated Umber?"),
        ("thrown by", "object", {"kinds": ("Thrower", "Person"), "about": ("Jug",)}, "Who threw Umber?"),
        ("fuelled by", "literal", {"shape": "text", "about": ("Bus",)}, "What was Umber fuelled by?"),
        ("drives on", "literal", {"shape": "text", "about": ("Country",)}, "Which side does Umber drive on?"),
        ("entered service", "date", {"shape": "date", "about": ("Bus",)}, "When did Umber enter service?"),
        ("date of first run", "date", {"shape": "date", "about": ("Route",)}, "When was the first run of Umber?"),
        ("fare pence", "number", {"shape": "number", "about": ("Ticket",)}, "What is the fare of Umber in pence?"),
        # what points here
        ("has product manager", "subject", {"kinds": ("Hardware",), "about": PERSON, "count": 9},
         "Which hardware is Umber the product manager of?"),
        ("worked_for", "subject", {"kinds": PERSON, "about": COMPANY}, "Who worked for Umber?"),
        ("reports to", "subject", {"kinds": ("Employee",), "about": COMPANY, "count": 4},
         "Which employees report to Umber?"),
        ("has part", "subject", {"kinds": ("Engine",)}, "Which engine is Umber part of?"),
        ("genre", "subject", {"kinds": PLAY, "about": ("Genre",), "count": 3},
         "Which plays belong to the genre Umber?"),
        ("country", "subject", {"kinds": ("Cheese",), "about": ("Country",), "count": 3},
         "Which cheeses are from Umber?"),
        ("nationality", "subject", {"kinds": PERSON, "about": ("Country",), "count": 2},
         "Who are the citizens of Umber?"),
        ("depicts", "subject", {"about": TOWN, "count": 2}, "What depicts Umber?"),
        ("hangar", "subject", {"kinds": ("Aircraft",), "about": ("Hangar",), "count": 3},
         "Which aircraft are in Umber?"),
        ("collection", "subject", {"kinds": ("Painting",), "about": ("Museum",)},
         "Which painting is in the collection of Umber?"),
        ("award", "subject", {"kinds": PERSON, "about": ("Product",)}, "Who has the award Umber?"),
        ("native language", "subject", {"kinds": PERSON, "about": ("Language",), "count": 2},
         "Which people speak Umber as their native language?"),
        # counts
        ("first staged by", "count", {"kinds": PERSON, "count": 2}, "How many people was Umber first staged by?"),
        ("award received", "count", {"kinds": ("Award",), "about": PERSON, "count": 4},
         "How many awards did Umber receive?"),
        ("player of the match", "in-count", {"kinds": ("Match",), "about": PERSON, "count": 2},
         "How many matches was Umber the player of the match in?"),
        ("participant", "in-count", {"kinds": ("Project",), "about": ("Club",), "count": 2},
         "How many projects is Umber a participant of?"),
        ("worked_for", "in-count", {"kinds": PERSON, "about": COMPANY, "count": 3},
         "How many people worked for Umber?"),
        ("member of", "in-count", {"kinds": ("Employee",), "about": ("Department",), "count": 4},
         "How many members does Umber have?"),
        # numbers and dates
        ("product length", "number", {"about": ("Product",)}, "How long is Umber?"),
        ("length of hull", "number", {"datatype": "decimal", "about": ("ship",)}, "How long is Umber's hull?"),
        ("height of tower", "number", {"datatype": "decimal", "about": ("lighthouse",)}, "How tall is Umber?"),
        ("matches officiated", "number", {"datatype": "integer", "about": PERSON},
         "How many matches did Umber officiate?"),
        ("average guests per night", "number", {}, "What is the average number of guests per night of Umber?"),
        ("calibratedDate", "number", {"about": ("Product",)}, "What is the calibrated date of Umber?"),
        ("mass of a skein", "number", {}, "How heavy is a skein of Umber?"),
        ("year", "number", {"about": ("Product",)}, "Which year is Umber from?"),
        ("working hours", "number", {"datatype": "decimal"}, "What are the working hours of Umber?"),
        ("weightInGrams", "number", {"datatype": "integer", "about": INN}, "How heavy is Umber in grams?"),
        ("floor area square metres", "number", {"datatype": "integer", "about": INN},
         "What is the floor area of Umber in square meters?"),
        ("firstMade", "date", {"datatype": "gYear"}, "When was Umber first made?"),
        ("first flight", "date", {}, "When was the first flight of Umber?"),
        ("opens", "date", {"about": INN}, "When does Umber open?"),
        ("service began", "date", {"about": PERSON}, "When did Umber's service start?"),
        ("date", "date", {"about": ("Letter",)}, "What is the date of Umber?"),
        ("expiry date", "date", {"about": ("Permit",)}, "On what date does Umber expire?"),
        ("expiry date", "date", {"about": ("aircraft",)}, "What is Umber's expiry date?"),
        ("inChargeSince", "date", {"about": PERSON}, "What is Umber's start date in charge?"),
        ("received date", "date", {"about": ("Parcel",)}, "When was Umber received?"),
        ("started", "date", {"about": ("Project",)}, "When was Umber started?"),
        ("first publication date", "date", {"about": ("Novel",)}, "When was Umber first published?"),
        ("started", "date", {"about": PERSON}, "When did Umber start?"),
        ("date of alteration", "date", {"about": ("alteration",)}, "When did Umber take place?"),
        ("account opened date", "date", {"about": ("customer",)}, "When was Umber's account opened?"),
        # yes or no
        ("member", "boolean", {"kinds": PERSON, "about": COMPANY, "offer": "Ann"}, "Is Ann a member of Umber?"),
        ("city", "in-boolean", {"kinds": COMPANY, "about": TOWN, "offer": "Acme"}, "Is Acme in Umber?"),
        ("genre", "boolean", {"kinds": ("Genre",), "offer": "farce"}, "Is Umber's genre farce?"),
        ("screenplay by", "boolean", {"kinds": PERSON, "offer": "Ann Lee"}, "Did Ann Lee do the screenplay for Umber?"),
        ("is_heated", "boolean", {"shape": "boolean"}, "Is Umber heated?"),
        ("hasShelter", "boolean", {"shape": "boolean"}, "Does Umber have a shelter?"),
        ("pets allowed", "boolean", {"shape": "boolean", "about": INN}, "Does Umber allow pets?"),
        ("open to public", "boolean", {"shape": "boolean", "about": INN}, "Is Umber open to the public?"),
        ("needs mordant", "boolean", {"shape": "boolean"}, "Does Umber need mordant?"),
        ("life member", "boolean", {"shape": "boolean", "about": PERSON}, "Is Umber a life member?"),
        ("step free access", "boolean", {"shape": "boolean", "about": INN}, "Does Umber have step free access?"),
        # about what is no more
        ("captain", "object", {"kinds": PERSON, "about": SHIP, "is_past": True}, "Who was Umber's captain?"),
        ("citizen of", "object", {"kinds": ("Country",), "about": PERSON, "is_past": True},
         "Which country was Umber a citizen of?"),
        ("manages", "subject", {"kinds": ("Department",), "about": COMPANY, "is_past": True},
         "Which department managed Umber?"),
        ("located in", "object", {"kinds": TOWN, "about": SHIP, "is_past": True}, "Where is Umber located?"),
        ("number of decks", "number", {"about": SHIP, "is_past": True}, "How many decks did Umber have?"),
        ("life member", "boolean", {"shape": "boolean", "about": PERSON, "is_past": True}, "Was Umber a life member?"),
        ("service ended", "date", {"about": PERSON, "is_past": True}, "When did Umber's service end?"),
        ("lives lost", "number", {"about": ("Shipwreck",)}, "How many lives were lost in Umber?"),
        ("kind", "literal", {"shape": "text", "about": SHIP}, "What kind of ship is Umber?"),
        # over two steps
        ("located in/contained in country", "two-hop", {"kinds": ("Country",), "via": TOWN},
         "Which country is Umber's city in?"),
        ("painted by/birth place", "two-hop", {"kinds": TOWN, "via": PERSON}, "Where was Umber's painter born?"),
    ],
)  # fmt: skip
def test_odd_predicates_are_asked_in_plain_english(label, form, extra, wording):
    shape = {"number": "number", "date": "date"}.get(form, "entity")
    given = {"shape": shape, "direction": "in" if form == "subject" or form.startswith("in-") else "out", **extra}
    if given["shape"] == "date":
        given.setdefault("datatype", "date")
    found = asked(label, form.removeprefix("in-"), **given)
    assert wording in found, found


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
    assert asked(label, form, kinds=PERSON, count=1 if form == "object" else 2, offer="Ann Lee")


def test_what_no_sound_phrase_says_is_not_asked():
    facts = tuple(Fact(number, (Step(label, label),), "text", forms=("literal",)) for number, label in
                  enumerate(("since", "motto"), 1))  # fmt: skip
    topic = Entity(URIRef("https://x.example/umber"), "Umber", "", "Play", PLAY)
    wanted = (QuestionRequest("literal", 1), QuestionRequest("literal", 0))
    request = Request("generate/questions", (), variables={"entity": topic, "facts": facts, "wanted": wanted})
    assert [item["facts"] for item in write_questions(request)["questions"]] == [[2]]
