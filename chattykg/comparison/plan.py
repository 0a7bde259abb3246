"""The plan of a comparison, a TOML file: its systems, benchmarks and graphs, expanded to cells.

A list as the value of an option makes a cell of each of its values; several lists are crossed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from chattyshared.commands.removed import successors_of_keys
from chattyshared.errors import ConfigError
from chattyshared.formats.detection import detect_own_format
from chattyshared.model.option_specs import LIMIT_SPECS
from chattyshared.option_specs import OptionSpec, TomlKey, check_value, did_you_mean, parse_toml

Keys = Mapping[str, TomlKey]
Values = dict[str, Any]
"""The values of an entry by key; those of a table by ``KEY.NAME``."""
QuestionSource = tuple[str, Path | None, Values]
"""Questions on a graph: their name, their file of gold (None: a benchmark is made), the options that ask them."""

LIMITS = {spec.flag[2:]: spec for spec in LIMIT_SPECS}
"""The limits of ``[run]``, on all cells together."""
_SEED = OptionSpec("seed", "Of the intervals and tests.", "integer")
_ASKED = ("gold", "benchmark", "lang")
_OWN = {
    "graphs": ("name", "base", "kg", *_ASKED), "systems": ("name", "base", "graphs"),
    "benchmarks": ("name", "base", "graphs", "lang"), "run": ("seed", "baseline", *LIMITS),
}  # fmt: skip
_CHOSEN = {*LIMITS, "kg", "questions", "benchmark", "text2sparql", "lang", "output", "overwrite", "json", "say",
           "dry-run", "trace"}  # fmt: skip
"""The options of the commands that the comparison itself gives."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One run: of ``chattykg answer`` by a system, or, without ``gold``, of ``chattygen generate``.

    ``arguments`` are those of the command, without the output and the limits; ``lang`` is the language of the gold.
    """

    name: str
    graph: str
    arguments: tuple[str, ...]
    output: Path
    gold: Path | None
    lang: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The cells, each after its benchmark; limits on all together; the seed of the tests; the baseline."""

    cells: tuple[Cell, ...]
    limits: Mapping[str, float]
    seed: int
    baseline: str


def read_plan(path: Path, folder: Path, answer_keys: Keys, generate_keys: Keys) -> Plan:
    """Read a plan; the outputs of its cells lie in ``folder``, and the keys are the options of the two commands.

    Raises:
        ConfigError: the file is no plan; the message names the entry and the key.
    """
    table = parse_toml(path)
    try:
        _check_names("plan", table, _OWN)
        shared = {key: kind for key, kind in answer_keys.items() if key in generate_keys}
        run = _read_entries("run", {"run": {}} | table, shared)["run"]
        seed, baseline = run.pop("seed", 0), run.pop("baseline", None)
        limits = {key: run.pop(key) for key in LIMITS if key in run}
        for spec, value in ((_SEED, seed), *((LIMITS[key], limit) for key, limit in limits.items())):
            check_value(spec, value)
        graphs = _read_entries("graphs", table, shared)
        benchmarks = _read_entries("benchmarks", table, generate_keys)
        systems = _read_entries("systems", table, answer_keys)
        for name, values in (benchmarks | systems).items():
            _check_names(f"graphs of {name}", _listed(values.get("graphs", [])), graphs)
        cells: list[Cell] = []
        for name, values in graphs.items():
            asked = {key: values.pop(key, "") for key in _ASKED}
            made = list(_expand(benchmarks, generate_keys, folder, name, run | values, [(name, None, {})]))
            questions = list(_questions(name, asked, made, path.parent))
            cells += [*made, *_expand(systems, answer_keys, folder, name, run | values, questions)]
        names = [cell.name for cell in cells if cell.gold]
        _check_names("run: baseline", [baseline] if baseline else [], dict.fromkeys(names))
        if not cells or len({cell.output for cell in cells}) < len(cells):
            raise ConfigError("two cells have one name" if cells else "no cell: a system needs a graph with gold")
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error
    return Plan(tuple(cells), limits, seed, baseline or next(iter(names), ""))


