"""The hand-written reader of English questions, kept whole until the grammar replaces it."""
