"""The Triad strategy: a generalist takes the question apart, a decider chooses what it means, an advisor may help."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from chattyshared.agent import load_agent
from chattyshared.answers import parse_values
from chattyshared.dialogue import Answer, CandidateQuery, ReasonCode
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.label_ranking import singular_key
from chattyshared.sparql.analysis import analyze_query
from chattyshared.terms import iri_to_words, n3
from rdflib import URIRef

from chattykg.agents.agent import DOUBTFUL_CONFIDENCE, EXPLORED_CONFIDENCE, REPAIRED_CONFIDENCE
from chattykg.agents.direct import conclude_attempts, open_schema_prompt, query_variables
from chattykg.agents.matching import narrow_mention
from chattykg.agents.planning import MAX_LISTED_CANDIDATES
from chattykg.direct.attempt import QueryAttempts
from chattykg.direct.mentioned_vertices import are_words_of
from chattykg.direct.mismatches import find_doubt
from chattykg.engines.switches import TriadSwitches
from chattykg.linking.answer_types import is_numeric_predicate
from chattykg.linking.candidates import EntityCandidate
from chattykg.linking.coverage import restricting_words, unknown_first
from chattykg.linking.entity_linking import retrieve_candidates
from chattykg.linking.predicate_candidates import LinkingContext
from chattykg.linking.relation_phrases import is_type_phrase
from chattykg.linking.similarity import similarity_in
from chattykg.qir import QIR
from chattykg.state import AgentContext, AgentState, make_refusal, quote_words
from chattykg.triad.options import Option, Options, choose, find_predicates, run_combinations
from chattykg.triad.template import Template, check_template, render_shots

ADVISED_CONFIDENCE = 0.3
"""Confidence (0 to 1) in an answer from the model's memory; set by hand."""
_UNLIKE_FACTOR = 0.6
"""Factor (0..1) of the score of a thing whose label lacks a word of the mention; one misspelt letter still passes."""
_MAX_TOLD = 12
"""Predicates that the next try is shown."""
_FROM_MEMORY = "This is from the model's memory: the graph gave no answer."
GENERALIST, ADVISOR = load_agent("triad/template", check_template), load_agent("baseline/llm_only")


@dataclass(slots=True)
class _Tries:
    """The tries at one question: the records of those before, the last template, refusal and queries."""

    state: AgentState
    context: AgentContext
    switches: TriadSwitches
    attempts: QueryAttempts
    earlier: list[str] = field(default_factory=list)
    template: Template | None = None
    refusal: Answer | None = None
    ranked: list[Option] = field(default_factory=list)

    def run(self) -> float:
        """Try until the outcome is sure or the generalist repeats itself; return the confidence in the outcome."""
        attempts, previous = self.attempts, None
        question = query_variables(self.state, self.context, attempts.schema_prompt)["question"]
        variables = {"question": question, "shots": render_shots(self.switches.shots)}
        for number in range(self.switches.tries):
            reply = self.context.request_reply(GENERALIST, {**variables, "earlier": tuple(self.earlier)}).value
            if reply == previous:
                break
            previous, self.template = reply, Template.from_json(reply)
            restricting = restricting_words(attempts.question, self.template.unused, self.template.qir)
            attempts.restricting = unknown_first(restricting, attempts.card)
            if restricting or not self.template.qir.triples:
                attempts.outcome = self.refusal = None  # what was doubtful is withdrawn
                break
            why = self._try_template(self.template)
            if not why:
                return REPAIRED_CONFIDENCE if number else EXPLORED_CONFIDENCE
            self.earlier.append(f"Tried before: {reply['template']} What came of it: {why}")
        return DOUBTFUL_CONFIDENCE

    def _try_template(self, template: Template) -> str:
        """Link a template and run its queries; return what the next try is shown, "" if the outcome is sure."""
        attempts, context, switches = self.attempts, self.context, self.switches
        entities = self._choose_entities(template.qir)
        if missing := [name for name, chosen in entities.items() if not chosen]:
            return self._refuse("unknown-name", f"this graph does not know {quote_words(missing)}.")
        known = {name: [o.value for o in chosen] for name, chosen in entities.items()}
        similarity = similarity_in(attempts.card.language, context.similarity)
        around = find_predicates(template.qir, known, LinkingContext(context.kg, attempts.card, similarity))
        predicates = self._choose("relations", around, switches.relations, is_asked=switches.uri_choice)
        if missing := [name for name, chosen in predicates.items() if not chosen]:
            labels = dict.fromkeys(option.label for name in missing for option in around[name][:_MAX_TOLD])
            why = self._refuse("unknown-relation", f"the graph has nothing that fits {quote_words(missing)}.")
            return f"{why} It has: {', '.join(labels)}."
        ranked = run_combinations(template, {**entities, **predicates}, attempts, context.settings.query_limit)
        if not ranked:
            meant = (f'"{name}" as {o[0].label}' for name, o in {**entities, **predicates}.items())
            return f"{self._refuse('not-stated', 'the graph does not state it.')} It was read with {', '.join(meant)}."
        distinct = {f"{o.outcome.truth} {sorted(map(str, o.outcome.rows))}": o for o in reversed(ranked)}
        results = {"queries": sorted(distinct.values(), key=lambda o: -o.score)}
        chosen = self._choose("query", results, 1, is_asked=switches.query_choice)["queries"]
        if not chosen:
            return self._refuse("too-unsure", "no query over this graph says what is asked.")
        if stated := _stated_number(chosen[0], template.qir, context.kg):
            why = self._refuse("too-unsure", f"the graph states the number itself ({stated}).")
            return f"{why} Select it, do not count."
        self.ranked = [*chosen, *(query for query in ranked if query is not chosen[0])]
        attempts.outcome = replace(chosen[0].outcome, unused=template.unused)
        doubt = find_doubt(attempts.outcome, attempts.question, attempts.card, attempts.schema_prompt, context.kg)
        if doubt and attempts.outcome.is_negative:  # a no that may come of a query that cannot match
            self._refuse("not-stated", "the graph does not state it.")
            attempts.outcome = None
        return doubt.sentence if doubt else ""

    def _choose_entities(self, qir: QIR) -> Options:
        limit = self.context.settings.vertex_limit
        found = retrieve_candidates(self.context.kg, qir, self.state["card"], self.context.similarity, limit)
        mentions = [narrow_mention(mention, {**self.state, "qir": qir}, self.context) for mention in found]
        sure = {m.text: m.select_unambiguous() if m.is_unambiguous else m.candidates for m in mentions}
        options = {name: [_to_option(name, candidate) for candidate in each] for name, each in sure.items()}
        options |= dict(_find_classes({t.object for t in qir.triples if is_type_phrase(t.relation)}, self.context.kg))
        return self._choose("entities", options, self.switches.entities, is_asked=self.switches.uri_choice)

    def _choose(self, prompt: str, options: Options, limit: int, *, is_asked: bool) -> Options:
        return choose(prompt if is_asked else "", self.attempts.question, options, limit, self.context)

    def _refuse(self, code: ReasonCode, why: str) -> str:
        self.refusal = make_refusal(code, why)
        return why


