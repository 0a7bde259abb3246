"""``chattykg parse``: shows how the rules read a question."""

from __future__ import annotations

import json
from typing import Any

import click
from chattyshared.commands.group import sanitize_for_terminal

from chattykg.cli import options, resources


@click.command()
@click.argument("question")
@options.kg_options
@click.option("--json", "as_json", is_flag=True, help="Print the readings as one JSON object.")
def parse(**options: Any) -> None:
    """Show how the rules read QUESTION: the trees of its readings, best first, and what they ask for.

    Each reading has a score (a log score; more is better), the tree of the grammar's rules, the question intermediate
    representation (QIR), and the words of the question that it does not use.

    \b
    chattykg parse --kg demo "Which films by Christopher Nolan are longer than 150 minutes?"
    """  # noqa: D301
    from chattyshared.language.tokenizer import tokenize

    from chattykg.linking.vocabulary_card import build_vocabulary_card
    from chattykg.qir import render_qir, to_json
    from chattykg.rulebook.grammar.parser import parse as parse_question
    from chattykg.rulebook.grammar.parser import render_tree

    question = options["question"]
    kg = resources.open_graph(options)
    parses = parse_question(question, build_vocabulary_card(question, kg))
    if options["as_json"]:
        readings = [{"score": round(p.score, 2), "unused": p.unused, "qir": to_json(p.qir)} for p in parses]
        click.echo(json.dumps({"question": question, "readings": readings}, ensure_ascii=False, indent=2))
        return
    blocks = [
        f"{number}. {render_qir(p.qir)}\n   score {p.score:.2f}; unused: {', '.join(p.unused) or 'nothing'}\n"
        + render_tree(p.node, tokenize(question), depth=2)
        for number, p in enumerate(parses, 1)
    ]
    click.echo(sanitize_for_terminal("\n\n".join(blocks) or "No rule reads this question."))
