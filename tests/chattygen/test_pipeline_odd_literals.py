"""Graphs whose literals are mixed or not readable as their datatypes: no crash, and no gold that orders them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from chattyshared.dialogue import Dialogue, Turn
from chattyshared.kg.factory import open_kg
from chattyshared.literals import is_readable
from chattyshared.model.rules import RuleModel
from chattyshared.terms import DATE_DATATYPES, NUMERIC_DATATYPES, n3
from click.testing import CliRunner
from hypothesis import strategies as st
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattygen import RULEBOOK, Options
from chattygen.cli import main
from chattygen.context.answer_sets import SetAttribute
from chattygen.context.facts import Step
from chattygen.context.predicate_salience import is_askable
from chattygen.context.summary import shape_of
from chattygen.pipeline import generate
from chattygen.planning.conditions import comparable_predicates, comparable_values
from chattygen.turns import comparable_value

NAMES = "Aurora Borea Cygnus Dorado Eridan Fornax Gemma Hydra Indus Lyra Mensa Norma".split()
PEOPLE, PORTS = "Anna Karl Ivo Maja".split(), "Bergen Cadiz Dover".split()
ILL_TYPED = [
    ("1999-13-45", "date"), ("twelve", "integer"), ("1,5", "decimal"), ("0x10", "integer"), ("+-5", "integer"),
    ("--5", "integer"), ("²", "integer"), ("٣", "integer"), ("1e5", "integer"), ("300", "byte"), ("", "integer"),
    ("1999-##-##", "date"), ("1999", "date"), ("١٩٩٩", "gYear"), ("INF", "decimal"), ("true", "dateTime"),
]  # fmt: skip
ODD = [
    ("1922-04-09T00:00:00Z", "dateTime"), ("1999Z", "gYear"), ("1999-05Z", "gYearMonth"), ("-0044-03-15", "date"),
    ("-0100", "gYear"), ("12000-01-01", "date"), (" 5 ", "integer"), ("9" * 60, "integer"), ("1E3", "double"),
    ("1e30", "double"), ("INF", "double"), ("NaN", "float"), ("1e999", "double"), (".5", "decimal"), ("5.", "decimal"),
    ("1999-01-01T24:00:00", "dateTime"), ("P1Y", "duration"), ("yes", "boolean"), ("7", "integer"), ("1.5", "decimal"),
]  # fmt: skip


def typed(text: str, name: str) -> Literal:
    return Literal(text, datatype=XSD[name], normalize=False)


SOUND = [typed(f"{1900 + 7 * n}-03-04", "date") for n in range(12)]


def graph(*columns: Sequence[Literal]) -> str:
    """Write ships with ports and captains; each column of literals is dealt out to the ships in turn."""
    words = ("released", "refitted", "tonnage", "draught", "rating", "crew")
    lines = ["@prefix : <https://ships.example/> . @prefix l: <http://www.w3.org/2000/01/rdf-schema#> ."]
    lines += [f':{name} a l:Class ; l:label "{name.lower()}"@en .' for name in ("Ship", "Port", "Person")]
    lines += [f':{name} l:label "{name}"@en .' for name in ("home", "captain", "sister", *words)]
    lines += [f':{name} a :Port ; l:label "{name}"@en ; :crew {3 + 11 * n} .' for n, name in enumerate(PORTS)]
    lines += [
        f':{name} a :Person ; l:label "{name} Falk"@en ; :home :{PORTS[n % 3]} .' for n, name in enumerate(PEOPLE)
    ]
    for n, name in enumerate(NAMES):
        stated = "".join(f" ; :{w} {n3(c[n % len(c)])}" for w, c in zip(words, columns, strict=False) if c)
        to = f":home :{PORTS[n % 3]} ; :captain :{PEOPLE[n % 4]} ; :sister :{NAMES[(3 * n + 1) % 12]}"
        lines.append(f':{name} a :Ship ; l:label "{name}"@en ; {to}{stated} .')
    return "\n".join(lines)


def generated(path: Path, text: str, **options: object) -> list[Dialogue]:
    path.write_text(text, encoding="utf-8")
    given = Options(**{"dialogues": 12, "turns": 5, **options})  # type: ignore[arg-type]
    return [made.dialogue for made in generate(open_kg([str(path)]), RuleModel(RULEBOOK), given) if made.dialogue]


def compared(turn: Turn) -> list[Literal]:
    """Return the literals that a turn orders or compares: those that its witness states."""
    if turn.form not in ("superlative", "comparison", "filter") and "ORDER BY" not in turn.sparql:
        return []
    stated = (re.fullmatch(r'"(.*)"\^\^<(.*)>', value) for _, _, value in turn.witness)
    return [Literal(one[1], datatype=URIRef(one[2]), normalize=False) for one in stated if one]


def check(dialogues: Sequence[Dialogue]) -> None:
    for turn in (turn for dialogue in dialogues for turn in dialogue.turns):
        kinds = {type(comparable_value(literal)) for literal in compared(turn)}
        assert len(kinds) < 2 and type(None) not in kinds, turn.sparql
        for answer in turn.answers:
            if answer.datatype:
                assert is_readable(Literal(answer.value, datatype=URIRef(answer.datatype), normalize=False)), turn


@pytest.mark.parametrize(("text", "name"), ILL_TYPED)
def test_what_is_not_readable_is_neither_compared_nor_asked_for(text: str, name: str) -> None:
    value = typed(text, name)
    assert comparable_value(value) is None
    assert not is_askable([value], unique=False) and shape_of([value]) is None
    assert list(comparable_predicates({"p": value}, {"p": typed("5", "integer")})) == []


def test_only_what_every_engine_orders_alike_is_measured() -> None:
    for text, name in (
        (" 5 ", "integer"), ("1999Z", "gYear"), ("-0044", "gYear"), ("12000", "gYear"), (" 1999", "gYear"),
        ("9" * 19, "integer"), ("0." + "1" * 19, "decimal"), ("INF", "double"), ("NaN", "float"),
    ):  # fmt: skip
        assert comparable_value(typed(text, name)) is None
    assert comparable_value(typed("1e300", "double")) is not None
    assert comparable_value(typed("1999-01-01T24:00:00", "dateTime")) == comparable_value(
        typed("1999-01-02T00:00:00.0", "dateTime")
    )


def test_one_unreadable_value_leaves_a_column_out() -> None:
    ships = [URIRef(f"https://ships.example/{name}") for name in NAMES[:4]]

    def column(*texts: str) -> SetAttribute:
        values = {ship: (typed(text, "integer"),) for ship, text in zip(ships, texts, strict=True)}
        return SetAttribute(Step("p", "crew"), "number", frozenset({XSD.integer}), values)

    assert len(comparable_values(column("1", "2", "3", "4"))) == 4
    assert comparable_values(column("1", "twelve", "3", "4")) == comparable_values(column("1", " 2 ", "3", "4")) == {}


@pytest.mark.parametrize("approach", ["planned", "multi-stage"])
def test_dates_and_numbers_under_one_predicate(tmp_path: Path, approach: str) -> None:
    mixed = [typed(text, name) for text, name in ODD]
    ill = [typed(text, name) for text, name in ILL_TYPED]
    dialogues = generated(
        tmp_path / "g.ttl", graph(mixed, SOUND, ill, mixed[5:], [*mixed[::3], *ill]), approach=approach
    )
    assert len(dialogues) >= 8
    assert approach != "planned" or any(compared(turn) for dialogue in dialogues for turn in dialogue.turns)
    check(dialogues)


@pytest.mark.slow
def test_every_command_runs_on_odd_literals(tmp_path: Path) -> None:
    path, out = tmp_path / "g.ttl", tmp_path / "b.jsonl"
    path.write_text(graph(*([typed(*form) for form in some] for some in (ODD, ILL_TYPED, ODD[::-1]))), encoding="utf-8")
    commands = ("types", f"generate -o {out} --dialogues 6", f"lint {out}", f"stats {out}", f"audit {out}")
    for arguments in map(str.split, commands):
        result = CliRunner().invoke(main, [*arguments, "--kg", str(path)])
        assert (result.exit_code, result.exception) == (0, None), (arguments, result.output)


LEXICAL = st.one_of(
    st.sampled_from([text for text, _ in (*ODD, *ILL_TYPED)]),
    st.text(min_size=1, max_size=8),
    st.integers(-(10**20), 10**20).map(str),
    st.floats().map(str),
    st.dates().map(str),
    st.datetimes().map(lambda moment: moment.isoformat()),
    st.integers(1, 9999).map("{:04d}".format),
)
TYPES = sorted(NUMERIC_DATATYPES | DATE_DATATYPES | {XSD.boolean, XSD.string, XSD.duration})
COLUMNS = st.lists(
    st.builds(lambda t, d: Literal(t, datatype=d, normalize=False), LEXICAL, st.sampled_from(TYPES)), max_size=12
)
