"""What people see of an answer: its sentence, its evidence with labels, and its text in Markdown."""
