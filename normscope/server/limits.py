"""How much the server takes at once; more is refused, and said so."""

MAX_BODY_BYTES = 4_000_000
"""Of a request's body."""
MAX_ANSWERS = 256
"""In one request."""
MAX_CHARACTERS = 100_000
"""Of a question with all that comes before it, and of an answer; a longer one is left unscored."""
MAX_WAITING = 256
"""Answers that wait; beyond it the server is overloaded."""
BODY_S = 30.0
"""For a body to come."""
