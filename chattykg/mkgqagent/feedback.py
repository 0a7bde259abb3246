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


@dataclass(slots=True, kw_only=True)
class FedBackAttempts(QueryAttempts):
    """Attempts of which the first query gets a response, and the next one is final, right or wrong.

    ``names`` are those of the prompt; ``is_told``: no response is to come; ``first_sparql`` is the query that got one.
    """

    names: GraphNames
    is_told: bool = False
    first_sparql: str = ""

    @property
    def is_repaired(self) -> bool:
        """Tell whether the final query is another than the first."""
        return self.first_sparql not in ("", self.sparql)

    def check_reply(self, reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
        """Try a reply; yield the response to the first query, or what is wrong with the words that are left out."""
        found, self.outcome = self.outcome, None
        problems = tuple(QueryAttempts.check_reply(self, reply, variables))
        if any(problem.rule == "unused" for problem in problems):
            self.outcome = found
            yield from problems
        elif not self.is_told and (self.outcome is not None or problems):  # else it says that there is no query
            self.is_told, self.first_sparql = True, self.sparql
            lines = [problem.sentence for problem in problems]
            if self.outcome is not None:
                rows = observe(Action("run", {"query": self.sparql}), self.names, self.kg)
                lines.append(fit_lines(rows.splitlines(), MAX_RESPONSE))
            yield Problem("feedback", "\n".join(("The graph's response:", *lines)))
