"""LC-QuAD 1 and 2: lists of questions with queries and without answers."""

from __future__ import annotations

from chattyshared.formats.reading import JsonNode, ParsedFile, drop_empty
from chattyshared.questions import Question

_EXTRA_KEYS = ("sparql_template_id", "template_id", "template_index", "template", "subgraph")


def parse_lcquad_1(file: JsonNode) -> ParsedFile:
    """Parse LC-QuAD 1: ``corrected_question`` and ``sparql_query`` over DBpedia.

    Raises:
        BenchmarkInvalid: a value is missing or has the wrong type.
    """
    questions = tuple(
        Question(
            id=item["_id"].id(number),
            question=_first_text(item, "corrected_question", "question", "intermediary_question"),
            lang="en",
            extra=drop_empty(sparql=item["sparql_query"].text(is_required=False), **_extra_values(item)),
        )
        for number, item in enumerate(file.elements(), 1)
    )
    return ParsedFile(questions)


def parse_lcquad_2(file: JsonNode) -> ParsedFile:
    """Parse LC-QuAD 2: ``question`` (its paraphrase if it is missing) and ``sparql_wikidata``.

    The query over DBpedia's edition of Wikidata of 2018 is kept as ``sparql_dbpedia18``. The list ``answer`` is empty
    in all published files and is ignored.

    Raises:
        BenchmarkInvalid: a value is missing or has the wrong type.
    """
    questions = tuple(
        Question(
            id=item["uid"].id(number),
            question=_first_text(item, "question", "paraphrased_question", "NNQT_question"),
            lang="en",
            extra=drop_empty(
                sparql=item["sparql_wikidata"].text(is_required=False), **_extra_values(item, "sparql_dbpedia18")
            ),
        )
        for number, item in enumerate(file.elements(), 1)
    )
    return ParsedFile(questions)


def _first_text(item: JsonNode, *keys: str) -> str:
    """Return the first key's value that is a text; some items hold null, ``n/a`` or an empty list."""
    for key in keys:
        value = item[key].value
        if isinstance(value, str) and value.strip() and value.strip().casefold() != "n/a":
            return value.strip()
    return item[keys[0]].text()


def _extra_values(item: JsonNode, *keys: str) -> dict[str, object]:
    return {key: item.value[key] for key in (*_EXTRA_KEYS, *keys) if key in item}
