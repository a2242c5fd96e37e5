"""Labels of several tokens, read from prompts that a server echoes with their log-probabilities.

Each spelling of each label is put behind the prompt and costs one call; one more asks for the
prompt alone, so that the spelling's own tokens are those that come behind the prompt's.
"""

from typing import NoReturn

from ....errors import ModelError
from ...engine import LabelRequest, LabelResult
from .client import Caller, Refused
from .labels import Echoed, agree, is_too_much, raw_tokens, read_echoes, tail_of, token_bytes
from .replies import TextReply, TopToken
from .server import each
from .wire import Wire

# More than one: llama_cpp.server tells nothing of a reply that ends before its first token.
_CHECKS = (
    ("The capital of France is the city of", " Paris"),
    ("A dog is an animal, a rose is a flower, and an oak is a", " tree"),
    ("1, 2, 3, 4,", " 5"),
)


async def label_by_echo(caller: Caller, wire: Wire, request: LabelRequest) -> LabelResult | Refused:
    """The log-probability of each label as a continuation of the prompt, all spellings added up."""
    prompt = wire.prompt(request.conversation, request.lead)
    forms = [form for label in request.scale.labels for form in request.scale.forms_of(label)]
    bare, *replies = await each(["", *forms], lambda form: _echo(caller, wire, prompt + form))
    echoes: dict[str, Echoed] = {}
    for form, reply in zip(forms, replies, strict=True):
        if isinstance(reply, Refused):
            return reply
        echoes[form] = reply.prompt_tokens or []
    if isinstance(bare, Refused):
        return bare
    base = bare.prompt_tokens
    if not base or not all(echoes.values()):
        return Refused(None, "the server did not echo the prompt")
    # the first token of all has none
    if any(logprob is None for echo in echoes.values() for _, logprob in echo[1:]):
        return Refused(None, "a token of the echo has no log-probability")
    after = next(r for r in replies if isinstance(r, TextReply)).top_at(len(base))
    result = read_echoes(request.scale, base, echoes, raw_tokens(after))
    if is_too_much(result.logprobs or ()):
        return Refused(None, "probabilities of labels add up to more than 1")
    return result


async def check_echo(caller: Caller, wire: Wire) -> None:
    """An error unless an echo says of a token what the server says when it writes it.

    llama_cpp.server gives each token of an echo the probability of the place after it, where
    prompts do not begin with a token of the model's own (Qwen).
    """
    for text, more in _CHECKS:
        body = wire.label_body((("user", text),), "")
        plain = await caller.ask(wire.path, body | {"prompt": text}, TextReply)
        bare, full = [await _echo(caller, wire, prompt) for prompt in (text, text + more)]
        if isinstance(plain, Refused) or isinstance(bare, Refused) or isinstance(full, Refused):
            refused = [reply.message for reply in (plain, bare, full) if isinstance(reply, Refused)]
            _cannot(caller, f"does not echo prompts with log-probabilities ({refused[0]})")
        base, whole = bare.prompt_tokens, full.prompt_tokens
        if not base or not whole:
            _cannot(caller, "does not echo prompts with log-probabilities")
        written = plain.top_at(0)
        if not written:
            continue
        spelt = [token_bytes(TopToken(token=t, logprob=0)) for t, _ in tail_of(base, whole)]
        if b"".join(spelt).strip() == more.strip().encode() and agree(
            written, full.top_at(len(base))
        ):
            return
        _cannot(caller, "echoes prompts with the probabilities of other places")
    _cannot(caller, "cannot be checked for its echo: it ends every reply before the first token")


async def _echo(caller: Caller, wire: Wire, prompt: str) -> TextReply | Refused:
    return await caller.ask(wire.path, wire.echo_body(prompt), TextReply)


def _cannot(caller: Caller, why: str) -> NoReturn:
    raise ModelError(
        f"{caller.where} {why}, so labels of several tokens cannot be read there: use a scale of "
        "digits or letters, a vLLM server, or a local engine"
    )
