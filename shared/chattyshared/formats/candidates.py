"""Lists of candidate queries beside questions: plain JSON, our answers files, QALD-like files, MemQA's replies.

A question has a list ``candidates`` or ``queries``, else the one query ``sparql``. A candidate is a text, or an object
with ``query`` and perhaps ``score``. Nothing else of it is read: MemQA's ``correct`` and ``confidence`` tell which
query is right.
"""

from __future__ import annotations

from collections.abc import Iterator

from chattyshared.dialogue import CandidateQuery
from chattyshared.formats.reading import JsonNode, ParsedFile
from chattyshared.questions import Question

LIST_KEYS = ("candidates", "queries")
"""The keys of a question's list."""


def parse_candidate_lists(file: JsonNode) -> ParsedFile:
    """Parse one question with its list, or a JSON list of such.

    Raises:
        BenchmarkInvalid: a value is missing or has the wrong type.
    """
    items = enumerate([file] if isinstance(file.value, dict) else file.elements(), 1)
    return ParsedFile(tuple(
        Question(
            item["id"].id(number), item["question"].text(), lang=_language(item),
            extra={key: part for key, part in item.mapping().items() if key in (*LIST_KEYS, "sparql")},
        )
        for number, item in items
    ))  # fmt: skip


def read_candidates(question: Question, file: str = "") -> tuple[CandidateQuery, ...] | None:
    """Return the candidates of a question, best first; None if it has neither a list nor a query.

    Raises:
        BenchmarkInvalid: the list, or a candidate in it, has the wrong type.
    """
    # In an answers file "queries" is a number, and a line without an answer has no "candidates".
    key = next((key for key in LIST_KEYS if not isinstance(question.extra.get(key, 0), int)), "")
    if key:
        node = JsonNode(question.extra[key], file, f"question {question.id}: $.{key}")
        return tuple(_parse_candidates(node))
    if "sparql" not in question.extra:
        return None
    return (CandidateQuery(question.sparql),) if question.sparql else ()


def _parse_candidates(node: JsonNode) -> Iterator[CandidateQuery]:
    for each in node.elements():
        if isinstance(each.value, str):
            yield CandidateQuery(each.value)
            continue
        score = each["score"].value
        is_number = isinstance(score, int | float) and not isinstance(score, bool)
        yield CandidateQuery(each["query"].text(is_required=False), float(score) if is_number else 0.0)


def _language(item: JsonNode) -> str:
    stated = item["lang"].value or item["languages"].value or ""
    return str(stated[0] if isinstance(stated, list) else stated)
