"""Rules for questions that nobody would ask, and for what a graph does not hold whole: exact values, flags and codes,
shared names; lists, counts and conditions over what things lack or narrower values state."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chattyshared.check import Finding
from chattyshared.dialogue import Value
from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.metadata_terms import is_metadata_predicate
from chattyshared.language.inflection import head_noun
from chattyshared.language.lexicon import alternation, load_lexicon, word_list, word_set
from chattyshared.profile import ALT_LABEL_PREDICATES, LABEL_PREDICATES
from chattyshared.sparql.analysis import QueryAnalysis, is_rdf_type
from chattyshared.terms import iri_to_words, local_name, n3
from rdflib import Literal, URIRef, Variable

from chattygen.context import predicate_use
from chattygen.context.distractors import are_related
from chattygen.context.predicate_salience import is_askable
from chattygen.context.predicate_use import WORLDWIDE, is_population, kind_of_terms, names_category
from chattygen.lint.dialogue_view import DialogueView, TurnView, mentions_name, value_text
from chattygen.lint.kg_facts import MAX_TYPED_ANSWERS, KGFacts
from chattygen.lint.query_parts import conditioned_lists, facts_of, relations

MAX_EXACT_WORDS = 4
"""Words: the most of a text that a yes-no question may hold; this and the limits below are set by hand."""
MAX_PEERS = 4
"""Things per turn that what it brings in may be related to."""
MAX_NARROWER = 30
"""Values below one of a query by which the query runs again, at most."""
_CODED = re.compile(r"(?=.*\d)(?:[^\s_]*\d{3}|[^\s_]*-[^\s_]*)[^\s_]*")
_IDENTIFIER = re.compile(
    rf"\b(?:{'|'.join(word_list('relation_labels', 'unaskable'))})\b|^(?:geo|has geo|lat|long|lon|point)$"
)
_AMOUNT = re.compile(
    rf"^(?:number|count|total|amount|sum)\b|\b(?:{'|'.join(word_list('relation_labels', 'amounts'))})$"
)
_NAMING = frozenset((*LABEL_PREDICATES, *ALT_LABEL_PREDICATES)) - {"http://purl.org/dc/terms/title"}
_AS_RECORDED = re.compile(rf"\b(?:{load_lexicon('question_defects')['parts']['as_recorded']})\b", re.IGNORECASE)
"""A question that asks what the data holds, and closes over nothing: ``as far as is recorded``."""
_HIERARCHIES = word_set("relation_labels", "subclass_of", "narrower_than")


def relevance_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge whether somebody would ask each question."""
    for turn in dialogue.turns:
        if turn.query.syntax_error or turn.unanswerable:
            continue
        for kind, reason in (
            ("yes-no", _pointless_yes_no(turn, kg_facts) if turn.query.form == "ASK" else ""),
            ("unrelated", _unrelated(dialogue, turn, kg_facts.kg) if kg_facts.kg else ""),
            ("uninformative", next(_uninformative(dialogue, turn, kg_facts), "")),
            ("needless-count", _needless_count(turn, kg_facts) if turn.query.counted_variables else ""),
        ):
            if reason:
                yield turn.finding(kind, reason)


def _pointless_yes_no(turn: TurnView, kg_facts: KGFacts) -> str:
    """Return why a yes-no question is none that people ask: it opens the dialogue, asks only whether there is any
    value, or whether a value is exactly one."""
    query, triples = turn.query, relations(turn.query)
    if turn.number == 1:
        return "opens the dialogue"
    ends = [end for s, _, o in triples for end in (s, o)]
    free = {str(end) for end in ends if isinstance(end, Variable)}
    is_compared = not free.isdisjoint(query.compared_variables | query.counted_variables)
    if free and len({end for end in ends if not isinstance(end, Variable)}) < 2 and not is_compared:
        return "only asks whether there is anything"
    for _, predicate, value in triples:
        if isinstance(value, Literal):
            is_exact = kind_of_terms([value]) in ("measure", "code", "contact")
            is_long = len(str(value).split()) > MAX_EXACT_WORDS
            if is_exact or is_long or kg_facts.claims(turn, str(predicate), predicate_use.is_near_unique):
                return f'asks whether it is exactly "{value}"'
    return ""


