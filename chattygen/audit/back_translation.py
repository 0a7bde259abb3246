"""Back-translation: a model puts a gold query into words without its question, then says whether both ask the same."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from chattyshared.agent import load_agent
from chattyshared.check import Finding
from chattyshared.dialogue import BackTranslation
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.jsonlines import to_json_line
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.questions import Question
from chattyshared.sparql.analysis import QueryAnalysis, is_rdf_type
from rdflib import URIRef

TRANSLATOR, JUDGE = load_agent("judge/back_translation"), load_agent("answer/verification")


@dataclass(frozen=True, slots=True)
class BackTranslator:
    """The model that translates and judges, its name, and how often it may try."""

    model: LanguageModel
    name: str
    theta: int

    def translate(
        self, question: Question, query: QueryAnalysis, kg: KnowledgeGraph, former: BackTranslation | None
    ) -> tuple[BackTranslation | None, tuple[Finding, ...]]:
        """Return the back-translation of a query and what is to be said about it; None if the model gives none.

        ``former`` is returned if it is of the same model, query and question: it need not be paid for again.

        Raises:
            EndpointError: the labels cannot be read.
            ModelError, BudgetSpent: the model cannot be asked.
        """
        text, *labels = _describe(query, kg)
        asked = question.standalone or question.question
        shown = to_json_line([asked, "\n".join((text, *labels)), TRANSLATOR.prompt.digest, JUDGE.prompt.digest])
        digest = hashlib.sha256(shown.encode(errors="backslashreplace")).hexdigest()[:16]
        made = former
        if made is None or (made.model, made.digest) != (self.name, digest):
            try:
                reply = TRANSLATOR(self.model, {"candidate": (text, *labels)}, theta=self.theta)
                words = " ".join(reply.value["question"].split())
                candidate = (text, f"In words: {words}", *labels)
                verdict = JUDGE(self.model, {"question": asked, "candidate": candidate}, theta=self.theta)
            except (ReplyInvalid, ModelRefused, ContextTooLong) as error:
                message = f"no back-translation: {' '.join(str(error).split())[:200]}"
                return None, (Finding("not-judged", message),)
            made = BackTranslation(words, verdict.value["verdict"] == "yes", self.name, digest)
        is_other = Finding("asks-other", f'the query asks: "{made.question}"')
        return made, () if made.is_same else (is_other,)


def _describe(query: QueryAnalysis, kg: KnowledgeGraph) -> list[str]:
    """Return the text of a query, and a line with the label of each IRI."""
    classes = (str(o) for _, p, o in query.patterns if is_rdf_type(p) and isinstance(o, URIRef))
    iris = [iri for iri in dict.fromkeys((*query.iris, *query.predicates, *classes)) if not is_rdf_type(iri)]
    labels = kg.labels([URIRef(iri) for iri in iris])
    lines = (f"<{iri}> = {' '.join(label.split())}" for iri in iris if (label := labels.get(URIRef(iri))))
    return [f"Query: {' '.join(query.text.split())}", *lines]
