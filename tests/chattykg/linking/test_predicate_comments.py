"""What comments call the objects of predicates."""

from __future__ import annotations

import pytest

from chattykg.linking.predicate_comments import CommentNouns, extract_comment_nouns, parse_code_list


@pytest.mark.parametrize(
    ("comment", "objects", "counted"),
    [
        ("A crate on the manifest of a vessel.", ("crate",), ()),
        ("Usual price of a berth in crowns.", ("usual price", "berth price", "price"), ()),
        ("A firm or guild that pays for a race.", ("firm", "guild"), ()),
        ("Number of people in the crew.", (), ("people", "crew")),
        ("Number of berths in a harbour.", (), ("berths",)),
        ("Year in which a vessel was launched.", (), ()),
        ("Whether all cabins are heated.", (), ()),
        ("Who built a vessel.", (), ()),
        ("", (), ()),
    ],
)
def test_comment_names_what_it_speaks_of(comment: str, objects: tuple[str, ...], counted: tuple[str, ...]) -> None:
    assert extract_comment_nouns(comment) == CommentNouns(objects, counted)


@pytest.mark.parametrize(
    ("comment", "codes"),
    [
        ("A = active, I = inactive", {"A": "active", "I": "inactive"}),
        ("Floor of the flat (0 = ground floor)", {"0": "ground floor"}),
        ("D district heating; G gas boiler", {"D": "district heating", "G": "gas boiler"}),
        ("Flats in buildings with 3 floors.", {}),
        ("When the lease began.", {}),
    ],
)
def test_a_comment_lists_codes(comment: str, codes: dict[str, str]) -> None:
    assert parse_code_list(comment) == codes
