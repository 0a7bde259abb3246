"""Self-contained pages: plots as inline SVG, and the frame around them; light or dark as the reader's system is."""
