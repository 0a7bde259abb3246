import pytest
from chattyshared.language.inflection import (
    add_article,
    add_indefinite_article,
    lowercase_label,
    plain_label,
    pluralize,
    singularize,
)

from chattygen.lexicalization.amounts import render_date
from chattygen.lexicalization.predicate_lexicalization import lexicalize_predicate
from chattygen.lexicalization.step_lexicalization import has_inverse_wording
from chattygen.lexicalization.word_forms import past_tense, possessive_form
from chattygen.rulebook.question_realizer import deduplicate_wordings, realize_fact_question
from chattygen.subgraph.facts import Entity, Fact, Step

PERSON, CITY, FILM, COMPANY = ("Person",), ("City", "Place"), ("Film",), ("Company",)


def asked(label, form="object", *, kinds=PERSON, about=FILM, name="Juno", count=1, shape="entity", direction="out",
          datatype="", offer="", comment=""):  # fmt: skip
    entity = Entity("https://x.example/1", name, "", about[0], about)
    step = Step("https://x.example/p", label, direction, comment)
    fact = Fact(1, (step,), shape, datatype, kinds if shape == "entity" else (), count, (form,), offer)
    return deduplicate_wordings(realize_fact_question(entity, fact, form))


@pytest.mark.parametrize(
    ("label", "kinds", "wording"),
    [
        ("director", PERSON, "Who directed Juno?"),
        ("Director", PERSON, "Who directed Juno?"),
        ("directed by", PERSON, "Who directed Juno?"),
        ("directedBy", PERSON, "Who was Juno directed by?"),
        ("has director", PERSON, "Who is the director of Juno?"),
        ("painted by", PERSON, "Who painted Juno?"),
        ("written by", PERSON, "Who wrote Juno?"),
        ("published by", COMPANY, "Which company published Juno?"),
        ("founded by", PERSON, "Who founded Juno?"),
        ("has manager", PERSON, "Who is Juno's manager?"),
        ("birth place", CITY, "Where was Juno born?"),
        ("birthPlace", CITY, "Where was Juno born?"),
        ("place of death", CITY, "Where did Juno die?"),
        ("located in", CITY, "Where is Juno located?"),
        ("is located in", CITY, "Where is Juno located?"),
        ("educated at", ("University",), "Where was Juno educated?"),
        ("based on", ("Novel",), "Which novel is Juno based on?"),
        ("responsible for", ("Product",), "Which product is Juno responsible for?"),
        ("eligible for", ("Product",), "Which product is Juno eligible for?"),
        ("flows through", ("Country",), "Which country does Juno flow through?"),
        ("member of", ("Department",), "Which department is Juno a member of?"),
        ("is part of", ("Series",), "Which series is Juno part of?"),
        ("capital of", ("Country",), "Which country is Juno the capital of?"),
        ("employs", PERSON, "Who does Juno employ?"),
        ("reports to", PERSON, "Who does Juno report to?"),
        ("starring", PERSON, "Who stars in Juno?"),
        ("plays instrument", ("Instrument",), "Which instrument does Juno play?"),
        ("award received", ("Award",), "Which award did Juno receive?"),
        ("lost in battle", ("Battle",), "Which battle was Juno lost in?"),
        ("compatible product", ("Product",), "Which product is Juno compatible with?"),
        ("country of citizenship", ("Country",), "Which country is Juno a citizen of?"),
        ("spouse", PERSON, "Who is Juno married to?"),
        ("genre", (), "What is the genre of Juno?"),
        ("directly overlies", ("Deposit",), "Which deposit does Juno directly overlie?"),
        ("weekly hours", ("Schedule",), "What are the weekly hours of Juno?"),
        ("country", ("Country",), "Which country is Juno from?"),
    ],
)
def test_one_thing_is_asked_for(label, kinds, wording):
    assert wording in asked(label, kinds=kinds)


@pytest.mark.parametrize(
    ("label", "kinds", "wording"),
    [
        ("starring", PERSON, "Who stars in Juno?"),
        ("has category", ("Category",), "What are the categories of Juno?"),
        ("area of expertise", ("Product Category",), "What are Juno's areas of expertise?"),
        ("children", PERSON, "Who are the children of Juno?"),
        ("flows through", ("Country",), "Which countries does Juno flow through?"),
        ("member of", ("Department",), "Which departments is Juno a member of?"),
        ("supplies", ("Product",), "Which products does Juno supply?"),
    ],
)
def test_several_things_are_asked_for_in_the_plural(label, kinds, wording):
    assert wording in asked(label, "list", kinds=kinds, count=3)


