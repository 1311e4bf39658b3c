"""The driver while a person codes: when to predict, what is shown, what is frozen."""
