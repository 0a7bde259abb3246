"""An answer as text."""

from chattyshared.dialogue import Answer, Value

THINGS = tuple(Value(f"http://e/{index}", "iri", label=f"Thing {index}") for index in range(2))


class Printer:
    """Stands for the printer of a notebook."""

    def __init__(self):
        self.shown = ""

    def text(self, text):
        self.shown += text


def test_the_text_of_an_answer_is_its_string():
    assert str(Answer(THINGS, text="Two.")) == "Two."
    assert str(Answer(THINGS)) == "Thing 0, Thing 1"
    assert str(Answer((Value("true", "boolean"),))) == "yes"
    assert str(Answer()) == "I do not know."
    assert Answer((*THINGS[:1], Value("5", "number"))).labels == ("Thing 0", "5")


def test_a_notebook_shows_the_text_of_an_answer():
    printer = Printer()
    Answer(THINGS, text="Two.")._repr_pretty_(printer, False)
    assert printer.shown == "Two."
