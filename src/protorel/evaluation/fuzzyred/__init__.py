"""FuzzyRED: which of the distant labels are true?"""
