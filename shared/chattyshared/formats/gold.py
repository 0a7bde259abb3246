"""Gold files of any known format: the format is detected, and the queries are repaired to SPARQL 1.1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chattyshared import benchmark, questions
from chattyshared.benchmark import Benchmark
from chattyshared.certificates import certificate_to_json
from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.formats import chatty_gen, convquestions, lcquad, maestro, qald, text2sparql
from chattyshared.formats.candidates import parse_candidate_lists
from chattyshared.formats.detection import (
    FileFormat,
    detect_format,
    detect_own_format,
    first_line,
    read_json_or_yaml,
    read_text,
)
from chattyshared.formats.reading import JsonNode, ParsedFile, drop_empty
from chattyshared.formats.table import is_table_head, parse_table
from chattyshared.questions import Question
from chattyshared.sparql.repair import MISSING_BLANK, repair_query


@dataclass(frozen=True, slots=True)
class QueryRepair:
    """The changes of one question's ``original`` query, or (``fault``) why it cannot be repaired."""

    id: str
    original: str
    changes: tuple[str, ...] = ()
    fault: str = ""

    @property
    def was_dialect(self) -> bool:
        """Whether the query was a dialect and is SPARQL 1.1 after the changes."""
        return any(change != MISSING_BLANK for change in self.changes)


@dataclass(frozen=True, slots=True)
class GoldFile:
    """A gold file: our benchmark unchanged, or from any other format questions with executable queries.

    ``changes`` lists the queries that were repaired and those that cannot be, which stay unchanged. ``notes`` are
    sentences on what was left out; ``answers_file`` is the name of the file of the gold answers, if it is another one.
    """

    path: Path
    format: FileFormat
    content: Benchmark | tuple[Question, ...]
    changes: tuple[QueryRepair, ...] = ()
    notes: tuple[str, ...] = ()
    answers_file: str = ""

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions; for a benchmark its turns, with the labels of their answers."""
        return _questions_of_turns(self.content) if isinstance(self.content, Benchmark) else self.content

    def user_notes(self) -> tuple[str, ...]:
        """Return sentences for the user on what was left out, repaired, or cannot be repaired."""
        change_counts = Counter(name for change in self.changes for name in change.changes)
        listed = ", ".join(f"{name} ({number})" for name, number in change_counts.most_common())
        repaired = sum(1 for change in self.changes if change.changes)
        faults = [change for change in self.changes if change.fault]
        sentences = (
            [f"the gold answers are those of {self.answers_file}, which lies beside it"] if self.answers_file else []
        )
        sentences += [f"{_count_queries(repaired)} brought to SPARQL 1.1: {listed}"] if repaired else []
        if faults:
            sentences.append(f"{_count_queries(len(faults))} hopeless, such as {faults[0].id}: {faults[0].fault}")
        return (*self.notes, *sentences)


def read_gold(
    path: Path, *, lang: str = "", repair_queries: bool = True, wordings: qald.Wordings = "first"
) -> GoldFile:
    """Read a gold file of any known format.

    ``lang`` selects a language of a multilingual file (empty: English, else the most frequent one), ``wordings`` the
    first of several wordings in it, or all.
    ``repair_queries`` repairs queries to SPARQL 1.1, which takes time that is wasted if only the questions are used.

    Raises:
        ConfigError: the file does not exist or cannot be read, or no question is in this language.
        BenchmarkInvalid: its format is unknown, or the file breaks it; carries the position.
    """
    own_format = detect_own_format(path)
    if own_format == "benchmark":
        return GoldFile(path, "benchmark", benchmark.read_benchmark(path))
    if own_format == "questions":
        format: FileFormat = "questions"
        parsed = ParsedFile(_filter_language(questions.read_questions(path), lang, path))
    elif is_table_head(first_line(path)):
        format = "table"
        parsed = _make_ids_unique(parse_table(read_text(path), path))
        parsed = replace(parsed, questions=_filter_language(parsed.questions, lang, path) if lang else parsed.questions)
    else:
        is_xml = first_line(path).lstrip().startswith("<")
        value = qald.read_qald_xml(read_text(path), str(path)) if is_xml else read_json_or_yaml(path)
        format = detect_format(value, path)
        node = JsonNode(value, str(path))
        is_qald = format == "qald"
        parsed = _make_ids_unique(
            qald.parse_qald(node, lang, wordings) if is_qald else _READERS[format](node, lang, path)
        )
    if not parsed.questions:
        raise BenchmarkInvalid("holds no question", file=str(path))
    return (
        _repair_queries(path, format, parsed)
        if repair_queries
        else GoldFile(path, format, parsed.questions, notes=parsed.notes)
    )


def _parse_text2sparql(file: JsonNode, lang: str, path: Path) -> ParsedFile:
    """Parse a questions file, with the result set in the same folder (``STEM_result_set.json``), if there is one."""
    result_set_path = path.with_name(f"{path.stem}_result_set.json")
    if not result_set_path.is_file():
        return text2sparql.parse_text2sparql(file, lang)
    parsed = text2sparql.parse_text2sparql(
        file, lang, JsonNode(read_json_or_yaml(result_set_path), str(result_set_path))
    )
    return replace(parsed, answers_file=result_set_path.name)


_READERS: Mapping[str, Callable[[JsonNode, str, Path], ParsedFile]] = {
    "questions": lambda file, lang, path: ParsedFile(
        _filter_language(questions.read_questions(path, file.value), lang, path)
    ),
    "text2sparql": _parse_text2sparql,
    "lc-quad": lambda file, lang, path: lcquad.parse_lcquad_1(file),
    "lc-quad-2": lambda file, lang, path: lcquad.parse_lcquad_2(file),
    "maestro": lambda file, lang, path: maestro.parse_maestro(file),
    "convquestions": lambda file, lang, path: convquestions.parse_convquestions(file),
    "candidates": lambda file, lang, path: ParsedFile(
        _filter_language(parse_candidate_lists(file).questions, lang, path)
    ),
    "chatty-gen": lambda file, lang, path: chatty_gen.to_parsed_file(chatty_gen.read_release(path)),
}


def _filter_language(questions_in_file: tuple[Question, ...], lang: str, path: Path) -> tuple[Question, ...]:
    """Keep the questions in a language, and those that do not state their language."""
    selected = tuple(
        question
        for question in questions_in_file
        if not lang or not question.lang or question.lang.casefold() == lang.casefold()
    )
    if not selected:
        languages = ", ".join(sorted({question.lang for question in questions_in_file}))
        raise ConfigError(f"{path}: no question is in the language {lang!r}; there are {languages}")
    return selected


def _make_ids_unique(parsed: ParsedFile) -> ParsedFile:
    """Make ids unique: the second question with an id gets the suffix ``#2``."""
    seen: Counter[str] = Counter()
    unique = []
    for question in parsed.questions:
        seen[str(question.id)] += 1
        number = seen[str(question.id)]
        unique.append(question if number == 1 else replace(question, id=f"{question.id}#{number}"))
    duplicate_count = sum(1 for number in seen.values() if number > 1)
    note = (f"ids that stand more than once, told apart as ID#2 and so on: {duplicate_count}",)
    return replace(parsed, questions=tuple(unique), notes=(*parsed.notes, *(note if duplicate_count else ())))


