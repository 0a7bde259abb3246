"""What a notebook shows: everything is escaped, long lists show their start, pandas comes only when asked for."""

import subprocess
import sys
from html.parser import HTMLParser

import pytest
from chattyshared.dialogue import (
    Answer,
    Clarification,
    ClarificationOption,
    Dialogue,
    EvidenceTriple,
    Exchange,
    Reason,
    Seed,
    Turn,
    Value,
)
from chattyshared.errors import ConfigError
from chattyshared.pages.notebook import make_data_frame, render_answer, render_conversation, render_rows

HOSTILE = '<script>alert("1")</script><img src=x onerror=alert(2)>'


class Tags(HTMLParser):
    """Collects the tags and the addresses of a fragment, and checks that every tag is closed."""

    def __init__(self, html):
        super().__init__()
        self.names, self.links, self.text, self._open = [], [], "", []
        self.feed(html)
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.links += [value for name, value in attrs if name == "href"]
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag != "br":
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.text += data


def vertices(number):
    return tuple(Value(f"http://e/{index}", "iri", label=f"Thing {index}") for index in range(number))


def test_an_answer_shows_its_text_its_values_and_its_query():
    subject, target = vertices(2)
    evidence = (EvidenceTriple(subject, Value("http://e/p", "iri", label="part of"), target),)
    answer = Answer(
        vertices(2), sparql="SELECT ?x { ?x a <http://e/C> }", text="Two things.", confidence=0.9, evidence=evidence
    )
    tags = Tags(answer._repr_html_())
    assert tags.links == ["http://e/0", "http://e/1", "http://e/0", "http://e/p", "http://e/1"]
    assert "Thing 0 · part of · Thing 1" in tags.text
    assert "Two things." in tags.text and "SELECT ?x { ?x a <http://e/C> }" in tags.text and "0.90" in tags.text


def test_long_answers_show_their_start():
    tags = Tags(render_answer(Answer(vertices(1_030), text="Many.")))
    assert tags.names.count("li") == 25 and "and 1,005 more" in tags.text
    rows = tuple((value, value) for value in vertices(30))
    table = Tags(render_answer(Answer(vertices(30), rows=rows, columns=("thing", "twin"), sentence="every thing")))
    assert table.names.count("tr") == 26 and "and 5 more" in table.text
    assert "thing" in table.text and "twin" in table.text and "Every thing:" in table.text
    assert "table" not in Tags(render_rows("nothing", ("a",), [])).names


def test_no_text_of_a_graph_becomes_a_tag():
    values = (
        Value(HOSTILE, "literal"), Value('http://e/"onmouseover="x', "iri", label=HOSTILE),
        Value("javascript:alert(1)", "iri", label="click"),
    )  # fmt: skip
    clarification = Clarification(HOSTILE, (ClarificationOption(HOSTILE), ClarificationOption("b")))
    answers = (
        Answer(values, text=HOSTILE, sparql=HOSTILE, standalone=HOSTILE, notes=(HOSTILE,)),
        Answer(rows=((values[0], values[1]),), values=values[:1]),
        Answer(clarification=clarification, without_values="clarification", suggestions=(HOSTILE,)),
        Answer(reason=Reason("not-stated", HOSTILE)),
    )
    for answer in answers:
        tags = Tags(render_answer(answer))
        assert not {"script", "img"} & set(tags.names)
        assert all(link.startswith("http://e/") for link in tags.links)
        assert "alert" in tags.text
    history = (Exchange(HOSTILE, answers[0]),)
    assert not {"script", "img"} & set(Tags(render_conversation(history)).names)
    assert not {"script", "img"} & set(Tags(render_rows(HOSTILE, (HOSTILE,), [(HOSTILE,)])).names)


def test_a_dialogue_shows_its_turns():
    turns = tuple(
        Turn(number, HOSTILE, "", "list", "opens", "resource", bool(gold), "easy", "", gold)
        for number, gold in enumerate((vertices(7), ()), 1)
    )
    tags = Tags(Dialogue("d1", Seed("http://e/s", "<b>Seed</b>", "http://e/C"), turns)._repr_html_())
    assert "Thing 4, and 2 more" in tags.text and "the graph does not say" in tags.text
    assert "b" not in tags.names and "script" not in tags.names


def test_the_text_of_an_answer_is_its_string():
    assert str(Answer(vertices(2), text="Two.")) == "Two."
    assert str(Answer(vertices(2))) == "Thing 0, Thing 1"
    assert str(Answer((Value("true", "boolean"),))) == "yes"
    assert str(Answer()) == "I do not know."
    assert Answer((*vertices(1), Value("5", "number"))).labels == ("Thing 0", "5")


def test_a_missing_pandas_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ConfigError, match=r"needs pandas: pip install -e '.\[pandas\]'"):
        make_data_frame([], ["a"])


def test_a_data_frame_has_the_columns_even_without_rows():
    pytest.importorskip("pandas")
    assert list(make_data_frame([], ["a", "b"]).columns) == ["a", "b"]
    assert make_data_frame([{"a": 1, "b": 2}], ["a"]).to_dict("records") == [{"a": 1}]


@pytest.mark.slow
def test_nothing_heavy_comes_with_the_packages():
    code = (
        "import sys, chattykg, chattygen; heavy = {'pandas', 'IPython', 'langgraph', 'rdflib', 'openai'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules);"
        "chattykg.Chat('demo').ask('Who directed Inception?')._repr_html_();"
        "assert not {'pandas', 'IPython', 'openai'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
