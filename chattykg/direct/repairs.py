"""Repair by execution: small faults of a query that a model wrote, mended where the graph tells that they are faults.

A repair keeps what a query says. A text that no engine can read is put in order; a name that the graph does not have
becomes the nearest one of its type; and of a query that gives nothing, a triple is turned whose ends only fit the other
way round, and texts and dates are compared as the graph states them. Answer and trace tell the repairs by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.morphology import label_stems_of, normalize_text
from chattyshared.sparql.analysis import PREFIX_DECLARATION, analyze_query
from chattyshared.sparql.query_layout import QueryToken, tokenize_query
from chattyshared.sparql.repair import normalize_select_clauses
from chattyshared.terms import iri_to_words, n3
from rdflib import URIRef

from chattykg.direct.mismatches import QueryCheck
from chattykg.direct.outcome import QueryOutcome, read_bare_query
from chattykg.direct.schema_lines import kind_of_datatype
from chattykg.direct.schema_prompt import SchemaPrompt
from chattykg.experience.query_kinds import kinds_of_question
from chattykg.linking.similarity import lexical_similarity

MIN_NAME_SIMILARITY = 0.6
"""Similarity (0..1) of an invented name and a label from which the label's term is meant. Set by hand."""
MAX_TURNED, MAX_VARIANTS = 2, 8
"""Triples that are turned together, and variants of a query that are run, at most."""
_CONNECTIVE = re.compile(r"\)\s*&&\s*(?=FILTER\b)", re.IGNORECASE)
_SIGNS = {"AND": "&&", "OR": "||"}
_LOGIC = re.compile(r'"(?:[^"\\\n]|\\.)*"|(?<=\s)(?:AND|OR)(?=\s)', re.IGNORECASE)
_INNER_MODIFIERS = re.compile(
    r"(?<![.\s])[.\s]*((?:(?:GROUP|ORDER)\s+BY|HAVING|LIMIT|OFFSET)\b[^{}]*)\}([^{}]*)$", re.IGNORECASE
)
_MARKED_NAME = re.compile(r"[?$](?=<|\w+:\w)")
_COUNTED = re.compile(r"\bCOUNT\s*\(\s*(?=[?$]\w)", re.IGNORECASE)
_SELECTED = re.compile(r"\bSELECT\s+(?:DISTINCT\s+)?([?$]\w+)\s+(?:WHERE\s*)?(?=\{)", re.IGNORECASE)
_ASKED = re.compile(r"\bASK\s*(?:WHERE\s*)?(?=\{)", re.IGNORECASE)
_VARIABLE, _YEAR, _DATE = re.compile(r"[?$]\w+"), re.compile(r"[12]\d{3}"), re.compile(r"\d{4}-\d\d-\d\d")
_NAMED = r'\bFILTER\s*\(\s*(?:\w+\s*\(\s*)*([?$]\w+)[\s)]*=\s*"{name}"(?:@[\w-]+)?[\s)]*\)'
"""A condition that a variable is called by a name."""
_VALUES_STATED, _TURNED = "values compared as the graph states them", "a triple turned"
_COMPARISONS = frozenset(("=", "<", ">"))


def mend_text(sparql: str) -> tuple[str, tuple[str, ...]]:
    """Return a query that no engine can read in a form that it can, with the names of the repairs; else unchanged."""
    mended = sparql
    names: list[str] = []
    for name, step in (
        ("modifiers put behind the brackets", lambda text: _INNER_MODIFIERS.sub(r" }\2 \1", text)),
        ("conditions put apart", lambda text: _CONNECTIVE.sub(") ", text)),
        (
            "words of logic written as signs",
            lambda text: _LOGIC.sub(lambda word: _SIGNS.get(word[0].upper(), word[0]), text),
        ),
        ("columns named", normalize_select_clauses),
        ("marks of variables before names left out", lambda text: _MARKED_NAME.sub("", text)),
    ):
        if not analyze_query(mended).syntax_error:
            break
        changed = step(mended)
        if changed != mended:
            mended, names = changed, [*names, name]
    return (sparql, ()) if analyze_query(mended).syntax_error else (mended, tuple(names))


@dataclass(frozen=True, slots=True)
class _Triple:
    """The places of the terms of a triple pattern among the tokens of a query."""

    subject: int
    predicate: int
    object: int