def _unrelated(dialogue: DialogueView, turn: TurnView, kg: KnowledgeGraph) -> str:
    """Return why a turn compares with, or shifts to, a thing that no earlier turn and no link relates."""
    iris = turn.query.iris
    fresh = [iri for iri in iris if iri not in dialogue.mentioned_before(turn)]
    is_shift = turn.link == "shift" and turn.answerable and len(iris) == 1
    bound = {str(term) for triple in turn.query.patterns for term in triple}
    is_choice = turn.form == "comparison" or (turn.query.form == "SELECT" and bound.isdisjoint(iris))
    if len(fresh) != 1 or not (is_shift or (len(iris) == 2 and is_choice)):
        return ""
    topics = next((earlier.query.iris for earlier in reversed(dialogue.before(turn)) if earlier.query.iris), ())
    peers = [iri for iri in (topics[:1] if is_shift else iris) if iri != fresh[0]]
    is_near = any(are_related(kg, URIRef(fresh[0]), URIRef(peer)) for peer in peers[:MAX_PEERS])
    return "nothing relates what it brings in to the dialogue" if peers and not is_near else ""


def _uninformative(dialogue: DialogueView, turn: TurnView, kg_facts: KGFacts) -> Iterator[str]:
    """Yield why the values say nothing: nodes that nobody names, placeholders, metadata, identifiers, flags and codes,
    predicates with one value for all, conditions that one thing meets."""
    nodes = [answer for answer in turn.answers or () if answer.kind == "iri"]
    if nodes and (all(map(_is_coded, nodes)) or _are_hidden(turn, kg_facts)):
        yield f'asks for "{nodes[0].label}"'
    named = (name for iri in turn.query.iris for name in dialogue.names_of(iri)[:1])
    for text in (*turn.answer_texts, *map(str, turn.query.literals), *named):
        if len(text.split()) == 1 and not is_askable((Literal(text),), unique=False):
            yield f'"{text}" says nothing'
    conditions = [triple for reading in conditioned_lists(turn.query) for triple in reading.conditions]
    for triple in turn.query.patterns:
        subject, path, value = triple
        for predicate in QueryAnalysis("", patterns=(triple,)).predicates:
            reason = ""
            if _is_metadata(turn, predicate, value, kg_facts):
                reason = "are about the data, or tell things apart"
            elif isinstance(path, URIRef) and not is_rdf_type(predicate):
                is_asked = isinstance(subject, URIRef) or triple in conditions
                if _are_codes(turn, predicate, value, kg_facts):
                    reason = "are flags or codes"
                elif is_asked and kg_facts.claims(turn, predicate, predicate_use.is_constant):
                    reason = "are the same of all things"
                elif isinstance(subject, Variable) and isinstance(value, Literal):
                    is_unique = kg_facts.claims(turn, predicate, predicate_use.is_near_unique)
                    reason = "identify one thing each" if is_unique else ""
            if reason:
                yield f'the values of "{kg_facts.label_of(predicate)}" {reason}'


def _is_coded(node: Value) -> bool:
    return node.label == local_name(node.value) and _CODED.fullmatch(node.label) is not None


def _are_hidden(turn: TurnView, kg_facts: KGFacts) -> bool:
    """Tell whether all answers are of classes whose things nobody names: rows, values with a unit."""
    kg, classes = kg_facts.kg, {kg_facts.class_of(iri) for iri in turn.answer_iris[:MAX_TYPED_ANSWERS]}
    return kg is not None and bool(classes) and all(name and kg.hidden_class(name) is not None for name in classes)


def _is_metadata(turn: TurnView, predicate: str, value: object, kg_facts: KGFacts) -> bool:
    """Tell whether a predicate is an identifier, a web page, a position, or about the data: by the KG, else by name."""
    kg, words = kg_facts.kg, iri_to_words(predicate).casefold()
    is_type = is_rdf_type(predicate) or (kg is not None and predicate in kg.profile.types)
    is_name = predicate in _NAMING or (kg is not None and not {"name", "title", "label"}.isdisjoint(words.split()))
    if is_name or (is_type and isinstance(value, URIRef)):
        return False
    is_named_so = is_metadata_predicate(predicate) or bool(_IDENTIFIER.search(words))
    if kg is None or is_type:
        return is_named_so or is_type
    kind = kg_facts.value_kind(turn, predicate)
    is_named_so &= kind != "entity" or is_metadata_predicate(predicate)
    return predicate in kg_facts.excluded_predicates and (is_named_so or kind not in ("measure", "entity"))