@pytest.mark.parametrize(
    ("label", "about", "kinds", "count", "wording"),
    [
        ("director", PERSON, FILM, 3, "Which films did Juno direct?"),
        ("director", PERSON, FILM, 1, "Which film did Juno direct?"),
        ("directed by", PERSON, FILM, 3, "Which films were directed by Juno?"),
        ("has supplier", COMPANY, ("Product",), 2, "Which products does Juno supply?"),
        ("has product manager", PERSON, ("Hardware",), 9, "Which hardware is Juno the product manager of?"),
        ("compatible product", ("Product",), ("Hardware",), 9, "Which hardware is compatible with Juno?"),
        ("reports to", PERSON, ("Employee",), 1, "Who reports to Juno?"),
        ("reports to", PERSON, ("Employee",), 4, "Which employees report to Juno?"),
        ("member of", ("Department",), ("Employee",), 4, "Which employees are members of Juno?"),
        ("birth place", CITY, PERSON, 2, "Who was born in Juno?"),
        ("located in", CITY, ("Museum",), 2, "Which museums are located in Juno?"),
        ("responsible for", ("Product",), ("Department",), 1, "Which department is responsible for Juno?"),
        ("capital", CITY, ("Country",), 1, "Which country is Juno the capital of?"),
        ("genre", ("Genre",), FILM, 3, "Which films belong to the genre Juno?"),
    ],
)
def test_what_points_here_is_asked_for(label, about, kinds, count, wording):
    assert wording in asked(label, "subject", about=about, kinds=kinds, count=count, direction="in")


@pytest.mark.parametrize(
    ("label", "shape", "datatype", "wording"),
    [
        ("date of birth", "date", "date", "When was Juno born?"),
        ("deathDate", "date", "date", "When did Juno die?"),
        ("release date", "date", "date", "On what date was Juno released?"),
        ("publication year", "date", "gYear", "In which year was Juno released?"),
        ("founded", "date", "gYear", "When was Juno founded?"),
        ("completed in", "date", "gYear", "In which year was Juno completed?"),
        ("first awarded in", "date", "gYear", "In which year was Juno first awarded?"),
        ("expiry date", "date", "date", "What is Juno's expiry date?"),
        ("depth (mm)", "number", "integer", "How deep is Juno in millimeters?"),
        ("weight (g)", "number", "decimal", "How much does Juno weigh in grams?"),
        ("running time", "number", "integer", "How long is Juno?"),
        ("population", "number", "integer", "How many people live in Juno?"),
        ("cylinders", "number", "integer", "How many cylinders does Juno have?"),
        ("year of foundation", "number", "integer", "When was Juno founded?"),
        ("number of pages", "number", "integer", "How many pages does Juno have?"),
        ("number of Academy Awards won", "number", "integer", "How many Academy Awards did Juno win?"),
        ("has reliability index", "number", "decimal", "What is the reliability index of Juno?"),
        ("email", "text", "string", "What is Juno's email address?"),
        ("conferred by", "text", "", "Who confers Juno?"),
    ],
)
def test_values_are_asked_for_by_their_kind(label, shape, datatype, wording):
    assert wording in asked(label, shape, shape=shape, datatype=datatype)


@pytest.mark.parametrize(
    ("label", "direction", "kinds", "about", "wording"),
    [
        ("has category", "out", ("Category",), ("Product",), "How many categories does Juno have?"),
        ("director", "in", FILM, PERSON, "How many films did Juno direct?"),
        ("located in", "in", ("Museum",), CITY, "How many museums are located in Juno?"),
        ("member of", "in", ("Employee",), ("Department",), "How many members does Juno have?"),
        ("supplier", "in", ("Hardware",), COMPANY, "How many hardware items does Juno supply?"),
        ("award received", "out", ("Award",), PERSON, "How many awards did Juno receive?"),
    ],
)
def test_counts_ask_how_many(label, direction, kinds, about, wording):
    assert wording in asked(label, "count", direction=direction, kinds=kinds, about=about, count=4)


