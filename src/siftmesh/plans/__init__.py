"""In which order to evaluate: values in, orders out."""
