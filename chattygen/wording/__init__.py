"""The wording of dialogues: each approach from a plan or a context to turns, the checks between, gold and assembly."""
