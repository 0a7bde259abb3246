"""An evaluation as text, a first screen of few lines or all figures, and as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from urllib.parse import quote

from chattyshared.figures import Estimate, Section, Values, format_estimate, format_percent, render_rows_of_figures
from chattyshared.pages.figure_page import render_figure_page
from chattyshared.templates import render_template
from chattyshared.text import Column, cut_text, render_figures, render_rows

from chattykg.evaluation.comparison import EvaluationSet, PairedComparison
from chattykg.evaluation.memorization import TWIN
from chattykg.evaluation.samples import samples_of_systems
from chattykg.evaluation.scorecard import SECTIONS, Scorecard

SCREEN_LINES = 20
"""The most lines of the first screen."""
LISTED_QUESTIONS, LISTED_ON_PAGE = 8, 40
"""How many questions won, and how many lost, a text and a page list."""
_QUESTION_WIDTH = 80
_BLOCKS = {1: 3, 2: 2, 3: 2}
"""The blocks of forms side by side, by the number of systems; of more systems, one."""


def render_screen(cards: Sequence[Scorecard], findings: Sequence[str] = ()) -> str:
    """Return the figures to look at first: F1, false answers, answered, costs, F1 by form, and findings, such as the
    differences between systems with their p-values; on at most ``SCREEN_LINES`` lines, two of them for the caller's."""
    columns = [list(_first_figures(card)) for card in cards]
    if len(cards) > 1:
        rows = [(row[0][0], tuple(f"{value}{note}" for _, value, note, _ in row)) for row in zip(*columns, strict=True)]
        lines = render_figures([card.name for card in cards], rows)
    else:
        lines = render_rows(
            (Column(), Column(right=True), Column()), [(name, value, more) for name, value, _, more in columns[0]]
        )
    room = SCREEN_LINES - 2 - len(lines)
    if len(findings) > room - 1:
        findings = [*findings[: room - 2], f"and {len(findings) - room + 2} more comparisons"]
    forms = _render_forms(cards, room - len(findings) - bool(findings) - 2)
    return "\n\n".join("\n".join(part) for part in (lines, forms, findings) if part)


def findings_of(evaluation: EvaluationSet) -> list[str]:
    """Return the lines on the differences between systems, and on a twin."""
    twin = _render_sections((TWIN,), [evaluation.twin], [])[1:] if evaluation.twin else []
    return [*twin, *(each.describe() for each in evaluation.comparisons)]


def _first_figures(card: Scorecard) -> Iterator[tuple[str, str, str, str]]:
    """Yield the name and the value of each first figure, and what stands behind it beside other systems and alone."""
    values = card.headline
    f1, false, answered = (values[key] for key in ("f1", "false_answers", "answered"))
    low, high = f1.interval or (0.0, 0.0)
    spread = f"95 % interval {low:.3f} to {high:.3f}, over the {f1.n:,} turns with gold" if f1.n else "no turn has gold"
    yield "F1", format_estimate(replace(f1, interval=None)), f" [{low:.3f}, {high:.3f}]" if f1.n else "", spread
    refused = f"of the {false.n:,} turns that the graph cannot answer" if false.n else "no turn is unanswerable"
    yield "false answers", _percent(false), f" of {false.n:,}", refused
    missing = f"; {values['missing']:,} of all have no answer line" if values["missing"] else ""
    yield "answered", _percent(answered), f" of {answered.n:,}", f"of the turns with gold{missing}"
    if values["seconds_per_question"] is None:
        yield from ((name, "-", "", "") for name in ("seconds a question", "model calls", "tokens"))
        return
    p95 = f"{values['queries_per_question']:.1f} queries; 95 % take at most {values['seconds_p95']:.3f} seconds"
    yield "seconds a question", f"{values['seconds_per_question']:.3f}", "", p95
    price = "" if values["usd"] is None else f"{values['usd']:,.4f} USD"
    yield "model calls", f"{values['model_calls']:,}", price and f", {price}", price
    tokens = f"{values['prompt_tokens'] + values['completion_tokens']:,}"
    is_estimated = "estimated" if values["tokens_estimated"] else ""
    yield "tokens", tokens, is_estimated and " (estimated)", is_estimated and "estimated: characters / 4"


def _percent(estimate: Estimate) -> str:
    return format_percent(estimate.value) if estimate.n else "-"


