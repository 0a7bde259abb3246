"""Facts as a prompt shows them."""

import pytest

from chattygen.context.facts import Step

P = "http://example.org/p"


@pytest.mark.parametrize(
    "comment, shown",
    [
        ("In metres.", " (In metres.)"),
        ("Height above sea level. In metres. Not of islands.", " (Height above sea level. In metres. Not of islands.)"),
        (
            "The person or organisation that ordered the building of the ship, not its later owners. See note.",
            " (The person or organisation that ordered the building of the ship, not its later owners.)",
        ),
        ("Inhabitants by census, e.g. of 2011. " + "Long " * 20, " (Inhabitants by census, e.g. of 2011.)"),
        ("word " * 60, f" ({'word ' * 29}...)"),
        ("The height of a building", ""),
    ],
)
def test_a_comment_ends_with_a_sentence(comment, shown):
    assert Step(P, "height", "out", comment=comment).render_comment("Building") == shown
