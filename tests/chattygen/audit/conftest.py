from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Writer = Callable[..., Path]
PREFIXES = (
    "@prefix : <https://looms.example/> . @prefix v: <https://looms.example/vocab/> . "
    "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
)


@pytest.fixture(scope="module")
def write_graph(tmp_path_factory: pytest.TempPathFactory) -> Writer:
    """Return a function that writes a graph in Turtle, with the prefixes of the looms."""

    def write(name: str, turtle: str) -> Path:
        path = tmp_path_factory.mktemp("audit") / name
        path.write_text(PREFIXES + turtle, encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="module")
def write_questions(tmp_path_factory: pytest.TempPathFactory) -> Writer:
    """Return a function that writes a file of questions, whose ids are their places."""

    def write(name: str, *questions: dict[str, Any]) -> Path:
        path = tmp_path_factory.mktemp("audit") / name
        numbered = ({"id": number, **question} for number, question in enumerate(questions, 1))
        path.write_text("".join(json.dumps(question) + "\n" for question in numbered), encoding="utf-8")
        return path

    return write
