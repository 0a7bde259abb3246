"""Samples as text for a terminal: dialogues a line a question, and single turns in full."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import islice

from chattyshared.certificates import describe_alternatives, describe_verdict
from chattyshared.dialogue import Value
from chattyshared.pages.samples import Sample, SampleAnswer, value_name
from chattyshared.sparql.query_layout import lay_out_query
from chattyshared.text import text_width

MAX_SHOWN_VALUES = 25
"""The most values of one answer, and the most witness triples, of a turn in full."""
NO_GOLD = "(not in the graph)"
"""Stands for the gold of a turn that the graph cannot answer."""
_NAME_WIDTH = 12


def render_dialogues(dialogues: Sequence[Sequence[Sample]], first: int, width: int) -> Iterator[str]:
    """Yield the lines of the first dialogues, and one that says how many more there are."""
    for dialogue in islice(dialogues, first):
        yield from render_dialogue(dialogue, width)
        yield ""
    shown = min(first, len(dialogues))
    more = f"{len(dialogues) - shown:,} more; --first {len(dialogues)} shows all, " if shown < len(dialogues) else ""
    if dialogues:
        yield f"{more}an ID such as {dialogues[0][0].id} shows one in full"


def render_dialogue(samples: Sequence[Sample], width: int) -> Iterator[str]:
    """Yield a dialogue: its heading, then each question with its gold or the answers of systems on one line each."""
    head = samples[0]
    heading = f"{head.dialogue}  {head.seed}" + (f" ({head.seed_class})" if head.seed_class else "")
    if head.dialogue:
        yield _cut(heading.rstrip(), width)
    for sample in samples:
        name = str(sample.turn) if sample.dialogue else sample.id
        yield from _fill(f"{name}  ", sample.question, width)
        indent = " " * (text_width(name) + 2)
        for answer in sample.answers:
            text = join_values(answer.line.values, width - len(indent) - 2) or _silence(answer)
            yield _cut(f"{indent}{_mark(answer)}{text}", width)
            if answer.is_wrong:
                prefix = f"{indent}  {f'stage: {answer.stage}, ' * bool(answer.stage)}gold: "
                yield _cut(f"{prefix}{_gold_line(sample, width - text_width(prefix))}", width)
        if not sample.answers:
            yield _cut(f"{indent}{_gold_line(sample, width - len(indent))}", width)


def render_sample(sample: Sample, width: int) -> Iterator[str]:
    """Yield a turn in full: question, gold, certificate, witness, query, and the answers of systems."""
    tags = (sample.seed, sample.seed_class, sample.form, sample.link)
    yield from _fill(f"{sample.id}  ", " · ".join(filter(None, tags)), width)
    yield from _field("question", sample.question, width)
    if sample.standalone and sample.standalone != sample.question:
        yield from _field("standalone", sample.standalone, width)
    if sample.gold is not None:
        yield from _list_field("gold", [_full_text(value) for value in sample.gold] or [NO_GOLD], width)
    if sample.certificate.verdict:
        yield from _field("verdict", describe_verdict(sample.certificate), width)
    yield from _list_field("accepted", describe_alternatives(sample.certificate), width)
    yield from _list_field("witness", sample.witness, width)
    yield from _query_field(sample.query)
    for answer in sample.answers:
        yield ""
        yield from _render_answer(answer, sample, width)


def _render_answer(answer: SampleAnswer, sample: Sample, width: int) -> Iterator[str]:
    line = answer.line
    values = [_full_text(value) for value in line.values]
    score = "" if answer.f1 is None else f"  F1 {answer.f1:.2f}" + (f", stage: {answer.stage}" * bool(answer.stage))
    yield f"{_mark(answer)}{answer.system}{score}"
    yield from _list_field("answer", values or [_silence(answer)], width)
    if answer.explanation and values:
        yield from _field("reason", answer.explanation, width)
    if line.standalone not in ("", sample.question):
        yield from _field("understood", line.standalone, width)
    yield from _list_field("notes", answer.notes, width)
    yield from _query_field(line.sparql)
    yield from _field("confidence", f"{line.confidence:.2f}, {line.seconds:.2f} s", width)


def join_values(values: Sequence[Value], width: int) -> str:
    """Return as many values as fit on one line, at least one, and how many more there are."""
    texts = [value_name(value) for value in values]
    for count in range(len(texts), 1, -1):
        text = " · ".join(texts[:count]) + _more(len(texts) - count)
        if text_width(text) <= width:
            return text
    return texts[0] + _more(len(texts) - 1) if texts else ""


def _gold_line(sample: Sample, width: int) -> str:
    if sample.gold is None:
        return "(no gold in the file)"
    return join_values(sample.gold, width) or NO_GOLD


def _silence(answer: SampleAnswer) -> str:
    return answer.explanation or "I do not know."


def _mark(answer: SampleAnswer) -> str:
    return "" if answer.f1 is None else "✗ " if answer.is_wrong else "✓ "


def _full_text(value: Value) -> str:
    return f"{value.text}  <{value.value}>" if value.kind == "iri" and value.label else value.text


def _field(name: str, text: str, width: int) -> Iterator[str]:
    return _fill(f"{name:<{_NAME_WIDTH}}", text, width)


def _list_field(name: str, texts: Sequence[str], width: int) -> Iterator[str]:
    for index, text in enumerate(texts[:MAX_SHOWN_VALUES]):
        yield from _field("" if index else name, text, width)
    if len(texts) > MAX_SHOWN_VALUES:
        yield from _field("", f"... and {len(texts) - MAX_SHOWN_VALUES:,} more", width)


def _query_field(query: str) -> Iterator[str]:
    lines = lay_out_query(query).splitlines() if query else []
    yield from (f"{'' if index else 'query':<{_NAME_WIDTH}}{line}".rstrip() for index, line in enumerate(lines))


def _fill(head: str, text: str, width: int) -> Iterator[str]:
    """Yield a text in lines behind its head; long IRIs stay whole, so that they can be copied."""
    indent = " " * text_width(head)
    lines = textwrap.wrap(text, width, initial_indent=head, subsequent_indent=indent, break_long_words=False)
    yield from lines or [head.rstrip()]


def _more(count: int) -> str:
    return f" and {count:,} more" if count else ""


def _cut(text: str, width: int) -> str:
    if text_width(text) <= width:
        return text
    while text_width(text) >= width:
        text = text[:-1]
    return f"{text.rstrip()}…"
