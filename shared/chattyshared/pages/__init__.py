"""Self-contained HTML pages: the frame, and plots as inline SVG; light or dark by the reader's system."""
