"""The stages from a summary or a plan to turns: questions, queries, gold answers, and the rewritten dialogue."""
