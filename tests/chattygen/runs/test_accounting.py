import json
from collections.abc import Callable
from pathlib import Path

import pytest
from chattyshared.errors import ContextTooLong, ModelRefused
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import Completion, Request, Usage
from chattyshared.model.rules import RuleModel

from chattygen import RULEBOOK, Options, record_run
from chattygen.context.names import profile_naming
from chattygen.mix import form_coverage
from chattygen.runs.accounting import GenerationCounts, render_counts, render_coverage
from chattygen.sampling.label_predicates import choose_label_predicates

OPTIONS = Options(
    approach="multi-stage", dialogues=6, turns=3, queries="llm", theta=1, min_predicates=3, min_triples=3
)  # fmt: skip


class Faulty:
    """A model that is wrong in turn in four ways, at every so many calls of an agent."""

    name = "faulty"

    def __init__(self) -> None:
        self.calls: dict[str, int] = {}

    def complete(self, request: Request) -> Completion:
        number = self.calls[request.agent] = self.calls.get(request.agent, 0) + 1
        every = {"generate/query": 7, "generate/questions": 4, "generate/dialogue": 2}.get(request.agent, 0)
        if not every or number % every:
            return RuleModel(RULEBOOK).complete(request)
        wrong = number // every % 4
        if wrong == 0:
            raise ContextTooLong("too long", model=self.name, usage=Usage(1, 7, 0))
        if wrong == 1:
            raise ModelRefused("I would rather not", model=self.name, usage=Usage(1, 7, 1))
        return Completion("no JSON" if wrong == 2 else "{}", Usage(1, 7, 2))


@pytest.mark.slow
def test_every_seed_ends_as_a_dialogue_or_as_one_error(ships_kg: KnowledgeGraph, tmp_path: Path):
    path = tmp_path / "b.jsonl"
    tally = record_run(ships_kg, Faulty(), OPTIONS, path)
    dialogues = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    lines = [json.loads(line) for line in (tmp_path / "b.jsonl.rejected.jsonl").read_text().splitlines()]
    errors = [line for line in lines if line["error"] != "seed"]
    assert tally.dialogues == len(dialogues) > 0 and tally.errors.total() == len(errors) > 3
    assert tally.seeds_used == tally.dialogues + tally.errors.total() == len(dialogues) + len(errors)
    assert tally.unfit_seeds == len(lines) - len(errors)
    tried = [d["seed"]["iri"] for d in dialogues] + [line["seed"] for line in lines]
    assert len(tried) == len(set(tried))
    assert len(tally.errors) >= 3
    assert tally.usage.calls > sum(d["usage"]["calls"] for d in dialogues)
    said = tally.to_json()
    assert said["seeds_used"] == said["dialogues"] + sum(said["errors"].values())
    assert said["success"] == round(tally.dialogues / tally.seeds_used, 4)
    again = record_run(ships_kg, Faulty(), OPTIONS, path)
    assert again == tally


TALLY = GenerationCounts()
TALLY.add(
    [{"turns": [{"form": "date"}, {"form": "count"}, {"form": "object", "answerable": False}, {"form": "list"}],
     "usage": {"calls": 2, "prompt_tokens": 900, "completion_tokens": 80, "usd": 0.0125}}],
    [{"stage": "seed", "error": "seed", "problems": [{"rule": "size", "sentence": ""}]},
     {"stage": "query", "error": "query JSON", "problems": [], "usage": {"calls": 1, "prompt_tokens": 100}}],
)  # fmt: skip


def test_the_table_says_what_the_papers_table_says():
    assert render_counts(TALLY, seconds=2.04).splitlines() == [
        "seeds used        2 = 1 dialogues + 1 errors",
        "success           50 %",
        "  query JSON      1",
        "not fit as seeds  1 (they do not count as used)",
        "model calls       3",
        "tokens            1000 in prompts, 80 in replies",
        "price             0.0125 USD",
        "time              2.0 s",
    ]
    assert TALLY.rejected == {"seed: size": 1, "query: unknown": 1}
    assert "success           -" in render_counts(GenerationCounts())


def test_forms_are_held_against_the_mix():
    assert TALLY.forms == {"date": 1, "count": 1, "unanswerable": 1, "list": 1}
    found = {c.form: c for c in form_coverage(TALLY.forms, (("lookup", 50.0), ("count", 20.0), ("boolean", 30.0)))}
    assert (found["lookup"].turns, found["lookup"].share, found["lookup"].is_short) == (2, 50.0, False)
    assert (found["unanswerable"].target_share, found["unanswerable"].share) == (0.0, 25.0)
    assert found["boolean"].is_short and not found["count"].is_short
    alone = {c.form: c.turns for c in form_coverage(TALLY.forms, (("lookup", 50.0), ("date", 50.0)))}
    assert (alone["date"], alone["lookup"]) == (1, 1)
    assert form_coverage({}, (("lookup", 50.0),)) == ()
    assert "30.0 %   1 more wanted: needs a relation that people confirm" in render_coverage(found.values())


NAMES = """
@prefix : <https://trees.example/> .
"""
KINDS = ("Oak", "Elm", "Fir")


@pytest.fixture
def trees(open_turtle: Callable[[str], KnowledgeGraph]) -> KnowledgeGraph:
    lines = [NAMES]
    for kind in KINDS:
        words = zip("abcdef", ("Amber", "Birch", "Cedar", "Delta", "Ember", "Flint"), strict=True)
        lines += [
            f':{kind}{n} a :{kind} ; :title "{word} {kind}" ; :callName "{word[::-1]} {n}" .' for n, word in words
        ]
    return open_turtle("\n".join(lines))


class Asked:
    """The rule model, which counts how often it is asked for a name, and may refuse to give one."""

    name = "rules"

    def __init__(self, *, refuses: bool = False) -> None:
        self.types: list[str] = []
        self._refuses = refuses

    def complete(self, request: Request) -> Completion:
        self.types.append(str(request.variables["type"]))
        if self._refuses:
            raise ModelRefused("no", model=self.name, usage=Usage(1, 5, 0))
        return RuleModel(RULEBOOK).complete(request)


PAIRS = [(f"https://trees.example/{kind}", kind) for kind in KINDS]


def test_names_are_asked_for_once_and_kept_between_runs(trees: KnowledgeGraph, tmp_path: Path):
    kg = KnowledgeGraph(trees.endpoint, trees.profile, cache_dir=tmp_path / "cache")
    first, second, third = Asked(), Asked(), Asked()
    naming = choose_label_predicates(kg, first, PAIRS[:2], theta=3)
    more = choose_label_predicates(kg, second, PAIRS, theta=3)
    assert (first.types, second.types) == (["Oak", "Elm"], ["Fir"])
    assert more.by_type.items() >= naming.by_type.items()
    (file,) = (tmp_path / "cache").glob("names-*.json")
    file.write_text("broken", encoding="utf-8")
    choose_label_predicates(kg, third, PAIRS[:1], theta=3)
    assert third.types == ["Oak"]


def test_a_model_that_gives_no_name_leaves_the_usual_labels(trees: KnowledgeGraph, caplog: pytest.LogCaptureFixture):
    naming = choose_label_predicates(trees, Asked(refuses=True), PAIRS[:1], theta=3)
    assert naming.by_type == profile_naming(trees).by_type
    assert naming.usage.calls == 1 and naming.decided_types == {PAIRS[0][0]}
    assert "no name was chosen for Oak" in caplog.text
