"""Perceptrons in dual form: kernels k(x, x'), the Gram matrix, runs that count mistakes of rows, and their bound."""
