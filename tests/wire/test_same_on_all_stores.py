"""Real stores, each started here: the same dialogues and the same answers from each as from the files themselves.

What engines may differ in stands in the README's table of quirks; a test below holds each row that was seen here.
"""

import importlib.resources
import re
from contextlib import ExitStack
from dataclasses import fields, replace

import pytest
from chattyshared.dialogue import Exchange, StageSeconds
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.endpoint.remote import RemoteEndpoint
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import Usage
from chattyshared.model.rules import RuleModel
from wire import rdflib_store, virtuoso

from chattygen import RULEBOOK, Options
from chattygen.pipeline import generate
from chattykg import rulebook
from chattykg.engine import ChattyEngine
from chattykg.exploration import entity_description
from chattykg.exploration.entity_description import describe_entity

MADE = Options(dialogues=12, turns=5, seed=7)
NAMED = f"?default-graph-uri={virtuoso.GRAPH}"
STORES = {
    "Virtuoso": (virtuoso.missing, lambda files: virtuoso.Virtuoso(files), NAMED, {}),
    "Virtuoso, searched by its full-text index": (
        virtuoso.missing, lambda files: virtuoso.Virtuoso(files, full_text=True), NAMED, {"index_up_to": 0}
    ),
    "Virtuoso, searched without an index": (
        virtuoso.missing, lambda files: virtuoso.Virtuoso(files), NAMED, {"index_up_to": 0}
    ),
    "rdflib-endpoint": (rdflib_store.missing, rdflib_store.RdflibStore, "", {}),
}  # fmt: skip
"""What a store needs, how it is started, what its address ends in, and how names are searched there."""


@pytest.fixture(scope="module")
def demo():
    with importlib.resources.as_file(importlib.resources.files("chattydata") / "demo.ttl") as path:
        yield path


@pytest.fixture(scope="module")
def local(demo):
    return KnowledgeGraph(LocalEndpoint([demo]))


@pytest.fixture(scope="module")
def benchmark(local):
    return dialogues(local)


@pytest.fixture(scope="module")
def answers(local, benchmark):
    return answered(local, benchmark)


@pytest.fixture(scope="module", params=STORES)
def store(request, demo):
    missing, started, graph, options = STORES[request.param]
    if missing():
        pytest.skip(f"{request.param}: not installed: {', '.join(missing())}")
    with ExitStack() as open_ones:
        running = open_ones.enter_context(started([demo]))
        yield KnowledgeGraph(RemoteEndpoint(running.url + graph, timeout=120), use_index=False, **options)


def dialogues(kg):
    return [one.dialogue for one in generate(kg, RuleModel(RULEBOOK), MADE) if one.dialogue]


def answered(kg, asked):
    """Answer all turns, each after what was answered before; what it took is left out.

    So are the links that the linker offered but did not choose, and the notes that ask whether one was meant: stores
    rank, and miss, misspelt names differently. The confidence weighs them.
    """
    engine, found = ChattyEngine(kg, RuleModel(rulebook.RULEBOOK)), []
    for dialogue in asked:
        history = ()
        for turn in dialogue.turns:
            answer = engine.answer(turn.question, history)
            history = (*history, Exchange(turn.question, answer))
            taken = {"queries": 0, "usage": Usage(), "stages": StageSeconds(), "seconds": 0.0}
            offered = {"proposed_entities": (), "proposed_relations": (), "confidence": 0.0, "scores": ()}
            notes = tuple(note for note in answer.notes if not note.startswith("Did you mean "))
            found.append((turn.question, replace(answer, notes=notes, **offered, **taken)))
    return found


def by_value(text):
    """Write decimals by their values: a store may keep ``5.0`` as it stands in the file, or as ``5``."""
    return re.sub(r"(?<=\d)\.0+(?!\d)", "", text)


def test_the_same_dialogues(store, benchmark):
    made = dialogues(store)
    assert len(made) == MADE.dialogues
    assert [by_value(repr(one)) for one in made] == [by_value(repr(one)) for one in benchmark]


UNBORNE = "When was Pierre McKellen born"
"""A name that nobody bears: both stores refuse it, but searches find other near names, so the reasons differ."""
PLURAL = "Which of those people are film producers"
"""A text in the plural that the graph states in the singular: an index of all values finds it, the search of a server
does not, so that the question is refused there."""


def test_the_same_answers_to_sixty_questions(store, benchmark, answers):
    found = answered(store, benchmark)
    assert len(found) == 60
    assert sum(bool(answer.values) for _, answer in answers) > 45
    for (question, answer), (_, expected) in zip(found, answers, strict=True):
        if question.startswith(PLURAL):
            assert not answer.values or answer.values == expected.values
            continue
        if expected.reason is None or not question.startswith(UNBORNE):
            pairs = {each.name: (getattr(answer, each.name), getattr(expected, each.name)) for each in fields(answer)}
            differing = {name: pair for name, pair in pairs.items() if len({by_value(repr(one)) for one in pair}) > 1}
            assert differing == {}, question
        said, wanted = ((each.status, by_value(repr(each.values))) for each in (answer, expected))
        assert said == wanted, question


def test_the_same_vocabulary(store, local):
    assert store.profile == local.profile and store.types() == local.types()
    assert {name: by_value(repr(one)) for name, one in store.vocabulary.predicates.items()} == {
        name: by_value(repr(one)) for name, one in local.vocabulary.predicates.items()
    }
    assert store.vocabulary.classes == local.vocabulary.classes


def test_the_same_descriptions(store, local, monkeypatch):
    things = ["Christopher_Nolan", "Inception", "United_States"]
    for limit in (entity_description.SCANNED_TRIPLES, 3):  # with few, each predicate is counted by itself
        monkeypatch.setattr(entity_description, "SCANNED_TRIPLES", limit)
        for thing in things:
            iri = f"https://chatty.example/demo/{thing}"
            found, expected = (describe_entity(kg, iri, shown_values=100) for kg in (store, local))
            assert by_value(repr(found)) == by_value(repr(expected))
