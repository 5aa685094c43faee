"""Does the maximum-likelihood estimate exist? Each model is a list of rows z, and the engine decides them."""
