"""Checks of a question: its query and gold, names, answers within it, earlier equal ones, its translation back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter

from chattyshared.agent import load_agent
from chattyshared.answers import parse_values_with_labels
from chattyshared.check import Finding, list_first
from chattyshared.dialogue import BackTranslation, Triples
from chattyshared.endpoint import Endpoint
from chattyshared.formats.gold import GoldFile
from chattyshared.jsonlines import to_json_line
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import batches, count_of, union_pattern
from chattyshared.kg.label_ranking import split_words
from chattyshared.model import LanguageModel
from chattyshared.questions import Question
from chattyshared.sparql.analysis import QueryAnalysis, is_rdf_type
from chattyshared.sparql.gold_queries import run_query
from chattyshared.sparql.result_comparison import states_result
from chattyshared.terms import n3
from chattyshared.text import cut_text
from rdflib import URIRef

from chattygen.audit.verdict import Check, Verdict
from chattygen.context.names import borne_names
from chattygen.lint.dialogue_view import mentions_name, namesakes, told_names

MAX_QUOTED = 160
"""Letters of a query that a finding quotes."""
MAX_ENTITIES = 20
"""The most entities of one query whose names are looked up."""
_TRIPLES_AT_ONCE = 40
"""Triples that one query looks for: the guard takes no query of more than a thousand tokens."""
_REFUSED = ("FROM", "SERVICE", "calls a function", "longer than", "too deeply")
"""How the faults of queries begin that are SPARQL, but are not run."""


class GoldChecks:
    """The checks of the questions of a file on its graph."""

    def __init__(self, gold: GoldFile, kg: KnowledgeGraph) -> None:
        self.kg, self._untrusted = kg, kg.endpoint.untrusted_view()
        self._repairs = {repair.id: repair for repair in gold.changes}
        self._duplicates = _find_duplicates(gold.questions)

    @property
    def checks(self) -> tuple[Check, ...]:
        """All checks, in order."""
        return self.check_reading, self.check_result, self.check_names, self.check_leak, self.check_duplicate

    def check_reading(self, verdict: Verdict) -> Iterator[Finding]:
        """Yield what reading the query has shown."""
        question, repair = verdict.question, self._repairs.get(verdict.id)
        if not question.sparql and question.gold() is None:
            yield Finding("no-gold", f'no query and no answers: "{question.question}"')
        if repair and repair.fault:
            kind = "does-not-run" if repair.fault.startswith(_REFUSED) else "not-sparql"
            yield Finding(kind, f"{repair.fault}: {cut_text(repair.original, MAX_QUOTED)}")
        elif repair and repair.was_dialect:
            yield Finding("dialect", f"{', '.join(repair.changes)}: {cut_text(repair.original, MAX_QUOTED)}")

    def check_result(self, verdict: Verdict) -> Iterator[Finding]:
        """Run the query, and yield what that shows; an empty result is right if the file states that."""
        question, repair = verdict.question, self._repairs.get(verdict.id)
        if not question.sparql or (repair and repair.fault):
            return
        run = verdict.query_run = run_query(self.kg, question.sparql, self._untrusted)
        verdict.unexpected = run.unexpected
        if run.failure:
            yield Finding("does-not-run", run.failure)
            return
        if not run.values and question.extra.get("answerable") is not False:
            yield Finding("empty", f'nothing: "{question.question}"')
        if question.gold() is not None and not states_result(question, run):
            stated = list_first(" = ".join(texts) for texts in question.gold() or ())
            given = list_first(f"{value.label} <{value.value}>" if value.label and value.kind == "iri" else value.value
                               for value in run.values)  # fmt: skip
            yield Finding("differs", f"the query gives {given}, the file says {stated}")

    def check_names(self, verdict: Verdict) -> Iterator[Finding]:
        """Yield the names that the question says are unknown, and those that an entity outside its query also has.

        Raises:
            EndpointError: the endpoint does not answer.
        """
        question, iris = verdict.question, verdict.analysis.iris
        if names := borne_names(self.kg, verdict.former.names):
            yield Finding("refuted", f'"{", ".join(names)}" is known: "{question.question}"')
        texts = f"{question.question}\n{question.standalone}"
        labels = self.kg.labels([URIRef(iri) for iri in iris][:MAX_ENTITIES])
        said = {name: iri for iri, name in labels.items() if name and mentions_name(texts, name)}
        for name, pairs in groupby(namesakes(self.kg, said), itemgetter(0)):
            if others := [f"<{other}>" for _, other in pairs if other not in iris]:
                yield Finding("ambiguous-name", f'"{name}" is <{said[name]}>, but also {list_first(others, 1)}')

    def check_leak(self, verdict: Verdict) -> Iterator[Finding]:
        """Yield which answer the question contains. Choices between several answers and short numbers do not count."""
        question, query, run = verdict.question, verdict.analysis, verdict.query_run
        if query.form == "ASK" or query.counted_variables:
            return
        stated = parse_values_with_labels(question.answers or (), question.answer_labels)
        answers = [each for each in (run.values if run and run.rows else stated) if each.value not in query.iris]
        leaks = told_names((question.question, question.standalone), answers, may_offer=True)
        yield from (Finding("answer-in-question", f'"{name}" is in: "{text}"') for name, text in islice(leaks, 1))

    def check_duplicate(self, verdict: Verdict) -> Iterator[Finding]:
        """Yield the earlier question that is the same."""
        if message := self._duplicates.get(verdict.id):
            yield Finding("duplicate", message)


def _find_duplicates(questions: Sequence[Question]) -> dict[str, str]:
    """Return, by id, a message that names the earlier equal question: by its words, or within one dialogue by its
    query."""
    first: dict[tuple[object, ...], str] = {}
    messages = {}
    for question in questions:
        id, dialogue = str(question.id), question.dialogue_id
        standalone = question.standalone or ("" if dialogue is not None else question.question)
        # The same follow-up ("When was that?") can have another meaning in each dialogue.
        gold = () if standalone else (dialogue, question.answers, question.sparql)
        by_words = ("words", gold, question.kg, *split_words(standalone or question.question))
        by_query = ("query", dialogue, *question.sparql.split())
        if by_words in first:
            messages[id] = f'asked before as {first[by_words]}: "{standalone or question.question}"'
        elif dialogue is not None and question.sparql and by_query in first:
            messages[id] = f"its query is that of {first[by_query]}"
        first.setdefault(by_words, id)
        first.setdefault(by_query, id)
    return messages


def check_triples(triples: Triples, endpoint: Endpoint) -> tuple[Triples, Triples]:
    """Return the triples of a benchmark that a graph contains, and those that it does not.

    Those with a variable or a blank node cannot be looked up. The endpoint must take untrusted queries.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    known = sorted(triple for triple in {*triples} if not any(part.startswith(("?", "_:")) for part in triple))
    present = set()
    for batch in batches(known, _TRIPLES_AT_ONCE):
        branches = [f"BIND({number} AS ?n) {triple_text(triple)}" for number, triple in enumerate(batch)]
        rows = endpoint.select(f"SELECT DISTINCT ?n WHERE {{ {union_pattern(branches)} }}")
        present |= {batch[count_of(row, "n")] for row in rows}
    ordered = [triple for triple in dict.fromkeys(triples) if triple in known]
    return (tuple(each for each in ordered if each in present), tuple(each for each in ordered if each not in present))


