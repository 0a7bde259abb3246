"""User simulation: a user who follows the goals of a plan, and reacts to what a system answers."""
