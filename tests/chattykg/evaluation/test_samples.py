"""The samples of an evaluation: scores, stages, and the steps of a trace."""

import json

from chattyshared.formats.gold import read_gold
from vessel_talk import vessels

from chattykg.evaluation.samples import FALSE_ANSWER, MAX_STEP_TEXT, read_steps, samples_of_systems
from chattykg.evaluation.system_runs import read_system_run


def event(kind, span="d0001/1", seconds=0.5, error="", **data):
    return json.dumps({"kind": kind, "span": span, "seconds": seconds, "data": data, "error": error})


def test_each_turn_has_the_answers_of_all_systems(tmp_path):
    lines = {
        "a": [{"id": "d0001/1", "answers": ["https://ships.example/Ada_Holt"]}, {"id": "d0002/3", "answers": ["x"]}],
        "b": [{"id": "d0001/1", "answers": [], "error": "timeout"}],
    }
    systems = []
    for name, system_lines in lines.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text("\n".join(map(json.dumps, system_lines)))
        systems.append((name, read_system_run(path)))
    (tmp_path / "a.jsonl.trace.jsonl").write_text(event("model", agent="answer/qir", text="{}") + "\n")
    samples = {
        sample.id: sample for sample in samples_of_systems(read_gold(vessels(tmp_path)), systems, with_steps=True)
    }
    first, second = samples["d0001/1"].answers
    assert (first.f1, first.stage, second.f1, second.stage, second.explanation) == (1, "", 0, "execution", "timeout")
    assert [step.agent for step in first.steps] == ["qir"] and second.steps == ()
    assert samples["d0002/3"].answers[0].stage == FALSE_ANSWER
    missing = samples["d0001/2"].answers[0]
    assert (missing.stage, missing.explanation) == ("missing", "no answer line")


def test_the_steps_of_a_trace_are_calls_and_the_queries_between_them(tmp_path):
    trace = tmp_path / "trace.jsonl"
    events = [
        event("stage", span="", stage="linking"),
        event("model", agent="answer/qir", text='{"shape": "list", "triples": [], "entity": "Ada"}'),
        event("query", query="ASK {}", rows=2), event("query", query="ASK {}", rows=3, error="timeout"),
        event("model", agent="answer/direct", text="x" * 700), event("query", query="ASK {}", truth=True),
        event("error", type="ValueError", error="ValueError in x"),
    ]  # fmt: skip
    trace.write_text("\n".join(events) + '\n{"kind": "mod')
    steps = [(step.agent, step.text, step.seconds) for step in read_steps(trace)["d0001/1"]]
    assert steps == [
        ("qir", '{"shape": "list", "entity": "Ada"}', 0.5), ("queries", "2 queries, 5 rows; timeout", 1.0),
        ("direct", "x" * MAX_STEP_TEXT + "…", 0.5), ("queries", "1 query, 0 rows", 0.5),
        ("error", "ValueError in x", 0.5),
    ]  # fmt: skip
    assert read_steps(tmp_path / "absent") == {}
