"""Follow-ups over small invented conversations: each is seen as one, and becomes a question that stands alone.

A conversation has a line a turn, ``asked => standalone | topics | answers``, names parted by semicolons.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from chattyshared.dialogue import Answer, Exchange, LinkedTerm, Reason, Value
from chattyshared.model import Request

from chattykg.conversation.context import ConversationContext, DialogueWords
from chattykg.conversation.referents import Property, Referent
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.rulebook import agent_rules

NOTHING_KNOWN = DialogueWords(VocabularyCard())

KINDS = {
    "film": "Film", "bare": "Film", "novel": "Novel/Book", "person": "Person/Agent", "someone": "Person",
    "firm": "Company/Organization/Agent", "worker": "Employee/Person", "boss": "Manager/Employee/Person",
    "town": "City/Place", "land": "Country/Place", "band": "Band/Artist", "part": "Hardware/Product", "ward": "Ward",
    "drug": "Drug", "school": "University/Organization/Agent", "group": "Department/Organization", "album": "Album",
    "tune": "Song", "singer": "Singer", "request": "Repair request", "show": "Series",
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
    "show": "number of seasons|sequel",
}  # fmt: skip
KIND_OF = {
    "Silver Tide": "film", "Glass Orchard": "film", "Low Sun": "film", "The Last Lantern": "film",
    "Salt Road": "novel", "Mara Vane": "person/female", "Tobias Ode": "person/male", "Robin Kell": "person",
    "Ann Lee": "someone", "Bo Lee": "someone", "Kelp Pictures": "firm", "Ada Holt": "worker", "Noa Brandt": "boss",
    "Tarn": "town", "Vell": "town", "Norland": "land", "Ostria": "land", "The Marl": "band", "Coil Nine": "part",
    "Rotor Five": "part", "Ward A": "ward", "Ward B": "ward", "Somnal": "drug", "Vigoran": "drug",
    "Tarn University": "school", "Finance": "group", "Red Letters": "album", "Paper Moon Song": "tune",
    "Tide, Ebb and Flow": "bare", "Three Winds": "bare", "Born into the 90's": "bare", "...And Then Four": "bare",
    "Una": "singer", "Per": "singer", "Loose rail": "request", "Lost key": "request", "Cold Coast": "show",
}  # fmt: skip


def iri(name: str) -> str:
    return f"http://example.org/{name.replace(' ', '_')}"


def referent(name: str, turn: int, role: str, place: int = 1, of: int = 1) -> Referent:
    """Make a referent; a name that is in no list is a literal."""
    if name not in KIND_OF:
        return Referent(name, "", turn, "answer", place, of)
    kind, _, gender = KIND_OF[name].partition("/")
    labels = HAS.get(kind, "").split("|") if kind in HAS else []
    has = tuple(Property(label.lstrip("<"), not label.startswith("<")) for label in labels)
    types = tuple(KINDS[kind].split("/"))
    return Referent(name, iri(name), turn, "topic" if role == "topic" else "answer", place, of, types, gender, has)


def conversation(told: str) -> tuple[ConversationContext, tuple[Referent, ...]]:
    history, referents = [], []
    for turn, line in enumerate(told.strip().splitlines(), 1):
        question, *named = line.split("|")
        asked, _, standalone = (part.strip() for part in question.partition("=>"))
        topics, answers = ([part.strip() for part in field.split(";") if part.strip()] for field in named)
        values = tuple(
            Value(iri(n) if n in KIND_OF else n, "iri" if n in KIND_OF else "literal", label=n) for n in answers
        )
        linked = tuple(LinkedTerm(n, iri(n), n, type=KINDS[KIND_OF[n].split("/")[0]].split("/")[0]) for n in topics)
        reason = None if answers or topics else Reason("not-stated", "refused")
        answer = Answer(values=values, standalone=standalone or asked, entities=linked, reason=reason)
        history.append(Exchange(asked, answer))
        referents += [referent(name, turn, "topic") for name in topics]
        referents += [referent(name, turn, "answer", place, len(answers)) for place, name in enumerate(answers, 1)]
    return ConversationContext(tuple(history)), tuple(referents)


DIRECTED = "Who directed Silver Tide? | Silver Tide | Mara Vane"
ORCHARD = "Who directed Glass Orchard? | Glass Orchard | Mara Vane"
WROTE = "Who wrote Salt Road? | Salt Road | Robin Kell"
CAPITAL = "What is the capital of Norland? | Norland | Tarn"
STUDIED = "Which city is Tarn University in? | Tarn University | Tarn"
FOUNDED = "Which company did Tobias Ode found? | Tobias Ode | Kelp Pictures"
MANAGED = "Who is the manager of Ada Holt? | Ada Holt | Noa Brandt"
PRODUCT = "Who is the product manager of Coil Nine? | Coil Nine | Ada Holt"
FITS = "Which hardware fits Coil Nine? | Coil Nine | Rotor Five"
WARDS = "Which wards belong to Finance? | Finance | Ward A; Ward B"
DRUGS = "Which drugs help against colds? | | Somnal; Vigoran"
FILMS = "Which films did Mara Vane direct? | Mara Vane | Silver Tide; Glass Orchard; Low Sun"
TRACK = "What is the track of Red Letters? | Red Letters | Paper Moon Song"
FORMED = "Which band was formed in Tarn? | Tarn | The Marl"
YEAR = "How many films were released in 2010? | | 3"
HEAVY = "How heavy is Coil Nine? | Coil Nine | 20"
SINGERS = "Show all singers | | Una; Per"
AVERAGE = "What is the average weight of all cars? | | 2000"
REQUESTS = "Which repair requests are open? | | Loose rail; Lost key"
WRITER = "Who wrote Tarn? | Tarn | Ann Lee"
HUSBAND = "Who is her husband? => Who is Ann Lee's husband? | Ann Lee | Bo Lee"
MAYOR = "Who is the mayor of Tarn? | Tarn | Ann Lee"
CHOSEN = "Whom did Tarn choose for mayor? | Tarn | Ann Lee"
OF_TWO = "Of Silver Tide and Glass Orchard, which is longer? | Silver Tide; Glass Orchard | Glass Orchard"
LONGER = "Is Silver Tide longer than Glass Orchard? | Silver Tide; Glass Orchard |"
LARGER = "Which country is larger, Norland or Ostria? | Norland; Ostria | Norland"
SHIPS = "Welche Schiffe gibt es? | | Silver Tide; Low Sun"
CASES: list[tuple[str, str, str]] = [
    # he, she, they: by gender, and by what can be asked of whom
    (DIRECTED, "Where was she born?", "Where was Mara Vane born?"),
    (FOUNDED, "Who is his spouse?", "Who is Tobias Ode's spouse?"),
    (WROTE, "Where were they born?", "Where were Robin Kell born?"),
    (PRODUCT, "What's their address?", "What's Ada Holt's address?"),
    (f"{DIRECTED}\n{FOUNDED}", "Where was she born?", "Where was Mara Vane born?"),
    (f"{WRITER}\n{HUSBAND}\nWhen was Ann Lee born? | Ann Lee | 1998", "Where was he born?", "Where was Bo Lee born?"),
    # it: the one that can have the property
    (STUDIED, "What is its motto?", "What is Tarn University's motto?"),
    (STUDIED, "What is its population?", "What is Tarn's population?"),
    (CAPITAL, "What is its anthem?", "What is Norland's anthem?"),
    (HEAVY, "What does it cost?", "What does Coil Nine cost?"),
    (HEAVY, "Which services are eligible for it?", "Which services are eligible for Coil Nine?"),
    (TRACK, "How long is it?", "How long is Paper Moon Song?"),
    (DIRECTED, "Is its runtime 90 minutes?", "Is Silver Tide's runtime 90 minutes?"),
    (CAPITAL, "Is Vell its capital?", "Is Vell Norland's capital?"),
    (CAPITAL, "Does it have the city family Tarnish?", "Does Norland have the city family Tarnish?"),
    (DIRECTED, "And when was it released?", "When was Silver Tide released?"),
    # the film, that band, this city: definite nouns, by class and superclass
    (DIRECTED, "Who wrote the film?", "Who wrote Silver Tide?"),
    (DIRECTED, "Is the film French?", "Is Silver Tide French?"),
    (WROTE, "Is 1969 the novel's year of publication?", "Is 1969 Salt Road's year of publication?"),
    (WROTE, "Which film is based on the book?", "Which film is based on Salt Road?"),
    (WROTE, "Where was the author born?", "Where was Robin Kell born?"),
    (CAPITAL, "Who is the mayor of the city?", "Who is the mayor of Tarn?"),
    (CAPITAL, "Which country is the city the capital of?", "Which country is Tarn the capital of?"),
    (TRACK, "Who wrote that song?", "Who wrote Paper Moon Song?"),
    (CAPITAL, "And the city's population?", "What is Tarn's population?"),
    (FITS, "Which hardware has that hardware as its compatible product?",
     "Which hardware has Rotor Five as its compatible product?"),
    (PRODUCT, "What is the employee's phone number?", "What is Ada Holt's phone number?"),
    (CAPITAL, "Which bands were formed there?", "Which bands were formed in Tarn?"),
    (LARGER, "Which bands were formed there?", "Which bands were formed in Norland?"),
    # lists: they, them, those, which of them, the two
    (DRUGS, "Who makes them?", 'Who makes "Somnal" or "Vigoran"?'),
    (DRUGS, "Which one is cheaper?", 'Which of "Somnal" and "Vigoran" is the cheapest?'),
    (WARDS, "Which of them has more beds?", 'Which of "Ward A" and "Ward B" has the most beds?'),
    (WARDS, "Which has the most beds?", 'Which of "Ward A" and "Ward B" has the most beds?'),
    (FILMS, "Which was released first?", 'Which of "Silver Tide", "Glass Orchard" and "Low Sun" was released first?'),
    (FILMS, "When were they released?", 'When were "Silver Tide", "Glass Orchard" and "Low Sun" released?'),
    (FILMS, "Who starred in all of them?", 'Who starred in all of "Silver Tide", "Glass Orchard" and "Low Sun"?'),
    (SINGERS, "What are their names and ages?", 'What are the names and ages of "Una" and "Per"?'),
    (SINGERS, "How many are there?", "How many singers are there?"),
    ("How many ships are there? | | 12", "What are their names?", "What are the names of the ships?"),
    (f"{FILMS}\n{YEAR}\nAnd in 2011? => How many films were released in 2011? | | 2", "How many of them are French?",
     "How many of the films that were released in 2011 are French?"),
    (REQUESTS, "Which of those repair requests do not have Mara Vane as a reporter?",
     'Which of "Loose rail" and "Lost key" do not have Mara Vane as a reporter?'),
    # members of a list, or of two that were compared
    (WARDS, "What floor is the second on?", "What floor is Ward B on?"),
    (FILMS, "Who wrote the last two?", 'Who wrote "Glass Orchard" or "Low Sun"?'),
    (f"{FILMS}\nHow long is Low Sun? | Low Sun | 80", "Who wrote the rest?",
     'Who wrote "Silver Tide" or "Glass Orchard"?'),
    (WARDS, "How many beds does the latter have?", "How many beds does Ward B have?"),
    (f"{FILMS}\nHow long is Silver Tide? | Silver Tide | 90\nHow long is Low Sun? | Low Sun | 80",
     "Who wrote the other one?", "Who wrote Glass Orchard?"),
    (f"{OF_TWO}\nWhat is Glass Orchard's genre? | Glass Orchard | drama", "Who directed the former?",
     "Who directed Silver Tide?"),
    (OF_TWO, "Who directed the other one?", "Who directed Silver Tide?"),
    (OF_TWO, "Who directed it?", "Who directed Glass Orchard?"),
    (LONGER, "Who directed the latter?", "Who directed Glass Orchard?"),
    (LARGER, "What is the capital of that country?", "What is the capital of Norland?"),
    (LARGER, "What is the capital of the other country?", "What is the capital of Ostria?"),
    ("Which is longer: Glass Orchard or Tide, Ebb and Flow? | Glass Orchard; Tide, Ebb and Flow | Tide, Ebb and Flow",
     "Who directed the latter?", 'Who directed "Tide, Ebb and Flow"?'),
    # what is left out
    (YEAR, "And in 2019?", "How many films were released in 2019?"),
    (YEAR, "What about after 2001?", "How many films were released after 2001?"),
    (f"{YEAR}\nWhy? | |", "And in 2019?", "How many films were released in 2019?"),
    (DIRECTED, "And Low Sun?", "Who directed Low Sun?"),
    (DIRECTED, "No, I meant Low Sun.", "Who directed Low Sun?"),
    (DIRECTED, "and the runtime?", "What is the runtime of Silver Tide?"),
    (DIRECTED, "How about its genre?", "What is Silver Tide's genre?"),
    (CAPITAL, "And Ostria?", "What is the capital of Ostria?"),
    (CAPITAL, "And of Ostria?", "What is the capital of Ostria?"),
    (FILMS, "Same for Tobias Ode?", "Which films did Tobias Ode direct?"),
    (MANAGED, "her phone number", "What is Noa Brandt's phone number?"),
    (DIRECTED, "And Glass Orchard, who directed it?", "Who directed Glass Orchard?"),
    (DIRECTED, "What about Low Sun? When was it released?", "When was Low Sun released?"),
    (f"{DIRECTED}\nsince when? | |", "And The Last Lantern?", "Who directed The Last Lantern?"),
    (CHOSEN, "And in which year?", "In which year did Tarn choose Ann Lee for mayor?"),
    ("How many small ferries does Ann Lee own? | Ann Lee | 3", "Who owns the most?",
     "Who owns the most small ferries?"),
    ("What is the longest river in Norland? | Norland | Vire", "And the shortest?",
     "What is the shortest river in Norland?"),
    ("How many birds of prey live in Norland? | Norland | 3\nHow many birds of prey are there? | | 9", "And bats?",
     "How many bats are there?"),
    # what is added
    (FORMED, "What else was formed in this city?", "What else was formed in Tarn except The Marl?"),
    (DIRECTED, "Which other films did she direct?", "Which other films did Mara Vane direct except Silver Tide?"),
    (f"{DIRECTED}\n{ORCHARD}", "Is it longer?", "Is Glass Orchard longer than Silver Tide?"),
    # names that need quotes
    ("What is Three Winds' genre? | Three Winds | drama", "What about Glass Orchard?",
     "What is Glass Orchard's genre?"),
    ("Who directed Born into the 90's? | Born into the 90's | Mara Vane", "How long is it?",
     'How long is "Born into the 90\'s"?'),
    ("Who directed ...And Then Four? | ...And Then Four | Mara Vane", "What is its genre?",
     'What is "...And Then Four"\'s genre?'),
    # nothing fits, or several things as well: the question stays
    ("Is horse racing a sport? | |", "Where was he born?", "Where was he born?"),
    (FILMS, "How long is it?", "How long is it?"),
    (LONGER, "Who directed the other one?", "Who directed the other one?"),
    (DIRECTED, "And the second one?", "And the second one?"),
    # German
    ("Wer ist Kapitän? | | Mara Vane", "Wo wurde sie geboren?", 'Wo wurde "Mara Vane" geboren?'),
    ("Wer ist Kapitän? | | Mara Vane", "Wie heißt ihre Mutter?", 'Wie heißt der Mutter von "Mara Vane"?'),
    ("Wo wurde sie geboren? => Wo wurde \"Mara Vane\" geboren? | Mara Vane | Tarn", "Und wann?",
     'Wann wurde "Mara Vane" geboren?'),
    (SHIPS, "Welche davon sind neu?", 'Welche von "Silver Tide" und "Low Sun" sind neu?'),
    (SHIPS, "Wer hat das zweite gebaut?", 'Wer hat "Low Sun" gebaut?'),
    ("Wie lang ist \"Silver Tide\"? | Silver Tide | 90", "Und \"Low Sun\"?", 'Wie lang ist "Low Sun"?'),
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
    "Is the director of Low Sun older than Tobias Ode?", "How many films are there?",
    "What is the price of the product Rotor Five?", "Which drug is the cheapest?",
    "Which films were released in 2010?", "Which people own their own house?", "No Way Home was filmed where?",
    "Welche Schiffe gibt es?", "Brücken, die über die Marn führen",
]  # fmt: skip


@pytest.mark.parametrize("question", WHOLE)
@pytest.mark.parametrize("told", [DIRECTED, DRUGS])
def test_a_whole_question_stays_as_it_is(told: str, question: str) -> None:
    context, _ = conversation(told)
    variables = {"question": question, "history": context, "known": NOTHING_KNOWN}
    assert agent_rules.classify_question(Request("answer/classifier", (), variables=variables)) == {
        "kind": "self-contained"
    }


def test_without_a_history_nothing_is_a_follow_up() -> None:
    variables = {"question": "When was she born?", "history": ConversationContext(()), "known": NOTHING_KNOWN}
    variables["referents"] = ()
    assert agent_rules.classify_question(Request("answer/classifier", (), variables=variables)) == {
        "kind": "self-contained"
    }
    assert agent_rules.rephrase_question(Request("answer/rephraser", (), variables=variables)) == {
        "question": "When was she born?"
    }


def test_a_long_list_is_said_as_it_was_asked_for() -> None:
    context, referents = conversation(FILMS)
    many = tuple(replace(r, answer_count=200) for r in referents if r.role == "answer")
    variables = {"question": "Which of them are long?", "history": context, "known": NOTHING_KNOWN}
    variables["referents"] = (referents[0], *many)
    said = agent_rules.rephrase_question(Request("answer/rephraser", (), variables=variables))
    assert said == {"question": "Which of the films that Mara Vane direct are long?"}
