"""Repairs of queries: what is put in order, and that what can be read stays as it is."""

import pytest

from chattykg.direct.repairs import mend_text


@pytest.mark.parametrize(
    ("sparql", "mended", "name"),
    [
        ("SELECT ?x { ?x ?p ?y . ORDER BY ?y LIMIT 1 }", "SELECT ?x { ?x ?p ?y } ORDER BY ?y LIMIT 1 ", "modifiers"),
        (
            "SELECT ?x { ?x ?p ?y FILTER(?y > 1) && FILTER(?y < 3) }",
            "SELECT ?x { ?x ?p ?y FILTER(?y > 1) FILTER(?y < 3) }",
            "conditions",
        ),
        (
            'SELECT ?x { ?x ?p ?y FILTER(?y > 1 AND ?y < 3 or ?y = "A and B") }',
            'SELECT ?x { ?x ?p ?y FILTER(?y > 1 && ?y < 3 || ?y = "A and B") }',
            "words",
        ),
        ("SELECT ?x { ?<urn:a> ?p ?x }", "SELECT ?x { <urn:a> ?p ?x }", "marks"),
    ],
)
def test_a_text_that_cannot_be_read_is_put_in_order(sparql, mended, name):
    text, names = mend_text(sparql)
    assert text.split() == mended.split() and names[0].startswith(name)


@pytest.mark.parametrize(
    "sparql", ["SELECT ?x { ?x ?p ?y FILTER(?y > 1 && ?y < 3) } LIMIT 1", "SELECT ?x { ?x ?p ( }", "no query"]
)
def test_what_can_be_read_or_cannot_be_mended_stays(sparql):
    assert mend_text(sparql) == (sparql, ())
