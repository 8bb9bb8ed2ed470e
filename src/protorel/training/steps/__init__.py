"""The step functions of the three kinds of training, and what they read and record."""
