"""Translation of statements into the working language, only where it is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from endoxa.errors import UserError, installation
from endoxa.models.chat import PROVIDERS
from endoxa.models.keys import NO_KEY, key_in, server_key
from endoxa.models.retrying import ATTEMPTS, PATIENCE, REFUSED_TEXTS, Retrier, permanent_failure
from endoxa.models.scoring import parse_model
from endoxa.models.spec import ModelOptions, ModelSpec
from endoxa.models.transport import server_client
from endoxa.schema import Progress
from endoxa.sources.frames import read_table
from endoxa.words.packs import language_name

FORMS = "hf/MODEL, openai/NAME, http://HOST:PORT/v1#NAME, or a file of translations"


class Translator(Protocol):
    """Something that translates statements; one module of this package each."""

    @property
    def name(self) -> str:
        """The translator as written on the command line; translations are remembered under it."""
        ...

    @property
    def remembered(self) -> bool:
        """Whether its translations are worth writing down (a file of translations already is)."""
        ...

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[str | None]:
        """The translation of each text in order, as they become known; None where there is none.

        Args:
            texts: statements, each of one language.
            source: ISO 639-1 code of that language.
            target: ISO 639-1 code of the language to translate into.
        """
        ...


def open_translator(words: str) -> Translator:
    """The translator that `words` name: `hf/...`, `openai/NAME`, `http://...#NAME`, or the path of a table.

    Raises:
        UserError: the words name none, a library is missing, or the model or file cannot be used.
    """
    if words.startswith("hf/"):
        return Seq2SeqTranslator.load(parse_model(words))
    if words.startswith(("openai/", "http://", "https://")):
        return ChatTranslator.connect(words)
    if any(provider.takes(words) for provider in PROVIDERS.all().values()):
        raise UserError(f"--translate: '{words}' is unknown. Expected {FORMS}.")

    return TableTranslator.read(Path(words))


OPENAI_URL = "https://api.openai.com/v1"
_CHECK = "address, model and key"
_SILENCE = "does not answer as expected"
AT_ONCE = 8
"""Requests under way at once."""
LONGEST_ANSWER = 4
"""An answer longer than this many times the statement, plus `SLACK` characters, is a refusal or a comment."""
SLACK = 60
_PROMPT = (
    "You translate single statements of a survey about stereotypes from {source} into {target}. The statements are "
    "data for research on bias. Translate the user's whole message, word by word where that is natural; keep its "
    "bluntness, its number and its mistakes of fact; add, soften and explain nothing. Reply with the translation only."
)


@dataclass(frozen=True, slots=True)
class ChatTranslator:
    """Sends each statement in a request of its own, at temperature 0."""

    name: str
    served_name: str
    client: Any
    retrier: Retrier
    remembered: bool = True

    @classmethod
    def connect(cls, words: str) -> ChatTranslator:
        """A client for `openai/NAME` (key in OPENAI_API_KEY) or `http://HOST:PORT/v1#NAME`.

        Raises:
            UserError: the openai package or the key is missing, or the words name no model.
        """
        who = f"The translator '{words}'"
        retrier = Retrier(who, ATTEMPTS, PATIENCE, silence=_SILENCE, advice=f"Check {_CHECK}.")
        if words.startswith("openai/"):
            name, key = words.removeprefix("openai/"), key_in("OPENAI_API_KEY")
            if not name or key == NO_KEY:
                raise UserError(
                    "openai/ needs a model name (openai/NAME) and a key in the environment variable OPENAI_API_KEY."
                )
            return cls(words, name, server_client(who, OPENAI_URL, key, is_openai=True), retrier)
        spec = parse_model(words)
        client = server_client(who, spec.target, server_key(who, spec.target, words))
        return cls(words, spec.served_name, client, retrier)

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[str | None]:
        """See `Translator.translate`.

        Raises:
            UserError: the server cannot be reached or refuses the key or the model; single refused texts are None.
        """
        prompt = _PROMPT.format(source=language_name(source), target=language_name(target))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for start in range(0, len(texts), AT_ONCE):
                yield from pool.map(lambda text: self._ask(prompt, text), texts[start : start + AT_ONCE])

    def _ask(self, prompt: str, text: str) -> str | None:
        answer = self.retrier.call(lambda: self._once(prompt, text))
        choices = answer.choices if answer else None
        content = min(choices, key=lambda choice: choice.index or 0).message.content if choices else None
        return _usable(content or "", text)

    def _once(self, prompt: str, text: str) -> Any:
        """What comes of one call; None where the server refuses this text.

        Raises:
            TransientError: it did not work this time.
            UserError: the server refuses the key or the model.
        """
        import openai

        try:
            return self.client.chat.completions.create(
                model=self.served_name,
                temperature=0,
                messages=[{"role": "system", "content": prompt}, {"role": "user", "content": text}],
            )
        except openai.OpenAIError as problem:
            failure = permanent_failure(problem, self.client.api_key)
        if failure.status in REFUSED_TEXTS:
            return None
        raise UserError(
            f"The translator '{self.name}' does not answer (status {failure.status}: {failure.words}): check {_CHECK}. "
            "Finished translations are kept; run the same command again to continue."
        )


def _usable(content: str, text: str) -> str | None:
    """The translation on one line, or None where the answer is empty or far too long to be one."""
    line = " ".join(content.split())
    if len(line) > 1 and line[0] == line[-1] == '"' and not text.startswith('"'):
        line = line[1:-1].strip()
    return line if line and len(line) <= LONGEST_ANSWER * len(text) + SLACK else None


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
                f"Local translation needs torch and transformers: {installation('local')}."
            ) from problem
        checkpoint = load_checkpoint(spec, ModelOptions(packed_weights=False))
        if checkpoint.architecture != "encoder-decoder":
            raise UserError(
                f"'{spec.text}' is a {checkpoint.architecture} model, which cannot translate. Name an "
                "encoder-decoder such "
                "as hf/Helsinki-NLP/opus-mt-fr-en."
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
        return {
            "forced_bos_token_id": self.tokenizer.convert_tokens_to_ids(
                str(next(token for token in self.tokenizer.all_special_tokens if token.strip("_") == wanted))
            )
        }

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

    def _prefix(self, source: str, target: str) -> str:
        """What T5 ("translate French to English: ") and MADLAD ("<2en> ") want in front of the text."""
        tasks = getattr(self.network.config, "task_specific_params", None) or {}
        task = tasks.get(f"translation_{source}_to_{target}", {})
        mark = f"<2{target}>"
        if "prefix" in task:
            return str(task["prefix"])
        return f"{mark} " if mark in self.tokenizer.get_vocab() else ""


ORIGINAL, TRANSLATION, LANGUAGE = "original", "translation", "language"


@dataclass(frozen=True, slots=True)
class TableTranslator:
    """Looks statements up; case and white space do not matter.

    Attributes:
        name: the path of the table.
        translations: translation by (language or empty, plain original).
    """

    name: str
    translations: Mapping[tuple[str, str], str]
    remembered: bool = False

    @classmethod
    def read(cls, path: Path) -> TableTranslator:
        """Read a table with the columns original, translation and, if one text can be of two languages, language.

        Raises:
            UserError: the file cannot be read, lacks a column, or translates one original in two ways.
        """
        table = read_table(path, (ORIGINAL, TRANSLATION))
        translations: dict[tuple[str, str], str] = {}
        for number, row in enumerate(table.iter_rows(named=True), start=1):
            original, translation = row[ORIGINAL] or "", " ".join((row[TRANSLATION] or "").split())
            if not original.strip() or not translation:
                continue
            key = ((row.get(LANGUAGE) or "").strip().lower(), _plain(original))
            if translations.setdefault(key, translation) != translation:
                raise UserError(
                    f"{path}, row {number}: '{original[:60]}' has a different translation in an earlier row. Keep one."
                )
        return cls(str(path), translations)

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[str | None]:
        """See `Translator.translate`; the table's target language is taken to be `target`."""
        del target
        for text in texts:
            plain = _plain(text)
            yield self.translations.get((source, plain), self.translations.get(("", plain)))


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split()).strip(" .")


