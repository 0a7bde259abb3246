"""A simulator of MemQA: it knows the gold query of a question, and hides it among those of other questions.

All queries are written alike, and the gold query stands at a uniformly random rank: only what the queries say tells
which one is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from random import Random

from chattyshared.dialogue import CandidateQuery
from chattyshared.errors import ConfigError
from chattyshared.questions import Question
from chattyshared.sparql.analysis import parse_query_terms
from chattyshared.sparql.query_layout import tokenize_query
from chattyshared.sparql.repair import repair_query
from chattyshared.sparql.rewriting import canonical_query, rename_iris

from chattykg.engines.candidate_lists import index_questions
from chattykg.engines.switches import MemorizedSwitches


class MemorizedQueries:
    """Gives each question a list of queries, one of them its own; always the same one with the same seed."""

    def __init__(self, questions: Iterable[Question], switches: MemorizedSwitches) -> None:
        """Take questions with gold queries.

        Raises:
            ConfigError: they have fewer different queries than a list needs.
        """
        self._switches = switches
        questions = tuple(questions)
        self._find = index_questions(questions)
        written = {str(question.id): write_plainly(question.sparql) for question in questions if question.sparql}
        self._keys = {id: canonical_query(query) for id, query in written.items() if query}
        self._distinct = {key: written[id] for id, key in self._keys.items()}
        if len(self._distinct) < switches.candidates:
            known = f"the benchmark has {len(self._distinct)} different queries that can be read"
            raise ConfigError(f"{known}: --switch candidates={switches.candidates} needs as many")

    def __call__(self, id: str, question: str) -> tuple[CandidateQuery, ...] | None:
        """Return the candidates of a question; None if it is not found or has no gold query."""
        found = self._find(id, question)
        own = self._keys.get(str(found.id)) if found else None
        if found is None or own is None:
            return None
        random, count = Random(f"{self._switches.seed} {found.id}"), self._switches.candidates
        listed = random.sample([query for key, query in self._distinct.items() if key != own], count - 1)
        listed.insert(random.randrange(count), self._distinct[own])
        return tuple(map(CandidateQuery, listed))


def write_plainly(sparql: str) -> str:
    """Return a query without comments and prefixes, its variables renamed; "" if it cannot be written so.

    Labels of blank nodes are names that would stay.
    """
    repaired = repair_query(sparql)
    tokens = () if repaired.fault or "_:" in repaired.text else tokenize_query(repaired.text) or ()
    names: dict[str, str] = {}
    strings: list[str] = []
    parts: list[str] = []
    for token in tokens:
        text = token.text
        if token.kind == "word" and text[0] in "?$":
            text = names.setdefault(text[1:], f"?v{len(names) + 1}")
        elif token.kind == "text":  # its blanks stay
            strings.append(text)
            text = f'"{len(strings) - 1}"'
        parts += [" "] * token.is_spaced + [text] * (token.kind != "comment")
    text = rename_iris("".join(parts), lambda iri: f"<{iri}>")
    text = re.sub(r'"(\d+)"', lambda found: strings[int(found[1])], text)
    return text if text and parse_query_terms(text) == parse_query_terms(repaired.text) else ""
