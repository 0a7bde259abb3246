"""The lines of a schema prompt: split ranges, cut lists, counts of rivals, values, classes without own things."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from chattyshared.kg import KnowledgeGraph

from chattykg.direct.schema_lines import PrefixedNames, SchemaLines

HEAD = """@prefix v: <https://l.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
V = "https://l.example/"


@pytest.fixture
def lines(open_graph: Callable[[str], KnowledgeGraph]) -> Callable[..., Callable[..., str]]:
    def make(turtle: str, *compared: str) -> Callable[..., str]:
        kg = open_graph(HEAD + turtle)
        names = PrefixedNames([*kg.vocabulary.predicates, *kg.vocabulary.classes])
        writer = SchemaLines(kg, names, frozenset(V + each for each in compared))

        def render(name: str, *, is_near: bool = True) -> str:
            kind, _, name = name.rpartition(" ")
            entry = kg.vocabulary.predicates[V + name]
            if kind:
                return writer.render_pattern(entry) if kind == "pattern" else writer.render_pattern(entry, "e:1", kind)
            return writer.render_predicate(entry) if is_near else writer.render_tail([entry])[0][1]

        return render

    return make


def test_a_line_is_split_where_classes_lead_to_different_things(lines: Callable[..., Callable[..., str]]) -> None:
    render = lines(
        "v:m1 a v:Model ; v:maker 10 ; v:owner v:p1 . v:c1 a v:Car ; v:maker v:p1 ; v:owner v:p1 , v:d1 ."
        " v:p1 a v:Person . v:d1 a v:Dog ."
    )
    ends = render("maker").partition(" 2x")[0].removeprefix("p:maker: ").split(", ")
    assert sorted(ends) == ["p:Car -> p:Person", "p:Model -> xsd:integer"]
    domains, _, owned = render("owner", is_near=False).removeprefix("of ").partition(": p:owner ")
    assert (set(domains.split("|")), set(owned[1:-1].split("|"))) == ({"p:Model", "p:Car"}, {"p:Person", "p:Dog"})


def test_a_cut_list_tells_how_many_are_left_out(lines: Callable[..., Callable[..., str]]) -> None:
    render = lines("".join(f"v:x{n} a v:C{n} ; v:size {n} ." for n in range(6)))
    assert render("size", is_near=False).count("p:C") == 4 and "|+2 more -> xsd:integer" in render("size")
    render = lines("".join(f"v:x{n} a v:C{n} ; v:size {n} ." for n in range(4)))
    assert "more" not in render("size")


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (['"225"', '"95"', '"130"'], '; numbers as text: "'),
        (['"FR"', '"DE"', '"IT"'], "; e.g. "),
        (["1.5", "2.5"], "; e.g. "),
    ],
)
def test_real_values_show_the_format(lines: Callable[..., Callable[..., str]], values: list[str], shown: str) -> None:
    render = lines("".join(f"v:x{n} a v:C ; v:f {value} ." for n, value in enumerate(values)))
    text = render("f").partition(shown)[2]
    assert text and len(text.split(", ")) == (3 if "FR" in values[0] else 1)
    kind = "xsd:decimal" if values[0] == "1.5" else "text"
    assert render("f", is_near=False) == f"of p:C: p:f ({kind})"


def test_each_datatype_has_its_example(lines: Callable[..., Callable[..., str]]) -> None:
    render = lines('v:a a v:C ; v:f "May 2007" . v:b a v:C ; v:f "2008-02-01"^^xsd:date .')
    assert set(render("f").partition("; e.g. ")[2].split(", ")) == {'"May 2007"', "2008-02-01"}


def test_a_comment_ends_with_a_word_and_is_longer_where_it_tells_apart(
    lines: Callable[..., Callable[..., str]],
) -> None:
    comment = "D = delivered, T = in transit, H = held by somebody, C = cancelled before it left " + "and so on " * 9
    turtle = f'v:code rdfs:comment "{comment}" . v:note rdfs:comment "{comment}" .'
    things = "".join(f'v:x{n} a v:C ; v:code "{"DT"[n % 2]}" ; v:note "Note {n}" .' for n in range(12))
    render = lines(turtle + things)
    assert render("note").startswith("p:note (D = delivered, T = in transit, H = held by somebody, C = …): ")
    assert "C = cancelled before it left and so" in render("code")
    assert render("note", is_near=False) == "of p:C: p:note (text)"
    assert "C = cancelled" in lines(f'{turtle} v:a a v:C ; v:note "Dear" .', "note")("note")


def test_a_pattern_calls_its_ends_by_the_narrowest_class_that_holds_them(
    lines: Callable[..., Callable[..., str]],
) -> None:
    kinds = "v:Film rdfs:subClassOf v:Work . v:Book rdfs:subClassOf v:Work . v:Work rdfs:subClassOf v:Thing ."
    things = """v:f a v:Film ; v:next v:b ; v:year "1990"^^xsd:gYear .
    v:b a v:Book ; v:next v:f ; v:made "2001-02-03"^^xsd:date ."""
    render = lines(f'{kinds} {things} v:next rdfs:label "followed by" .')
    assert render("pattern next") == '?work p:next ?work2  # "followed by"'
    assert render("pattern year").startswith("?film p:year ?year")
    assert render("pattern made") == "?book p:made ?date  # e.g. 2001-02-03"
    assert (render("out next"), render("in next")) == (
        'e:1 p:next ?work2  # "followed by"',
        '?work p:next e:1  # "followed by"',
    )