class QueryMender:
    """Mends the queries of one question; ``run`` takes a query and its shape, and runs it."""

    def __init__(
        self, kg: KnowledgeGraph, schema_prompt: SchemaPrompt, question: str, run: Callable[[str, str], QueryOutcome]
    ) -> None:
        self._kg, self._prompt, self._run = kg, schema_prompt, run
        self._kinds = kinds_of_question(question)

    def name_terms(self, sparql: str, unknown: Sequence[str], unknown_words: Sequence[str]) -> str:
        """Return a query with the nearest term of its type in place of each name that the graph does not have.

        A name with one of the ``unknown_words`` of the question stays: the graph has nothing that it stands for.
        """
        barred = {stem for word in unknown_words for stem in label_stems_of(word)}
        text = _QueryText(sparql)
        for place, token in enumerate(text.tokens):
            if text.expand(place) not in unknown and token.text not in unknown:
                continue
            entries: Mapping[str, str] = {vertex.iri: vertex.label for vertex in self._prompt.vertices}
            if any(triple.predicate == place for triple in text.triples):
                entries = {iri: entry.label for iri, entry in self._kg.vocabulary.predicates.items()}
            elif place and text.tokens[place - 1].text == "a":
                entries = {iri: entry.label for iri, entry in self._kg.vocabulary.classes.items()}
            words = iri_to_words(text.expand(place) or token.text.partition(":")[2]).replace("_", " ")
            if not barred.isdisjoint(label_stems_of(words)):
                continue
            scored = ((lexical_similarity(words, label), iri) for iri, label in entries.items())
            score, iri = max(scored, default=(0.0, ""))
            if score >= MIN_NAME_SIMILARITY:
                text.edits[place] = f"<{iri}>"
        return text.write()

    def widen_classes(self, sparql: str) -> str:
        """Return a query in which a class takes in its kinds: a path over subclasses for ``a``, where it has some."""
        text, profile = _QueryText(sparql), self._kg.profile
        path = f"{n3(URIRef(profile.types[0]))}/{n3(URIRef(profile.subclasses[0]))}*" if profile.subclasses else ""
        for triple in text.triples if path else ():
            iri = text.expand(triple.object)
            if text.tokens[triple.predicate].text == "a" and self._kg.vocabulary.subclasses(iri) - {iri}:
                text.edits[triple.predicate] = path
        return text.write()

    def bind_names(self, sparql: str) -> str:
        """Return a query with the things of the question that it leaves out in the place of the one variable that each
        may stand for: one that is not selected, whose triple patterns a thing of this type fits.
        """
        mentions = [vertex.mention for vertex in self._prompt.vertices]
        for vertex in self._prompt.vertices:
            if mentions.count(vertex.mention) > 1 or f"<{vertex.iri}>" in sparql:
                continue
            named = re.compile(_NAMED.format(name=re.escape(vertex.label)), re.IGNORECASE)
            text = _QueryText(named.sub(" ", sparql))
            selected = set(_VARIABLE.findall(text.sparql.partition("{")[0]))
            fitting = {variable for variable, fits in self._ends_for(text, vertex.types).items() if fits}
            told = {match[1] for match in named.finditer(sparql)} & fitting
            free = told or fitting - selected
            places = [place for place, token in enumerate(text.tokens) if len(free) == 1 and token.text in free]
            places = places or [place for t in text.triples for place in self._own_ends(text, t, vertex.types)]
            text.edits = dict.fromkeys(places, f"<{vertex.iri}>")
            sparql = text.write() if places else sparql
        return sparql

    def _own_ends(self, text: _QueryText, triple: _Triple, types: tuple[str, ...]) -> Iterator[int]:
        """Yield the end that things of some classes fit, of a triple pattern that leads from a variable to itself."""
        entry = self._entry(text, triple)
        if entry is not None and text.tokens[triple.subject].text == text.tokens[triple.object].text:
            fits = self._kg.vocabulary.may_share_members
            ends = ((triple.subject, entry.domains), (triple.object, entry.ranges))
            yield from [place for place, classes in ends if classes and fits(types, classes)][:1]

    def _ends_for(self, text: _QueryText, types: tuple[str, ...]) -> Mapping[str, bool]:
        """Return the variables at the ends of triple patterns, and whether things of some classes fit all of them."""
        fits: dict[str, bool] = {}
        for triple in text.triples:
            if (entry := self._entry(text, triple)) is not None:
                for place, classes in ((triple.subject, entry.domains), (triple.object, entry.ranges)):
                    is_fit = bool(classes) and self._kg.vocabulary.may_share_members(types, classes)
                    if _VARIABLE.fullmatch(variable := text.tokens[place].text):
                        fits[variable] = fits.get(variable, True) and is_fit
        return fits

    def mend_empty(self, outcome: QueryOutcome) -> QueryOutcome:
        """Return the outcome of the first variant of a query that gives something; the same outcome if none does."""
        text = _QueryText(outcome.sparql)
        texts = self._state_values(text)
        variants: list[tuple[str, tuple[str, ...]]] = []
        variants += [(texts, (_VALUES_STATED,))] * (texts != outcome.sparql)
        variants += [(turned, (_TURNED,)) for turned in self._turn(outcome.sparql)]
        if texts != outcome.sparql:
            variants += [(turned, (_VALUES_STATED, _TURNED)) for turned in self._turn(texts)]
        for sparql, names in variants[:MAX_VARIANTS]:
            try:
                found = self._run(sparql, outcome.shape)
            except QUERY_ERRORS:
                continue
            is_fitting = found.truth is not None and _TURNED in names  # a no, too, once the triple fits the schema
            if is_fitting or not (found.is_empty or found.is_negative):
                return replace(found, repairs=(*outcome.repairs, *names))
        return outcome

    def fit_question(self, outcome: QueryOutcome) -> QueryOutcome:
        """Return the outcome in the shape that the question's words ask for: a list counted, a truth or a list."""
        sparql, name = outcome.sparql, ""
        selected = _SELECTED.search(sparql)
        if self._kinds & {"count", "boolean", "superlative"} == {"count"} and selected and len(outcome.columns) == 1:
            if not outcome.is_numeric:
                counted = f"SELECT (COUNT(DISTINCT {selected[1]}) AS ?number) WHERE "
                sparql, name = sparql[: selected.start()] + counted + sparql[selected.end() :], "the list counted"
        elif outcome.truth is not None and "boolean" not in self._kinds:
            variables = set(_VARIABLE.findall(sparql))
            if len(variables) == 1:
                sparql = _ASKED.sub(lambda _: f"SELECT DISTINCT {variables.pop()} WHERE ", sparql, count=1)
                name = "the list selected"
        elif _COUNTED.search(sparql):
            sparql, name = _COUNTED.sub("COUNT(DISTINCT ", sparql), "different things counted"
        if not name:
            return outcome
        try:
            found = self._run(sparql, str(read_bare_query(sparql)["shape"]))
        except QUERY_ERRORS:
            return outcome
        is_same = found.rows and outcome.rows and found.first_term() == outcome.first_term()
        return outcome if is_same or found.is_empty else replace(found, repairs=(*outcome.repairs, name))

    def _turn(self, sparql: str) -> Iterator[str]:
        """Yield the query with triples turned that contradict the schema as they are written, and do not so turned."""
        as_written = QueryCheck(sparql, self._prompt, self._kg).mismatches()
        places = [triple.predicate for triple in _QueryText(sparql).triples]
        for size in range(1, MAX_TURNED + 1) if as_written else ():
            for chosen in combinations(places, size):
                text = _QueryText(sparql)
                text.edits = {place: f"^{text.tokens[place].text}" for place in chosen}
                turned = text.write()
                if not QueryCheck(turned, self._prompt, self._kg).mismatches():
                    yield turned

    def _state_values(self, text: _QueryText) -> str:
        """Return a query whose values stand as the graph states them: things for their labels, texts in small letters,
        dates as dates."""
        predicates = {text.tokens[t.object].text: self._entry(text, t) for t in text.triples}
        things = {normalize_text(v.label): v.iri for v in reversed(self._prompt.vertices)}
        labels = {vertex.iri: vertex.label for vertex in self._prompt.vertices}
        for number, triple in enumerate(text.triples):
            entry, token = self._entry(text, triple), text.tokens[triple.object]
            said = text.string(triple.object)
            if entry is None:
                continue
            if said is not None and entry.object_kind == "iri" and normalize_text(said) in things:
                text.edits[triple.object] = f"<{things[normalize_text(said)]}>"
            elif said is not None and entry.object_kind == "literal":
                text.compare(triple.object, f"?text{number}", said)
            elif token.kind == "iri" and entry.object_kind == "literal" and token.text[1:-1] in labels:
                text.compare(triple.object, f"?text{number}", labels[token.text[1:-1]])
        for place, token in enumerate(text.tokens[:-2]):
            operator = text.tokens[place + 1].text
            value = place + (3 if text.tokens[place + 2].text == "=" else 2)
            entry = predicates.get(token.text) if _VARIABLE.fullmatch(token.text) else None
            if entry is None or operator not in _COMPARISONS or value >= len(text.tokens) or place in text.ends:
                continue
            said, kinds = text.string(value), {kind_of_datatype(datatype) for datatype in entry.datatypes}
            if said is not None and entry.object_kind == "iri" and normalize_text(said) in things:
                text.edits[value] = f"<{things[normalize_text(said)]}>"
            elif kinds == {"date"} and _YEAR.fullmatch(said or text.tokens[value].text):
                text.edits |= {place: f"YEAR({token.text})", value: said or text.tokens[value].text}
            elif said is not None and kinds == {"date"} and _DATE.fullmatch(said):
                text.edits[value] = f'"{said}"^^<{entry.datatypes[0]}>'
            elif said is not None and kinds == {"text"} and operator == "=":
                text.edits |= {place: f"LCASE(STR({token.text}))", value: _quote(said)}
        return text.write()

    def _entry(self, text: _QueryText, triple: _Triple) -> PredicateEntry | None:
        return self._kg.vocabulary.predicates.get(text.expand(triple.predicate))


