"""Classification: the official SemEval scorer, micro and macro F1, answer files."""
