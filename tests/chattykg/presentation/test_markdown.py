"""An answer as Markdown: sentences, lists, tables, options; labels are never markup."""

import pytest
from chattyshared.dialogue import Answer, Clarification, ClarificationOption, Reason, Value

from chattykg.presentation.markdown import escape_markdown, read_markdown, render_markdown


def named(*labels: str) -> tuple[Value, ...]:
    return tuple(Value(f"urn:x:{number}", "iri", label=label) for number, label in enumerate(labels))


def test_several_values_are_a_list_and_the_rest_is_counted() -> None:
    answer = Answer(named("a", "b", "c"), sentence="every pier", notes=("There may be more.",))
    assert render_markdown(answer, limit=2) == "- a\n- b\n… and 1 more\n\nNote: There may be more."


def test_rows_are_a_table_with_the_names_of_its_columns() -> None:
    rows = ((*named("a|b"), Value("1", "number")), (*named("c"), Value("", "literal")))
    answer = Answer(named("a|b", "c"), rows=rows, columns=("pier", "length"))
    assert render_markdown(answer) == "| pier | length |\n| --- | --- |\n| a\\|b | 1 |\n| c |  |"


def test_a_refusal_numbers_its_options_and_an_answer_names_them_in_its_note() -> None:
    clarification = Clarification(
        "Which Luna?", (ClarificationOption("Luna (cat)"), ClarificationOption("Luna (ship)"))
    )
    asked = Answer(without_values="clarification", clarification=clarification)
    assert render_markdown(asked) == "Which Luna?\n\n1. Luna (cat)\n2. Luna (ship)"
    refusal = Answer(reason=Reason("ambiguous", "Luna is a cat or a ship."), clarification=clarification)
    assert render_markdown(refusal) == "Luna is a cat or a ship.\n\n1. Luna (cat)\n2. Luna (ship)"
    suggesting = Answer(reason=Reason("not-stated", "I do not know."), suggestions=("Who?",))
    assert render_markdown(suggesting) == "I do not know.\n\nYou can ask, for example:\n\n- Who?"
    answer = Answer(named("Ida"), text="Ida", clarification=clarification, notes=("Luna is a cat or a ship.",))
    assert list(read_markdown(render_markdown(answer))) == ["Ida"]


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("[x](javascript:alert(1))", r"\[x\](javascript:alert(1))"),
        ("![i](http://e.x/i)", r"!\[i\](http\://e.x/i)"),
        ("<b>&lt;", r"\<b\>\&lt;"),
        ("www.e.x", r"www\.e.x"),
        ("# head", r"\# head"),
        ("1. one", r"1\. one"),
        ("- one", r"\- one"),
        ("*a* _b_ `c` ~~d~~ $e$ |", r"\*a\* \_b\_ \`c\` \~\~d\~\~ \$e\$ \|"),
        ("two\n\n# lines", "two # lines"),
        ("1954-08-16, 3.5 & more (yes)", "1954-08-16, 3.5 & more (yes)"),
    ],
)
def test_labels_are_text(label: str, text: str) -> None:
    assert escape_markdown(label) == text


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        (Answer(named("Ida"), text="The planter: Ida [x]."), ["The planter: Ida [x]."]),
        (Answer(named("a*b", "- c", "d"), notes=("There may be more.",)), ["a*b", "- c"]),
        (Answer(named("x", "y"), rows=(named("a|b", "1"), named("c", "2")), columns=("p", "q")), ["a|b", "c"]),
        (
            Answer(
                without_values="clarification",
                clarification=Clarification("Which Luna?", (ClarificationOption("cat"),)),
            ),
            [],
        ),
        (Answer(reason=Reason("not-stated", "I do not know."), suggestions=("Who?",)), ["I do not know."]),
        (Answer(text=" "), []),
    ],
)
def test_a_rendered_answer_can_be_read_again(answer: Answer, texts: list[str]) -> None:
    assert list(read_markdown(render_markdown(answer, limit=2))) == texts
