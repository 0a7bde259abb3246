"""English for both products: tokens, lemmas and stems, inflection, quantities and dates, and the word lists."""
