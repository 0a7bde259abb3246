"""Feedback: what the graph responds to the first query of an answer is shown once; the query after that is final."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chattyshared.check import Problem

from chattykg.direct.attempt import QueryAttempts
from chattykg.exploration.actions import Action, observe
from chattykg.exploration.graph_names import GraphNames


@dataclass(slots=True, kw_only=True)
class FedBackAttempts(QueryAttempts):
    """Attempts of which the first query gets a response, and the next one is final, right or wrong.

    ``names`` are those of the prompt; ``is_final``: no response is to come; ``is_corrected``: the final query differs.
    """

    names: GraphNames
    is_final: bool = False
    is_corrected: bool = False

    def check_reply(self, reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
        """Try a reply; yield the response to the first query, or what is wrong with the words that are left out."""
        first, found, self.outcome = self.sparql, self.outcome, None
        problems = tuple(QueryAttempts.check_reply(self, reply, variables))
        if any(problem.rule == "unused" for problem in problems):
            self.outcome = found
            yield from problems
        elif self.is_final:
            self.is_corrected = first not in ("", self.sparql)
        elif self.outcome is not None or problems:  # else it says that there is no query
            self.is_final = True
            rows = observe(Action("run", {"query": self.sparql}), self.names, self.kg) if self.outcome else ""
            sentences = (problem.sentence for problem in problems)
            yield Problem("feedback", "\n".join(("The graph's response:", *sentences, rows)))
