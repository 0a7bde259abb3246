"""Examples of a graph that the generator's rules make from the graph itself, once for each state of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel
from chattyshared.questions import Question

from chattykg.experience.experience_file import (
    Experience,
    ExperienceItem,
    make_header,
    read_experience_of,
    write_experience,
)
from chattykg.experience.leak_guard import HeldOutQuestion, bar_leaks
from chattykg.experience.learning import learn_items
from chattykg.experience.retrieval import ExamplePool, SelectedExamples

OWN_DIALOGUES, SEED = 60, 11
"""Dialogues of which the turns become examples, and the seed of the choice of their entities."""


def select_own_examples(kg: KnowledgeGraph, held_out: Iterable[HeldOutQuestion] | None = None) -> SelectedExamples:
    """Make solved questions of a graph; leave out what leaks to questions under test, their templates too.

    Raises:
        EndpointError: the graph could not be asked.
    """
    guarded = bar_leaks(own_examples(kg), held_out or (), kg.profile.types, bars_templates=True)
    pool = ExamplePool(guarded.items, bars_same_question=held_out is not None)
    return SelectedExamples(pool, guarded, f"own {OWN_DIALOGUES} {SEED} {kg.fingerprint()}")


def own_examples(kg: KnowledgeGraph) -> tuple[ExperienceItem, ...]:
    """Return solved questions of a graph; they are kept in its folder of caches, or else with the graph in memory.

    No hosted model is asked.

    Raises:
        EndpointError: the graph could not be asked.
    """
    return kg.remember("own examples", kg.fingerprint(), lambda: _read_or_make(kg))


def _read_or_make(kg: KnowledgeGraph) -> tuple[ExperienceItem, ...]:
    path = kg.cache_dir / f"own-{kg.fingerprint()}.experience.jsonl" if kg.cache_dir else None
    if path is not None and path.exists():
        return read_experience_of([path], kg)
    items = tuple(learn_items(_make_questions(kg), kg))
    if path is not None and items:
        _keep(path, Experience(make_header(kg, {"made": "by the rules of the generator"}), items))
    return items


def _make_questions(kg: KnowledgeGraph) -> Sequence[Question]:
    from chattygen.options import Options
    from chattygen.pipeline import generate
    from chattygen.rulebook import RULEBOOK

    options = Options(dialogues=OWN_DIALOGUES, seed=SEED)
    dialogues = (result.dialogue for result in generate(kg, RuleModel(RULEBOOK), options) if result.dialogue)
    return [
        Question(
            number,
            turn.standalone,
            answers=tuple(value.value for value in turn.answers),
            extra={"form": turn.form, "sparql": turn.sparql},
        )
        for number, turn in enumerate(turn for dialogue in dialogues for turn in dialogue.turns)
        if turn.answerable
    ]


def _keep(path: Path, experience: Experience) -> None:
    """Write the items; a folder that takes no file costs the time of making them again."""
    try:
        write_experience(path, experience)
    except ConfigError:
        return
