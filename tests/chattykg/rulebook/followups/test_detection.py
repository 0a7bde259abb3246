"""Invented conversations, as people talk: each follow-up is seen as one, and says what it leans on."""

from __future__ import annotations

import pytest
from chattyshared.dialogue import Answer, Exchange, LinkedTerm, Value
from chattyshared.model import Request

from chattykg.conversation.context import ConversationContext, DialogueWords
from chattykg.conversation.referents import Property, Referent
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.rulebook import agent_rules

NOTHING_KNOWN = DialogueWords(VocabularyCard())

KINDS = {
    "film": "Film", "novel": "Novel/Book", "person": "Person/Agent", "firm": "Company/Organization/Agent",
    "worker": "Employee/Person", "boss": "Manager/Employee/Person", "town": "City/Place", "land": "Country/Place",
    "band": "Band/Artist", "part": "Hardware/Product", "ward": "Ward", "drug": "Drug",
    "school": "University/Organization/Agent", "group": "Department/Organization",
    "album": "Album", "tune": "Song",
}  # fmt: skip
HAS = {
    "film": "director|writer|release date|<original language|runtime", "novel": "author|year of publication|<based on",
    "person": "birth place|birth date|spouse|<director|<author|occupation",
    "firm": "founder|headquarters|<production company|revenue",
    "worker": "manager|phone number|address|<product manager|member of|area of expertise",
    "boss": "phone number|address|<manager|member of",
    "town": "population|mayor|area|country|<birth place|<headquarters", "land": "capital|ISO code|anthem|<country",
    "band": "members|founding date|record label",
    "part": "price|weight|compatible product|<compatible product|<eligible for|product manager", "ward": "beds|floor",
    "drug": "price|maker|dose", "school": "motto",
    "group": "head|<member of|budget", "album": "track|artist|release date", "tune": "writer|length",
}  # fmt: skip
PLACE_OF = {
    "Silver Tide": "film", "Glass Orchard": "film", "Low Sun": "film", "Salt Road": "novel",
    "Mara Vane": "person/female", "Tobias Ode": "person/male", "Robin Kell": "person",
    "Kelp Pictures": "firm", "Ada Holt": "worker", "Noa Brandt": "boss", "Tarn": "town", "Vell": "town",
    "Norland": "land", "Ostria": "land", "The Marl": "band", "Coil Nine": "part",
    "Rotor Five": "part", "Ward A": "ward", "Ward B": "ward", "Somnal": "drug", "Vigoran": "drug",
    "Tarn University": "school", "Finance": "group", "Red Letters": "album",
    "Paper Moon Song": "tune",
}  # fmt: skip


def iri(name: str) -> str:
    return f"http://example.org/{name.replace(' ', '_')}"


def referent(name: str, turn: int, role: str, place: int = 1, of: int = 1) -> Referent:
    """Make a referent; a name that is in no list is a literal."""
    if name not in PLACE_OF:
        return Referent(name, "", turn, "answer", place, of)
    kind, _, gender = PLACE_OF[name].partition("/")
    has = tuple(Property(label.lstrip("<"), not label.startswith("<")) for label in HAS[kind].split("|"))
    types = tuple(KINDS[kind].split("/"))
    return Referent(name, iri(name), turn, "topic" if role == "topic" else "answer", place, of, types, gender, has)


def conversation(told: str) -> tuple[ConversationContext, tuple[Referent, ...]]:
    """Read "question | topic, topic | answer, answer" turns, one a line."""
    history, referents = [], []
    for turn, line in enumerate(told.strip().splitlines(), 1):
        question, topics, answers = (
            [part.strip() for part in field.split(",") if part.strip()] for field in line.split("|")
        )
        asked = ", ".join(question)
        values = tuple(
            Value(iri(n) if n in PLACE_OF else n, "iri" if n in PLACE_OF else "literal", label=n) for n in answers
        )
        linked = tuple(LinkedTerm(n, iri(n), n, type=KINDS[PLACE_OF[n].split("/")[0]].split("/")[0]) for n in topics)
        history.append(Exchange(asked, Answer(values=values, standalone=asked, entities=linked)))
        referents += [referent(name, turn, "topic") for name in topics]
        referents += [referent(name, turn, "answer", place, len(answers)) for place, name in enumerate(answers, 1)]
    return ConversationContext(tuple(history)), tuple(referents)


