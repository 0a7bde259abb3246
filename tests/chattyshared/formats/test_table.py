"""CSV tables of questions: what a spreadsheet may do to them, and what is read back."""

import csv
import io
from dataclasses import replace

import pytest
from chattyshared.dialogue import Value
from chattyshared.errors import BenchmarkInvalid
from chattyshared.formats.gold import read_gold
from chattyshared.formats.plain_text import read_plain_text
from chattyshared.formats.table import is_table_head, protect_cell, to_table
from hypothesis import given
from hypothesis import strategies as st
from vessel_talk import DIALOGUES, SHORT, vessels

TEXTS = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(
    ["=1+1", "'=x", "''@", "a | b", "\\", "-5"]
)


def read(tmp_path, text: str):
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode())
    return read_gold(path).questions


def test_a_table_holds_what_the_benchmark_holds(tmp_path):
    table = read(tmp_path, to_table(DIALOGUES))
    benchmark = read_gold(vessels(tmp_path)).questions
    assert [replace(question, turn=None, extra={}) for question in table] == [
        replace(question, turn=None, extra={}, answer_labels=labels.answer_labels)
        for question, labels in zip(benchmark, table, strict=True)
    ]
    assert [question.extra for question in table] == [dict(question.extra) for question in benchmark]
    assert table[1].answer_labels == ("no",) and table[6].answers == ()


@given(question=TEXTS.filter(str.strip), answers=st.lists(TEXTS, min_size=1, max_size=3))
def test_every_text_comes_back_and_no_cell_is_a_formula(tmp_path_factory, question, answers):
    values = tuple(Value(text, "literal", label=text) for text in answers)
    turn = replace(SHORT.turns[0], question=question, answers=values)
    text = to_table([replace(SHORT, turns=(turn,))])
    cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
    assert not any(cell[:1] in ("=", "+", "-", "@", "\t", "\r") for cell in cells)
    (back,) = read(tmp_path_factory.mktemp("table"), text)
    assert (back.question, back.answers, back.answer_labels) == (question, tuple(answers), tuple(answers))


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("question\nWho?\n\nWhere?\n", [(1, "Who?", None), (2, "Where?", None)]),
        ("ID;Question;Answers\r\na;Who?;A | B\r\nb;Is it?;\r\n", [("a", "Who?", ("A", "B")), ("b", "Is it?", None)]),
        ('\ufeff"id"\t"question"\tanswerable\n7\t"Who, then?"\tFALSE\n', [("7", "Who, then?", ())]),
    ],
)  # fmt: skip
def test_tables_of_others_are_read(tmp_path, text, questions):
    assert [(one.id, one.question, one.answers) for one in read(tmp_path, text)] == questions
    assert read_plain_text(tmp_path / "table.csv") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,question\n1,\n", "line 2: the cell of the question is empty"),
        ("id,question\n1,Who?\n2,Where?,there\n", "line 3: 3 cells in 2 columns"),
        ("turn,question\nfirst,Who?\n", "line 2: the turn 'first' is no number"),
        ('id,question\n1,"Who?\n', "not CSV: unexpected end of data"),
        ("id,question\n", "holds no question"),
        ("system,id,question,answerable,f1\nours,1,Who?,1,0.5\n", "a table of scores, as chattykg evaluate"),
    ],
)
def test_a_broken_table_is_refused_with_its_line(tmp_path, text, message):
    with pytest.raises(BenchmarkInvalid, match=message):
        read(tmp_path, text)


def test_a_question_is_no_head_and_an_apostrophe_protects():
    assert is_table_head("nr,question") and not is_table_head("Is it, question, this?")
    assert not is_table_head("") and not is_table_head("Name a question")
    assert [protect_cell(text) for text in ("=A1", "-5", "a=b", "'=A1", "it's")] == [
        "'=A1",
        "'-5",
        "a=b",
        "''=A1",
        "it's",
    ]
