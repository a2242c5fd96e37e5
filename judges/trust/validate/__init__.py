"""How far a judge agrees with people: its card, from any file of labelled answers."""
