"""What is said of noise: every claim of chance over a grid of settings in which there is nothing to find."""
