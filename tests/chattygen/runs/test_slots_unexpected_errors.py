"""An unexpected exception ends one seed, one question, one dialogue, and not the run."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from chattyshared.benchmark import read_benchmark
from chattyshared.errors import QueryCrashed
from chattyshared.jsonlines import read_lines
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model import Completion, Request
from chattyshared.model.rules import RuleModel
from chattyshared.trace import Trace
from poisoned_endpoint import Poisoned

from chattygen import RULEBOOK, GenerationCounts, Options, lint, record_run
from chattygen.lint import lint_source, open_lint_graph
from chattygen.runs.accounting import render_counts

pytestmark = pytest.mark.slow

INN = "https://inns.example/"
OPTIONS = Options(dialogues=4, turns=3)


@pytest.fixture(scope="module")
def inns(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    """Inns and mills of which nothing is known but plain values, so that no query names others of the other kind."""
    lines = ["@prefix : <https://inns.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."]
    for kind, first in (("Inn", "Anchor Beacon Crown Dragon"), ("Mill", "Upper Lower Water Wind")):
        lines.append(f':{kind} rdfs:label "{kind.lower()}"@en .')
        for number, name in enumerate(f"{a}{b}" for a in first.split() for b in ("wood", "ton", "ham", "field")):
            lines.append(
                f':{kind}{number} a :{kind} ; rdfs:label "{name}"@en ; :{kind}_rooms {number + 3} ; '
                f':{kind}_owner "{name} Smith" ; :{kind}_street "{name} Lane" ; :{kind}_ale "{name} bitter" ; '
                f':{kind}_sign "{name} in red" ; :{kind}_year {1700 + number} ; :{kind}_motto "{name} for ever" ; '
                f':{kind}_stables {number + 20} ; :{kind}_song "Song of {name}" .'
            )
    path = tmp_path_factory.mktemp("inns") / "inns.ttl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return open_kg([str(path)])


class Broken:
    """A model that breaks where a request speaks of some names; otherwise the rulebook's."""

    name = "broken"

    def __init__(self, *names: str) -> None:
        self._names, self._rules = names, RuleModel(RULEBOOK)

    def complete(self, request: Request) -> Completion:
        text = " ".join(message.content for message in request.messages)
        if not request.agent.endswith("label") and any(name in text for name in self._names):
            return {}[request.agent]  # type: ignore[index]
        return self._rules.complete(request)


def rejected(path: Path) -> list[dict[str, object]]:
    return [line for _, line in read_lines(path.with_name(f"{path.name}.rejected.jsonl"))]


def errors(path: Path) -> list[dict[str, object]]:
    return [event for event in map(json.loads, path.read_text().splitlines()) if event["kind"] == "error"]


@pytest.mark.parametrize("approach", ["planned", "multi-stage", "simplified", "single-shot"])
def test_a_seed_that_ends_in_an_unexpected_error_is_rejected_and_another_takes_its_place(
    inns: KnowledgeGraph, tmp_path: Path, approach: str
):
    options = replace(OPTIONS, approach=approach)
    whole = record_run(inns, RuleModel(RULEBOOK), options, tmp_path / "whole")
    assert (whole.dialogues, whole.unexpected.total()) == (4, 0)
    names = [dialogue.seed.label for dialogue in read_benchmark(tmp_path / "whole").dialogues][:2]
    for name, workers in (("one", 1), ("four", 4)):
        with Trace(tmp_path / f"{name}.trace") as trace:
            tally = record_run(inns, Broken(*names), replace(options, workers=workers), tmp_path / name, trace=trace)
    for end in ("", ".rejected.jsonl", ".run.json"):
        assert (tmp_path / f"one{end}").read_bytes() == (tmp_path / f"four{end}").read_bytes()
    assert tally.dialogues == 4 and tally.errors["internal"] == tally.unexpected.total() >= 2
    assert not {dialogue.seed.label for dialogue in read_benchmark(tmp_path / "one").dialogues} & set(names)
    (said,) = tally.unexpected
    assert said.startswith("KeyError at chattyshared.") and "internal" in render_counts(tally)
    internal = [line for line in rejected(tmp_path / "one") if line["stage"] == "internal"]
    assert len(internal) == tally.unexpected.total()
    assert internal[0]["error"] == "internal"
    assert internal[0]["problems"] == [{"rule": "unexpected", "sentence": said}]
    events = errors(tmp_path / "one.trace")
    assert len(events) == len(internal) and all("in complete" in str(event["data"]) for event in events)


