"""What /api/chat is asked, and how large a window that needs."""

from __future__ import annotations

import re
import sys

from adjudge.core.prompt import Prompt, Sampling

from .ways import Forms, Ways

FORMS: Forms = {"format": ("schema", "json", None), "logprobs": ("logprobs", None)}
SMALLEST = 4096
_MOST_LOGPROBS = 20
# Rather too few than too many: a window that is too small costs another request.
_BYTES_A_TOKEN = 3
_AROUND_A_TURN = 16  # tokens that the chat template adds
_COUNTED = re.compile(r"request \((\d+) tokens\)")


def body_of(
    model: str, prompt: Prompt, sampling: Sampling, ways: Ways, window: int
) -> dict[str, object]:
    options: dict[str, object] = {"num_ctx": window, "num_predict": sampling.max_tokens}
    if sampling.temperature is not None:
        options["temperature"] = sampling.temperature
    if sampling.seed is not None:
        options["seed"] = sampling.seed
    body: dict[str, object] = {
        "model": model,
        "messages": prompt.messages,
        "stream": False,
        "options": options,
        # Without these a prompt that does not fit is cut without a word.
        "truncate": False,
        "shift": False,
    }
    if prompt.schema is not None and ways["format"]:
        body["format"] = prompt.schema if ways["format"] == "schema" else "json"
    if sampling.top_logprobs and ways["logprobs"]:
        body |= {"logprobs": True, "top_logprobs": min(sampling.top_logprobs, _MOST_LOGPROBS)}
    return body


def window_for(prompt: Prompt, sampling: Sampling) -> int:
    """The window that the prompt and its reply will probably need."""
    texts = (len(turn.content.encode(errors="replace")) for turn in prompt.messages)
    need = sum(size // _BYTES_A_TOKEN + _AROUND_A_TURN for size in texts)
    return rounded(need + sampling.max_tokens)


def larger(told: str, window: int, estimate: int, reply: int, limit: int | None) -> int | None:
    """The window to try when a prompt did not fit into this one, None to give it up.

    `reply` is what the reply may take, `limit` what the model was made for, all in tokens. Newer
    versions tell how many the prompt has. Else it is tried once, in four times the estimate: that
    is as far as a tokenizer that does not know the language well may be off.
    """
    limit = limit or sys.maxsize
    counted = _COUNTED.search(told)
    tokens = int(counted.group(1)) if counted else 0
    wanted = min(rounded(tokens + reply) if counted else 4 * estimate, limit)
    return wanted if wanted > window and tokens < limit else None


def rounded(tokens: int) -> int:
    """A power of two: the model is loaded anew for every other window, so let there be few."""
    return int(max(SMALLEST, 1 << (tokens - 1).bit_length()))
