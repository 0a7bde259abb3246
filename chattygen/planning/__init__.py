"""Planned dialogues: what a seed can give is read, a plan is drawn, and each of its turns has its query and gold."""
