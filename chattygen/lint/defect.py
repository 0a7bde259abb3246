"""The kinds of defects that the lint rules find in a benchmark of dialogues."""

from __future__ import annotations

DEFECT_KINDS: dict[str, str] = {
    "format": "the file's own format is not kept",
    "misaligned": "turns, standalone questions and queries do not correspond one to one",
    "turn-count": "more or fewer turns than asked for",
    "query-syntax": "the query does not parse as SPARQL 1.1 (COUNT without AS, ...), or is neither SELECT nor ASK",
    "query-prefix": "the query uses a prefix that it does not declare",
    "query-tight": "legal tokens without a blank (<iri>?x) that rdflib's parser refuses; repaired before judging",
    "query-fails": "the knowledge graph refuses the query (with --kg)",
    "existence-ask": "an ASK that only asks whether there is any value, or is always true",
    "count-of-number": "a COUNT over values that are numbers: the number itself is the answer",
    "metadata": "asks a metadata or identifier predicate",
    "duplicate-query": "the same query as in an earlier turn",
    "restated": "asks again, in another operation or from the other end, what an earlier turn has answered",
    "disagrees": "question and query, form or gold do not ask the same (also: another answer in --answers)",
    "empty-gold": "no gold answer, and the turn is not marked as unanswerable",
    "marked-with-gold": "marked as unanswerable, and yet there is a gold answer",
    "gold-differs": "the query gives another answer than the gold (with --kg)",
    "wording": "one word, no single question mark at the end, markup, or a small first letter",
    "ungrammatical": "doubled words, unbalanced quotes or brackets, wrong helpers or possessives",
    "stiff": 'a stiff rewrite: "the date of birth of her", "titled it", "of she"',
    "label-artefact": "a name as no person writes it: trailing dot, author and year, numeric suffix, User: prefix, ...",
    "ambiguous-name": "another entity has the name of the dialogue's entity (with --kg)",
    "answer-in-question": "a question contains its own answer",
    "label-echo": "the answer is (a part of) the name of what is asked about",
    "not-standalone": "the standalone question does not name what it is about",
    "no-reference": "a follow-up that refers to nothing mentioned before",
    "unresolved": "a reference with no, or more than one, possible antecedent",
    "gender": "he or she, where the gender is not stated (with --kg), or was another in an earlier turn",
    "wrong-link": "the turn does not depend on earlier turns as its link states",
    "not-judged": "the dialogue is not judged: the graph did not answer, or an unexpected error occurred",
}
"""Every kind of defect with what it means, in the order of the table."""
