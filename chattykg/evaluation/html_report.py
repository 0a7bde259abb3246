"""The HTML report of an evaluation: one self-contained page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from urllib.parse import quote

from chattyshared.pages.frame import (
    render_document,
    render_glossary,
    render_sections,
    render_series_heading,
    render_text_details,
    render_tiles,
)
from chattyshared.pages.samples import Sample, render_samples

from chattykg.evaluation.charts import render_charts
from chattykg.evaluation.comparison import EvaluationSet, PairedComparison
from chattykg.evaluation.headline_report import render_scores
from chattykg.evaluation.samples import samples_of_systems
from chattykg.evaluation.scorecard import Scorecard
from chattykg.evaluation.text_report import render_comparison, render_effect, render_interval, render_table

LISTED_QUESTIONS = 40
"""The most questions in one list."""
_NOTES = (
    ("F1", "the mean of the F1 of single turns, over sets of answers; turns without gold are left out"),
    (
        "QALD macro",
        "the harmonic mean of mean precision and mean recall, where silence has precision 1: GERBIL's figure, which "
        "the tables of QALD, KGQAn and Chatty-KG show as F1; a system that rarely answers looks better in it",
    ),
    ("micro", "all elements of all answers together; long lists weigh most"),
    ("answered only", "the mean over the turns to which something was said; not comparable between systems"),
    ("P@1, MRR, Hit@5", "P@1 looks at the first answer; where ties share a rank, any right one among them counts"),
    ("trustworthiness", "the mean of +1 for a right answer, 0 for none, -1 for a wrong one"),
    (
        "TEXT2SPARQL",
        "official: as the challenge's program counts: a right no is 0, empty gold is 0, missing questions drop out; "
        "corrected: booleans and empty gold count, a missing question is wrong, nDCG sees the order",
    ),
    ("rows assigned", "each row of gold gets one row of the answer; columns beyond gold's are forgiven, rows are not"),
    ("interval, p", "2,000 samples of whole dialogues; p of the paired permutation test, two-sided, not corrected"),
    ("risk, coverage", "of the answers at least so sure: the share that is wrong, and their share of all turns"),
    (
        "reliability, ECE, AUROC",
        "the share of right answers by confidence; the mean distance of the two, weighted by the number of answers; "
        "the probability that a right answer has more confidence than a wrong one (0.5: chance)",
    ),
    ("retention", "100 x F1 of follow-ups / F1 of the same questions asked standalone"),
)


def render_html_report(evaluation: EvaluationSet) -> str:
    """Return the HTML page for one or more systems on one file of gold."""
    first = evaluation.scorecards[0]
    several = len(evaluation.scorecards) > 1
    title = f"{evaluation.gold.stem}: {f'{len(evaluation.scorecards)} systems' if several else first.name}"
    counts = f"{first.scores.questions:,} questions, {first.scores.unanswerable:,} of them unanswerable"
    samples = _samples(evaluation)
    body = "\n".join(
        (
            f"<h1>{escape(title)}</h1>",
            f'<p class="soft">{escape(counts)}</p>',
            *_overview(evaluation),
            *_comparisons(evaluation),
            render_samples(samples, [card.name for card in evaluation.scorecards]),
            *render_sections(render_charts(evaluation.scorecards), [card.name for card in evaluation.scorecards]),
            *_full_table(evaluation),
            "<h2>What the figures mean</h2>",
            render_glossary(_NOTES),
        )
    )
    return render_document(title, body, parts=("samples",) if samples else ())


def _samples(evaluation: EvaluationSet) -> tuple[Sample, ...]:
    if evaluation.gold_file is None:
        return ()
    systems = [(card.name, card.system) for card in evaluation.scorecards]
    return samples_of_systems(evaluation.gold_file, systems, with_steps=True)


def _overview(evaluation: EvaluationSet) -> Iterator[str]:
    yield "<h2>Headline figures</h2>"
    for index, card in enumerate(evaluation.scorecards):
        system = card.system
        wording = "standalone questions" if system.wording == "standalone" else system.wording and f"{system.wording}s"
        history = system.history and f"{system.history} history"
        details = (system.model, history, wording, system.switches, system.experience)
        yield render_series_heading(index, card.name, " · ".join(filter(None, details)))
        yield render_tiles(_tiles(card))


def _tiles(card: Scorecard) -> Iterator[tuple[str, str]]:
    yield f"F1 ({render_interval(card, 'f1')})", f"{card.scores.f1:.3f}"
    if card.scores.unanswerable:
        yield "false answers to unanswerable turns", f"{card.scores.false_answers:.1%}"
    yield "F1, QALD macro", f"{card.scores.f1_qald_macro:.3f}"
    yield "exactly right", f"{card.headline.exact:.1%}"
    yield "P@1", f"{card.scores.p_at_1:.3f}"
    yield "answered", f"{card.scores.answered:.1%}"
    if card.scores.remembered.n:
        yield f"F1 of {card.scores.remembered.n} answers from memory, apart", f"{card.scores.remembered.f1:.3f}"
    yield "trustworthiness (-1 to 1)", f"{card.with_empty_gold.trust:.2f}"
    if card.candidates is not None:
        yield from (("candidates: " + name, text) for name, text in card.candidates.rows() if name in ("P@1", "trust"))
    yield "seconds per question, median", f"{card.scores.seconds_p50:.2f}"
    yield "queries per question", f"{card.scores.queries_per_question:.1f}"
    if card.scores.candidate_queries_per_question is not None:
        yield "candidate queries among them", f"{card.scores.candidate_queries_per_question:.1f}"
    if card.costs.usage.usd is not None:
        yield "US dollars in all", f"{card.costs.usage.usd:,.2f}"


def _comparisons(evaluation: EvaluationSet) -> Iterator[str]:
    if evaluation.effects:
        yield "<h2>What conditions cost</h2>"
        yield "".join(f"<p>{escape(render_effect(effect))}</p>" for effect in evaluation.effects)
    if evaluation.comparisons:
        yield f"<h2>Against {escape(evaluation.comparisons[0].first)}</h2>"
    for comparison in evaluation.comparisons:
        yield f"<p>{escape(render_comparison(comparison))}</p>"
        yield _won_and_lost(comparison)


def _won_and_lost(comparison: PairedComparison) -> str:
    rows = "".join(
        f'<tr><td>{outcome}</td><td class="n">{first.f1:.2f}</td><td class="n">{second.f1:.2f}</td>'
        f'<th><a href="#{escape(quote(first.gold.id, safe="/"), quote=True)}">{escape(first.gold.id)}</a></th>'
        f"<td>{escape(first.gold.question)}</td></tr>"
        for outcome, pairs in (("won", comparison.wins), ("lost", comparison.losses))
        for first, second in pairs[:LISTED_QUESTIONS]
    )
    if not rows:
        return ""
    hidden = sum(max(0, len(pairs) - LISTED_QUESTIONS) for pairs in (comparison.wins, comparison.losses))
    more = f'<p class="note">{hidden} more are not shown.</p>' if hidden else ""
    head = (
        f'<tr><th></th><th class="n">{escape(comparison.first)}</th><th class="n">{escape(comparison.second)}</th></tr>'
    )
    return f"<details><summary>questions won and lost</summary><table>{head}{rows}</table>{more}</details>"


def _full_table(evaluation: EvaluationSet) -> Iterator[str]:
    text = render_table(evaluation)
    if len(evaluation.scorecards) == 1:
        text = f"{render_scores(evaluation.scorecards[0].scores)}\n\n{text}"
    return render_text_details(text)