@pytest.mark.parametrize(
    ("label", "extra", "wording"),
    [
        ("director", {"offer": "Ann Lee"}, "Did Ann Lee direct Juno?"),
        ("located in", {"kinds": CITY, "offer": "Oslo"}, "Is Juno located in Oslo?"),
        ("birth place", {"kinds": CITY, "offer": "Oslo"}, "Was Juno born in Oslo?"),
        ("category", {"kinds": ("Category",), "offer": "Fan", "count": 2}, "Is Fan one of Juno's categories?"),
        ("release date", {"shape": "date", "datatype": "date", "offer": "2010-07-16"},
         "Was Juno released on 16 July 2010?"),
        ("depth (mm)", {"shape": "number", "offer": "16"}, "Is Juno 16 millimeters deep?"),
        ("number of pages", {"shape": "number", "offer": "160"}, "Does Juno have 160 pages?"),
        ("director", {"direction": "in", "kinds": FILM, "about": PERSON, "offer": "Up"}, "Did Juno direct Up?"),
        ("flows through", {"kinds": ("Country",), "offer": "Netherlands"}, "Does Juno flow through the Netherlands?"),
    ],
)  # fmt: skip
def test_yes_no_questions_say_the_value(label, extra, wording):
    assert wording in asked(label, "boolean", **extra)


@pytest.mark.parametrize(
    ("form", "extra"),
    [
        ("object", {"kinds": ("Genre",)}), ("object", {}), ("list", {"kinds": ("Genre",), "count": 3}),
        ("literal", {"shape": "text"}), ("date", {"shape": "date", "datatype": "date"}),
        ("number", {"shape": "number"}),
    ],
)  # fmt: skip
def test_every_kind_of_question_has_at_least_three_wordings_for_a_plain_noun(form, extra):
    found = asked("motif", form, **extra)
    assert len(found) >= 3
    assert all("Juno" in text and text.endswith("?") for text in found)
    assert asked("motif", "boolean", kinds=("Genre",), offer="Noir") == ["Is Juno's motif Noir?"]


@pytest.mark.parametrize(
    ("label", "kinds", "subjects", "expected"),
    [
        ("director", PERSON, FILM, True), ("supplier", COMPANY, ("Hardware",), True),
        ("product manager", PERSON, ("Hardware", "Product"), True), ("member", PERSON, ("Band",), True),
        ("genre", ("Genre",), FILM, True), ("original language", ("Language",), FILM, True),
        ("from pier", ("Pier",), ("Departure",), True), ("compatible product", ("Product",), ("Hardware",), True),
        ("building", ("Building",), ("Unit",), True), ("unit", ("unit",), ("Product",), False),
        ("hiring manager", PERSON, ("Job posting",), False), ("reviews", ("Recipe",), ("Review",), False),
        ("reviews", ("Recipe",), ("Critic", "Person"), True), ("lead employee", ("Employee", *PERSON), FILM, False),
        ("donation", PERSON, ("Box",), False), ("curator", PERSON, ("Show",), True),
        ("day type", ("Day type",), ("Departure",), False), ("writing system", ("Script",), ("Language",), False),
    ],
)  # fmt: skip
def test_what_points_here_is_asked_for_by_natural_words_only(label, kinds, subjects, expected):
    assert has_inverse_wording(Step("p", label, "in"), kinds, subjects) is expected


def test_two_steps_name_no_thing_between():
    steps = (Step("p", "director"), Step("q", "birth place"))
    fact = Fact(1, steps, "entity", class_labels=CITY, forms=("two-hop",), via_class_labels=PERSON)
    found = deduplicate_wordings(realize_fact_question(Entity("x", "Juno", "", "Film", FILM), fact, "two-hop"))
    assert "Where was Juno's director born?" in found


def test_names_that_end_with_a_question_mark_keep_one():
    assert "Who directed What Now?" in asked("director", name="What Now?")


