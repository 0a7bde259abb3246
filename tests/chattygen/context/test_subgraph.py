"""The classes of an entity, as questions say them."""

import pytest

from chattygen.context.subgraph import class_labels_of

V = "http://club.example/v#"


@pytest.mark.parametrize(
    ("kind", "columns", "labels"),
    [
        ("Tenancy", 'v:first_name "Ada" ; v:last_name "Moss{n}"', ("tenancy", "person")),
        ("Tenancy", 'v:initials "A." ; v:surname "Moss{n}"', ("tenancy", "person")),
        ("Sailor", 'v:first_name "Ada" ; v:last_name "Moss{n}"', ("sailor",)),
        ("Tenancy", 'v:name "Mill Lane {n}"', ("tenancy",)),
        ("Gongfer", 'v:date_of_birth "190{n}-01-01" ; v:name "Ann Moss {n}"', ("person",)),
        ("Horse", 'v:date_of_birth "190{n}-01-01" ; v:name "Blaze {n}"', ("horse",)),
    ],
)
def test_who_has_the_traits_of_persons_is_one(open_turtle, kind: str, columns: str, labels: tuple[str, ...]):
    lines = (f"v:t{n} a v:{kind} ; v:rent {n} ; {columns.replace('{n}', str(n))} ." for n in range(4))
    kg = open_turtle(f"@prefix v: <{V}> . {' '.join(lines)}")
    assert class_labels_of(kg, V + kind) == labels
