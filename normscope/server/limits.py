"""How much the server takes at once; more is refused, and said so."""

MAX_BODY_BYTES = 4_000_000
"""Of a request's body."""
MAX_VALUES = 50_000
"""Fields, turns and parts of turns in a request's body: 256 conversations of some sixty turns."""
MAX_ANSWERS = 256
"""In one request."""
MAX_CHARACTERS = 100_000
"""Of a question with all that comes before it, and of an answer; a longer one is left unscored."""
MAX_NAME = 200
"""Characters of what the reply says again: an id, a category, a language, a criterion."""
MAX_WAITING = 256
"""Answers that wait; beyond it the server is overloaded."""
HEADER_S, BODY_S, IDLE_S = 10.0, 30.0, 30
"""For the header and the body of a request to come, and between two requests."""
CONNECTIONS, CONNECTIONS_PER_USER = 512, 256
MAX_HEADER_BYTES = 32_768