def _render_forms(cards: Sequence[Scorecard], room: int) -> list[str]:
    """Return the F1 by form on at most ``room`` lines, in blocks side by side; the rarest forms are left out."""
    groups = [card.headline["by_form"] for card in cards]
    sizes = {name: group.n for each in groups for name, group in each.items()}
    blocks = _BLOCKS.get(len(cards), 1)
    places = (room - 1) * blocks
    shown = sorted(sorted(sizes, key=lambda name: -sizes[name])[: max(0, places)])
    if len(shown) < 2:
        return []
    cells = [
        (f"{name} ({sizes[name]})", *(f"{each[name].f1:.3f}" if name in each else "-" for each in groups))
        for name in shown
    ]
    height = -(-len(cells) // blocks)
    columns = (Column(), *(Column(right=True) for _ in cards))
    parts = [render_rows(columns, cells[start : start + height]) for start in range(0, len(cells), height)]
    rest = f", the first {len(shown)} of {len(sizes)}" if len(shown) < len(sizes) else ""
    order = ", systems in the same order" if len(cards) > 1 else ""
    heading = f"F1 by form (turns){rest}{order}"
    return [heading, *render_rows([Column()] * len(parts), list(zip_longest(*parts, fillvalue="")), gap=4)]


def render_all(evaluation: EvaluationSet) -> str:
    """Return all figures of all systems side by side, the costs of conditions, and the questions won and lost."""
    cards = evaluation.scorecards
    twin = _render_sections((TWIN,), [evaluation.twin], []) if evaluation.twin else []
    names = [card.name for card in cards] if len(cards) > 1 else []
    parts = (
        "\n".join(twin),
        "\n".join(_render_sections(SECTIONS, [card.values for card in cards], names)),
        "\n".join(effect.describe() for effect in evaluation.effects),
        *map(_comparison, evaluation.comparisons),
    )
    return "\n\n".join(part.strip("\n") for part in parts if part)


def _render_sections(sections: Sequence[Section], columns: Sequence[Values], names: Sequence[str]) -> list[str]:
    return render_figures(names, list(render_rows_of_figures(sections, columns)))


def _comparison(comparison: PairedComparison) -> str:
    lines = [comparison.describe()]
    for outcome, pairs in (("won", comparison.wins), ("lost", comparison.losses)):
        for first, second in pairs[:LISTED_QUESTIONS]:
            question = cut_text(first.gold.question, _QUESTION_WIDTH)
            lines.append(f"  {outcome:<5}{first.f1:.2f} -> {second.f1:.2f}  {first.gold.id}  {question}")
        if len(pairs) > LISTED_QUESTIONS:
            lines.append(f"  {outcome:<5}and {len(pairs) - LISTED_QUESTIONS} more (--csv has all)")
    return "\n".join(lines)


def render_page(evaluation: EvaluationSet) -> str:
    """Return the HTML page for one or more systems on one file of gold."""
    cards = evaluation.scorecards
    systems = f"{len(cards)} systems" if len(cards) > 1 else cards[0].name
    values = cards[0].values
    comparisons = [
        {
            "heading": f"Against {each.first}",
            "text": each.describe(),
            "systems": (each.first, each.second),
            "turns": [
                (outcome, first.f1, second.f1, quote(first.gold.id, safe="/"), first.gold.id, first.gold.question)
                for outcome, pairs in (("won", each.wins), ("lost", each.losses))
                for first, second in pairs[:LISTED_ON_PAGE]
            ],
            "hidden": sum(max(0, len(pairs) - LISTED_ON_PAGE) for pairs in (each.wins, each.losses)),
        }
        for each in evaluation.comparisons
    ]
    twin = _render_sections((TWIN,), [evaluation.twin], []) if evaluation.twin else []
    remarks = render_template(
        __package__, "comparisons.html.j2", comparisons=comparisons, twin="\n".join(twin).strip(),
        effects=[each.describe() for each in evaluation.effects],
    )  # fmt: skip
    return render_figure_page(
        SECTIONS,
        {card.name: card.values for card in cards},
        title=f"{evaluation.gold.path.stem}: {systems}",
        lead=f"{values['questions']:,} questions, {values['unanswerable']:,} of them unanswerable",
        origins=[_describe_run(card) for card in cards],
        remarks=remarks,
        samples=samples_of_systems(evaluation.gold, [(card.name, card.system) for card in cards], with_steps=True),
        headers={},
    )


def _describe_run(card: Scorecard) -> str:
    """Return what the manifest tells of a run."""
    system = card.system
    wording = "standalone questions" if system.wording == "standalone" else system.wording and f"{system.wording}s"
    history = system.history and f"{system.history} history"
    return " · ".join(filter(None, (system.model, history, wording, system.switches, system.experience)))
