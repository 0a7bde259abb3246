"""Feedback: what the graph responds to the first query of an answer is told once; the query after that is final."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chattyshared.check import Problem

from chattykg.direct.attempt import QueryAttempts
from chattykg.exploration.actions import Action, observe
from chattykg.exploration.graph_names import GraphNames
from chattykg.exploration.observations import fit_lines

MAX_RESPONSE = 800
"""Characters of the rows that a response shows, about 200 tokens."""


@dataclass(slots=True)
class FedBackAttempts(QueryAttempts):
    """Attempts of which the first one gets a response, and the next one is final, right or wrong.

    ``names`` write the response; ``is_told``: there is none to come; ``is_corrected``: the final query is another one.
    """

    names: GraphNames | None = None
    is_told: bool = False
    is_corrected: bool = False

    def check_reply(self, reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
        """Try a reply; yield the response to the first query, or what a reply without a usable one lacks."""
        first, found = self.sparql, self.outcome
        self.outcome = None
        problems = tuple(QueryAttempts.check_reply(self, reply, variables))
        if any(problem.rule == "unused" for problem in problems):
            self.outcome = found
            yield from problems
        elif self.is_told:
            self.is_corrected = bool(first) and self.sparql != first
        elif self.outcome is not None or problems:  # else it says that there is no query
            self.is_told = True
            yield Problem("feedback", self._describe_response(problems))

    def _describe_response(self, problems: tuple[Problem, ...]) -> str:
        lines = [problem.sentence for problem in problems]
        if self.outcome is not None and self.names is not None:
            rows = observe(Action("run", {"query": self.sparql}), self.names, self.kg)
            lines += fit_lines(rows.splitlines(), MAX_RESPONSE).splitlines()
        return "\n".join(("The graph's response:", *lines))