def triple_text(triple: Iterable[str]) -> str:
    """Return a triple of a benchmark in SPARQL's syntax.

    Raises:
        ValueError: an IRI cannot be written into a query.
    """
    return " ".join(part if part.startswith('"') else n3(URIRef(part)) for part in triple)


TRANSLATOR, JUDGE = load_agent("judge/back_translation"), load_agent("answer/verification")


@dataclass(frozen=True, slots=True)
class BackTranslator:
    """The model that translates and judges, its name, and how often it may try."""

    model: LanguageModel
    name: str
    theta: int

    def translate(self, verdict: Verdict, kg: KnowledgeGraph) -> BackTranslation:
        """Return the back-translation of a query; that of the former certificate, if it is of the same model, query and
        question: it need not be paid for again.

        Raises:
            EndpointError: the labels cannot be read.
            ModelError, BudgetSpent: the model cannot be asked, or gives no usable reply.
        """
        text, *labels = _describe(verdict.analysis, kg)
        asked, former = verdict.question.standalone or verdict.question.question, verdict.former.back_translation
        shown = to_json_line([asked, "\n".join((text, *labels)), TRANSLATOR.prompt.digest, JUDGE.prompt.digest])
        digest = hashlib.sha256(shown.encode(errors="backslashreplace")).hexdigest()[:16]
        if former is not None and (former.model, former.digest) == (self.name, digest):
            return former
        reply = TRANSLATOR(self.model, {"candidate": (text, *labels)}, theta=self.theta)
        words = " ".join(reply.value["question"].split())
        candidate = (text, f"In words: {words}", *labels)
        judged = JUDGE(self.model, {"question": asked, "candidate": candidate}, theta=self.theta)
        return BackTranslation(words, judged.value["verdict"] == "yes", self.name, digest)


def _describe(query: QueryAnalysis, kg: KnowledgeGraph) -> list[str]:
    """Return the text of a query, and a line with the label of each IRI."""
    classes = (str(o) for _, p, o in query.patterns if is_rdf_type(p) and isinstance(o, URIRef))
    iris = [iri for iri in dict.fromkeys((*query.iris, *query.predicates, *classes)) if not is_rdf_type(iri)]
    labels = kg.labels([URIRef(iri) for iri in iris])
    lines = (f"<{iri}> = {' '.join(label.split())}" for iri in iris if (label := labels.get(URIRef(iri))))
    return [f"Query: {' '.join(query.text.split())}", *lines]
