"""Drawing on paper with matplotlib: figures, captions, text and labels."""
