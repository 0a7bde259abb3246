"""The classifier's and the rephraser's rules over small invented conversations."""

from __future__ import annotations

from dataclasses import replace

import pytest
from chattyshared.dialogue import Answer, Exchange, LinkedTerm, Value
from chattyshared.model import Request

from chattykg.conversation.context import ConversationContext, DialogueWords
from chattykg.conversation.referents import Property, Referent
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.rulebook import agent_rules

NOTHING_KNOWN = DialogueWords(VocabularyCard())

Thing = tuple[str, str, str]
TIDE: Thing = ("Silver Tide", "Film", "")
ORCHARD: Thing = ("Glass Orchard", "Film", "")
LANTERN: Thing = ("The Last Lantern", "Film", "")
VANE: Thing = ("Mara Vane", "Person", "female")
NORLAND: Thing = ("Norland", "Country", "")
TARN: Thing = ("Tarn", "City", "")
YEAR: Thing = ("1998-03-01", "", "")
Said = tuple[str, list[Thing], list[Thing]]

WHO_DIRECTED: Said = ("Who directed Silver Tide?", [TIDE], [VANE])
HER_FILMS: Said = ("Which films did Mara Vane direct?", [VANE], [TIDE, ORCHARD, LANTERN])
CAPITAL: Said = ("What is the capital of Norland?", [NORLAND], [TARN])
OF_TWO: Said = ("Of Silver Tide and Glass Orchard, which is longer?", [TIDE, ORCHARD], [ORCHARD])
COMMAS: Thing = ("Tide, Ebb and Flow", "Film", "")
BARE_OWNER: Said = ("What is Three Winds' genre?", [("Three Winds", "Film", "")], [("drama", "", "")])
NINETIES: Said = ("Who directed Born into the 90's?", [("Born into the 90's", "Film", "")], [VANE])
DOTS: Said = ("Who directed ...And Then Four?", [("...And Then Four", "Film", "")], [VANE])
LEE: Thing = ("Ann Lee", "Person", "")
WRITER: Said = ("Who wrote Tarn?", [TARN], [LEE])
HER_HUSBAND: Said = ("Who is her husband?", [LEE], [("Bo Lee", "Person", "")])
MAYOR: Said = ("Who is the mayor of Tarn?", [TARN], [LEE])
CHOSEN: Said = ("Whom did Tarn choose for mayor?", [TARN], [LEE])
ALL_SINGERS: Said = ("Show all singers", [], [("Ann", "Singer", ""), ("Bo", "Singer", "")])
AVERAGE: Said = ("What is the average weight of all cars?", [], [("2000", "", "")])


def iri(name: str) -> str:
    return f"http://example.org/{name.replace(' ', '_')}"


def scene(*turns: Said) -> tuple[ConversationContext, tuple[Referent, ...]]:
    history, referents = [], []
    for turn, (question, topics, answers) in enumerate(turns, 1):
        values = tuple(Value(iri(n) if kind else n, "iri" if kind else "literal", label=n) for n, kind, _ in answers)
        linked = tuple(LinkedTerm(name, iri(name), name, type=iri(kind)) for name, kind, _ in topics)
        standalone = question.replace("her ", f"{topics[0][0]}'s ") if topics else question
        history.append(Exchange(question, Answer(values=values, standalone=standalone, entities=linked)))
        referents += [Referent(n, iri(n), turn, "topic", types=(kind,), gender=g) for n, kind, g in topics]
        referents += [
            Referent(n, iri(n) if kind else "", turn, "answer", place, len(answers), (kind,) if kind else (), g)
            for place, (n, kind, g) in enumerate(answers, 1)
        ]
    return ConversationContext(tuple(history)), tuple(referents)


REQUESTS: Said = (
    "Which repair requests are open?", [], [("Loose rail", "Repair request", ""), ("Lost key", "Repair request", "")]
)  # fmt: skip
OF_REQUESTS = 'Which of "Loose rail" and "Lost key" do not have Mara Vane as a reporter?'

