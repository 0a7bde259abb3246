"""Contextual understanding: input, context, referents, language identification and small talk."""
