"""Engines that are given the candidate queries of a question: the first that is kept and runs gives the answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chattyshared.dialogue import Answer, CandidateQuery, History
from chattyshared.endpoint.memo import MemoizedEndpoint
from chattyshared.formats.candidates import read_candidates
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.questions import Question
from chattyshared.trace import Trace, TracedEndpoint, TracedModel

from chattykg.filtering.candidate_filter import answer_from_candidates
from chattykg.filtering.judging import Verification
from chattykg.state import AgentContext, Settings, make_refusal

CandidateSource = Callable[[str, str], Sequence[CandidateQuery] | None]
"""Returns the candidates of a question, given its id and its text; None if it does not know the question."""


@dataclass(frozen=True, slots=True)
class CandidateEngine:
    """Answers from given candidates, some of which the judge of ``verification`` (None: there is none) deletes."""

    kg: KnowledgeGraph
    candidates_of: CandidateSource
    settings: Settings = field(default_factory=Settings)
    models: Mapping[str, LanguageModel] = field(default_factory=dict)
    verification: Verification | None = None
    trace: Trace = field(default_factory=Trace)

    def answer(self, question: str, history: History = (), *, span: str = "answer") -> Answer:
        """Answer the question with the id ``span``; the history is not seen.

        Raises:
            EndpointError, ModelError: the KG, the judge or the source failed.
        """
        started = time.perf_counter()
        candidates = self.candidates_of(span, question)
        if candidates is None:
            return make_refusal("too-unsure", "there are no candidate queries for this question.", standalone=question)
        endpoint = TracedEndpoint(self.kg.endpoint, self.trace, span)
        models = {name: TracedModel(model, self.trace, span) for name, model in self.models.items()}
        kg = self.kg.with_endpoint(MemoizedEndpoint(endpoint), shares_terms=True)
        context = AgentContext(kg, models, self.settings, verification=self.verification)
        return replace(
            answer_from_candidates(question, candidates, context),
            standalone=question, queries=endpoint.query_count, candidate_queries=context.candidate_queries,
            usage=context.usage, seconds=time.perf_counter() - started,
        )  # fmt: skip


def find_candidates(questions: Iterable[Question], file: str = "") -> CandidateSource:
    """Return the candidates of a file by id, and by text where a question of this id and text is not there.

    Raises:
        BenchmarkInvalid: a list, or a candidate in it, has the wrong type.
    """
    by_id = {str(each.id): each for each in questions}
    lists = {id: read_candidates(each, file) for id, each in by_id.items()}
    by_text = {_normalize(each.question): each for each in reversed(by_id.values())}

    def find(id: str, question: str) -> Sequence[CandidateQuery] | None:
        found, text = by_id.get(id), _normalize(question)
        if found is None or _normalize(found.question) != text:
            found = by_text.get(text, found)
        return None if found is None else lists[str(found.id)]

    return find


def _normalize(question: str) -> str:
    return " ".join(question.casefold().split())
