"""A data set for the Hugging Face hub: the card (Markdown with YAML front matter) and the dialogues as rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import yaml
from chattyshared.benchmark import dialogue_to_json
from chattyshared.dialogue import Dialogue, Value
from chattyshared.figures import headlines
from chattyshared.formats.convquestions import verbalize_answers
from chattyshared.templates import render_template

from chattygen.stats import BenchmarkSource, compute_figures
from chattygen.stats.figures import SECTIONS

DATA_FILE = "dialogues.jsonl"
"""The name of the file of dialogues, in the folder of the card."""
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
FIELDS = (
    ("id", "the dialogue's id"),
    ("seed", "the entity that the dialogue is about: `iri`, `label`, `type`"),
    ("turns[].question", "the question as it is asked in the dialogue, with references to what came before"),
    ("turns[].standalone", "the same question, to be understood without the dialogue"),
    ("turns[].form", "the operation that it asks for: object, subject, list, count, boolean, superlative, ..."),
    ("turns[].link", "how it hangs on what came before: opens, topic, answer, among, position, shift"),
    ("turns[].answer_type", "what kind of thing is asked for"),
    ("turns[].answerable", "false where the knowledge graph holds no answer"),
    ("turns[].difficulty", "easy, medium or hard, by query and reference"),
    ("turns[].sparql", "the SPARQL 1.1 query whose result is the gold answer"),
    (
        "turns[].answers",
        "the gold answer: `value`, `kind` (iri, literal, number, boolean), `datatype`, `lang`, `label`",
    ),
    ("turns[].triples", "the query's triple patterns"),
    ("turns[].witness", "triples of the graph that support the answer"),
)
"""The fields of a dialogue, with what each means."""


def to_rows(dialogues: Iterable[Dialogue]) -> Iterator[dict[str, Any]]:
    """Yield one row per dialogue; all rows have the same keys, with an empty text for an absent value."""
    for dialogue in dialogues:
        line = dialogue_to_json(dialogue)
        turns = [
            turn_json | {"answers": [_answer_row(answer) for answer in turn.answers]}
            for turn_json, turn in zip(line["turns"], dialogue.turns, strict=True)
        ]
        yield {"id": line["id"], "seed": line["seed"], "turns": turns}


def _answer_row(answer: Value) -> dict[str, str]:
    return {
        "value": answer.value, "kind": answer.kind, "datatype": answer.datatype, "lang": answer.lang,
        "label": answer.label,
    }  # fmt: skip


def render_card(source: BenchmarkSource, *, name: str = "", language: str = "en", license: str = "unknown") -> str:
    """Return the card of a benchmark, with its figures, one dialogue and the parameters of its run.

    ``language`` is that of dialogues that state none.
    """
    figures = compute_figures(source)
    languages = sorted({dialogue.lang or language for dialogue in source.dialogues} or {language})
    metadata = {
        "pretty_name": name or source.name,
        "language": languages,
        "license": license,
        "annotations_creators": ["machine-generated"],
        "language_creators": ["machine-generated"],
        "multilinguality": ["monolingual" if len(languages) == 1 else "multilingual"],
        "size_categories": [next((size for limit, size in _SIZES if figures["talk.dialogues"] < limit), "n>1M")],
        "task_categories": ["question-answering"],
        "tags": ["knowledge-graph", "sparql", "conversational", "dialogue", "benchmark", "synthetic"],
        "configs": [{"config_name": "default", "data_files": [{"split": "test", "path": DATA_FILE}]}],
    }
    turns = source.dialogues[0].turns if source.dialogues else ()
    provenance = {key: source.header[key] for key in ("kg", "generate") if key in source.header}
    return render_template(
        __package__,
        "card.md.j2",
        front=yaml.safe_dump(metadata, sort_keys=False, allow_unicode=True),
        name=name or source.name,
        figures=figures,
        headlines=headlines(SECTIONS, figures),
        turns=[(turn.turn, _escape(turn.question), _escape(verbalize_answers(turn))) for turn in turns],
        fields=FIELDS,
        data_file=DATA_FILE,
        provenance=json.dumps(provenance, ensure_ascii=False, indent=2),
    )


def _escape(text: str) -> str:
    """Return a text as Markdown: those of a KG can look like markup."""
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>|#" else letter for letter in " ".join(text.split()))