def test_the_manifest_says_what_is_short_of_the_mix_also_of_a_run_that_goes_on(inns: KnowledgeGraph, tmp_path: Path):
    options, model = replace(OPTIONS, dialogues=8, mix=(("lookup", 60.0), ("two-hop", 40.0))), RuleModel(RULEBOOK)

    def interrupt(tally: GenerationCounts) -> None:
        if tally.dialogues >= 3:
            raise KeyboardInterrupt

    record_run(inns, model, options, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        record_run(inns, model, options, tmp_path / "broken", on_progress=interrupt)
    assert "report" not in json.loads((tmp_path / "broken.run.json").read_text())
    tally = record_run(inns, model, options, tmp_path / "broken")
    assert (tmp_path / "broken.run.json").read_bytes() == (tmp_path / "whole.run.json").read_bytes()
    short = json.loads((tmp_path / "broken.run.json").read_text())["report"]["short_forms"]
    assert short["two-hop"]["wanted"] == 40.0 and short["two-hop"]["needs"].startswith("a named thing behind")
    assert record_run(inns, model, options, tmp_path / "broken") == tally  # the report is no other run


@pytest.mark.parametrize("workers", [1, 4])
def test_seeds_that_cannot_be_planned_leave_the_others_alone(
    inns: KnowledgeGraph, tmp_path: Path, caplog, workers: int
):
    """Planning reads several seeds in one query: it breaks for all mills, and for the inns beside them at first."""
    poisoned = inns.with_endpoint(
        Poisoned(inns.endpoint, rf"VALUES \?\w+ {{[^}}]*(<{INN}Mill\d+> <{INN}\w+\d>|\d> <{INN}Mill\d+>)")
    )
    with Trace(tmp_path / "trace") as trace:
        options = replace(OPTIONS, dialogues=8, workers=workers)
        tally = record_run(poisoned, RuleModel(RULEBOOK), options, tmp_path / "b.jsonl", trace=trace)
    assert tally.dialogues == 8
    assert {dialogue.seed.type for dialogue in read_benchmark(tmp_path / "b.jsonl").dialogues} == {f"{INN}Inn"}
    internal = [str(line["seed"]) for line in rejected(tmp_path / "b.jsonl") if line["stage"] == "internal"]
    assert internal and all(seed.startswith(f"{INN}Mill") for seed in internal)
    assert "planning 8 dialogues together failed (ValueError at " in caplog.text
    assert {event["span"] for event in errors(tmp_path / "trace")} > {"plans"}


@pytest.mark.parametrize("error", [ValueError, QueryCrashed])
def test_a_dialogue_that_cannot_be_judged_is_a_defect(inns: KnowledgeGraph, tmp_path: Path, error: type[Exception]):
    record_run(inns, RuleModel(RULEBOOK), OPTIONS, tmp_path / "b.jsonl")
    seed = read_benchmark(tmp_path / "b.jsonl").dialogues[2].seed.iri
    broken = inns.with_endpoint(Poisoned(inns.endpoint, f"<{seed}>", error))
    report = lint_source(lint.read_source(tmp_path / "b.jsonl"), graph=open_lint_graph(broken))
    (defect,) = (one for one in report.defects if one.kind == "not-judged")
    said = f"unexpected error: {next(iter(report.unexpected))}" if error is ValueError else "poison"
    assert (defect.dialogue, defect.message) == ("d0003", said)
    assert report.unexpected.total() == (error is ValueError) and report.dialogues == 4


def test_a_seed_whose_query_crashes_is_rejected_as_one_that_is_too_slow(inns: KnowledgeGraph, tmp_path: Path):
    record_run(inns, RuleModel(RULEBOOK), OPTIONS, tmp_path / "whole")
    asked = read_benchmark(tmp_path / "whole").dialogues[0].turns[0].sparql
    broken = inns.with_endpoint(Poisoned(inns.endpoint, re.escape(asked), QueryCrashed))
    tally = record_run(broken, RuleModel(RULEBOOK), OPTIONS, tmp_path / "b.jsonl")
    assert tally.dialogues == 4 and not tally.unexpected and tally.rejected["endpoint: QueryCrashed"] >= 1
