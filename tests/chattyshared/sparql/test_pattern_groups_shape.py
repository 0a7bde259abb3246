import pytest
from chattyshared.sparql.pattern_groups import query_shape

P = "<https://x.example/p>"
A, B = "<https://x.example/a>", "<https://x.example/b>"


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        (f"{A} {P} ?x", "single edge"),
        (f"?x a {B} . {A} {P} ?x", "single edge"),
        (f"?x a {B}", "none"),
        (f"{A} {P} ?y . ?y {P} ?x", "chain"),
        (f"?x {P} {A} . ?x {P} {B}", "star"),
        (f"?y {P} ?x . ?y {P} 3", "chain"),
        (f"?y {P} 3 . ?y {P} 3 . ?y {P} ?x", "star"),
        (f"?x {P} {A} . ?x {P} {B} . ?x {P} ?y . ?y {P} ?z", "tree"),
        (f"{A} {P} ?x . {B} {P} ?y FILTER(?x < ?y)", "forest"),
        (f"{A} {P} ?x . ?x {P} ?y . ?y {P} {A}", "cycle"),
        (f"{A} {P} ?x . {A} {P} ?x . {A} {P} ?y", "flower"),
        (f"?x {P} {A} . ?x {P} {B} FILTER NOT EXISTS {{ ?x {P} 5 }}", "set"),
        (f"{{ ?x {P} {A} }} UNION {{ ?x {P} {B} }}", "set"),
        (f"?x {P} ?y }} GROUP BY ?x HAVING (COUNT(?y) > 2) #", "having"),
    ],
)
def test_the_shape_of_a_query(body: str, shape: str) -> None:
    end = "" if body.endswith("#") else " }"
    assert query_shape(f"SELECT DISTINCT ?x WHERE {{ {body.removesuffix('#')}{end}") == shape


def test_two_cycles_apart_are_no_flower() -> None:
    def triangle(*nodes: str) -> str:
        first, second, third = nodes
        return f"{first} {P} {second} . {second} {P} {third} . {third} {P} {first} ."

    assert query_shape(f"ASK {{ {triangle('?a', '?b', '?c')} {triangle('?d', '?e', '?f')} ?a {P} ?d }}") == "cyclic"


def test_no_query_has_no_shape() -> None:
    assert query_shape("the sum of all fears") is None