FOLLOW_UPS: list[tuple[str, list[Said], str]] = [
    ("Which of those repair requests do not have Mara Vane as a reporter?", [REQUESTS], OF_REQUESTS),
    ("How about its genre?", [WHO_DIRECTED], "What is Silver Tide's genre?"),
    ("And when was it released?", [WHO_DIRECTED], "When was Silver Tide released?"),
    ("Is the film French?", [WHO_DIRECTED], "Is Silver Tide French?"),
    ("Which one has the highest budget?", [HER_FILMS],
     'Which of "Silver Tide", "Glass Orchard" and "The Last Lantern" has the highest budget?'),
    ("When were they released?", [HER_FILMS],
     'When were "Silver Tide", "Glass Orchard" and "The Last Lantern" released?'),
    ("What is the population of the city where it was set?", [CAPITAL, WHO_DIRECTED],
     "What is the population of the city where Silver Tide was set?"),
    ("What are their names and ages?", [ALL_SINGERS], 'What are the names and ages of "Ann" and "Bo"?'),
    ("How many are there?", [ALL_SINGERS], "How many singers are there?"),
    ("Does it have the city family Tarnish?", [CAPITAL], "Does Norland have the city family Tarnish?"),
    ("Which cars are heavier than that?", [AVERAGE], "Which cars are heavier than 2000?"),
    ("Who directed the former?", [OF_TWO, ("What is Glass Orchard's genre?", [ORCHARD], [("drama", "", "")])],
     "Who directed Silver Tide?"),
    ("Who directed the latter?",
     [("Which is longer: Glass Orchard or Tide, Ebb and Flow?", [ORCHARD, COMMAS], [COMMAS])],
     'Who directed "Tide, Ebb and Flow"?'),
    ("Where was he born?", [WRITER, HER_HUSBAND, ("When was Ann Lee born?", [LEE], [YEAR])], "Where was Bo Lee born?"),
    ("Where was the writer born?", [WRITER, ("When was Tarn written?", [TARN], [YEAR])], "Where was Ann Lee born?"),
    ("Which other films did she direct?", [WHO_DIRECTED], "Which other films did Mara Vane direct except "
     '"Silver Tide"?'),
    ("And Glass Orchard, who directed it?", [WHO_DIRECTED], "who directed Glass Orchard?"),
    ("Is it longer?", [WHO_DIRECTED, ("Who directed Glass Orchard?", [ORCHARD], [VANE])],
     "Is Glass Orchard longer than Silver Tide?"),
    ("Which of the two films is longer?", [WHO_DIRECTED, ("Who directed Glass Orchard?", [ORCHARD], [VANE])],
     'Which of "Silver Tide" and "Glass Orchard" is the longest?'),
    ("And The Last Lantern?", [WHO_DIRECTED, ("since when?", [], [])], "Who directed The Last Lantern?"),
    ("And in which year?", [CHOSEN], "in which year did Tarn choose Ann Lee for mayor?"),
    ("until when?", [MAYOR, ("since when?", [], [YEAR])], "until when is Ann Lee the mayor of Tarn?"),
    ("When?", [WRITER], "When did Ann Lee write Tarn?"),
    ("What about Glass Orchard?", [BARE_OWNER], "What is Glass Orchard's genre?"),
    ("How long is it?", [NINETIES], 'How long is "Born into the 90\'s"?'),
    ("What is its genre?", [DOTS], 'What is "...And Then Four"\'s genre?'),
]  # fmt: skip


@pytest.mark.parametrize(("question", "before", "expected"), FOLLOW_UPS)
def test_follow_up_is_rephrased(question: str, before: list[Said], expected: str) -> None:
    context, referents = scene(*before)
    variables = {"question": question, "history": context, "referents": referents, "known": NOTHING_KNOWN}
    assert agent_rules.rephrase_question(Request("answer/rephraser", (), variables=variables)) == {"question": expected}


def test_noun_of_a_property_is_that_of_the_last_thing() -> None:
    context, referents = scene(("Who directed Tide?", [("Tide", "Film", "")], [VANE]))
    held = (Property("number of seasons"), Property("sequel", far_class_labels=("Film",)))
    referents = tuple(replace(r, properties=held) if r.label == "Tide" else r for r in referents)
    variables = {"question": "When did that sequel end?", "history": context, "referents": referents}
    variables["known"] = NOTHING_KNOWN
    assert agent_rules.classify_question(Request("answer/classifier", (), variables=variables)) == {"kind": "follow-up"}
    said = agent_rules.rephrase_question(Request("answer/rephraser", (), variables=variables))
    assert said == {"question": "When did the sequel of Tide end?"}


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Sort by age", "follow-up"), ("Is this film French?", "follow-up"), ("Who is taller?", "follow-up"),
        ("Who else starred there?", "follow-up"), ("The genre?", "follow-up"),
        ("How many films are there?", "self-contained"), ("Which films were released in 2010?", "self-contained"),
        ("Which people own their own house?", "self-contained"),
    ],
)  # fmt: skip
def test_question_is_classified(question: str, kind: str) -> None:
    context, _ = scene(WHO_DIRECTED)
    variables = {"question": question, "history": context, "known": NOTHING_KNOWN}
    assert agent_rules.classify_question(Request("answer/classifier", (), variables=variables)) == {"kind": kind}


def test_without_a_history_nothing_is_a_follow_up() -> None:
    variables = {"question": "When was she born?", "history": ConversationContext(()), "known": NOTHING_KNOWN}
    assert agent_rules.classify_question(Request("answer/classifier", (), variables=variables)) == {
        "kind": "self-contained"
    }


def test_a_reference_that_fits_nothing_is_left_alone() -> None:
    context, referents = scene(("Is horse racing a sport?", [], []))
    variables = {"question": "Where was he born?", "history": context, "referents": referents, "known": NOTHING_KNOWN}
    assert agent_rules.rephrase_question(Request("answer/rephraser", (), variables=variables)) == {
        "question": "Where was he born?"
    }