Key = tuple[str, str]
"""Language and text of a statement."""


@dataclass(frozen=True, slots=True)
class Translated:
    """A statement in the working language; `failed` where the original had to stay."""

    text: str
    failed: bool = False


def translate_all(
    texts: Sequence[str],
    languages: Sequence[str],
    translator: Translator,
    *,
    target: str,
    memory: Path | None = None,
    progress: Progress | None = None,
) -> list[Translated]:
    """Each text in the language `target`; texts that already are in it stay as they are.

    Equal texts are translated once. Every translation is appended to the file `memory` as it arrives (a JSON object per
    line) and read from there the next time, so that a killed run goes on where it stopped. Failures are not remembered:
    the next run tries them again.

    Args:
        texts: statements.
        languages: ISO 639-1 code of each.
        translator: what translates.
        target: ISO 639-1 code of the working language.
        memory: file of translations made by `translator`; None to remember nothing.
        progress: told (what, done, total) as work is done.

    Raises:
        UserError: the translator fails as a whole, or the memory cannot be read or written.
    """
    keys = list(zip(languages, texts, strict=True))
    wanted = dict.fromkeys(key for key in keys if key[0] != target)
    memory = memory if translator.remembered else None
    remembered_texts = _remembered(memory, translator.name, target) if memory else {}
    missing = [key for key in wanted if key not in remembered_texts]
    if missing:
        about = {"translator": translator.name, "target": target}
        with _appending(memory) as write:
            for done, (key, text) in enumerate(_made(missing, translator, target), start=1):
                if text is not None:
                    remembered_texts[key] = text
                    write({**about, "language": key[0], "original": key[1], "translation": text})
                if progress:
                    progress("translating", done, len(missing))
    return [
        Translated(remembered_texts.get(key, key[1]), failed=key not in remembered_texts)
        if key in wanted
        else Translated(key[1])
        for key in keys
    ]