def test_words():
    assert [pluralize(noun) for noun in ("country of origin", "child", "BOM part", "hardware", "series")] == [
        "countries of origin", "children", "BOM parts", "hardware", "series"
    ]  # fmt: skip
    assert [singularize(noun) for noun in ("genres", "address", "status", "children", "areas of expertise")] == [
        "genre", "address", "status", "child", "area of expertise"
    ]  # fmt: skip
    assert [past_tense(verb) for verb in ("write", "supply", "stop", "direct", "win")] == [
        "wrote", "supplied", "stopped", "directed", "won"
    ]  # fmt: skip
    assert [possessive_form(noun) for noun in ("the class", "the bridges", "Ross")] == [
        "the class's", "the bridges'", "Ross'"
    ]  # fmt: skip
    assert (add_indefinite_article("hour"), add_indefinite_article("hardware"), possessive_form("Iris")) == (
        "an hour",
        "hardware",
        "Iris'",
    )
    assert (
        plain_label("depth (mm)"),
        plain_label("birthPlace"),
        lowercase_label("Product Category"),
        lowercase_label("BOM Part"),
    ) == ("depth", "birth place", "product category", "BOM part")
    assert (render_date("2010-07-16"), render_date("1999"), render_date("1999-02")) == (
        "16 July 2010", "1999", "February 1999"
    )  # fmt: skip
    assert add_article("United States", CITY) == "the United States"
    assert add_article("Mystic River", FILM) == "Mystic River"
    assert add_article("Nobel Prize in Physics", ("Award",)) == "the Nobel Prize in Physics"
    assert add_article("Oslo", CITY) == "Oslo"


def test_a_number_needs_a_noun_or_a_year():
    for label, comment, can_tell in (
        ("begins in", "", False), ("begins in", "Calendar year.", True), ("calibrated to", "", False),
        ("calibrated from", "", False), ("value", "", False), ("built in", "", True), ("number of seats", "", True),
    ):  # fmt: skip
        assert lexicalize_predicate(label, comment, "number").can_tell_number is can_tell, (label, comment)


def test_a_verb_with_its_preposition_and_noun():
    assert "Which river does Juno lie on?" in asked("lies on the river", kinds=("River",))
    assert "Does Juno lie on the Thames?" in asked("lies on the river", "boolean", kinds=("River",), offer="Thames")
    assert "Which village is Juno near?" in asked("near", kinds=("Village",))
    assert "Which village does Juno stand near?" in asked("standsNear", kinds=("Village",))


def test_what_is_by_somebody():
    assert "Who did the screenplay for Juno?" in asked("screenplay by")
    found = asked("screenplay by", "subject", direction="in", kinds=FILM, about=PERSON, count=2)
    assert {"Which films did Juno do the screenplay for?", "Which films have a screenplay by Juno?"} <= set(found)
    assert asked("screenplay by", "boolean", offer="Ann Lee") == ["Did Ann Lee do the screenplay for Juno?"]


@pytest.mark.parametrize(
    ("label", "wording"),
    [
        ("firstMade", "When was Juno first made?"),
        ("first climbed in", "In which year was Juno first climbed?"),
        ("won a Nobel Prize in", "In which year did Juno win a Nobel Prize?"),
        ("hosted the Summer Olympics of", "When did Juno host the Summer Olympics?"),
    ],
)
def test_years_of_what_happened_are_asked_as_happenings(label, wording):
    found = asked(label, "date", shape="date", datatype="gYear")
    assert wording in found, found
    assert not [text for text in found if "did Juno make" in text or "is Juno a " in text]


