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
        ("claim for", "object", {"kinds": ("Policy",), "about": ("Claim",)}, "Which policy is Umber a claim for?"),
        ("withinCity", "object", {"kinds": TOWN}, "Which city is Umber within?"),
        ("player of the match", "object", {"kinds": PERSON, "about": ("Match",)},
         "Who is the player of the match in Umber?"),
        ("facility", "object", {"kinds": ("Facility",), "about": ("Pier",)}, "What is the facility of Umber?"),
        ("owns", "literal", {"shape": "text"}, "What does Umber own?"),
        ("year", "literal", {"shape": "text"}, "Which year is Umber from?"),
        ("workshop in", "object", {"kinds": TOWN, "about": PERSON}, "Where does Umber have a workshop?"),
        ("played on", "object", {"kinds": ("Album",), "about": PERSON}, "Which album did Umber play on?"),
        ("drives on", "literal", {"shape": "text", "about": ("Country",)}, "Which side does Umber drive on?"),
        ("has product manager", "subject", {"kinds": ("Hardware",), "about": PERSON, "count": 9},
         "Which hardware is Umber the product manager of?"),
        ("genre", "subject", {"kinds": PLAY, "about": ("Genre",), "count": 3},
         "Which plays belong to the genre Umber?"),
        ("hangar", "subject", {"kinds": ("Aircraft",), "about": ("Hangar",), "count": 3},
         "Which aircraft are in Umber?"),
        ("award received", "count", {"kinds": ("Award",), "about": PERSON, "count": 4},
         "How many awards did Umber receive?"),
        ("member of", "in-count", {"kinds": ("Employee",), "about": ("Department",), "count": 4},
         "How many members does Umber have?"),
        ("matches officiated", "number", {"datatype": "integer", "about": PERSON},
         "How many matches did Umber officiate?"),
        ("year", "number", {"about": ("Product",)}, "Which year is Umber from?"),
        ("first flight", "date", {}, "When was the first flight of Umber?"),
        ("expiry date", "date", {"about": ("Permit",)}, "On what date does Umber expire?"),
        ("started", "date", {"about": ("Project",)}, "When was Umber started?"),
        ("member", "boolean", {"kinds": PERSON, "about": COMPANY, "offer": "Ann"}, "Is Ann a member of Umber?"),
        ("is_heated", "boolean", {"shape": "boolean"}, "Is Umber heated?"),
        ("needs mordant", "boolean", {"shape": "boolean"}, "Does Umber need mordant?"),
        ("citizen of", "object", {"kinds": ("Country",), "about": PERSON, "is_past": True},
         "Which country was Umber a citizen of?"),
        ("service ended", "date", {"about": PERSON, "is_past": True}, "When did Umber's service end?"),
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
        "keeper", "first kept by", "keeps", "at", "member of", "part of", "near", "last visited on",
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
