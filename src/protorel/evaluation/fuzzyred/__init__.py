"""FuzzyRED: which distant labels does the text express?"""