DIRECTED = "Who directed Silver Tide? | Silver Tide | Mara Vane"
WROTE = "Who wrote Salt Road? | Salt Road | Robin Kell"
CAPITAL = "What is the capital of Norland? | Norland | Tarn"
STUDIED = "Which city is Tarn University in? | Tarn University | Tarn"
FOUNDED = "Which company did Tobias Ode found? | Tobias Ode | Kelp Pictures"
MANAGED = "Who is the manager of Ada Holt? | Ada Holt | Noa Brandt"
PRODUCT = "Who is the product manager of Coil Nine? | Coil Nine | Ada Holt"
FITS = "Which hardware fits Coil Nine? | Coil Nine | Rotor Five"
WARDS = "Which wards belong to Finance? | Finance | Ward A, Ward B"
DRUGS = "Which drugs help against colds? | | Somnal, Vigoran"
FILMS = "Which films did Mara Vane direct? | Mara Vane | Silver Tide, Glass Orchard, Low Sun"
TRACK = "What is the track of Red Letters? | Red Letters | Paper Moon Song"
FORMED = "Which band was formed in Tarn? | Tarn | The Marl"
YEAR = "How many films were released in 2010? | | 3"
HEAVY = "How heavy is Coil Nine? | Coil Nine | 20"
CASES: list[tuple[str, str, str]] = [
    # he, she, they: by gender, and by what can be asked of whom
    (DIRECTED, "Where was she born?", "Where was Mara Vane born?"),
    (FOUNDED, "Who is his spouse?", "Who is Tobias Ode's spouse?"),
    (WROTE, "Where were they born?", "Where were Robin Kell born?"),
    (PRODUCT, "What's their address?", "What's Ada Holt's address?"),
    (f"{DIRECTED}\n{FOUNDED}", "Where was she born?", "Where was Mara Vane born?"),
    (MANAGED, "Which hardware are they the product manager of?", "Which hardware are Ada Holt the product manager of?"),
    # it: the one that can have the property
    (STUDIED, "What is its motto?", "What is Tarn University's motto?"),
    (STUDIED, "What is its population?", "What is Tarn's population?"),
    (CAPITAL, "What is its anthem?", "What is Norland's anthem?"),
    (HEAVY, "What does it cost?", "What does Coil Nine cost?"),
    (HEAVY, "Which services are eligible for it?", "Which services are eligible for Coil Nine?"),
    (TRACK, "How long is it?", "How long is Paper Moon Song?"),
    (DIRECTED, "Is its runtime 90 minutes?", "Is the runtime of Silver Tide 90 minutes?"),
    (CAPITAL, "Is Vell its capital?", "Is Vell the capital of Norland?"),
    # the film, that band, this city: definite nouns, by class and superclass
    (DIRECTED, "Who wrote the film?", "Who wrote Silver Tide?"),
    (WROTE, "Is 1969 the novel's year of publication?", "Is 1969 the year of publication of Salt Road?"),
    (WROTE, "Which film is based on the book?", "Which film is based on Salt Road?"),
    (WROTE, "Where was the author born?", "Where was Robin Kell born?"),
    (CAPITAL, "Who is the mayor of the city?", "Who is the mayor of Tarn?"),
    (CAPITAL, "Which country is the city the capital of?", "Which country is Tarn the capital of?"),
    (TRACK, "Who wrote that song?", "Who wrote Paper Moon Song?"),
    (CAPITAL, "And the city's population?", "What is Tarn's population?"),
    (FITS, "Which hardware has that hardware as its compatible product?",
     "Which hardware has Rotor Five as its compatible product?"),
    (PRODUCT, "What is the employee's phone number?", "What is Ada Holt's phone number?"),
    (FORMED, "What else was formed in this city?", 'What else was formed in Tarn except "The Marl"?'),
    # lists: they, them, those, which of them, the two
    (DRUGS, "Who makes them?", 'Who makes "Somnal" or "Vigoran"?'),
    (DRUGS, "Which one is cheaper?", 'Which of "Somnal" and "Vigoran" is the cheapest?'),
    (WARDS, "Which of them has more beds?", 'Which of "Ward A" and "Ward B" has the most beds?'),
    (WARDS, "What floor is the second on?", "What floor is Ward B on?"),
    (WARDS, "How many beds does the latter have?", "How many beds does Ward B have?"),
    (FILMS, "Who starred in all of them?", 'Who starred in all of "Silver Tide", "Glass Orchard" and "Low Sun"?'),
    ("How many ships are there? | | 12", "What are their names?", "What are the names of the ships?"),
    # what is left out
    (YEAR, "And in 2019?", "How many films were released in 2019?"),
    (DIRECTED, "And Low Sun?", "Who directed Low Sun?"),
    (DIRECTED, "and the runtime?", "What is the runtime of Silver Tide?"),
    (CAPITAL, "And Ostria?", "What is the capital of Ostria?"),
    (CAPITAL, "And of Ostria?", "What is the capital of Ostria?"),
    (FILMS, "Same for Tobias Ode?", "Which films did Tobias Ode direct?"),
    (MANAGED, "her phone number", "Noa Brandt's phone number"),
]  # fmt: skip


@pytest.mark.parametrize(("told", "question", "expected"), CASES)
def test_follow_up_says_what_it_leans_on(told: str, question: str, expected: str) -> None:
    context, referents = conversation(told)
    variables = {"question": question, "history": context, "referents": referents, "known": NOTHING_KNOWN}
    kind = agent_rules.classify_question(Request("answer/classifier", (), variables=variables))
    said = agent_rules.rephrase_question(Request("answer/rephraser", (), variables=variables))
    assert (kind, said) == ({"kind": "follow-up"}, {"question": expected})


WHOLE = [
    "Who directed Glass Orchard?", "Which films that star Tobias Ode are long?", "Is Vell the capital of Ostria?",
    "Which hardware has Rotor Five as its compatible product?", "Which albums sold best in 2001?",
    "Is the director of Low Sun older than Tobias Ode?",
    "What is the price of the product Rotor Five?", "Which drug is the cheapest?",
]  # fmt: skip


@pytest.mark.parametrize("question", WHOLE)
@pytest.mark.parametrize("told", [DIRECTED, DRUGS])
def test_a_whole_question_stays_as_it_is(told: str, question: str) -> None:
    context, _ = conversation(told)
    variables = {"question": question, "history": context, "known": NOTHING_KNOWN}
    assert agent_rules.classify_question(Request("answer/classifier", (), variables=variables)) == {
        "kind": "self-contained"
    }
