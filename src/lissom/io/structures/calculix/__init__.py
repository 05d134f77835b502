"""Files of CalculiX: decks, stored matrices and results."""
