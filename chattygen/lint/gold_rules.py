"""Rules for queries and gold: readable, answered as the graph does, and whole by what the graph holds."""

from __future__ import annotations

from collections.abc import Iterator

from chattyshared.language.inflection import head_noun
from chattyshared.language.lexicon import word_set
from chattyshared.sparql.result_comparison import compare_answers
from chattyshared.terms import n3
from chattyshared.text import cut_text
from rdflib import URIRef, Variable

from chattygen.context import predicate_use
from chattygen.context.missing_facts import surely_answers
from chattygen.context.names import borne_names
from chattygen.context.predicate_use import WORLDWIDE, is_population
from chattygen.lint.defect_rows import DEFECTS, compile_row
from chattygen.lint.dialogue_view import TurnView, folded_words, list_answers, mentions_name, namesakes
from chattygen.lint.lint_context import LintContext
from chattygen.lint.query_parts import ConditionedList, conditioned_lists, facts_of
from chattygen.lint.rules import defect

MAX_QUOTED = 160
"""Letters of a query that a finding quotes; set by hand."""
_HIERARCHIES = word_set("relation_labels", "subclass_of", "narrower_than")
_AS_RECORDED = compile_row(DEFECTS["as_recorded"])


@defect("format", "the file's format is not kept, a turn lacks a part, or turns are missing or too many")
def _find_format(context: LintContext, turn: TurnView) -> Iterator[str]:
    """A turn has its questions, and a query if it is answerable."""
    parts = {"question": turn.question, "standalone question": turn.standalone, "query": turn.sparql}
    missing = [name for name, text in parts.items() if not text.strip() and (turn.answerable or name != "query")]
    if missing:
        yield f"no {' and no '.join(missing)}"


@defect("query-syntax", "the query is no SELECT or ASK of SPARQL 1.1, or a prefix or a variable is not declared")
def _find_query_syntax(context: LintContext, turn: TurnView) -> Iterator[str]:
    """A query is SPARQL, and declares its prefixes and variables."""
    query, text = turn.query, cut_text(turn.sparql, MAX_QUOTED)
    unbound = [name for name in query.result_variables if name not in query.bound_variables]
    if text and query.syntax_error:
        yield f"{query.syntax_error}: {text}"
    elif query.undeclared_prefixes:
        yield f"not declared: {', '.join(f'{prefix}:' for prefix in query.undeclared_prefixes)}: {text}"
    elif unbound and query.patterns:
        yield f"?{unbound[0]} is asked for, but nothing binds it: {text}"


@defect("query-fails", "the graph refuses the query", by_graph=True)
def _find_query_fails(context: LintContext, turn: TurnView) -> Iterator[str]:
    """The graph answers a query."""
    run = context.run(turn.query.text) if turn.sparql.strip() and not turn.query.syntax_error else None
    if run and run.failure:
        yield run.failure


@defect("empty-gold", "no gold answer, and the turn is not marked as unanswerable")
def _find_empty_gold(context: LintContext, turn: TurnView) -> Iterator[str]:
    """An answerable turn has an answer."""
    if turn.answerable and context.answers_of(turn) == ():
        yield "no answer"


@defect("gold-differs", "the query gives another answer than the gold", by_graph=True)
def _find_gold_differs(context: LintContext, turn: TurnView) -> Iterator[str]:
    """The gold is what the query gives."""
    results = context.result_of(turn)
    if turn.answerable and turn.answers and results is not None and any(compare_answers(turn.answers, results)):
        yield f"the query gives {list_answers(results)}, not {list_answers(turn.answers)}"


@defect("refuted", "marked as unanswerable, but gold, query, a name, another predicate or an earlier turn answers it")
def _find_refuted(context: LintContext, turn: TurnView) -> Iterator[str]:
    """Nothing answers a turn that is said to be unanswerable: no gold, no result, no name that its certificate
    excludes, no other predicate of the entity."""
    if turn.answerable:
        return
    if turn.answers or context.result_of(turn):
        yield f"it is answered: {list_answers(turn.answers or context.result_of(turn) or ())}"
    names = borne_names(context.kg, turn.certificate.names) if context.kg and turn.certificate else ()
    yield from (f'"{name}" is known' for name in names)
    for entity, predicate, side in facts_of(turn.query):
        entry = context.entry(predicate)
        for other in context.stated(entity, side):
            is_kind = not entry or (entry.object_kind, entry.datatypes[:1]) == (other.object_kind, other.datatypes[:1])
            if other.iri != predicate and is_kind and surely_answers(context.label_of(predicate), other.label):
                yield f'"{other.label}" answers it'


