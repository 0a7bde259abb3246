import pytest
from rdflib import RDF

from chattykg.experience.experience_file import ExperienceItem
from chattykg.experience.leak_guard import HeldOutQuestion, bar_leaks

EX = "http://example.org/"
ITEM = ExperienceItem("Who built Holm?", f"SELECT DISTINCT ?x WHERE {{ <{EX}Holm> <{EX}builtBy> ?x }}")
OTHER_WORDS = "Name the builder."


@pytest.mark.parametrize(
    ("held_out", "kind"),
    [
        (HeldOutQuestion(("who BUILT “Holm”",)), "question"),
        (HeldOutQuestion(("And who did?", "Who built Holm")), "question"),
        (
            HeldOutQuestion((OTHER_WORDS,), f"PREFIX e: <{EX}>\nselect ?who where {{\n  e:Holm e:builtBy ?who }}"),
            "query",
        ),
        (HeldOutQuestion((OTHER_WORDS,), f"ASK {{ <{EX}Holm> <{EX}builtBy> <{EX}Ann> }}"), "facts"),
        (HeldOutQuestion((OTHER_WORDS,), f"SELECT ?x WHERE {{ <{EX}Holm> a <{EX}Ship> ; <{EX}builtBy> ?x }}"), "facts"),
    ],
)
def test_what_shares_question_query_or_facts_is_barred_and_counted(held_out, kind):
    guarded = bar_leaks([ITEM], [held_out])
    assert (guarded.items, guarded.barred, guarded.total) == ((), {kind: 1}, 1)


@pytest.mark.parametrize(
    "sparql",
    [
        f"SELECT ?x WHERE {{ <{EX}Holm> <{EX}length> ?x }}",
        f"SELECT ?x WHERE {{ <{EX}Skerry> <{EX}builtBy> ?x }}",
        f"SELECT ?x WHERE {{ <{EX}Holm> <{EX}builtBy> ?y . ?y <{EX}born> ?x }}",
        "",
        "no query at all",
    ],
)
def test_other_facts_stay(sparql):
    guarded = bar_leaks([ITEM], [HeldOutQuestion((OTHER_WORDS,), sparql)])
    assert (guarded.items, guarded.barred, guarded.total) == ((ITEM,), {}, 1)


def test_a_text_in_a_query_is_an_entity_and_a_type_is_no_other_query():
    item = ExperienceItem("How long is Holm?", f'SELECT ?x WHERE {{ ?s <{EX}name> "Holm" ; <{EX}length> ?x }}')
    asked = f'ASK {{ ?s <{EX}length> ?n ; <{EX}name> "Holm" FILTER(?n > 5) }}'
    assert bar_leaks([item], [HeldOutQuestion((OTHER_WORDS,), asked)]).barred == {"facts": 1}
    item = ExperienceItem("Which ships?", f"SELECT DISTINCT ?b {{ ?b <{RDF.type}> <{EX}Ship> }}")
    asked = f"PREFIX e: <{EX}> SELECT ?a WHERE {{ ?a a e:Ship }}"
    assert bar_leaks([item], [HeldOutQuestion((OTHER_WORDS,), asked)]).barred == {"query": 1}


def test_predicates_that_state_classes_are_no_facts():
    kind = f"{EX}kind"
    item = ExperienceItem("What is Holm?", f"SELECT ?x WHERE {{ <{EX}Holm> <{kind}> ?x }}")
    asked = f"ASK {{ <{EX}Holm> <{kind}> <{EX}Ship> }}"
    assert bar_leaks([item], [HeldOutQuestion((OTHER_WORDS,), asked)], [kind]).items == (item,)


def test_the_template_of_a_question_under_test_is_barred_where_that_is_asked_for():
    other = HeldOutQuestion((OTHER_WORDS,), f"SELECT ?w {{ <{EX}Skerry> <{EX}builtBy> ?w }}")
    assert bar_leaks([ITEM], [other]).items == (ITEM,)
    assert bar_leaks([ITEM], [other], bars_templates=True).barred == {"template": 1}
    values = [f"SELECT ?x {{ ?x <{EX}length> ?l FILTER(?l > {limit}) }}" for limit in (10, 25.5)]
    item = ExperienceItem("Which are longer than 10?", values[0])
    assert bar_leaks([item], [HeldOutQuestion((OTHER_WORDS,), values[1])], bars_templates=True).items == ()
    different = HeldOutQuestion((OTHER_WORDS,), f"SELECT ?w {{ ?w <{EX}builtBy> <{EX}Skerry> }}")
    assert bar_leaks([ITEM], [different], bars_templates=True).items == (ITEM,)
