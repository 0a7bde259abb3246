import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from chattyshared.benchmark import read_benchmark
from chattyshared.errors import ModelUnavailable
from chattyshared.jsonlines import read_lines
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import Completion, Request, Usage
from chattyshared.model.rules import RuleModel
from faulty_model import Faulty

from chattygen import RULEBOOK, GenerationCounts, Options, record_run
from chattygen.pipeline import generate
from chattygen.runs.recording import lines_of
from chattygen.runs.slots import SlotResult

pytestmark = pytest.mark.slow

OPTIONS = Options(dialogues=8, turns=5)


class Scripted:
    """A model that replies from a queue, and by the rulebook once that is empty."""

    name = "scripted"

    def __init__(self, replies: Sequence[str | Exception], *, only: str = "") -> None:
        self._replies, self._only = list(replies), only
        self._rules = RuleModel(RULEBOOK)
        self.asked: list[Request] = []

    def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        if self._replies and request.agent.startswith(self._only):
            reply = self._replies.pop(0)
            if isinstance(reply, Exception):
                raise reply
            return Completion(reply, Usage(1, 10, 5))
        return self._rules.complete(request)


def made_by(kg: KnowledgeGraph, options: Options = OPTIONS, **given) -> list[SlotResult]:
    return list(generate(kg, RuleModel(RULEBOOK), options, **given))


def test_workers_and_repetition_change_nothing(ships_kg: KnowledgeGraph):
    def lines(workers: int) -> list[str]:
        made = made_by(ships_kg, Options(dialogues=8, turns=5, workers=workers))
        return [json.dumps(lines_of(one)) for one in sorted(made, key=lambda one: one.index)]

    assert lines(1) == lines(1) == lines(4)


def test_what_was_done_is_not_done_again(ships_kg: KnowledgeGraph):
    whole = {one.index: one for one in made_by(ships_kg)}
    done = {index: whole[index].dialogue.seed.iri if whole[index].dialogue else "" for index in (0, 3, 5)}
    rest = {one.index: one for one in made_by(ships_kg, done=done)}
    assert rest == {index: one for index, one in whole.items() if index not in done}


def test_more_dialogues_than_the_graph_can_give(ships_kg: KnowledgeGraph, caplog: pytest.LogCaptureFixture):
    made = made_by(ships_kg, Options(dialogues=40, turns=5, max_label_words=1))
    given = [one.dialogue.seed.iri for one in made if one.dialogue]
    assert len(given) == len(set(given)) < 40
    assert len(given) >= 10
    assert f"made {len(given)} of 40 dialogues: the KG cannot give more" in caplog.text
    assert "Shipyard: none of 2 sampled entities keeps the limits of label and size" in caplog.text


def test_a_resumed_file_equals_an_unbroken_one(ships_kg: KnowledgeGraph, tmp_path: Path):
    whole, broken = tmp_path / "whole" / "b.jsonl", tmp_path / "broken" / "b.jsonl"
    whole.parent.mkdir()
    broken.parent.mkdir()
    record_run(ships_kg, RuleModel(RULEBOOK), OPTIONS, whole)

    def pull_the_plug(tally) -> None:
        if tally.dialogues == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        record_run(ships_kg, RuleModel(RULEBOOK), OPTIONS, broken, on_progress=pull_the_plug)
    assert len(read_benchmark(broken).dialogues) == 3
    tally = record_run(ships_kg, RuleModel(RULEBOOK), OPTIONS, broken)
    assert tally.dialogues == 8
    for name in ("b.jsonl", "b.jsonl.rejected.jsonl", "b.jsonl.run.json"):
        assert (broken.parent / name).read_bytes() == (whole.parent / name).read_bytes()
    again = record_run(ships_kg, RuleModel(RULEBOOK), OPTIONS, whole)
    assert (again.dialogues, again.turns, again.forms) == (8, 40, tally.forms)


UNUSABLE = {"planned": "generate/plan_verbalization", "multi-stage": "generate/dialogue",
            "simplified": "generate/questions_only", "single-shot": "generate/single_shot"}  # fmt: skip


def recorded_seeds(path: Path) -> list[str]:
    """Return the seeds that a run has tried: those of its dialogues, and the rejected ones."""
    dialogues = [dialogue.seed.iri for dialogue in read_benchmark(path).dialogues]
    return dialogues + [line["seed"] for _, line in read_lines(path.with_name(f"{path.name}.rejected.jsonl"))]


