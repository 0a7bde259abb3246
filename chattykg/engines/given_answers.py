"""Engines that are given what they answer: answers of a file, or candidate queries of a file, system or simulator."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Literal

from chattyshared.answers import AnswerLine, parse_value
from chattyshared.dialogue import Answer, CandidateQuery, History, LinkedTerm, Value
from chattyshared.endpoint.result_cache import MemoizedEndpoint
from chattyshared.errors import ConfigError, ReplyInvalid
from chattyshared.formats.candidates import read_candidates
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.identification import detect_language
from chattyshared.model import LanguageModel
from chattyshared.questions import Question
from chattyshared.sparql.analysis import parse_query_terms
from chattyshared.sparql.query_layout import tokenize_query
from chattyshared.sparql.repair import repair_query
from chattyshared.sparql.rewriting import canonical_query, rename_iris
from chattyshared.trace import Trace, TracedEndpoint, TracedModel

from chattykg.engines.switches import MemorizedSwitches
from chattykg.filtering import answer_from_candidates
from chattykg.settings import Settings
from chattykg.state import AgentContext, Verification, make_refusal

CandidateSource = Callable[[str, str], Sequence[CandidateQuery] | None]
"""Returns the candidates of a question, given its id and its text; None if it does not know the question."""
_WITHOUT_VALUES: Mapping[str, Literal["empty", "clarification"]] = {"empty": "empty", "clarification": "clarification"}


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
            raise ConfigError(f"{known}: --set candidates={switches.candidates} needs as many")

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


class PredictionsFile:
    """Returns the answers of a file; ``span`` is the question's id."""

    def __init__(self, lines: Iterable[AnswerLine], name: str) -> None:
        self._lines, self._name = {str(line.id): line for line in lines}, name

    def answer(self, question: str, history: History = (), *, span: str = "answer") -> Answer:
        """Return the file's answer to the question with the id ``span``.

        Raises:
            ReplyInvalid: the file has no line for it, or a line with an error and no query.
        """
        line = self._lines.get(span)
        if line is None or (line.error and not line.sparql):
            message = "holds no answer to this question" if line is None else line.error
            raise ReplyInvalid(message, model=self._name)
        values = _values(line)
        scores = line.scores if len(line.scores) == len(values) else (1.0,) * len(values)
        return Answer(
            values, scores, tuple(tuple(map(parse_value, row)) for row in line.rows), line.sparql,
            line.standalone or question, line.confidence, line.sentence, queries=line.queries,
            candidate_queries=line.candidate_queries, usage=line.usage,
            entities=_links(line.entities), relations=_links(line.relations), stages=line.stages, seconds=line.seconds,
            notes=(*line.notes, *filter(None, [line.error])), reason=line.reason, unused=line.unused,
            without_values=_WITHOUT_VALUES.get(line.status, "unknown"), grounded=line.grounded,
        )  # fmt: skip


def _values(line: AnswerLine) -> tuple[Value, ...]:
    """Return the values with their labels, if there is a label for each."""
    labels = line.labels if len(line.labels) == len(line.answers) else line.answers
    pairs = zip(line.answers, labels, strict=True)
    return tuple(
        Value(text, "boolean") if text in ("true", "false") else _value_with_label(text, label) for text, label in pairs
    )


def _value_with_label(text: str, label: str) -> Value:
    value = parse_value(text)
    return Value(value.value, value.kind, label="" if label == text else label)


def _links(iris: Iterable[str]) -> tuple[LinkedTerm, ...]:
    return tuple(LinkedTerm(iri, iri, iri) for iri in iris)