@defect("open-list", "a list, count or condition over what things lack; not if asked as recorded", by_graph=True)
def _find_open_list(context: LintContext, turn: TurnView) -> Iterator[str]:
    """A list, a count, or a condition is over what all things state, unless the question asks for what is recorded."""
    query = turn.query
    if context.kg is None or not turn.answerable or _AS_RECORDED.search(turn.question):
        return
    earlier = {fact for other in context.dialogue.before(turn) for fact in facts_of(other.query)}
    readings = sorted(conditioned_lists(query), key=lambda each: each.fact not in earlier)
    has_condition = bool(readings and readings[0].conditions)
    is_list = len(turn.answers) > 1 and not any(reading.conditions for reading in readings)
    for entity, predicate, side in facts_of(query) if query.form == "SELECT" else ():
        label, owner = context.label_of(predicate), context.class_labels(entity)
        members = next(filter(None, map(context.class_labels, turn.answer_iris)), (turn.answer_type,))
        is_wide = bool(query.counted_variables) and not WORLDWIDE.isdisjoint(map(head_noun, owner))
        if not query.counted_variables and not (is_list and side == "in"):
            continue
        if side == "in" and (is_wide or is_population(owner, members, label)):
            yield f'no graph holds all by their "{label}"'
        elif any(predicate_use.is_open(context.kg, owner, predicate) for owner in context.owners(turn, predicate)):
            yield f'the graph leaves out many a "{label}"'
    if query.form == "SELECT" and has_condition and (number := _count_lacking(context, readings[0])):
        yield f"{number} members of the list lack the value"


def _count_lacking(context: LintContext, reading: ConditionedList) -> int:
    """Return how many members of the list that a turn selects from have no value for its condition."""
    member, (subject, path, end) = Variable(reading.variable), reading.conditions[0]
    lost = (subject, path, Variable("end")) if subject == member else (Variable("end"), path, end)
    listed, missing = (
        " . ".join(" ".join(term.n3() for term in each) for each in part) for part in (reading.base, [lost])
    )
    run = context.run(f"SELECT DISTINCT {member.n3()} WHERE {{ {listed} FILTER NOT EXISTS {{ {missing} }} }}")
    return len(run.values) if run else 0


@defect("hierarchy", "the gold leaves out what is stated of a part or a kind of the value", by_graph=True)
def _find_hierarchy(context: LintContext, turn: TurnView) -> Iterator[str]:
    """The gold holds what the query gives for what a chain of predicates such as ``broader``, ``part of`` or ``subclass
    of`` leads from to a value in it: what is made of a kind of granite is made of granite."""
    query, text, kg, is_ask, wholes = turn.query, turn.query.text, context.kg, turn.query.form == "ASK", list[str]()
    stated = {value.value for value in context.answers_of(turn) or ()}
    if kg is None or not turn.answerable or query.negated_patterns or (is_ask and stated != {"false"}):
        return
    predicates = [iri for iri, entry in kg.vocabulary.predicates.items() if entry.label.casefold() in _HIERARCHIES]
    steps = "|".join(n3(URIRef(iri)) for iri in dict.fromkeys((*predicates, *kg.profile.subclasses)))
    for subject, path, end in query.patterns if steps else ():
        is_condition = isinstance(path, URIRef) and (is_ask or isinstance(subject, Variable))
        if is_condition and isinstance(end, URIRef) and text.count(n3(end)) == 1:
            variable = f"?below{len(wholes)}"
            head, brace, tail = text.replace(n3(end), variable).rpartition("}")
            text = f"{head} {{ {variable} ({steps})* {n3(end)} }} {brace}{tail}"
            wholes.append(str(end))
    run = context.run(text) if wholes else None
    for value in run.values if run else ():
        if value.value not in {*wholes, *stated}:
            names = " or ".join(f'"{kg.label(URIRef(whole))}"' for whole in wholes)
            yield f'leaves out "{value.text}", by a part or kind of {names}'


@defect("ambiguous-name", "another thing has the name that a question says", by_graph=True)
def _find_ambiguous_name(context: LintContext, turn: TurnView) -> Iterator[str]:
    """A name in a question is the own one of one thing only, or a word for its class tells it from the others."""
    kg, said, words = context.kg, dict[str, str](), set(folded_words(context.mask(turn.standalone)))
    if kg is None or not turn.answerable:
        return
    for iri in (context.dialogue.seed.iri, *context.dialogue.iris_to_name(turn)):
        said |= {name: iri for name in context.names_of(iri) if mentions_name(turn.standalone, name)}
    for name, other in namesakes(kg, said):
        nouns = {head_noun(label.casefold()) for label in context.class_labels(said[name])}
        if nouns.isdisjoint(words) or not nouns.isdisjoint(map(head_noun, context.class_labels(other))):
            yield f'another thing is called "{name}" too'
