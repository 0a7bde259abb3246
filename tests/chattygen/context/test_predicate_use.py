"""Which questions the predicates of a class can carry, by how its things use them."""

import pytest

from chattygen.context.facts import Fact, Step
from chattygen.context.predicate_use import is_condition, is_nested, kind_of_values, sensible_forms

V = "https://shop.example/"
CUSTOMER = f"{V}Customer"


@pytest.fixture
def shop(open_turtle):
    """Twenty customers in three towns of one country; three lack a telephone and guests."""
    lines = [f"@prefix v: <{V}> ."]
    for n in range(20):
        lines.append(
            f'v:town{n % 3} a v:Town . v:c{n} a v:Customer ; v:friend v:c{(n + 1) % 20}, v:c{(n + 7) % 20} ; '
            f'v:town v:town{n % 3} ; v:country v:Ruritania ; v:street "{n} Main Street" ; '
            f'v:status "{"NY"[n % 2]}" ; v:paid "{("yes", "no")[n % 2]}" ; v:desk v:desk{n} ; '
            f'v:customerNumber {1000 + n} ; v:active {n % 2} ; v:grade "{("AAA", "BBB", "C")[n % 3]}" ; '
            f'v:team "{("BULK", "TANK")[n % 2]}" ; '
            f'v:level "{("gold", "silver")[n % 2]}" ; v:mail "c{n}@shop.example" ; v:power "{80 + n}" ; '
            f'v:age {30 + n} ; v:trained {n % 7} ; v:founded {1900 + n} ; '
            f'v:note "{n} times here, and always friendly" ; v:hobby v:h1, v:h{2 + n % 5}'
            + (f' ; v:phone "(0{n:02d}) 555-01{n:02d}" ; v:guest v:c{n % 4}, v:c{4 + n % 3}' if n > 2 else "") + " ."
        )  # fmt: skip
    return open_turtle("\n".join(lines))


def test_values_have_kinds(shop):
    kinds = {
        "town": "entity", "age": "measure", "power": "measure", "status": "code", "active": "code", "grade": "code",
        "paid": "code", "level": "category", "mail": "contact", "phone": "contact", "street": "text", "note": "text",
        "customerNumber": "code", "trained": "code", "founded": "measure", "team": "category", "no": "unknown",
    }  # fmt: skip
    assert {name: kind_of_values(shop, CUSTOMER, V + name) for name in kinds} == kinds


def test_things_are_selected_by_what_differs_and_is_shared(shop):
    shapes = {
        "town": "entity", "friend": "entity", "country": "entity", "guest": "entity", "desk": "entity", "level": "text",
        "power": "text",
        "status": "text", "mail": "text", "street": "text", "phone": "text", "note": "text", "age": "number",
        "active": "number",
    }  # fmt: skip
    kept = [name for name, shape in shapes.items() if is_condition(shop, CUSTOMER, V + name, shape)]
    assert kept == ["town", "friend", "guest", "level", "age"]


@pytest.mark.parametrize(
    ("name", "owner", "is_asked"),
    [
        (f"{V}agent", "Book", False), (f"{V}keeper", "Book", True),
    ],
)  # fmt: skip
def test_nobody_asks_by_words_for_anything(open_turtle, name, owner, is_asked):
    lines = [f"v:e{n} a v:{owner} ; <{name}> v:o{n % 3} ; v:size {n} . v:o{n % 3} a v:Topic ." for n in range(9)]
    kg = open_turtle(f"@prefix v: <{V}> . {' '.join(lines)}")
    step = Step(name, name.rpartition("/")[2])
    fact = Fact(1, (step,), "entity", "", ("topic",), 1, ("object",), end_classes=(f"{V}Topic",))
    assert list(sensible_forms(kg, V + owner, fact)) == (["object"] if is_asked else [])


def test_what_contains_others_is_no_value_to_select_by(open_turtle):
    lines = ["@prefix v: <https://b.example/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> ."]
    lines += [f"v:t{n} a v:Topic ; skos:broader v:t{n // 2} ." for n in range(1, 8)]
    lines += [
        f"v:b{n} a v:Book ; v:about v:t{1 + n % 7} ; v:press v:p{n % 3} . v:p{n % 3} a v:Press ." for n in range(20)
    ]
    kg = open_turtle("\n".join(lines))
    assert is_nested(kg, "https://b.example/Topic")
    assert not is_nested(kg, "https://b.example/Press") and not is_nested(kg, "https://b.example/Book")