@dataclass(slots=True)
class _QueryText:
    """The tokens of a query, its plain triple patterns, and edits of tokens by their place.

    ``ends`` are the places of terms of triple patterns. A query that cannot be read has no tokens and stays unchanged.
    """

    sparql: str
    tokens: list[QueryToken] = field(init=False)
    triples: list[_Triple] = field(init=False)
    edits: dict[int, str] = field(default_factory=dict)
    ends: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = tokenize_query(self.sparql) or []
        self.triples = list(self._read_triples())
        self.ends = frozenset(place for t in self.triples for place in (t.subject, t.predicate, t.object))

    def write(self) -> str:
        """Return the query with its edits."""
        if not self.edits:
            return self.sparql
        texts = (self.edits.get(place, token.text) for place, token in enumerate(self.tokens))
        return "".join(f"{' ' * token.is_spaced}{text}" for token, text in zip(self.tokens, texts, strict=True))

    def expand(self, place: int) -> str:
        """Return the IRI of a token; "" if it is none."""
        text = self.tokens[place].text
        if self.tokens[place].kind == "iri":
            return text[1:-1]
        prefix, colon, local = text.partition(":")
        space = dict(PREFIX_DECLARATION.findall(self.sparql)).get(prefix) if colon else None
        return "" if space is None else space + local

    def string(self, place: int) -> str | None:
        """Return the text of a string; None if the token is none."""
        token = self.tokens[place]
        return token.text[1:-1] if token.kind == "text" and not token.text.startswith(('"""', "'''")) else None

    def compare(self, place: int, variable: str, said: str) -> None:
        """Put a variable in the place of a value, with a condition in small letters at the end of its group."""
        depth = 0
        for at in range(place, len(self.tokens)):
            depth += (self.tokens[at].text == "{") - (self.tokens[at].text == "}")
            if depth < 0:
                condition = f"FILTER(LCASE(STR({variable})) = {_quote(said)})"
                self.edits[at] = f" {condition} {self.edits.get(at, '}')}"
                self.edits[place] = variable
                self._drop_tag(place + 1)
                return

    def _drop_tag(self, place: int) -> None:
        """Leave out the language tag or the datatype at a place."""
        length = {"@": 2, "^": 3}.get(self.tokens[place].text, 0)
        self.edits |= dict.fromkeys(range(place, place + length), "")

    def _read_triples(self) -> Iterator[_Triple]:
        """Yield the plain triple patterns: three terms each, without paths, lists and blank nodes in brackets."""
        terms: list[int] = []
        depth, parentheses, skipped = 0, 0, False
        for place, token in enumerate(self.tokens):
            parentheses += (token.text == "(") - (token.text == ")")
            if token.text in "{}":
                depth += 1 if token.text == "{" else -1
                terms, skipped = [], False
            elif not depth or parentheses or token.text == ")":
                terms = [] if parentheses else terms
            elif token.text in (".", ";", ","):
                terms, skipped = terms[: {".": 0, ";": 1, ",": 2}[token.text]], False
            elif token.text.upper() in ("FILTER", "OPTIONAL", "BIND", "VALUES", "MINUS", "UNION", "NOT", "EXISTS"):
                terms = []
            elif _is_term(token):
                is_tag = place > 0 and self.tokens[place - 1].text in "@^"
                terms = terms if is_tag else [*terms, place]
                if len(terms) == 3 and not is_tag and not skipped:
                    yield _Triple(*terms)
            elif token.text not in "@^" or len(terms) < 3:
                skipped = True  # a path, a list or brackets


def _is_term(token: QueryToken) -> bool:
    return token.kind in ("iri", "text") or (token.kind == "word" and re.match(r"[?$\w]", token.text) is not None)


def _quote(text: str) -> str:
    return '"' + text.lower().replace("\\", "\\\\").replace('"', '\\"') + '"'
