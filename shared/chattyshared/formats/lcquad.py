"""LC-QuAD 1 and 2: lists of questions with queries, and no answers."""

from __future__ import annotations

from chattyshared.formats.json_paths import JsonNode
from chattyshared.formats.records import ParsedFile, drop_empty
from chattyshared.questions import Question

_KEPT = ("sparql_template_id", "template_id", "template_index", "template", "subgraph")


def parse_lcquad_1(file: JsonNode) -> ParsedFile:
    """Read LC-QuAD 1: ``corrected_question`` and ``sparql_query`` over DBpedia.

    Raises:
        BenchmarkInvalid: a value is missing or of another kind than the format has it.
    """
    asked = tuple(
        Question(
            id=item["_id"].id(number),
            question=_said(item, "corrected_question", "question", "intermediary_question"),
            lang="en",
            extra=drop_empty(sparql=item["sparql_query"].text(is_required=False), **_kept(item)),
        )
        for number, item in enumerate(file.elements(), 1)
    )
    return ParsedFile(asked)


def parse_lcquad_2(file: JsonNode) -> ParsedFile:
    """Read LC-QuAD 2: ``question`` (where it is lost, its paraphrase) and ``sparql_wikidata``.

    The query over Wikidata's RDF of 2018 in DBpedia's form stays aside as ``sparql_dbpedia18``. The list ``answer`` is
    empty in all that was published, and says nothing.

    Raises:
        BenchmarkInvalid: a value is missing or of another kind than the format has it.
    """
    asked = tuple(
        Question(
            id=item["uid"].id(number),
            question=_said(item, "question", "paraphrased_question", "NNQT_question"),
            lang="en",
            extra=drop_empty(sparql=item["sparql_wikidata"].text(is_required=False), **_kept(item, "sparql_dbpedia18")),
        )
        for number, item in enumerate(file.elements(), 1)
    )
    return ParsedFile(asked)


def _said(item: JsonNode, *keys: str) -> str:
    """Return the first of some wordings that is a text; some items hold null, ``n/a`` or an empty list there."""
    for key in keys:
        value = item[key].value
        if isinstance(value, str) and value.strip() and value.strip().casefold() != "n/a":
            return value.strip()
    return item[keys[0]].text()


def _kept(item: JsonNode, *more: str) -> dict[str, object]:
    return {key: item.value[key] for key in (*_KEPT, *more) if key in item}
