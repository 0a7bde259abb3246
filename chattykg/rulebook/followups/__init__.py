"""Follow-up questions: detection, coreference, ellipsis and contextual rewriting."""
