"""What dialogues are about: node types, label predicates, and seed entities (Algorithms 1 and 2)."""
