"""Planned dialogues: read what a seed offers, sample plans, choose among them, and compile each turn's query and
gold."""
