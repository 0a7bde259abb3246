"""Engines that are given the candidate queries of a question: the first that is kept and runs gives the answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chattyshared.dialogue import Answer, CandidateQuery, History
from chattyshared.endpoint.result_cache import MemoizedEndpoint
from chattyshared.formats.candidates import read_candidates
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.identification import detect_language
from chattyshared.model import LanguageModel
from chattyshared.questions import Question
from chattyshared.trace import Trace, TracedEndpoint, TracedModel

from chattykg.filtering.candidate_filter import answer_from_candidates
from chattykg.state import AgentContext, Settings, Verification, make_refusal

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
    """Return the candidates of the questions of a file, which ``index_questions`` finds.

    Raises:
        BenchmarkInvalid: a list, or a candidate in it, has the wrong type.
    """
    questions = tuple(questions)
    find, lists = index_questions(questions), {each.id: read_candidates(each, file) for each in questions}
    return lambda id, text: None if (found := find(id, text)) is None else lists[found.id]


def index_questions(questions: Iterable[Question]) -> Callable[[str, str], Question | None]:
    """Return a function that finds a question by its id, or by its text where that id is of another question.

    The question of an id may have another text only in another language.
    """
    by_id = {str(each.id): each for each in questions}
    by_text = {text: each for each in reversed(by_id.values()) for text in _wordings(each)}

    def find(id: str, text: str) -> Question | None:
        found, wording = by_id.get(id), _normalize(text)
        if found and wording in _wordings(found):
            return found
        tags = {detect_language(text), detect_language(found.question) if found else ""}
        return by_text.get(wording) or (found if len(tags - {""}) > 1 else None)

    return find


def _wordings(question: Question) -> set[str]:
    return {_normalize(text) for text in (question.question, question.standalone) if text}


def _normalize(question: str) -> str:
    return " ".join(question.casefold().split())
