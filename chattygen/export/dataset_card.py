"""A data set for the Hugging Face hub: the card (Markdown with YAML front matter) and the dialogues as rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml
from chattyshared.benchmark import dialogue_to_json
from chattyshared.dialogue import Dialogue, Value
from chattyshared.figures import Counts, Values, headlines
from chattyshared.formats.convquestions import verbalize_answers

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
    """Return the card of a benchmark, with its figures, one dialogue and the parameters of its run."""
    figures = compute_figures(source)
    parts = (
        _front_matter(figures, name or source.name, _languages(source, language), license),
        f"# {name or source.name}",
        *_body(source, figures),
    )
    return "\n\n".join(parts)


def _languages(source: BenchmarkSource, language: str) -> list[str]:
    """Return the languages of the dialogues; ``language`` is that of those that state none."""
    return sorted({dialogue.lang or language for dialogue in source.dialogues} or {language})


def _front_matter(figures: Values, name: str, languages: list[str], license: str) -> str:
    size = next((category for limit, category in _SIZES if figures["talk.dialogues"] < limit), "n>1M")
    metadata = {
        "pretty_name": name,
        "language": languages,
        "license": license,
        "annotations_creators": ["machine-generated"],
        "language_creators": ["machine-generated"],
        "multilinguality": ["monolingual" if len(languages) == 1 else "multilingual"],
        "size_categories": [size],
        "task_categories": ["question-answering"],
        "tags": ["knowledge-graph", "sparql", "conversational", "dialogue", "benchmark", "synthetic"],
        "configs": [{"config_name": "default", "data_files": [{"split": "test", "path": DATA_FILE}]}],
    }
    return f"---\n{yaml.safe_dump(metadata, sort_keys=False, allow_unicode=True)}---"


def _body(source: BenchmarkSource, figures: Values) -> Iterator[str]:
    size = f"{figures['talk.dialogues']:,} dialogues with {figures['talk.turns']:,} questions"
    of_kg = f" over {figures['kg']}" if figures["kg"] else ""
    yield (
        f"{size}{of_kg}, made by machine from the knowledge graph: each question has its SPARQL query and the gold "
        "answer that the query gave when it was executed."
    )
    yield "## Figures"
    yield _table(("figure", "value"), headlines(SECTIONS, figures))
    yield "## Forms and links"
    forms, links = (_table((name, "turns"), _count_rows(figures[f"talk.{name}s"])) for name in ("form", "link"))
    yield f"{forms}\n\n{links}"
    if source.dialogues:
        yield "## One dialogue"
        yield "\n".join(_dialogue_lines(source.dialogues[0]))
    yield "## Fields"
    yield f"One JSON object a line in `{DATA_FILE}`:"
    yield "\n".join(f"- `{field}`: {meaning}" for field, meaning in FIELDS)
    yield "## Use"
    imports = "```python\nfrom datasets import load_dataset\n\n"
    call = f'dialogues = load_dataset("json", data_files="{DATA_FILE}")'
    yield f"{imports}{call}\n```"
    yield "## How it was made"
    yield f"```json\n{json.dumps(_provenance(source.header), ensure_ascii=False, indent=2)}\n```"
    yield "## Limits"
    yield (
        "The questions were worded by the model named above, not by people. The gold holds for the graph with the "
        "fingerprint above; another version of the graph may answer otherwise. What the graph does not state is no "
        "answer here, even if it is true."
    )


def _count_rows(counts: Counts) -> Iterator[tuple[str, str]]:
    shares = counts.shares()
    return ((name, f"{number:,} ({shares[name]:.1%})") for name, number in counts.items)


def _table(heads: tuple[str, str], cells: Iterable[tuple[str, str]]) -> str:
    lines = [heads, ("---", "---:"), *cells]
    return "\n".join(f"| {left} | {right} |" for left, right in lines)


def _dialogue_lines(dialogue: Dialogue) -> Iterator[str]:
    """Yield the lines of a dialogue as Markdown, escaped: the texts of a KG can look like markup."""
    for turn in dialogue.turns:
        yield f"{turn.turn}. **{_escape(turn.question)}**  \n   {_escape(verbalize_answers(turn))}"


def _escape(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>|#" else letter for letter in " ".join(text.split()))


def _provenance(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of the header about the KG and the run."""
    return {key: header[key] for key in ("kg", "generate") if key in header}