@pytest.mark.parametrize(
    ("label", "form", "extra", "wording"),
    [
        ("drives on the", "literal", {"shape": "text", "about": ("Country",), "comment": "The side of the road."},
         "Which side does Juno drive on?"),
        ("drives on the", "boolean", {"shape": "text", "offer": "right", "comment": "The side of the road."},
         "Does Juno drive on the right?"),
        ("player of the match", "object", {"about": ("Match",)}, "Who is the player of the match in Juno?"),
        ("player of the match", "subject", {"about": PERSON, "kinds": ("Match",), "direction": "in"},
         "Which match was Juno the player of the match in?"),
        ("area", "boolean", {"shape": "number", "offer": "778.2", "about": CITY}, "Is Juno's area 778.2?"),
        ("publication year", "boolean", {"shape": "number", "offer": "1969"}, "Was Juno released in 1969?"),
        ("age", "boolean", {"shape": "number", "offer": "63", "about": PERSON}, "Is Juno 63 years old?"),
        ("official ratings (millions)", "number", {"shape": "number", "datatype": "decimal"},
         "What are Juno's official ratings in millions?"),
        ("yearsOfExperience", "number", {"shape": "number", "about": PERSON},
         "How many years of experience does Juno have?"),
        ("running time", "number", {"shape": "number", "comment": "In minutes."}, "How long is Juno in minutes?"),
        ("length_km", "number", {"shape": "number"}, "How long is Juno in kilometers?"),
        ("highest", "number", {"shape": "number"}, "What is the highest value of Juno?"),
        ("year", "literal", {"shape": "text"}, "Which year is Juno from?"),
        ("country", "literal", {"shape": "text"}, "Which country is Juno from?"),
        ("country", "boolean", {"shape": "text", "offer": "Italy"}, "Is Juno from Italy?"),
        ("region", "boolean", {"kinds": ("Region",), "about": CITY, "offer": "Tyrol"}, "Is Juno in Tyrol?"),
        ("first flight", "date", {"shape": "date", "datatype": "date"}, "When was the first flight of Juno?"),
        ("admissionDate", "date", {"shape": "date", "datatype": "date"}, "When was Juno admitted?"),
        ("original air date", "date", {"shape": "date", "datatype": "date"}, "When did Juno air?"),
        ("begins in", "number", {"shape": "number", "comment": "Calendar year.", "about": ("Period",)},
         "In which year did Juno begin?"),
        ("goals of the home team", "number", {"shape": "number", "about": ("Match",)},
         "How many goals did the home team have in Juno?"),
        ("mass of a skein", "number", {"shape": "number"}, "How heavy is a skein of Juno?"),
        ("date cast on", "date", {"shape": "date", "datatype": "date"}, "When was Juno cast on?"),
        ("uses technique", "list", {"kinds": ("Technique",), "count": 2}, "Which techniques does Juno use?"),
        ("meets on", "literal", {"shape": "text", "about": ("Club",)}, "On which day does Juno meet?"),
        ("weight", "number", {"shape": "number", "comment": "Grams, after cleaning."},
         "How much does Juno weigh in grams?"),
        ("language of work or name", "object", {"kinds": ("Language",), "about": ("Novel",)},
         "What is the language of Juno?"),
        ("county", "literal", {"shape": "text", "about": ("Parish",)}, "Which county is Juno in?"),
        ("composer", "object", {}, "Who composed the music for Juno?"),
        ("composer", "object", {"about": ("Song",)}, "Who composed Juno?"),
        ("crosses", "object", {"kinds": ("River",)}, "Which river does Juno cross?"),
        ("producer", "list", {"kinds": ("Producer", "Person"), "count": 2}, "Who produced Juno?"),
        ("supplier", "object", {"kinds": ("Supplier",)}, "Who supplies Juno?"),
        ("member", "subject", {"about": PERSON, "kinds": ("Band",), "direction": "in"},
         "Which band is Juno a member of?"),
        ("has part", "subject", {"kinds": ("Engine",), "direction": "in"}, "Which engine is Juno part of?"),
        ("native language", "subject", {"about": ("Language",), "direction": "in", "count": 3},
         "Whose native language is Juno?"),
        ("country", "subject", {"about": ("Country",), "kinds": ("Cheese",), "direction": "in", "count": 3},
         "Which cheeses are from Juno?"),
        ("latin commander", "literal", {"shape": "text", "about": ("Battle",)}, "Who is the Latin commander of Juno?"),
        ("director", "subject", {"kinds": ("film names",), "about": PERSON, "direction": "in", "count": 2},
         "Which films did Juno direct?"),
    ],
)  # fmt: skip
def test_predicates_that_are_no_plain_nouns(label, form, extra, wording):
    found = asked(label, form, **extra)
    assert wording in found, found


def test_what_jars_is_not_said():
    assert not [text for text in asked("producer", kinds=("Producer", "Person"), count=2) if "Which producers" in text]
    assert not [text for text in asked("area", "boolean", shape="number", offer="3.2") if text.startswith("Is 3.2")]
    assert not [text for text in asked("director", name="What Now?") if "?'s" in text]
    assert not [text for text in asked("year", "literal", shape="text") if text.startswith("From which year is")]


def test_plural_names_of_groups_take_plural_verbs():
    band = {"about": ("Band",), "name": "The Otters"}
    assert "When were The Otters formed?" in asked("formed in", "date", shape="date", datatype="gYear", **band)
    assert "Which musical styles do The Otters have?" in asked(
        "musical style", "list", kinds=("Style",), count=2, **band
    )
    assert "When was The Otters built?" in asked("built", "date", shape="date", about=("Ship",), name="The Otters")


