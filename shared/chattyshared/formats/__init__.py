"""File formats of the field, one module each, and the detection of a file's format."""
