import pytest

from chattygen.rulebook.dialogue_rewriting import replace_name
from chattygen.rulebook.referring_expressions import ReferringExpression

IT = ReferringExpression("it", "it", "its")
SHE = ReferringExpression("she", "her", "her")
HE = ReferringExpression("he", "him", "his")
THEY = ReferringExpression("they", "them", "their", is_plural=True)
FILM = ReferringExpression("the film", "the film", "the film's")


@pytest.mark.parametrize(
    ("question", "reference", "text"),
    [
        ("Who directed Up?", IT, "Who directed it?"),
        ("Which university carried out Up?", IT, "Which university carried it out?"),
        ("Which university carried out Up?", FILM, "Which university carried out the film?"),
        ("When was Up released?", FILM, "When was the film released?"),
        ("What is Up's budget?", IT, "What is its budget?"),
        ("What is the budget of Up?", IT, "What is its budget?"),
        ("What is the country of origin of Up?", FILM, "What is the film's country of origin?"),
        ("Where was the director of Up born?", IT, "Where was its director born?"),
        ("Who is the manager of the editor of Up?", HE, "Who is the manager of his editor?"),
        ("Is Up based on Down?", IT, "Is it based on Down?"),
        ("Is Up among the films of Ann?", IT, "Is it among the films of Ann?"),
        ("Which awards did Up win?", SHE, "Which awards did she win?"),
        ("Whose spouse is Up?", HE, "Whose spouse is he?"),
        ("Who has Up as their spouse?", HE, "Who has him as their spouse?"),
        ("Does Ann have Up as their spouse?", SHE, "Does Ann have her as their spouse?"),
        ("Where was Up born?", THEY, "Where were they born?"),
        ("What phone number does Up have?", THEY, "What phone number do they have?"),
        ("Is Up a member of Sales?", THEY, "Are they a member of Sales?"),
        ("Who is Up's manager?", THEY, "Who is their manager?"),
        ("Which films were directed by Up?", SHE, "Which films were directed by her?"),
        ("Up is the capital of which country?", IT, "It is the capital of which country?"),
        ("What is the area of the Up?", IT, "What is its area?"),
        ("Where is the school where Up was educated?", HE, "Where is the school where he was educated?"),
        ("Where is the school where Up was educated?", THEY, "Where is the school where they were educated?"),
        ("When was the award that Up received founded?", SHE, "When was the award that she received founded?"),
    ],
)
def test_names_become_references(question, reference, text):
    assert replace_name(question, "Up", reference) == text


def test_a_name_within_another_word_stays():
    assert replace_name("Is Up part of Upland?", "Up", IT) == "Is it part of Upland?"


def test_names_with_marks_that_patterns_know_are_taken_literally():
    assert replace_name("What is C++ (language)'s paradigm?", "C++ (language)", IT) == "What is its paradigm?"
    assert replace_name("Who wrote What Now?", "What Now?", IT) == "Who wrote it?"


def test_verbs_agree_with_what_refers():
    assert (
        replace_name("Where is the hospital that Up works at?", "Up", THEY)
        == "Where is the hospital that they work at?"
    )
    assert replace_name("How old is Up?", "Up", THEY) == "How old are they?"
    assert replace_name("How old is Up?", "Up", HE) == "How old is he?"
    band = ReferringExpression("that band", "that band", "that band's")
    assert replace_name("When were The Otters formed?", "The Otters", band) == "When was that band formed?"
    assert replace_name("What styles do The Otters have?", "The Otters", THEY) == "What styles do they have?"


def test_who_has_somebody_stays_singular():
    assert replace_name("Who has Up as their manager?", "Up", THEY) == "Who has them as their manager?"


def test_long_references_own_nothing():
    second = ReferringExpression("the second one", "the second one", "the second one's", is_long=True)
    assert replace_name("What is Up's budget?", "Up", second) == "What is the budget of the second one?"
    assert replace_name("Who is the composer of Up?", "Up", second) == "Who is the composer of the second one?"
    assert replace_name("Is Ann Up's director?", "Up", second) == "Is Ann the director of the second one?"
