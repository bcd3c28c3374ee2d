"""An independent forward pass of a llama model in 32-bit numbers, from the weights alone.

Shares nothing with llama.cpp but the file: numpy multiplies, and the `gguf` package unpacks the
weights. What it says a text's likelihood is, the product's own figure must come near; the two
differ by the rounding of activations to eight bits that llama.cpp does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGUFReader, dequantize


class Llama:
    """For architectures of the kind "llama", with tied embeddings."""

    def __init__(self, path: Path) -> None:
        reader = GGUFReader(str(path))
        self._fields = reader.fields
        self._weights = {
            tensor.name: np.asarray(
                dequantize(tensor.data, tensor.tensor_type), np.float32
            ).reshape(tuple(reversed([int(n) for n in tensor.shape])))
            for tensor in reader.tensors
        }
        self.layers = int(self._number("llama.block_count"))
        self.heads = int(self._number("llama.attention.head_count"))
        self.kv_heads = int(self._number("llama.attention.head_count_kv"))
        self.size = int(self._number("llama.rope.dimension_count"))
        self.base = float(self._number("llama.rope.freq_base"))
        self.epsilon = float(self._number("llama.attention.layer_norm_rms_epsilon"))

    def _number(self, name: str) -> Any:
        field = self._fields[name]
        return field.parts[field.data[0]][0]

    def logprobs(self, ids: list[int]) -> np.ndarray:
        """Row i: the log-probabilities of the token that follows on ids[:i + 1]."""
        x = self._weights["token_embd.weight"][ids]
        for layer in range(self.layers):
            x = x + self._attention(self._norm(x, f"blk.{layer}.attn_norm"), layer)
            x = x + self._feed(self._norm(x, f"blk.{layer}.ffn_norm"), layer)
        logits = self._norm(x, "output_norm") @ self._weights["token_embd.weight"].T
        logits = logits.astype(np.float64)
        logits -= logits.max(axis=1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))

    def _norm(self, x: np.ndarray, name: str) -> np.ndarray:
        scale = np.sqrt((x * x).mean(axis=-1, keepdims=True) + self.epsilon)
        return x / scale * self._weights[f"{name}.weight"]

    def _times(self, x: np.ndarray, layer: int, name: str) -> np.ndarray:
        return x @ self._weights[f"blk.{layer}.{name}.weight"].T

    def _attention(self, x: np.ndarray, layer: int) -> np.ndarray:
        count = len(x)
        q = self._turned(self._times(x, layer, "attn_q").reshape(count, self.heads, -1))
        k = self._turned(self._times(x, layer, "attn_k").reshape(count, self.kv_heads, -1))
        v = self._times(x, layer, "attn_v").reshape(count, self.kv_heads, -1)
        shared = self.heads // self.kv_heads
        k, v = np.repeat(k, shared, axis=1), np.repeat(v, shared, axis=1)
        scores = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(self.size)
        scores += np.triu(np.full((count, count), -np.inf, np.float32), 1)
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights = scores / scores.sum(axis=-1, keepdims=True)
        mixed = np.einsum("hij,jhd->ihd", weights, v).reshape(count, -1)
        return self._times(mixed, layer, "attn_output")

    def _turned(self, x: np.ndarray) -> np.ndarray:
        """Positions as rotations of neighbouring pairs, the order in which GGUF has them."""
        steps = self.base ** (-np.arange(0, self.size, 2) / self.size)
        angles = np.arange(len(x))[:, None] * steps[None, :]
        cos, sin = np.cos(angles)[:, None, :], np.sin(angles)[:, None, :]
        even, odd = x[..., 0::2], x[..., 1::2]
        out = np.empty_like(x)
        out[..., 0::2] = even * cos - odd * sin
        out[..., 1::2] = even * sin + odd * cos
        return out

    def _feed(self, x: np.ndarray, layer: int) -> np.ndarray:
        gate = self._times(x, layer, "ffn_gate")
        silu = gate / (1.0 + np.exp(-gate))
        return self._times(silu * self._times(x, layer, "ffn_up"), layer, "ffn_down")
