"""Files and what is said about them: atomic writes, locks, errors for people, text made safe for a terminal."""
