from chattyshared.commands.group import sanitize_for_terminal
from chattyshared.dialogue import Answer, LinkedTerm, Reason, Value
from chattyshared.model import Usage

from chattykg.cli.rendering import render_answer, render_evidence, render_notes

BOOK, ADA, AUTHOR = (f"https://chatty.example/{name}" for name in ("book", "ada", "author"))
ANSWER = Answer(
    (Value(ADA, "iri", label="Ada"), Value("1815-12-10", "literal")),
    standalone="Who wrote the book?",
    sentence="what is the author of the book",
    sparql=f"SELECT ?x WHERE {{\n  <{BOOK}> <{AUTHOR}> ?x\n}}",
    witness=((BOOK, AUTHOR, ADA), (BOOK, "https://chatty.example/firstPrinted", '"1843"^^http://x.example/year')),
    entities=(LinkedTerm("the book", BOOK, "The Book"),),
    relations=(LinkedTerm("wrote", AUTHOR, "author"),),
    queries=3,
    usage=Usage(4),
    seconds=0.251,
    confidence=0.9,
)


def test_an_answer_is_shown_by_its_labels_one_a_line():
    assert render_answer(ANSWER) == "Ada\n1815-12-10"


def test_booleans_are_said_in_words():
    assert render_answer(Answer((Value("true", "boolean"),))) == "yes"
    assert render_answer(Answer((Value("false", "boolean"),))) == "no"


def test_no_answer_says_so_with_its_reason():
    assert render_answer(Answer()) == "I do not know."
    reason = Reason("unknown-name", "I do not know, because nothing in the graph is called Bob.")
    assert render_answer(Answer(reason=reason)) == reason.text


def test_a_table_is_shown_row_by_row():
    rows = ((Value("a", "literal"), Value("1", "number")), (Value("b", "literal"), Value("2", "number")))
    assert render_answer(Answer((Value("a", "literal"), Value("b", "literal")), rows=rows)) == "a | 1\nb | 2"


def test_long_lists_are_cut_where_a_limit_is_given():
    assert render_answer(Answer(tuple(Value(str(n), "number") for n in range(4))), limit=2) == "0\n1\n... and 2 more"


def test_grounds_tell_where_an_answer_came_from():
    assert (
        render_evidence(ANSWER, "who wrote it?")
        == f"""\
understood  Who wrote the book?
asked       what is the author of the book
entities    "the book" is The Book <{BOOK}>
relations   "wrote" is author <{AUTHOR}>
because     The Book, author, Ada
            The Book, first printed, 1843
query       SELECT ?x WHERE {{
              <{BOOK}> <{AUTHOR}> ?x
            }}
cost        3 queries, 4 model calls, 0.25 s; confidence 0.90"""
    )


def test_a_question_that_was_understood_as_it_stands_is_not_repeated():
    assert "understood" not in render_evidence(ANSWER, "Who wrote the book?")


def test_nothing_from_a_graph_moves_the_cursor():
    assert sanitize_for_terminal("a\x1b[2Jb\tc\u202ed\ne") == "a [2Jb c d\ne"
    assert render_answer(Answer((Value(ADA, "iri", label="\x1b]0;x\x07Ada"),))) == " ]0;x Ada"


def test_what_is_to_be_said_beside_an_answer_is_said() -> None:
    cut = "Only the first 3 answers are given."
    answer = Answer(values=(Value("4", "number"),), notes=(cut,))
    assert "note        Only the first 3 answers are given." in render_evidence(answer, "How many?")
    assert render_notes(answer) == (cut,)
    none, repaired = "None: nothing fits.", '"Bobb" is taken for Bob.'
    empty = Answer(without_values="empty", notes=(none, repaired))
    assert (render_answer(empty), render_notes(empty)) == (none, (repaired,))
