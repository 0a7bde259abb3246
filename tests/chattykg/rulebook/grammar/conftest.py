"""The meanings of phrases of an invented graph."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from invented_graphs import GRAPHS, PREFIXES

from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.rulebook.grammar.meanings import Condition
from chattykg.rulebook.grammar.parser import read_sentence

ReadPhrase = Callable[[str, str], set[str]]


@pytest.fixture(scope="session")
def cinema(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path = tmp_path_factory.mktemp("grammar") / "cinema.ttl"
    path.write_text(PREFIXES + GRAPHS["cinema"], encoding="utf-8")
    return open_kg([str(path)])


@pytest.fixture(scope="session")
def read_phrase(cinema: KnowledgeGraph) -> ReadPhrase:
    """Return a function: category, phrase -> the conditions of its best reading, as text (``relation • by ?x``)."""

    def read(category: str, phrase: str) -> set[str]:
        sentence = read_sentence(phrase, build_vocabulary_card(phrase, cinema))
        nodes = [node for node in sentence.chart.nodes(category, 0) if node.end == len(sentence.tokens)]
        return {render(c) for c in max(nodes, key=lambda node: node.score).meaning.conditions} if nodes else set()

    return read


def render(condition: Condition) -> str:
    """Return a condition as text, without the places of unknowns."""
    return " ".join(
        f"[{', '.join(map(render_part, part))}]" if isinstance(part, tuple) else render_part(part) for part in condition
    ).strip()


def render_part(part: object) -> str:
    return render(part) if isinstance(part, tuple) else str(part).partition("@")[0] or "-"
