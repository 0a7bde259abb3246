"""The measures of candidate lists, by the definitions at the head of the module and their edge cases."""

from math import log2

import pytest
from chattyshared.answers import AnswerLine
from chattyshared.dialogue import CandidateQuery, Value
from chattyshared.sparql.gold_queries import QueryRun

from chattykg.evaluation.answer_matching import element_from_gold_texts
from chattykg.evaluation.candidate_metrics import measure_candidates, run_candidates
from chattykg.evaluation.metrics import Gold

RUNS = {
    "right": QueryRun(((Value("a", "literal"),),), ("x",)),
    "wrong": QueryRun(((Value("b", "literal"),),), ("x",)),
    "half": QueryRun(((Value("a", "literal"),), (Value("b", "literal"),)), ("x",)),
    "empty": QueryRun(),
    "fails": QueryRun(failure="too long"),
}
GOLD = Gold("1", (element_from_gold_texts("a"),), lang="en")


def measured(*candidates, gold=GOLD):
    """Each candidate is the name of its result and, behind a colon, its verdict."""
    made = tuple(
        CandidateQuery(name, 0.0, verdict) for name, _, verdict in (each.partition(":") for each in candidates)
    )
    metrics = measure_candidates([gold], {"1": AnswerLine("1", candidates=made)}, RUNS)
    return metrics and {
        name: tuple(
            figure if figure is None else round(figure, 3)
            for figure in (score["p_at_1"], score["p_at_5"], score["ndcg_at_5"], score["trust"])
        )
        for name, score in metrics["groups"]["all"].items()
    }


SECOND = round(1 / log2(3), 3)


@pytest.mark.parametrize(
    ("candidates", "before", "after"),
    [
        (["right:yes", "wrong:no"], (1, 0.5, 1, 1), (1, 1, 1, 1)),
        (["wrong:no", "right:yes"], (0, 0.5, SECOND, -1), (1, 1, 1, 1)),
        (["wrong:yes", "right:no"], (0, 0.5, SECOND, -1), (0, 0, 0, -1)),
        (["wrong:no", "right:no"], (0, 0.5, SECOND, -1), (0, 0, 0, 0)),  # a right one was deleted with all others
        (["wrong:no", "half:no"], (0, 0, 0, -1), (1, 1, 1, 0)),  # nothing right was deleted
        (["half:yes"], (0, 0, 0, -1), (0, 0, 0, -1)),  # F1 below 1 is wrong
        (["fails:invalid", "right:yes"], (0, 0.5, SECOND, 0), (1, 1, 1, 1)),  # a failing query gives no answer
        (["fails:yes", "right:unread"], (0, 0.5, SECOND, 0), (0, 0.5, SECOND, 0)),
        (["empty:yes", "right:no"], (0, 0.5, SECOND, 0), (0, 0, 0, 0)),
        (["right:yes", "right:no"], (1, 1, 1, 1), (1, 1, round(1 / (1 + 1 / log2(3)), 3), 1)),
        (["wrong:no"] * 5 + ["right:yes"], (0, 0, 0, -1), (1, 1, 1, 1)),
        (["right:yes", "wrong:", "wrong:"], (1, 0.333, 1, 1), (1, None, None, 1)),  # the filter stopped there
        (["wrong:no", "empty:invalid", "right:yes", "wrong:"], (0, 0.25, 0.5, -1), (1, None, None, 1)),
        (["fails:invalid", "right:", "wrong:"], (0, 0.333, SECOND, 0), (1, 0.5, 1, 1)),  # no judge
    ],
)
def test_lists_before_and_after_the_filter(candidates, before, after):
    assert measured(*candidates) == {"before": before, "after": after}


def test_silence_is_right_where_gold_is_empty():
    gold = Gold("1", ())
    assert measured("empty:yes", gold=gold)["after"] == (1, 1, 1, 1)
    assert measured("wrong:no", gold=gold) == {"before": (0, 0, 0, -1), "after": (1, 1, 1, 1)}
    assert measured("fails:invalid", gold=gold)["before"] == (0, 0, 0, 0)
    assert measured("empty:no", gold=gold)["after"] == (0, 0, 0, 1)


def test_without_verdicts_there_is_no_after_and_without_lists_nothing():
    assert measured("wrong", "right") == {"before": (0, 0.5, SECOND, -1)}
    assert measured() is None
    assert measured("right", gold=Gold("1", GOLD.elements, is_scored=False)) is None
    assert measured("right", gold=Gold("2", GOLD.elements)) is None


def test_a_question_without_candidates_is_not_answered():
    golds = [GOLD, Gold("2", GOLD.elements), Gold("3", ())]
    lines = {"1": AnswerLine("1", candidates=(CandidateQuery("right"),)), "2": AnswerLine("2"), "3": AnswerLine("3")}
    for count, right in ((2, 1), (3, 2)):  # the third is right to say nothing
        score = measure_candidates(golds[:count], lines, RUNS)["groups"]["all"]["before"]
        share = right / count
        assert (score["n"], score["p_at_1"], score["p_at_5"], score["ndcg_at_5"], score["trust"]) == (
            count,
            *[share] * 4,
        )


def test_languages_and_the_judge():
    golds = [GOLD, Gold("2", GOLD.elements, lang="de"), Gold("3", GOLD.elements, lang="de")]
    lists = [["right:yes", "wrong:yes"], ["wrong:no", "fails:invalid", "right:unread"], ["right:no", "wrong:"]]
    lines = {
        gold.id: AnswerLine(gold.id, candidates=tuple(
            CandidateQuery(name, 0.0, verdict) for name, _, verdict in (each.partition(":") for each in listed)
        ))
        for gold, listed in zip(golds, lists, strict=True)
    }  # fmt: skip
    metrics = measure_candidates(golds, lines, RUNS)
    figures = {
        lang: (each["before"]["n"], each["before"]["p_at_1"], each["after"]["p_at_1"])
        for lang, each in metrics["groups"].items()
    }
    assert figures == {"all": (3, 2 / 3, 2 / 3), "de": (2, 0.5, 0.5), "en": (1, 1, 1)}
    assert (metrics["judged"], metrics["unread"]) == (5, 1)
    assert (metrics["accuracy"], metrics["precision"], metrics["recall"]) == (
        0.6,
        pytest.approx(2 / 3),
        pytest.approx(2 / 3),
    )


def test_each_query_is_run_once_and_what_writes_is_not(ships):
    query = "SELECT ?x { ?x a <https://ships.example/vocab/Tanker> }"
    lines = [AnswerLine(id, candidates=(CandidateQuery(query), CandidateQuery("CLEAR ALL"))) for id in "ab"]
    runs = run_candidates(lines, ships)
    assert {text: (len(run.rows), bool(run.failure)) for text, run in runs.items()} == {
        query: (2, False), "CLEAR ALL": (0, True)
    }  # fmt: skip