@pytest.mark.parametrize("approach", UNUSABLE)
@pytest.mark.parametrize("limit", [1, 3, 11])
def test_no_run_tries_more_seeds_than_the_limit(
    ships_kg: KnowledgeGraph, tmp_path: Path, caplog: pytest.LogCaptureFixture, approach: str, limit: int
):
    options = Options(approach=approach, dialogues=4, turns=3, min_predicates=3, min_triples=3, max_seeds=limit)
    for name, workers in (("one", 1), ("four", 4)):
        model = Faulty({UNUSABLE[approach]: "no JSON"})
        tally = record_run(ships_kg, model, replace(options, workers=workers), tmp_path / name)
        assert model.of(UNUSABLE[approach]) and tally.dialogues == 0
    tried = recorded_seeds(tmp_path / "one")
    assert 0 < len(tried) == len(set(tried)) <= limit
    for end in ("", ".rejected.jsonl", ".run.json"):
        assert (tmp_path / f"one{end}").read_bytes() == (tmp_path / f"four{end}").read_bytes()
    assert f"made 0 of 4 dialogues: no more than {limit} seeds are tried (max_seeds)" in caplog.text
    made = record_run(ships_kg, RuleModel(RULEBOOK), options, tmp_path / "good")
    assert 0 < made.dialogues <= min(4, limit) and len(recorded_seeds(tmp_path / "good")) <= limit


def test_what_a_broken_run_has_tried_counts_towards_the_limit(ships_kg: KnowledgeGraph, tmp_path: Path):
    options = Options(approach="multi-stage", dialogues=5, turns=3, min_predicates=3, max_seeds=11)
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    model = Faulty({"generate/dialogue": "no JSON"})
    record_run(ships_kg, model, options, whole)
    for stop_at in (1, 4, 9):

        def interrupt(tally: GenerationCounts, seeds: int = stop_at) -> None:
            if tally.rejected.total() >= seeds:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            record_run(ships_kg, model, options, broken, on_progress=interrupt)
    record_run(ships_kg, model, options, broken)
    for end in ("", ".rejected.jsonl", ".run.json"):
        assert broken.with_name(f"broken{end}").read_bytes() == whole.with_name(f"whole{end}").read_bytes()


def test_an_unavailable_model_stops_the_run(ships_kg: KnowledgeGraph):
    model = Scripted([ModelUnavailable("down", model="scripted")], only="generate/questions")
    with pytest.raises(ModelUnavailable):
        list(generate(ships_kg, model, Options(approach="multi-stage", dialogues=1)))


def test_queries_of_a_model_are_checked_and_executed(ships_kg: KnowledgeGraph):
    bad = json.dumps({"sparql": "SELECT DISTINCT ?x WHERE { ?x a <https://ships.example/vocab/Ship> }"})
    harmful = json.dumps({"sparql": "DELETE WHERE { ?s ?p ?o }"})
    model = Scripted([bad, harmful], only="generate/query")
    (made,) = generate(ships_kg, model, Options(approach="multi-stage", dialogues=1, queries="llm"))
    assert made.dialogue is not None and made.rejected == ()
    queries = [request for request in model.asked if request.agent == "generate/query"]
    assert "use only the IRIs that are given, not <https://ships.example/vocab/Ship>" in queries[1].messages[-1].content
    assert "the query cannot be run" in queries[2].messages[-1].content


def test_an_entity_whose_name_is_shared_is_no_seed(open_turtle: Callable[[str], KnowledgeGraph]):
    lines = ["@prefix : <https://x.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."]
    for place in range(6):
        label = "Twin" if place < 2 else f"Lone {'abcdef'[place]}"
        lines.append(f':e{place} a :Inn ; rdfs:label "{label}" ; ')
        lines.append(
            "; ".join(f':{p} "{p} {"uvwxyz"[place]}"' for p in ("beer", "soup", "song", "sign", "game")) + " ."
        )
    made = made_by(open_turtle("\n".join(lines)), Options(dialogues=6, turns=3))
    assert sorted(one.dialogue.seed.label for one in made if one.dialogue) == ["Lone c", "Lone d", "Lone e", "Lone f"]
    rules = {rejected.problems[0].rule for one in made for rejected in one.rejected}
    assert rules == {"ambiguous-label"}
