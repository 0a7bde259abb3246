"""The parser of queries, entered by several threads at once."""

from __future__ import annotations

import subprocess
import sys

import pytest
from chattyshared.sparql.parser import is_update, parse_query

FIRST_USE = """
from concurrent.futures import ThreadPoolExecutor
from chattyshared.sparql.analysis import analyze_query

texts = ["SELECT (COUNT(DISTINCT ?x) AS ?c) WHERE { ?x <http://a/%d> ?y FILTER(?y > 3) }" % n for n in range(100)]
with ThreadPoolExecutor(8) as pool:
    print(*{each.syntax_error for each in pool.map(analyze_query, texts)}, sep="|")
"""


def test_threads_that_use_the_parser_first_at_once_leave_it_whole() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_USE], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.stderr) == ("\n", "")


@pytest.mark.parametrize(
    ("text", "expected"), [("DELETE WHERE { ?s ?p ?o }", True), ("ASK { ?s ?p ?o }", False), ("films", False)]
)
def test_updates_are_told_from_other_texts(text: str, expected: bool) -> None:
    assert is_update(text) is expected


def test_a_query_is_a_prologue_and_a_form() -> None:
    prologue, form = parse_query("PREFIX a: <http://a/> ASK { ?s a:p ?o }")
    assert (len(prologue), form.name) == (1, "AskQuery")