def _read_entries(kind: str, table: Mapping[str, Any], options: Keys) -> dict[str, Values]:
    """Return the entries of a kind by their names, each over the entry above that is its base."""
    known = (*_OWN[kind], *(key for key in options if key not in _CHOSEN))
    entries: dict[str, Values] = {}
    for row in _listed(table.get(kind, [])):
        values: Values = {}
        for written, value in row.items() if isinstance(row, dict) else [(str(row), "")]:
            key = written.replace("_", "-")
            if key not in known and (successor := successors_of_keys("chattykg answer").get(key)):
                raise ConfigError(f"{kind}: unknown {key!r}; use {successor}")
            _check_names(kind, [key], known)
            parts = {f".{part}": each for part, each in value.items()} if isinstance(value, dict) else {"": value}
            if [] in parts.values():
                raise ConfigError(f"{kind}: {key} has an empty list")
            values |= {f"{key}{part}": each for part, each in parts.items()}
        name, base = values.pop("name", "run" if kind == "run" else None), values.pop("base", None)
        if not isinstance(name, str) or not name or name in entries:
            raise ConfigError(f"{kind}: each has a name of its own, not {name!r}")
        _check_names(f"{kind}: base of {name}", [base] if base else [], entries)
        entries[name] = entries.get(base, {}) | values
    return entries


def _check_names(where: str, names: Iterable[Any], known: Iterable[str]) -> None:
    known = tuple(known)
    if unknown := [name for name in names if name not in known]:
        hint = did_you_mean(str(unknown[0]), known, list_known=True)
        raise ConfigError(f"{where}: unknown {unknown[0]!r}{hint}")


def _questions(graph: str, asked: Values, made: Iterable[Cell], base: Path) -> Iterator[QuestionSource]:
    """Yield the questions on a graph: those of its files or benchmarks, in its languages."""
    outputs = {cell.name: cell.output for cell in made}
    for name, chosen in _variants(graph, asked):
        file, benchmark, lang = (chosen[key] for key in _ASKED)
        _check_names(f"graphs: benchmark of {graph}", [benchmark] if benchmark else [], outputs)
        if benchmark or file:
            path = outputs[benchmark] if benchmark else (base / str(file)).resolve()
            flag = "benchmark" if benchmark or detect_own_format(path) == "benchmark" else "questions"
            yield name, path, {flag: str(path)} | ({"lang": lang} if lang else {})


def _expand(
    entries: Mapping[str, Values], keys: Keys, folder: Path, graph: str, options: Values, asked: list[QuestionSource]
) -> Iterator[Cell]:
    """Yield the cells of systems or of benchmarks on one graph."""
    for name, values in entries.items():
        own = {key: value for key, value in values.items() if key != "graphs"}
        questions = asked if graph in _listed(values.get("graphs", graph)) else []
        for (title, gold, given), (variant, chosen) in product(questions, _variants(name, own)):
            stem = re.sub(r"[^\w.=+-]+", "_", f"{title}--{variant}" if gold else f"benchmark--{title}--{variant}")
            output = folder / f"{stem}.jsonl"
            trace = {} if gold else {"trace": f"{output}.trace.jsonl"}
            arguments = _arguments(name, options | chosen | given | trace, keys)
            filled = tuple(text.replace("{gold}", str(gold)).replace("{graph}", graph) for text in arguments)
            yield Cell(variant, title, filled, output, gold, str(given.get("lang", "")))


def _variants(name: str, values: Values) -> Iterator[tuple[str, Values]]:
    """Yield an entry for each combination of the values in its lists; what varies is in its name."""
    varying = [key for key, value in values.items() if len(_listed(value)) > 1]
    for combination in product(*map(_listed, values.values())):
        chosen = dict(zip(values, combination, strict=True))
        yield " ".join((name, *(f"{key.partition('.')[2] or key}={_text(chosen[key])}" for key in varying))), chosen


def _arguments(where: str, values: Values, keys: Keys) -> Iterator[str]:
    """Yield the arguments that give values to options."""
    for path, value in values.items():
        key, _, part = path.partition(".")
        if key not in keys or ((part or len(_listed(value)) > 1) and not keys[key].is_repeatable):
            raise ConfigError(f"{where}: {key} takes one value")
        if keys[key].is_switch and not keys[key].is_setting:
            yield from [f"--{key}"] * bool(value)
        else:
            parts = (f"{part}={_text(each)}" if part else _text(each) for each in _listed(value))
            yield from (make_argument(key, each, is_setting=keys[key].is_setting) for each in parts)


def make_argument(key: str, value: object, *, is_setting: bool) -> str:
    """Return the argument of a command that gives a value to an option or a setting."""
    return f"--set={key.replace('-', '_')}={value}" if is_setting else f"--{key}={value}"


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _text(value: Any) -> str:
    """Return a value as on the command line; truth values are on and off."""
    if isinstance(value, list):
        return "+".join(map(_text, value))
    return ("off", "on")[value] if isinstance(value, bool) else str(value)
