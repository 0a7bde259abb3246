import json

from chattyshared.model import Usage

from chattykg.evaluation.headline_report import render_scores, scores_to_json
from chattykg.evaluation.metrics import FalseAnswerRate, GroupScore, Scores

SCORES = Scores(
    questions=12,
    unanswerable=2,
    missing=1,
    answered=0.9,
    precision=0.8,
    recall=2 / 3,
    f1=0.7,
    f1_qald_macro=0.75,
    p_at_1=0.8,
    false_answers=0.5,
    seconds_per_question=0.0123,
    seconds_p50=0.01,
    seconds_p95=0.05,
    queries_per_question=6.25,
    queries_p50=6,
    candidate_queries_per_question=1.5,
    usage=Usage(40, 12000, 345, estimated=True),
    by_form={"count": GroupScore(3, 1.0, 3), "object": GroupScore(7, 4 / 7, 4)},
    by_link={"opens": GroupScore(10, 0.7)},
    by_turn={"1": GroupScore(5, 0.8), "2": GroupScore(3, 0.6), "3": GroupScore(2, 0.6)},
    false_answers_by_kind={"place": FalseAnswerRate(1, 1.0), "qualifier": FalseAnswerRate(1, 0.0)},
)


def test_the_table_reads_from_the_headline_down():
    assert (
        render_scores(SCORES)
        == """\
F1                         0.700  mean of F1 over the answerable turns
false answers              50.0%  of 2 unanswerable turns
F1, QALD macro             0.750  harmonic mean of mean precision and mean recall
precision                  0.800
recall                     0.667
P@1                        0.800  the top answer is right
answered                   90.0%
questions                     12  2 of them unanswerable, left out of the rates above; 1 without an answer line, \
counted as wrong
seconds per question       0.012  p50 0.010, p95 0.050
queries per question         6.2  p50 6
candidate queries            1.5  of them; the others look things up
model calls                   40
tokens                    12,345  12,000 prompt, 345 completion (estimated: characters / 4)

form      n     F1    link     n     F1    turn    n     F1    unanswerable    n  answered
count     3  1.000    opens   10  0.700    1       5  0.800    place           1      100%
object    7  0.571                         2       3  0.600    qualifier       1        0%
                                           3       2  0.600"""
    )


def test_candidate_queries_are_left_out_where_no_line_counts_them():
    assert (
        "candidate queries" not in render_scores(Scores())
        and scores_to_json(Scores())["candidate_queries_per_question"] is None
    )


def test_the_table_of_nothing_has_no_groups():
    assert render_scores(Scores()).splitlines()[-1] == "tokens                         0  0 prompt, 0 completion"


def test_json_has_the_keys_that_programs_read():
    read = json.loads(json.dumps(scores_to_json(SCORES)))
    promised = (
        "questions answered precision recall f1 f1_qald_macro p_at_1 false_answers seconds_per_question seconds_p50 "
        "seconds_p95 queries_per_question queries_p50 candidate_queries_per_question model_calls prompt_tokens "
        "completion_tokens "
        "by_form by_link by_turn"
    )
    assert set(promised.split()) <= read.keys()
    assert read["recall"] == 0.666667
    assert read["false_answers_by_kind"]["place"] == {"n": 1, "false_answers": 1.0}
    assert read["by_form"] == {
        "count": {"n": 3, "f1": 1.0, "solved": 3}, "object": {"n": 7, "f1": 0.571429, "solved": 4}
    }  # fmt: skip
    assert (read["model_calls"], read["prompt_tokens"], read["tokens_estimated"]) == (40, 12000, True)
