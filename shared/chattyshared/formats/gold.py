"""Any file of gold: its format is found by its content, its queries are brought to SPARQL 1.1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chattyshared import benchmark, questions
from chattyshared.benchmark import Benchmark
from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.formats import chatty_gen, convquestions, lcquad, maestro, qald, text2sparql
from chattyshared.formats.detection import FileFormat, detect_format, detect_own_format, read_json_or_yaml
from chattyshared.formats.json_paths import JsonNode
from chattyshared.formats.records import ParsedFile, drop_empty
from chattyshared.questions import Question
from chattyshared.sparql.repair import MISSING_BLANK, repair_query


@dataclass(frozen=True, slots=True)
class QueryRepair:
    """What was changed in one question's query, or (``fault``) why nothing helped; ``old`` is the query as it was."""

    id: str
    original: str
    changes: tuple[str, ...] = ()
    fault: str = ""

    @property
    def was_dialect(self) -> bool:
        """Whether the query was no SPARQL 1.1, and now is."""
        return any(change != MISSING_BLANK for change in self.changes)


@dataclass(frozen=True, slots=True)
class GoldFile:
    """A file of gold: our benchmark as it is, or, whatever its format, questions with queries that can be run.

    ``changes`` tells of the queries that were mended and of those that are hopeless (these stay as they were);
    ``notes`` are sentences on what was left out; ``beside`` names the other file that the gold answers stand in.
    """

    path: Path
    format: FileFormat
    content: Benchmark | tuple[Question, ...]
    changes: tuple[QueryRepair, ...] = ()
    notes: tuple[str, ...] = ()
    answers_file: str = ""

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions; of a benchmark, its turns, with the labels of their answers."""
        return _turns(self.content) if isinstance(self.content, Benchmark) else self.content

    def user_notes(self) -> tuple[str, ...]:
        """Say what the user should know of the reading, one sentence each: what is left out, mended, hopeless."""
        ways = Counter(way for change in self.changes for way in change.changes)
        told = ", ".join(f"{way} ({number})" for way, number in ways.most_common())
        mends = sum(1 for change in self.changes if change.changes)
        faults = [change for change in self.changes if change.fault]
        said = [f"the gold answers are those of {self.answers_file}, which lies beside it"] if self.answers_file else []
        said += [f"{_counted(mends)} brought to SPARQL 1.1: {told}"] if mends else []
        if faults:
            said.append(f"{_counted(len(faults))} hopeless, such as {faults[0].id}: {faults[0].fault}")
        return (*self.notes, *said)


def read_gold(path: Path, *, lang: str = "", repair_queries: bool = True) -> GoldFile:
    """Read a file of gold of any known format.

    ``lang`` chooses among the languages of a file that has several (empty: English, or what most questions are in).
    ``queries``: whether queries are to be brought to SPARQL 1.1; where only the questions are wanted that is time lost.

    Raises:
        ConfigError: the file is not there or cannot be read, or no question is in this language.
        BenchmarkInvalid: it is of no known format, or does not keep its own; names the place.
    """
    kept = detect_own_format(path)
    if kept == "benchmark":
        return GoldFile(path, "benchmark", benchmark.read_benchmark(path))
    if kept == "questions":
        format: FileFormat = "questions"
        taken = ParsedFile(_spoken(questions.read_questions(path), lang, path))
    else:
        value = read_json_or_yaml(path)
        format = detect_format(value, path)
        taken = _told_apart(_READERS[format](JsonNode(value, str(path)), lang, path))
    if not taken.questions:
        raise BenchmarkInvalid("holds no question", file=str(path))
    return (
        _mended(path, format, taken) if repair_queries else GoldFile(path, format, taken.questions, notes=taken.notes)
    )


def _text2sparql(file: JsonNode, lang: str, path: Path) -> ParsedFile:
    """Read a questions file, with the result set that lies beside it (``STEM_result_set.json``), if there is one."""
    beside = path.with_name(f"{path.stem}_result_set.json")
    if not beside.is_file():
        return text2sparql.parse_text2sparql(file, lang)
    taken = text2sparql.parse_text2sparql(file, lang, JsonNode(read_json_or_yaml(beside), str(beside)))
    return replace(taken, answers_file=beside.name)


_READERS: Mapping[str, Callable[[JsonNode, str, Path], ParsedFile]] = {
    "qald": lambda file, lang, path: qald.parse_qald(file, lang),
    "text2sparql": _text2sparql,
    "lc-quad": lambda file, lang, path: lcquad.parse_lcquad_1(file),
    "lc-quad-2": lambda file, lang, path: lcquad.parse_lcquad_2(file),
    "maestro": lambda file, lang, path: maestro.parse_maestro(file),
    "convquestions": lambda file, lang, path: convquestions.parse_convquestions(file),
    "chatty-gen": lambda file, lang, path: chatty_gen.to_parsed_file(chatty_gen.read_release(path)),
}


def _spoken(asked: tuple[Question, ...], lang: str, path: Path) -> tuple[Question, ...]:
    """Keep what is asked in a language; a question that does not say its own is taken for right."""
    kept = tuple(each for each in asked if not lang or not each.lang or each.lang.casefold() == lang.casefold())
    if not kept:
        there = ", ".join(sorted({each.lang for each in asked}))
        raise ConfigError(f"{path}: no question is in the language {lang!r}; there are {there}")
    return kept


def _told_apart(taken: ParsedFile) -> ParsedFile:
    """Give each question an id of its own: of two that have one, the second gets ``#2``."""
    seen: Counter[str] = Counter()
    made = []
    for each in taken.questions:
        seen[str(each.id)] += 1
        number = seen[str(each.id)]
        made.append(each if number == 1 else replace(each, id=f"{each.id}#{number}"))
    twice = sum(1 for number in seen.values() if number > 1)
    said = (f"ids that stand more than once, told apart as ID#2 and so on: {twice}",)
    return replace(taken, questions=tuple(made), notes=(*taken.notes, *(said if twice else ())))


def _mended(path: Path, format: FileFormat, taken: ParsedFile) -> GoldFile:
    changes, made = [], []
    for each in taken.questions:
        better = repair_query(each.sparql, taken.prefixes) if each.sparql else None
        if better and (better.changes or better.fault):
            changes.append(QueryRepair(str(each.id), each.sparql, better.changes, better.fault))
        made.append(replace(each, extra={**each.extra, "sparql": better.text}) if better else each)
    return GoldFile(path, format, tuple(made), tuple(changes), taken.notes, taken.answers_file)


def _counted(number: int) -> str:
    return "1 query is" if number == 1 else f"{number} queries are"


def _turns(read: Benchmark) -> tuple[Question, ...]:
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
            ),
        )
        for dialogue in read.dialogues
        for turn in dialogue.turns
    )


def _labels(answers: Iterable[Any]) -> tuple[str, ...]:
    return tuple(answer.label or answer.value for answer in answers)
