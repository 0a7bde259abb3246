"""The first wording of questions for labels of many makes: verbs in all forms, roles, places, dates, years."""

import pytest
from rdflib import URIRef

from chattygen.rulebook.question_realizer import deduplicate_wordings, realize_fact_question
from chattygen.subgraph.facts import Entity, Fact, Step

KINDS = {"Ann": ("Person",), "Acme": ("Company", "Organization"), "Porto": ("City",), "Umber": ("Novel", "Book"),
         "Cup": ("Match", "Event"), "Bolt": ("Product",), "Igbo": ("Language",)}  # fmt: skip


def first_wording(name, label, kind, form="object"):
    entity = Entity(URIRef(f"https://x.example/{name}"), name, "", KINDS[name][0], KINDS[name])
    shape = {"date": "date", "year": "number", "number": "number", "text": "text"}.get(kind, "entity")
    end = KINDS.get(kind, ()) if shape == "entity" else ()
    direction = "in" if form.startswith("in-") else "out"
    fact = Fact(1, (Step(label, label, direction),), shape, "date" if shape == "date" else "", end,
                3 if form.endswith("count") else 1, (), kind if form.endswith("boolean") else "")  # fmt: skip
    return next(iter(deduplicate_wordings(realize_fact_question(entity, fact, form.removeprefix("in-")))))


@pytest.mark.parametrize(
    ("name", "label", "kind", "form", "wording"),
    [
        ("Ann", "worked_for", "Acme", "object", "Which company did Ann work for?"),
        ("Bolt", "withinCity", "Porto", "object", "Which city is Bolt within?"),
        ("Bolt", "openedDuring", "Cup", "object", "Which match was Bolt opened during?"),
        ("Bolt", "foundBy", "Ann", "object", "Who found Bolt?"),
        ("Cup", "carriedOutBy", "Acme", "object", "Which company carried out the Cup?"),
        ("Acme", "carriedOutBy", "Cup", "in-subject", "Which match did Acme carry out?"),
        ("Bolt", "foundBy", "Ann", "boolean", "Did Ann find Bolt?"),
        ("Acme", "basedIn", "text", "literal", "Where is Acme based?"),
        ("Bolt", "product length", "number", "number", "How long is Bolt?"),
        ("Bolt", "owner person", "Ann", "object", "Who owns Bolt?"),
        ("Acme", "official language", "Igbo", "object", "What is the official language of Acme?"),
        ("Bolt", "calibratedDate", "number", "number", "What is the calibrated date of Bolt?"),
        ("Ann", "worked_for", "Acme", "boolean", "Did Ann work for Acme?"),
        ("Acme", "worked_for", "Ann", "in-subject", "Who worked for Acme?"),
        ("Acme", "worked_for", "Ann", "in-count", "How many people worked for Acme?"),
        ("Ann", "participated_in", "Cup", "object", "Which match did Ann participate in?"),
        ("Ann", "studiedAt", "Acme", "object", "Which company did Ann study at?"),
        ("Ann", "graduatedFrom", "Acme", "object", "Which company did Ann graduate from?"),
        ("Ann", "died", "date", "date", "When did Ann die?"),
        ("Ann", "wrote", "Umber", "object", "Which novel did Ann write?"),
        ("Ann", "received_award", "Bolt", "object", "Which award did Ann receive?"),
        ("Ann", "inChargeOf", "Bolt", "object", "Which product is Ann in charge of?"),
        ("Ann", "coachOf", "Acme", "object", "Which company is Ann a coach of?"),
        ("Ann", "uses", "Bolt", "object", "Which product does Ann use?"),
        ("Ann", "wins", "Cup", "object", "Which match does Ann win?"),
        ("Ann", "performs", "Umber", "object", "Which novel does Ann perform?"),
        ("Acme", "organizes", "Cup", "object", "Which match does Acme organize?"),
        ("Acme", "lends", "Umber", "object", "Which novel does Acme lend?"),
        ("Bolt", "usedBy", "Ann", "object", "Who uses Bolt?"),
        ("Bolt", "usedBy", "Ann", "count", "How many people use Bolt?"),
        ("Bolt", "done by volunteer", "Ann", "object", "Who was Bolt done by?"),
        ("Acme", "member", "Ann", "object", "Who are the members of Acme?"),
        ("Acme", "member", "Ann", "boolean", "Is Ann a member of Acme?"),
        ("Acme", "memberOf", "Ann", "in-count", "How many people are members of Acme?"),
        ("Porto", "born in", "Ann", "in-count", "How many people were born in Porto?"),
        ("Ann", "spouse", "Ann", "count", "How many people is Ann married to?"),
        ("Umber", "genre", "Bolt", "count", "How many genres does Umber have?"),
        ("Bolt", "hasPart", "Bolt", "object", "What are the parts of Bolt?"),
        ("Acme", "city", "Porto", "boolean", "Is Acme in Porto?"),
        ("Porto", "city", "Acme", "in-subject", "Which company is in Porto?"),
        ("Porto", "city", "Acme", "in-boolean", "Is Acme in Porto?"),
        ("Bolt", "award", "Ann", "in-subject", "Who has the award Bolt?"),
        ("Cup", "location", "Porto", "object", "Where does the Cup take place?"),
        ("Porto", "located in or next to body of water", "Bolt", "object",
         "Which product is Porto located in or next to?"),
        ("Porto", "time zone", "Bolt", "boolean", "Is Porto's time zone Bolt?"),
        ("Porto", "mayor", "Ann", "boolean", "Is Ann Porto's mayor?"),
        ("Bolt", "yearBuilt", "year", "number", "When was Bolt built?"),
        ("Bolt", "built", "year", "number", "When was Bolt built?"),
        ("Bolt", "year", "year", "number", "Which year is Bolt from?"),
        ("Umber", "published", "date", "date", "When was Umber published?"),
        ("Umber", "category", "water bus", "boolean", "Is Umber a water bus?"),
    ],
)  # fmt: skip
def test_labels_of_many_makes_are_asked_for_in_good_english(name, label, kind, form, wording):
    assert first_wording(name, label, kind, form) == wording