def _are_codes(turn: TurnView, predicate: str, value: object, kg_facts: KGFacts) -> bool:
    """Tell whether values are flags or codes: by the KG, or by the value in the query or the answers."""
    kind = kg_facts.value_kind(turn, predicate)
    if kind != "unknown":
        return kind == "code"
    literals = [value] if isinstance(value, Literal) else []
    if str(value) in turn.query.result_variables:
        literals = [Literal(answer.value) for answer in turn.answers or () if answer.kind == "literal"]
    return bool(literals) and kind_of_terms(literals) == "code"


def _needless_count(turn: TurnView, kg_facts: KGFacts) -> str:
    """Return why a count is needless: it counts numbers, categories or one, or one is the rule."""
    if turn.answer_texts == ("1",):
        return "there is one"
    for subject, path, end in relations(turn.query):
        is_whole = "*" in turn.query.counted_variables and len(turn.query.patterns) == 1 and isinstance(subject, URIRef)
        if str(end) in turn.query.counted_variables or is_whole:
            by_name = not kg_facts.kg and _AMOUNT.search(iri_to_words(str(path)).casefold())
            if by_name or kg_facts.value_kind(turn, str(path)) == "measure":
                return "counts numbers"
    for _, predicate, side in facts_of(turn.query):
        if side == "out" and kg_facts.claims(turn, predicate, predicate_use.is_single_valued):
            return "one value is the rule"
        if side == "out" and kg_facts.kg and names_category(kg_facts.label_of(predicate)):
            return "counts categories"
    return ""


