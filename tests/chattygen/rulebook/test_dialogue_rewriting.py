import pytest

from chattygen.rulebook.dialogue_rewriting import replace_name
from chattygen.rulebook.referring_expressions import ReferringExpression

IT = ReferringExpression("it", "it", "its")
HE = ReferringExpression("he", "him", "his")
THEY = ReferringExpression("they", "them", "their", is_plural=True)


@pytest.mark.parametrize(
    ("question", "name", "reference", "text"),
    [
        ("Whose spouse is Up?", "Up", HE, "Whose spouse is he?"),
        ("Where is the school where Up was educated?", "Up", THEY, "Where is the school where they were educated?"),
        ("Is Up part of Upland?", "Up", IT, "Is it part of Upland?"),
        ("What is C++ (language)'s paradigm?", "C++ (language)", IT, "What is its paradigm?"),
        ("Who wrote What Now?", "What Now?", IT, "Who wrote it?"),
    ],
)
def test_names_become_references(question, name, reference, text):
    assert replace_name(question, name, reference) == text
