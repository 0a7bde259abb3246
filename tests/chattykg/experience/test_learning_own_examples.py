"""Examples that are made from the graph itself: kept by its state, and freed of leaks."""

from pathlib import Path

from chattyshared.kg.factory import open_kg

from chattykg.experience.leak_guard import HeldOutQuestion
from chattykg.experience.learning import own_examples, select_own_examples


def test_a_graph_makes_its_examples_once(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("chattykg.experience.learning.OWN_DIALOGUES", 4)
    items = own_examples(open_kg(["demo"], cache_dir=tmp_path))
    assert len(items) > 8 and all(item.sparql and not item.unused for item in items)
    (kept,) = tmp_path.glob("own-*.experience.jsonl")
    monkeypatch.setattr("chattykg.experience.learning._make_questions", lambda kg: [])
    kg = open_kg(["demo"], cache_dir=tmp_path)
    assert own_examples(kg) == items and kept.exists()
    held_out = [HeldOutQuestion((items[0].question,)), HeldOutQuestion(("Other words?",), items[1].sparql)]
    selected = select_own_examples(kg, held_out)
    assert selected.guarded.barred["question"] == 1 and selected.guarded.barred["query"] >= 1
    assert selected.to_manifest()["items"] == len(items)