def _made(keys: Sequence[Key], translator: Translator, target: str) -> Iterator[tuple[Key, str | None]]:
    """Translations one language after the other."""
    for source in dict.fromkeys(language for language, _ in keys):
        texts = [text for language, text in keys if language == source]
        for text, translation in zip(texts, translator.translate(texts, source, target), strict=True):
            yield (source, text), translation


def _remembered(path: Path, translator: str, target: str) -> dict[Key, str]:
    """Translations made by the same translator into the same language; a last line cut in half is left out."""
    if not path.exists():
        return {}
    translations: dict[Key, str] = {}
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as problem:
        raise UserError(f"{path} cannot be read: {problem.strerror or problem}.") from problem
    for number, line in enumerate(lines, start=1):
        try:
            entry = json.loads(line)
            if (entry["translator"], entry["target"]) == (translator, target):
                translations[entry["language"], entry["original"]] = entry["translation"]
        except (ValueError, KeyError, TypeError) as problem:
            if number < len(lines):
                raise UserError(
                    f"{path}, line {number}: not a stored translation. Remove the line, or the file to start over."
                ) from problem
    return translations


@contextmanager
def _appending(path: Path | None) -> Iterator[Callable[[Mapping[str, str]], None]]:
    """A function that writes a translation down at once."""
    if path is None:
        yield lambda _: None
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            data = path.read_bytes()
            if data and not data.endswith(b"\n"):
                path.write_bytes(data[: data.rfind(b"\n") + 1])
        with path.open("a", encoding="utf-8", newline="\n", buffering=1) as stream:
            yield lambda entry: print(json.dumps(entry, ensure_ascii=False), file=stream)
    except OSError as problem:
        raise UserError(f"{path} cannot be written: {problem.strerror or problem}.") from problem
