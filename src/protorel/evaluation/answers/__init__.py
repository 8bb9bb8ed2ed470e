"""Class answers judged: the official SemEval scorer, micro and macro figures, answer files."""