def triad(state: AgentState, context: AgentContext) -> AgentState:
    """Answer the standalone question by a template with linked names, else, if that is on, from the model's memory."""
    question, report = state["standalone"], context.progress.report_query
    attempts = QueryAttempts(context.kg, open_schema_prompt(state, context), question, state["card"], on_query=report)
    tries = _Tries(state, context, context.settings.switches_of(TriadSwitches), attempts)
    confidence, error = DOUBTFUL_CONFIDENCE, "there is nothing in it that a graph can hold."
    with context.measure_time("selection"):
        try:
            confidence = tries.run()
        except (ReplyInvalid, ModelRefused, ContextTooLong) as failure:
            tries.refusal, error = None, str(failure)
        finally:
            context.candidate_queries += attempts.executed_queries
    if tries.refusal is not None and attempts.outcome is None:
        return {"answer": _advise(tries.refusal, tries)}
    answer = conclude_attempts(attempts, state, context, confidence, error)["answer"] or Answer()
    queries = [CandidateQuery(o.outcome.sparql, o.score * confidence) for o in tries.ranked]
    return {"answer": _advise(replace(answer, candidates=tuple(queries[:MAX_LISTED_CANDIDATES])), tries)}


def _advise(answer: Answer, tries: _Tries) -> Answer:
    """Return an answer from the model's memory for a refusal of the graph, where the switch says so."""
    advice, is_boolean = tries.switches.advice, tries.template is not None and tries.template.qir.shape == "boolean"
    if answer.reason is None or advice == "off" or (advice == "boolean" and not is_boolean):
        return answer
    reply = tries.context.try_reply(ADVISOR, {"question": tries.state["standalone"], "history": "(nothing)"})
    values = parse_values(reply["answers"]) if reply is not None else ()
    if not values or (is_boolean and values[0].kind != "boolean"):
        return answer
    notes, scores = (answer.explanation, _FROM_MEMORY), (ADVISED_CONFIDENCE,) * len(values)
    return Answer(values, scores, confidence=ADVISED_CONFIDENCE, notes=notes, grounded=False)


def _stated_number(query: Option, qir: QIR, kg: KnowledgeGraph) -> str:
    """Return the label of the predicate whose numbers a query counts; "" if it counts none."""
    patterns = analyze_query(query.outcome.sparql).patterns if qir.shape == "count" else ()
    entries = (
        kg.vocabulary.predicates.get(str(predicate)) for _, predicate, end in patterns if qir.target == f"?{end}"
    )
    return next((entry.label for entry in entries if entry is not None and is_numeric_predicate(entry)), "")


def _find_classes(names: Collection[str], kg: KnowledgeGraph) -> Iterator[tuple[str, list[Option]]]:
    """Yield the names of classes, each with its class alone."""
    keys = {singular_key(name): name for name in names}
    for entry in kg.vocabulary.classes.values():
        for key in {*map(singular_key, (entry.label, *entry.alt_labels, iri_to_words(entry.iri)))} & keys.keys():
            yield keys[key], [Option(entry.label, " (class)", 1.0, (f"<{entry.iri}>",), URIRef(entry.iri))]


def _to_option(name: str, candidate: EntityCandidate) -> Option:
    """Return a candidate as an option; the score is lower if it is called otherwise than the mention."""
    factor = 1.0 if candidate.is_exact or are_words_of(name, candidate.label) else _UNLIKE_FACTOR
    score, label = 1.0 if candidate.is_exact else factor * candidate.score, candidate.label[:120]
    return Option(label, candidate.as_prompt_text()[len(label) :], score, (n3(candidate.term),), candidate.term)
