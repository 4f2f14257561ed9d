"""Translation by an encoder-decoder with local weights: Marian (opus-mt), NLLB, M2M100, mBART, T5, MADLAD."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from endoxa.errors import UserError
from endoxa.models.spec import ModelOptions, ModelSpec

BATCH = 16
NEW_TOKENS = 256
"""Longest translation in tokens."""


@dataclass(frozen=True, slots=True)
class Seq2SeqTranslator:
    """Greedy decoding; how the family of the model names languages is read from its vocabulary."""

    name: str
    network: Any
    tokenizer: Any
    remembered: bool = True

    @classmethod
    def load(cls, spec: ModelSpec) -> Seq2SeqTranslator:
        """Load weights and tokenizer.

        Raises:
            UserError: torch is missing, the model cannot be loaded, or is no encoder-decoder.
        """
        try:
            from endoxa.models.local import load_checkpoint
        except ImportError as problem:
            raise UserError(
                'Local translation needs torch and transformers: pip install "endoxa[local]".'
            ) from problem
        checkpoint = load_checkpoint(spec, ModelOptions(packed_weights=False))
        if checkpoint.architecture != "encoder-decoder":
            raise UserError(
                f"'{spec.text}' is a {checkpoint.architecture} model, which does not translate by itself: name an "
                "encoder-decoder such as hf/Helsinki-NLP/opus-mt-fr-en."
            )
        return cls(spec.text, checkpoint.network, checkpoint.tokenizer)

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[str | None]:
        """See `Translator.translate`; an empty output is None.

        Raises:
            UserError: the model names languages and knows not one of the two.
        """
        import torch

        extra = self._target_token(source, target)
        prefix = self._prefix(source, target)
        for start in range(0, len(texts), BATCH):
            batch = [prefix + text for text in texts[start : start + BATCH]]
            with torch.inference_mode():
                inputs = self.tokenizer(batch, return_tensors="pt", padding=True, truncation=True)
                inputs = inputs.to(self.network.device)
                ids = self.network.generate(
                    input_ids=inputs["input_ids"],
                    attention_mask=inputs["attention_mask"],
                    max_new_tokens=NEW_TOKENS,
                    max_length=None,
                    do_sample=False,
                    num_beams=1,
                    **extra,
                )
            for line in self.tokenizer.batch_decode(ids, skip_special_tokens=True):
                yield " ".join(line.split()) or None

    def _target_token(self, source: str, target: str) -> dict[str, int]:
        """For models that name languages by tokens (NLLB, M2M100, mBART): tell the source, force the target."""
        if not hasattr(self.tokenizer, "src_lang"):
            return {}
        self.tokenizer.src_lang = self._language_token(source)
        wanted = self._language_token(target)
        return {"forced_bos_token_id": self.tokenizer.convert_tokens_to_ids(self._spelt(wanted))}

    def _language_token(self, code: str) -> str:
        """The model's own word for a language: 'fr' (M2M100), 'fr_XX' (mBART), 'fra_Latn' (NLLB).

        Raises:
            UserError: it has none.
        """
        from endoxa.curate.language import three_letters

        names = [token.strip("_") for token in self.tokenizer.all_special_tokens]
        for start in (code, three_letters(code)):
            for name in names:
                if name == start or name.startswith(f"{start}_"):
                    return str(name)
        raise UserError(
            f"The translator '{self.name}' has no token for the language '{code}': use another model."
        )

    def _spelt(self, name: str) -> str:
        return str(next(token for token in self.tokenizer.all_special_tokens if token.strip("_") == name))

    def _prefix(self, source: str, target: str) -> str:
        """What T5 ("translate French to English: ") and MADLAD ("<2en> ") want in front of the text."""
        tasks = getattr(self.network.config, "task_specific_params", None) or {}
        task = tasks.get(f"translation_{source}_to_{target}", {})
        mark = f"<2{target}>"
        if "prefix" in task:
            return str(task["prefix"])
        return f"{mark} " if mark in self.tokenizer.get_vocab() else ""