@pytest.mark.parametrize(
    ("label", "about", "object_kinds", "offer", "expected"),
    [
        ("continent", ("Country",), ("Continent",), "Europe", ["Is Juno in Europe?"]),
        ("city", ("Company",), ("City",), "Ravenna", ["Is Juno in Ravenna?"]),
        ("city", PERSON, ("City",), "Ravenna", ["Is Juno from Ravenna?"]),
        ("country", ("Company",), ("Country",), "Colombia", ["Is Juno from Colombia?"]),
        ("place of birth", PERSON, ("City",), "Ravenna", ["Was Juno born in Ravenna?"]),
        ("genre", FILM, ("Genre",), "fantasy", ["Is Juno's genre fantasy?"]),
    ],
)
def test_a_value_is_offered_by_where_or_to_what_the_topic_belongs(label, about, object_kinds, offer, expected):
    assert asked(label, "boolean", about=about, kinds=object_kinds, offer=offer) == expected


def test_a_place_is_asked_for_by_what_is_in_it():
    assert asked("city", about=("Company",), kinds=("City",))[:2] == [
        "Which city is Juno in?",
        "What city is Juno in?",
    ]
    assert "Which state is Juno from?" not in asked("state", "literal", shape="text", about=("Ticket",))
    assert asked("collection", "subject", about=("Museum",), kinds=("Painting",), direction="in") == [
        "Which painting is in the collection of Juno?"
    ]
    assert "What capital does Juno have?" not in asked("capital", about=("Country",), kinds=("City",))


def test_things_used_and_parts_of_an_address_are_asked_for_in_plain_words():
    wordings = asked("instrument used", about=("Discovery",), kinds=("Instrument",))
    assert wordings == ["Which instrument was used for Juno?", "What instrument was used for Juno?"]
    assert "Which instrument was used by Juno?" in asked("instrument used", about=PERSON, kinds=("Instrument",))
    assert "Which town is Juno in?" in asked("address locality", "literal", shape="text", about=("Company",))


EVENT, DAY = ("Concert", "Event"), {"shape": "date", "datatype": "date"}


