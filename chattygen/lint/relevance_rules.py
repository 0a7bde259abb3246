"""Rules for what nobody would ask: what says nothing, is of no dialogue, stands at the wrong place, or was asked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chattyshared.dialogue import Value
from chattyshared.kg.metadata_terms import is_metadata_predicate
from chattyshared.language.lexicon import word_list
from chattyshared.sparql.analysis import is_rdf_type
from chattyshared.terms import iri_to_words, local_name
from rdflib import Literal, URIRef, Variable
from rdflib.namespace import XSD

from chattygen.context import predicate_use
from chattygen.context.distractors import are_related
from chattygen.context.predicate_salience import is_askable
from chattygen.context.predicate_use import kind_of_terms, names_category
from chattygen.lint.dialogue_view import TurnView, mentions_part_of_name
from chattygen.lint.lint_context import LintContext
from chattygen.lint.query_parts import conditioned_lists, facts_of, first_hop, relations
from chattygen.lint.rules import defect

MAX_EXACT_WORDS = 4
"""Words: the most of a text that a yes-no question may hold; set by hand."""
_UNASKABLE = re.compile(rf"\b(?:{'|'.join(word_list('relation_labels', 'unaskable'))})\b")
_NAMING = frozenset(("name", "title", "label"))


@defect("unrelated", "a comparison with, or a shift to, what nothing relates to the dialogue", by_graph=True)
def _find_unrelated(context: LintContext, turn: TurnView) -> Iterator[str]:
    """What a turn compares with or shifts to is a thing that an earlier turn or a link relates to the dialogue."""
    iris, query = turn.query.iris, turn.query
    mentioned = context.dialogue.mentioned_before(turn)
    fresh = [iri for iri in iris if iri not in mentioned]
    bound = {str(term) for triple in query.patterns for term in triple}
    is_choice = turn.family == "comparison" or (query.form == "SELECT" and bound.isdisjoint(iris))
    if context.kg is None or not turn.answerable or len(fresh) != 1 or len(iris) > 1 + is_choice:
        return
    topics = next((earlier.query.iris for earlier in context.dialogue.before(turn)[::-1] if earlier.query.iris), ())
    peers = topics[:1] if len(iris) == 1 else [iri for iri in iris if iri != fresh[0]]
    if peers and not any(are_related(context.kg, URIRef(fresh[0]), URIRef(peer)) for peer in peers):
        yield "nothing relates what it brings in to the dialogue"


@defect("uninformative", "metadata, codes, placeholders, nodes that nobody names, one value for all or one for each")
def _find_uninformative(context: LintContext, turn: TurnView) -> Iterator[str]:
    """Values say something: no nodes that nobody names, placeholders, metadata, identifiers, flags and codes, no
    predicates with one value for all, no conditions that one thing meets."""
    if turn.unanswerable or turn.query.syntax_error:
        return
    nodes = [answer for answer in turn.answers if answer.kind == "iri"]
    if nodes and all(_is_nameless(context, node) for node in nodes):
        yield f'asks for "{nodes[0].label}"'
    named = (name for iri in turn.query.iris for name in context.names_of(iri)[:1])
    for text in (*turn.answer_texts, *map(str, turn.query.literals), *named):
        if len(text.split()) == 1 and not is_askable((Literal(text),), unique=False):
            yield f'"{text}" says nothing'
    conditions = [triple for reading in conditioned_lists(turn.query) for triple in reading.conditions]
    for triple in turn.query.patterns:
        subject, path, value = triple
        predicate, is_unique = str(path), False
        if not isinstance(path, URIRef) or (is_rdf_type(path) and isinstance(value, URIRef)):
            continue
        if isinstance(subject, Variable) and isinstance(value, Literal):
            is_unique = context.claims(turn, predicate, predicate_use.is_near_unique)
        is_asked = isinstance(subject, URIRef) or triple in conditions
        is_flag = isinstance(value, Literal) and value.datatype == XSD.boolean  # is it open?
        reasons = {
            "are about the data, or tell things apart": is_unique or _is_metadata(context, turn, predicate),
            "are flags or codes": not is_flag and context.value_kind(turn, predicate) == "code",
            "are the same of all things": is_asked and context.claims(turn, predicate, predicate_use.is_constant),
        }
        label = context.label_of(predicate)
        yield from (f'the values of "{label}" {reason}' for reason, holds in reasons.items() if holds)


def _is_nameless(context: LintContext, node: Value) -> bool:
    """Tell whether an entity is none that people name: it has a code for a label, or its class is of rows, or of values
    with a unit."""
    if node.label == local_name(node.value) and not is_askable((Literal(node.label),), unique=True):
        return True
    return context.kg is not None and context.kg.hidden_class(context.class_of(node.value)) is not None


def _is_metadata(context: LintContext, turn: TurnView, predicate: str) -> bool:
    """Tell whether a predicate is about the data, or one that no question asks about and that is no name."""
    words = f"{iri_to_words(predicate)} {context.label_of(predicate)}".casefold()
    if is_metadata_predicate(predicate) or is_rdf_type(predicate) or not _NAMING.isdisjoint(words.split()):
        return _NAMING.isdisjoint(words.split())
    if context.graph is None or context.entry(predicate) is None:
        return _UNASKABLE.search(words) is not None
    return predicate in context.graph.unaskable and context.value_kind(turn, predicate) not in ("entity", "measure")


@defect("needless-count", "a count of one, of numbers or of categories, or where one value is the rule")
def _find_needless_count(context: LintContext, turn: TurnView) -> Iterator[str]:
    """A count is of several things: not of numbers, of categories, of one, or where one is the rule."""
    if not turn.query.counted_variables or turn.unanswerable:
        return
    if turn.answer_texts == ("1",):
        yield "there is one"
    for _, predicate, side in facts_of(turn.query) if context.kg else ():
        reasons = {
            "counts numbers": context.value_kind(turn, predicate) == "measure",
            "one value is the rule": context.claims(turn, predicate, predicate_use.is_single_valued),
            "counts categories": names_category(context.label_of(predicate)),
        }
        yield from (reason for reason, holds in reasons.items() if holds and side == "out")


@defect("yes-no", "a yes-no question that opens, is about an exact value, or asks only whether there is any")
def _find_yes_no(context: LintContext, turn: TurnView) -> Iterator[str]:
    """A yes-no question is one that people ask: none that opens the dialogue, asks only whether there is any value, or
    whether a value is exactly one."""
    query, triples = turn.query, relations(turn.query)
    if query.form != "ASK" or turn.unanswerable:
        return
    if turn.turn == 1:
        yield "opens the dialogue"
    ends = {end for s, _, o in triples for end in (s, o)}
    free = {str(end) for end in ends if isinstance(end, Variable)}
    if free and len(ends) < len(free) + 2 and free.isdisjoint(query.compared_variables | query.counted_variables):
        yield "only asks whether there is anything"
    for _, predicate, value in triples:
        if isinstance(value, Literal) and value.datatype != XSD.boolean:
            is_exact = kind_of_terms([value]) in ("measure", "code", "contact")
            is_long = len(str(value).split()) > MAX_EXACT_WORDS
            if is_exact or is_long or context.claims(turn, str(predicate), predicate_use.is_near_unique):
                yield f'asks whether it is exactly "{value}"'


@defect("order", "a second step before its bridge, a subset before its list, or what no turn has named")
def _find_order(context: LintContext, turn: TurnView) -> Iterator[str]:
    """What a turn needs stands before it: the entity that it speaks of, the bridge of its two steps or the first step
    as a question, and the list that it selects from."""
    dialogue, query, hop = context.dialogue, turn.query, first_hop(turn.query)
    before, mentioned = dialogue.before(turn), dialogue.mentioned_before(turn)
    if turn.unanswerable or query.syntax_error:
        return
    asked = {fact for earlier in before for fact in facts_of(earlier.query)}
    if hop is not None:
        entity, _, side = hop
        ends = {o if side == "out" else s for s, _, o in turn.witness if (s if side == "out" else o) == entity}
        if turn.family in ("", "path") and hop not in asked and not ends & mentioned:
            yield "asks about what no turn has named"
        return
    names = context.names_of(query.iris[0]) if len(query.iris) == 1 else ()
    if before and names and query.iris[0] not in mentioned:
        if not any(mentions_part_of_name(turn.question, name) for name in names):
            yield f'no turn has named "{names[0]}"'
    lists = list(conditioned_lists(query))
    is_selection = query.form == "SELECT" and turn.family != "lookup" and any(each.conditions for each in lists)
    is_known = bool(turn.answer_iris) and mentioned.issuperset(turn.answer_iris)
    is_known |= not before and turn.question == turn.standalone  # an opening may say its set in full
    if is_selection and not is_known and asked.isdisjoint(each.fact for each in lists):
        yield "selects from a list that no turn has asked for"


@defect("repeated", "asks again, in any form or from the other end, what an earlier turn has answered")
def _find_repeated(context: LintContext, turn: TurnView) -> Iterator[str]:
    """No earlier turn has the same query, asks for the same fact by another operation, or has passed it on its way."""
    query, facts = turn.query, set(facts_of(turn.query))
    for earlier in context.dialogue.before(turn) if turn.sparql.strip() and not query.syntax_error else ():
        known = context.dialogue.mentioned_before(earlier)
        asked = {fact for fact in facts_of(earlier.query) if earlier.query.form != "ASK" or fact[0] in known}
        hop = first_hop(earlier.query)
        if query.canonical_text == earlier.query.canonical_text or facts & asked:
            yield f"turn {earlier.turn} has asked this already"
        elif hop is not None and hop in facts and query.form == "ASK":
            yield f"follows from turn {earlier.turn}"