def _repair_queries(path: Path, format: FileFormat, parsed: ParsedFile) -> GoldFile:
    changes, repaired = [], []
    for question in parsed.questions:
        repair = repair_query(question.sparql, parsed.prefixes) if question.sparql else None
        if repair and (repair.changes or repair.fault):
            changes.append(QueryRepair(str(question.id), question.sparql, repair.changes, repair.fault))
        repaired.append(replace(question, extra={**question.extra, "sparql": repair.text}) if repair else question)
    return GoldFile(path, format, tuple(repaired), tuple(changes), parsed.notes, parsed.answers_file)


def _count_queries(number: int) -> str:
    return "1 query is" if number == 1 else f"{number} queries are"


def _questions_of_turns(content: Benchmark) -> tuple[Question, ...]:
    return tuple(
        Question(
            id=benchmark.turn_id(dialogue, turn),
            question=turn.question,
            dialogue_id=dialogue.id,
            turn=turn.turn,
            answers=tuple(answer.value for answer in turn.answers) if turn.answerable else (),
            answer_labels=_labels(turn.answers) if turn.answerable else (),
            extra=drop_empty(
                sparql=turn.sparql,
                standalone=turn.standalone,
                form=turn.form,
                link=turn.link,
                answerable=turn.answerable,
                unanswerable=turn.unanswerable,
                certificate=None if turn.certificate is None else certificate_to_json(turn.certificate),
            ),
        )
        for dialogue in content.dialogues
        for turn in dialogue.turns
    )


def _labels(answers: Iterable[Any]) -> tuple[str, ...]:
    return tuple(answer.label or answer.value for answer in answers)