@pytest.mark.parametrize(
    ("label", "form", "extra", "wording"),
    [
        ("price pence per litre", "number", {"shape": "number"}, "How much does Juno cost in pence per litre?"),
        ("max berths", "number", {"shape": "number"}, "What is the maximum number of berths of Juno?"),
        ("average guests per night", "number", {"shape": "number"},
         "What is the average number of guests per night of Juno?"),
        ("goals over par", "number", {"shape": "number"}, "How many goals over par does Juno have?"),
        ("distance to the sea", "number", {"shape": "number"}, "How far is Juno from the sea?"),
        ("distance from depot", "number", {"shape": "number", "comment": "In kilometres."},
         "How far is Juno from the depot in kilometers?"),
        ("working hours", "number", {"shape": "number", "datatype": "decimal"}, "What are the working hours of Juno?"),
        ("cost", "number", {"shape": "number", "about": ("Repair",)}, "How much did Juno cost?"),
        ("cost", "number", {"shape": "number", "about": ("Tool",)}, "How much does Juno cost?"),
        ("population total", "number", {"shape": "number", "about": CITY}, "How many people live in Juno?"),
        ("vehicle type", "literal", {"shape": "text", "about": ("Tanker", "Vehicle")}, "What type of vehicle is Juno?"),
        ("vehicle kind", "literal", {"shape": "text", "about": ("Locomotive",)}, "What kind of vehicle is Juno?"),
        ("engine type", "literal", {"shape": "text", "about": ("Locomotive",)}, "What is the engine type of Juno?"),
        ("make name", "literal", {"shape": "text", "about": ("Car",)}, "What is the make of Juno?"),
        ("file name", "literal", {"shape": "text", "about": ("Photo",)}, "What is the file name of Juno?"),
        ("status text", "literal", {"shape": "text", "about": ("Order",)}, "What is the status of Juno?"),
        ("price range", "literal", {"shape": "text", "about": ("Hotel",)}, "What is the price range of Juno?"),
        ("station of", "object", {"kinds": ("Railway",), "about": ("Station",)}, "Which railway does Juno belong to?"),
        ("is entry of", "object", {"kinds": ("Race",), "about": ("Entry",)}, "Which race does Juno belong to?"),
        ("boat", "object", {"kinds": ("Boat",), "about": ("Booking",)}, "Which boat is Juno for?"),
        ("boat", "object", {"kinds": ("Boat",), "about": PERSON}, "What is the boat of Juno?"),
        ("claim for", "object", {"kinds": ("Policy",), "about": ("Claim",)}, "Which policy is Juno a claim for?"),
        ("movement", "object", {"kinds": ("Movement",), "about": ("Painting",)}, "Which movement does Juno belong to?"),
        ("headquarters location", "object", {"kinds": CITY, "about": COMPANY}, "Where is Juno based?"),
        ("region", "list", {"kinds": ("Region",), "about": ("Trail",), "count": 2}, "Which regions is Juno in?"),
        ("country", "list", {"kinds": ("Country",), "about": COMPANY, "count": 2}, "Which countries is Juno from?"),
        ("own dentist", "object", {"about": ("Patient", "Person")}, "Who is the dentist of Juno?"),
        ("team captain", "object", {"about": ("Team",)}, "Who is the team captain of Juno?"),
        ("hiring manager", "object", {"about": ("Job posting",)}, "Who is the hiring manager of Juno?"),
        ("assesses", "object", {"kinds": ("Skill",), "about": ("Exam",)}, "Which skill does Juno assess?"),
        ("assesses", "subject", {"kinds": ("Exam",), "about": ("Skill",), "direction": "in", "count": 2},
         "Which exams assess Juno?"),
        ("performer", "object", {"about": EVENT}, "Who performed at Juno?"),
        ("performer", "object", {"about": ("Song",)}, "Who performed Juno?"),
        ("date", "date", {**DAY, "about": ("Repair",)}, "On what date did Juno take place?"),
        ("date", "date", {**DAY, "about": ("Payment",)}, "When was Juno made?"),
        ("date", "date", {**DAY, "about": ("Letter",)}, "What is the date of Juno?"),
        ("member since", "date", {**DAY, "about": PERSON}, "When did Juno become a member?"),
        ("member since date", "date", {**DAY, "about": PERSON}, "When did Juno become a member?"),
        ("licensed since", "date", {**DAY, "about": ("Pub",)}, "When was Juno licensed?"),
        ("warranty until", "date", {**DAY, "about": ("Tool",)}, "When does the warranty of Juno end?"),
        ("registration timestamp", "date", {**DAY, "about": PERSON}, "When was Juno registered?"),
        ("first publication date", "date", {**DAY, "about": ("Novel",)}, "When was Juno first published?"),
        ("official opening date", "date", {**DAY, "about": ("Bridge",)}, "When was Juno opened?"),
        ("started", "date", {**DAY, "about": PERSON}, "When did Juno start?"),
        ("started", "date", {**DAY, "about": ("Project",)}, "When was Juno started?"),
        ("finished", "date", {**DAY, "about": PERSON}, "When did Juno finish?"),
        ("join date", "date", {**DAY, "about": PERSON}, "When did Juno join?"),
        ("date carried out", "date", {**DAY, "about": ("Inspection",)}, "When was Juno carried out?"),
        ("received date", "date", {**DAY, "about": ("Parcel",)}, "When was Juno received?"),
    ],
)  # fmt: skip
def test_what_happens_is_said_as_people_do(label, form, extra, wording):
    found = asked(label, form, **extra)
    assert wording in found[:2], found


def test_the_class_of_the_answer_does_not_repeat_the_verb():
    found = asked("operated by", kinds=("Operating company",), about=("Ferry",))
    assert found[0] == "Which company operates Juno?" and not [text for text in found if "operating" in text]
    assert "Which diving company operates Juno?" in asked("operated by", kinds=("Diving company",), about=("Ferry",))


@pytest.mark.parametrize(
    ("kinds", "wording"),
    [(("Permit",), "On what date does Juno expire?"), (("aircraft",), "What is Juno's expiry date?")],
)
def test_papers_expire_and_other_things_have_an_expiry_date(kinds, wording):
    assert wording in asked("expiry date", "date", about=kinds, shape="date", datatype="date")
