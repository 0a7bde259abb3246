"""Files of the field, each in a module of its own."""