def completeness_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge what questions close over, and whether a name means one thing; only a KG tells it."""
    if kg_facts.kg is None:
        return
    for turn in dialogue.turns:
        if turn.query.syntax_error or not turn.answerable:
            continue
        if not _AS_RECORDED.search(turn.question):
            if reason := _open_list(turn, kg_facts) or _lacking(dialogue, turn, kg_facts):
                yield turn.finding("open-list", reason)
        if lost := _left_out(turn, kg_facts, kg_facts.kg):
            yield turn.finding("hierarchy", lost)
    yield from _shared_names(dialogue, kg_facts.kg)


def _open_list(turn: TurnView, kg_facts: KGFacts) -> str:
    """Return why a list, or a count, of the things that lead to an entity is not whole: not all of them state it."""
    query = turn.query
    is_list = turn.has_list and not any(reading.conditions for reading in conditioned_lists(query))
    for entity, predicate, side in facts_of(query) if query.form == "SELECT" else ():
        label, owner = kg_facts.label_of(predicate), kg_facts.class_labels(entity)
        members = next(filter(None, map(kg_facts.class_labels, turn.answer_iris)), (turn.answer_type,))
        is_wide = bool(query.counted_variables) and not WORLDWIDE.isdisjoint(map(head_noun, owner))
        if not query.counted_variables and not (is_list and side == "in"):
            continue
        if side == "in" and (is_wide or is_population(owner, members, label)):
            return f'no graph holds all by their "{label}"'
        if kg_facts.is_open(turn, predicate):
            return f'the graph leaves out many a "{label}"'
    return ""


def _lacking(dialogue: DialogueView, turn: TurnView, kg_facts: KGFacts) -> str:
    """Return how many members of the list that a turn selects from have no value for its condition."""
    earlier = {fact for other in dialogue.before(turn) for fact in facts_of(other.query)}
    readings = sorted(conditioned_lists(turn.query), key=lambda each: each.fact not in earlier)
    if turn.query.form == "ASK" or not readings or not readings[0].conditions:
        return ""
    base, member = readings[0].base, Variable(readings[0].variable)
    subject, path, end = readings[0].conditions[0]
    lost = (subject, path, Variable("end")) if subject == member else (Variable("end"), path, end)
    if not all(isinstance(term, (URIRef, Literal, Variable)) for triple in (*base, lost) for term in triple):
        return ""
    listed, missing = (" . ".join(" ".join(term.n3() for term in each) for each in part) for part in (base, [lost]))
    query = f"SELECT DISTINCT {member.n3()} WHERE {{ {listed} FILTER NOT EXISTS {{ {missing} }} }}"
    try:
        number = len(kg_facts.run(query, is_ask=False))
    except QUERY_ERRORS:
        return ""
    return f"{number} members of the list lack the value" if number else ""


def _left_out(turn: TurnView, kg_facts: KGFacts, kg: KnowledgeGraph) -> str:
    """Return what the query also gives by what is below the values in it, and the gold does not hold: what is made of a
    kind of granite is made of granite."""
    query, stated = turn.query, turn.answers if turn.answers is not None else kg_facts.results.get(turn.number, ())
    is_ask, text, wholes = query.form == "ASK", query.text, list[URIRef]()
    if query.negated_patterns or (is_ask and turn.answer_values != {"false"}):
        return ""
    try:
        for subject, path, end in query.patterns:
            is_condition = isinstance(path, URIRef) and (is_ask or isinstance(subject, Variable))
            if not (is_condition and isinstance(end, URIRef) and text.count(n3(end)) == 1):
                continue
            if narrower := _narrower_values(kg, end):
                values, variable = " ".join(map(n3, (end, *narrower))), f"?below{len(wholes)}"
                head, brace, tail = text.replace(n3(end), variable).rpartition("}")
                text = f"{head} VALUES {variable} {{ {values} }} {brace}{tail}"
                wholes.append(end)
        found = kg_facts.run(text, is_ask=is_ask) if wholes else ()
    except QUERY_ERRORS:  # of a big graph, hierarchies may be too deep to read
        return ""
    known = {*map(str, wholes), *(value.value for value in stated)}
    more = [value for value in found if value.value not in known]
    names = " or ".join(f'"{kg.label(whole)}"' for whole in wholes)
    return f'leaves out "{value_text(more[0])}", by a part or kind of {names}' if more else ""


def _narrower_values(kg: KnowledgeGraph, whole: URIRef) -> list[URIRef]:
    """Return what a chain of predicates such as ``broader``, ``part of`` or ``subclass of`` leads from to a thing."""
    predicates = [iri for iri, entry in kg.vocabulary.predicates.items() if entry.label.casefold() in _HIERARCHIES]
    steps = "|".join(n3(URIRef(iri)) for iri in dict.fromkeys((*predicates, *kg.profile.subclasses)))
    rows = kg.endpoint.select(
        f"SELECT DISTINCT ?x WHERE {{ ?x ({steps})+ {n3(whole)} FILTER(?x != {n3(whole)}) }} "
        f"ORDER BY ?x LIMIT {MAX_NARROWER}"
    )
    return [x for row in rows if isinstance(x := row.get("x"), URIRef)]


def _shared_names(dialogue: DialogueView, kg: KnowledgeGraph) -> Iterator[Finding]:
    """Find the first question that says a name which another thing bears as its own, without a word for its class."""
    said: dict[str, tuple[str, TurnView]] = {}
    for turn in dialogue.turns:
        for iri in dict.fromkeys((dialogue.seed.iri, *dialogue.iris_to_name(turn))):
            for name in dialogue.names_of(iri):
                if mentions_name(turn.standalone, name) and not _says_class(dialogue, iri, name, turn.standalone, kg):
                    said.setdefault(name, (iri, turn))
    hits = kg.find_exact(list(said)) if said else {}
    for name, (iri, turn) in said.items():
        others = [hit.iri for hit in hits[name] if hit.iri != iri and _fold(hit.label) == _fold(name)]
        if any(other not in kg.vocabulary.classes for other in others):
            yield turn.finding("ambiguous-name", f'another thing is called "{name}" too')


def _says_class(dialogue: DialogueView, iri: str, name: str, text: str, kg: KnowledgeGraph) -> bool:
    """Tell whether a text has a word for the class of a thing beside its name: ``the lighthouse Ormen Light``."""
    own = dialogue.seed.type if iri == dialogue.seed.iri else ""
    types = [*kg.types_of([URIRef(iri)])[URIRef(iri)], *([own] if own else ())]
    nouns = alternation(label.split()[-1] for label in (*map(iri_to_words, types), *map(kg.label, map(URIRef, types))))
    pattern = rf"\b(?:{nouns})\b(?: \w+)? [\"'“‘(]?{re.escape(name)}|{re.escape(name)}[\"'”’]?,? (?:\(|the |an? )?"
    return bool(types) and re.search(rf"{pattern}(?:\w+ )?(?:{nouns})\b", text, re.IGNORECASE) is not None


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())
