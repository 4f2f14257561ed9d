"""Written by `make docs`; see functions.py."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from endoxa.api.inputs import Columns, Models, Source
from endoxa.api.result import Result
from endoxa.commands.verbs import Outcome

__all__ = ['analyze_agreement', 'analyze_associations', 'analyze_novelty', 'analyze_ratings', 'analyze_run', 'build_choices', 'build_pairs', 'build_qa', 'build_stories', 'build_tests', 'curate_associations', 'curate_evaluate', 'curate_extract', 'curate_group', 'curate_review', 'datasets_check', 'datasets_convert', 'datasets_list', 'export_hub', 'export_task', 'extract', 'languages_check', 'languages_init', 'probe_choices', 'probe_embeddings', 'probe_pairs', 'probe_questions', 'probe_stories', 'rate_harm', 'reproduce', 'study_init', 'study_run']

def functions() -> Mapping[str, Callable[..., Any]]: ...
def stub() -> Iterator[str]: ...
def write_stub() -> None: ...

def probe_choices(data: 'Source', models: 'Models', *, out: 'str | Path | None' = None, columns: 'Columns | None' = None, restart: 'bool' = False, progress: 'bool' = True, languages: 'Sequence[str] | str' = (), limit: 'int | None' = None, sample: 'int | None' = None, include_drafts: 'bool' = False, system: 'str' = '', retry_errors: 'bool' = False, before: 'str' = '', after: 'str' = '', examples: 'Sequence[Sequence[str] | str] | str' = (), ask: "Literal['auto', 'text', 'letters', 'loglik', 'loglik-mean']" = 'auto', repeats: 'int' = 1, temperature: 'float | None' = 1.0, top_p: 'float | None' = None, max_tokens: 'int | None' = 512, reasoning: 'str | None' = None, extra: 'Any' = Ellipsis, seed: 'int' = 0, confidence: 'float' = 0.95, concurrency: 'int' = 8, requests_per_minute: 'int | None' = None, timeout: 'float' = 600.0, attempts: 'int' = 12, patience: 'float' = 180.0, batch: 'bool' = False, max_cost: 'float | None' = None, price: 'str | None' = None, device: 'str' = 'auto', dtype: "Literal['auto', 'float32', 'bfloat16', 'float16']" = 'auto', revision: 'str | None' = None, tokenizer: 'str | None' = None, adapter: 'str | None' = None, trust_remote_code: 'bool' = False, chat_template: 'str | None' = None, batch_size: 'int | None' = None, engine: "Literal['local', 'ray']" = 'local', ray_address: 'str | None' = None, workers: 'int | None' = None, num_gpus: 'float | None' = None) -> 'Result':
    """What a model concludes, decides and associates about two groups, from the same associations. `endoxa probe choices`; see `probe`.

    Options:
        languages: Use only items in this language; repeatable.
        limit: Use only the first N items.
        sample: Use a random sample of N items, stratified by what they have: language, axis, template, identity (--seed).
        include_drafts: Also use drafts of `endoxa author` that nobody has judged yet; rejected ones never are.
        system: System message.
        retry_errors: Ask again what ended with an error; answers are kept.
        before: Text before each request.
        after: Text after each request.
        examples: Examples before each request: '[["QUESTION", "ANSWER"], ...]'.
        ask: Answer by letter or by text, or score the options (hf/..., http://...); auto is loglik for local weights (all models are hf/...), else letters.
        repeats: Number of times each item is asked in each order.
        temperature: Sampling temperature; 0 takes the most probable token.
        top_p: Nucleus sampling: share of the probability mass to draw from.
        max_tokens: Maximum tokens per answer, reasoning included.
        reasoning: Reasoning effort of a reasoning model: low, medium, high ...
        extra: Additional fields of the request, as the provider names them.
        seed: Seed of every random draw.
        confidence: Confidence level of the intervals.
        concurrency: Maximum concurrent calls per model.
        requests_per_minute: Maximum requests per minute.
        timeout: Timeout in seconds: a call without any data for so long is retried.
        attempts: Maximum attempts per call while other calls succeed.
        patience: Stop after this many seconds in which every call failed; the run can continue later.
        batch: Use the provider's batch interface: half the price, answers within a day.
        max_cost: Stop before all models together cost more than this.
        price: Price in US dollars per million tokens, instead of the list price.
        device: Device: auto, cpu, cuda, cuda:1 or mps.
        dtype: Number type of the weights.
        revision: Branch, tag or commit of the model on the hub.
        tokenizer: Tokenizer, where it is not the model's own.
        adapter: PEFT adapter (LoRA and others) of the model.
        trust_remote_code: Run Python code that comes with the model.
        chat_template: Chat template (Jinja) that replaces the tokenizer's own.
        batch_size: Maximum number of conversations generated together.
        engine: Compute on this machine, or on a Ray cluster.
        ray_address: Ray cluster: auto, HOST:PORT or ray://HOST:10001.
        workers: With --set engine=ray: copies of each model.
        num_gpus: With --set engine=ray: GPUs of each copy, such as 0.5.
    """

def probe_embeddings(data: 'Source', models: 'Models', *, out: 'str | Path | None' = None, columns: 'Columns | None' = None, restart: 'bool' = False, progress: 'bool' = True, languages: 'Sequence[str] | str' = (), poolings: 'Sequence[str] | str' = (), layer: 'int | None' = None, max_unknown: 'float' = 0.2, seed: 'int' = 0, confidence: 'float' = 0.95, draws: 'int' = 100000, device: 'str' = 'auto', dtype: "Literal['auto', 'float32', 'bfloat16', 'float16']" = 'auto', four_bit: 'bool' = False, revision: 'str | None' = None, tokenizer: 'str | None' = None, adapter: 'str | None' = None, trust_remote_code: 'bool' = False, batch_tokens: 'int | None' = None, packed_weights: 'bool' = True) -> 'Result':
    """Which of two groups an encoder places nearer to an attribute: association tests (WEAT, SEAT). `endoxa probe embeddings`; see `probe`.

    Options:
        languages: Use only items in this language; repeatable.
        poolings: Pooling: cls, mean, mean-content, last, first-wordpiece or model; repeatable.
        layer: Layer whose output is pooled; 0 is the embedding layer.
        max_unknown: Word vectors: maximum share of words that the file may lack.
        seed: Seed of every random draw.
        confidence: Confidence level of the intervals.
        draws: Maximum number of Monte Carlo partitions per test.
        device: Device: auto, cpu, cuda, cuda:1 or mps.
        dtype: Number type of the weights.
        four_bit: Load weights in 4 bits (needs CUDA and bitsandbytes).
        revision: Branch, tag or commit of the model on the hub.
        tokenizer: Tokenizer, where it is not the model's own.
        adapter: PEFT adapter (LoRA and others) of the model.
        trust_remote_code: Run Python code that comes with the model.
        batch_tokens: Maximum tokens per batch.
        packed_weights: Pack weights for the CPU: faster, more memory, same numbers to about 1e-5.
    """

def extract(data: 'Source', models: 'Models', *, out: 'str | Path | None' = None, columns: 'Columns | None' = None, restart: 'bool' = False, progress: 'bool' = True, languages: 'Sequence[str] | str' = (), limit: 'int | None' = None, sample: 'int | None' = None, include_drafts: 'bool' = False, system: 'str' = '', retry_errors: 'bool' = False, before: 'str' = '', after: 'str' = '', examples: 'Sequence[Sequence[str] | str] | str' = (), vocabulary: 'str | None' = None, structured: 'bool' = True, temperature: 'float | None' = 0.0, top_p: 'float | None' = None, max_tokens: 'int | None' = 1024, reasoning: 'str | None' = None, extra: 'Any' = Ellipsis, seed: 'int' = 0, concurrency: 'int' = 8, requests_per_minute: 'int | None' = None, timeout: 'float' = 600.0, attempts: 'int' = 12, patience: 'float' = 180.0, batch: 'bool' = False, max_cost: 'float | None' = None, price: 'str | None' = None, device: 'str' = 'auto', dtype: "Literal['auto', 'float32', 'bfloat16', 'float16']" = 'auto', revision: 'str | None' = None, tokenizer: 'str | None' = None, adapter: 'str | None' = None, trust_remote_code: 'bool' = False, chat_template: 'str | None' = None, batch_size: 'int | None' = None, engine: "Literal['local', 'ray']" = 'local', ray_address: 'str | None' = None, workers: 'int | None' = None, num_gpus: 'float | None' = None, sheet: 'str | None' = None, sheet_rows: 'int' = 200) -> 'Result':
    """Have several models read the main character's profile from each story; the majority decides. `endoxa probe extract`; see `probe`.

    Options:
        languages: Use only items in this language; repeatable.
        limit: Use only the first N items.
        sample: Use a random sample of N items, stratified by what they have: language, axis, template, identity (--seed).
        include_drafts: Also use drafts of `endoxa author` that nobody has judged yet; rejected ones never are.
        system: System message.
        retry_errors: Ask again what ended with an error; answers are kept.
        before: Text before each request.
        after: Text after each request.
        examples: Examples before each request: '[["QUESTION", "ANSWER"], ...]'.
        vocabulary: Your own attributes and values (TOML).
        structured: Hold extractors to a JSON schema; switch off where a server refuses it.
        temperature: Sampling temperature; 0 takes the most probable token.
        top_p: Nucleus sampling: share of the probability mass to draw from.
        max_tokens: Maximum tokens per answer, reasoning included.
        reasoning: Reasoning effort of a reasoning model: low, medium, high ...
        extra: Additional fields of the request, as the provider names them.
        seed: Seed of every random draw.
        concurrency: Maximum concurrent calls per model.
        requests_per_minute: Maximum requests per minute.
        timeout: Timeout in seconds: a call without any data for so long is retried.
        attempts: Maximum attempts per call while other calls succeed.
        patience: Stop after this many seconds in which every call failed; the run can continue later.
        batch: Use the provider's batch interface: half the price, answers within a day.
        max_cost: Stop before all models together cost more than this.
        price: Price in US dollars per million tokens, instead of the list price.
        device: Device: auto, cpu, cuda, cuda:1 or mps.
        dtype: Number type of the weights.
        revision: Branch, tag or commit of the model on the hub.
        tokenizer: Tokenizer, where it is not the model's own.
        adapter: PEFT adapter (LoRA and others) of the model.
        trust_remote_code: Run Python code that comes with the model.
        chat_template: Chat template (Jinja) that replaces the tokenizer's own.
        batch_size: Maximum number of conversations generated together.
        engine: Compute on this machine, or on a Ray cluster.
        ray_address: Ray cluster: auto, HOST:PORT or ray://HOST:10001.
        workers: With --set engine=ray: copies of each model.
        num_gpus: With --set engine=ray: GPUs of each copy, such as 0.5.
        sheet: Also write a sheet on which a person codes a sample (.xlsx, .csv).
        sheet_rows: Number of stories on the sheet, from every model and language.
    """

def rate_harm(data: 'Source', models: 'Models', *, out: 'str | Path | None' = None, columns: 'Columns | None' = None, restart: 'bool' = False, progress: 'bool' = True, limit: 'int | None' = None, sample: 'int | None' = None, include_drafts: 'bool' = False, system: 'str' = '', retry_errors: 'bool' = False, before: 'str' = '', after: 'str' = '', examples: 'Sequence[Sequence[str] | str] | str' = (), language: 'str' = 'en', repeats: 'int' = 3, prompts: 'str | None' = None, temperature: 'float | None' = 1.0, top_p: 'float | None' = None, max_tokens: 'int | None' = 512, reasoning: 'str | None' = None, extra: 'Any' = Ellipsis, seed: 'int' = 0, concurrency: 'int' = 8, requests_per_minute: 'int | None' = None, timeout: 'float' = 600.0, attempts: 'int' = 12, patience: 'float' = 180.0, batch: 'bool' = False, max_cost: 'float | None' = None, price: 'str | None' = None, device: 'str' = 'auto', dtype: "Literal['auto', 'float32', 'bfloat16', 'float16']" = 'auto', revision: 'str | None' = None, tokenizer: 'str | None' = None, adapter: 'str | None' = None, trust_remote_code: 'bool' = False, chat_template: 'str | None' = None, batch_size: 'int | None' = None, engine: "Literal['local', 'ray']" = 'local', ray_address: 'str | None' = None, workers: 'int | None' = None, num_gpus: 'float | None' = None) -> 'Result':
    """Have models rate how harmful associations are (1 to 5), and whether they are frequent in reality. `endoxa probe harm`; see `probe`.

    Options:
        limit: Use only the first N items.
        sample: Use a random sample of N items, stratified by what they have: language, axis, template, identity (--seed).
        include_drafts: Also use drafts of `endoxa author` that nobody has judged yet; rejected ones never are.
        system: System message.
        retry_errors: Ask again what ended with an error; answers are kept.
        before: Text before each request.
        after: Text after each request.
        examples: Examples before each request: '[["QUESTION", "ANSWER"], ...]'.
        language: Language of the questions: ar, en, es, fr, hi, pt or sw.
        repeats: Number of ratings per association and model.
        prompts: Your own questions (TOML), in --language.
        temperature: Sampling temperature; 0 takes the most probable token.
        top_p: Nucleus sampling: share of the probability mass to draw from.
        max_tokens: Maximum tokens per answer, reasoning included.
        reasoning: Reasoning effort of a reasoning model: low, medium, high ...
        extra: Additional fields of the request, as the provider names them.
        seed: Seed of every random draw.
        concurrency: Maximum concurrent calls per model.
        requests_per_minute: Maximum requests per minute.
        timeout: Timeout in seconds: a call without any data for so long is retried.
        attempts: Maximum attempts per call while other calls succeed.
        patience: Stop after this many seconds in which every call failed; the run can continue later.
        batch: Use the provider's batch interface: half the price, answers within a day.
        max_cost: Stop before all models together cost more than this.
        price: Price in US dollars per million tokens, instead of the list price.
        device: Device: auto, cpu, cuda, cuda:1 or mps.
        dtype: Number type of the weights.
        revision: Branch, tag or commit of the model on the hub.
        tokenizer: Tokenizer, where it is not the model's own.
        adapter: PEFT adapter (LoRA and others) of the model.
        trust_remote_code: Run Python code that comes with the model.
        chat_template: Chat template (Jinja) that replaces the tokenizer's own.
        batch_size: Maximum number of conversations generated together.
        engine: Compute on this machine, or on a Ray cluster.
        ray_address: Ray cluster: auto, HOST:PORT or ray://HOST:10001.
        workers: With --set engine=ray: copies of each model.
        num_gpus: With --set engine=ray: GPUs of each copy, such as 0.5.
    """

def probe_pairs(data: 'Source', models: 'Models', *, out: 'str | Path | None' = None, columns: 'Columns | None' = None, restart: 'bool' = False, progress: 'bool' = True, languages: 'Sequence[str] | str' = (), limit: 'int | None' = None, sample: 'int | None' = None, include_drafts: 'bool' = False, format: 'str | None' = None, prefix: 'str | None' = None, template: 'str | None' = None, identities: 'str | Path | None' = None, rules: 'Sequence[str] | str' = (), calibrate: 'bool' = True, skip_unscorable: 'bool' = False, seed: 'int' = 0, confidence: 'float' = 0.95, device: 'str' = 'auto', dtype: "Literal['auto', 'float32', 'bfloat16', 'float16']" = 'auto', four_bit: 'bool' = False, revision: 'str | None' = None, tokenizer: 'str | None' = None, adapter: 'str | None' = None, trust_remote_code: 'bool' = False, batch_tokens: 'int | None' = None, packed_weights: 'bool' = True, engine: "Literal['local', 'ray']" = 'local', ray_address: 'str | None' = None, workers: 'int | None' = None, num_gpus: 'float | None' = None) -> 'Result':
    """Which sentence of each pair a model finds more probable. `endoxa probe pairs`; see `probe`.

    Options:
        languages: Use only pairs in this language; repeatable. One alone is also the language of a file without any.
        limit: Use only the first N items.
        sample: Use a random sample of N items, stratified by what they have: language, axis, template, identity (--seed).
        include_drafts: Also use drafts of `endoxa author` that nobody has judged yet; rejected ones never are.
        format: Format of the file, a name of `endoxa datasets list`.
        prefix: S-AS tables: words before every identity ('African').
        template: S-AS tables: sentence with {identity} and {attribute}.
        identities: Your own table of groups (CSV: group, words, axis), by which pairs are counted.
        rules: Scoring rule; repeatable.
        calibrate: Also score the same sentences about other groups, or 'people' and 'they'.
        skip_unscorable: List pairs that cannot be scored instead of stopping.
        seed: Seed of every random draw.
        confidence: Confidence level of the intervals.
        device: Device: auto, cpu, cuda, cuda:1 or mps.
        dtype: Number type of the weights.
        four_bit: Load weights in 4 bits (needs CUDA and bitsandbytes).
        revision: Branch, tag or commit of the model on the hub.
        tokenizer: Tokenizer, where it is not the model's own.
        adapter: PEFT adapter (LoRA and others) of the model.
        trust_remote_code: Run Python code that comes with the model.
        batch_tokens: Maximum tokens per batch.
        packed_weights: Pack weights for the CPU: faster, more memory, same numbers to about 1e-5.
        engine: Compute on this machine, or on a Ray cluster.
        ray_address: Ray cluster: auto, HOST:PORT or ray://HOST:10001.
        workers: With --set engine=ray: copies of each model.
        num_gpus: With --set engine=ray: GPUs of each copy, such as 0.5.
    """

def probe_questions(data: 'Source', models: 'Models', *, out: 'str | Path | None' = None, columns: 'Columns | None' = None, restart: 'bool' = False, progress: 'bool' = True, languages: 'Sequence[str] | str' = (), limit: 'int | None' = None, sample: 'int | None' = None, include_drafts: 'bool' = False, metadata: 'str | None' = None, label: 'str | None' = None, system: 'str' = '', retry_errors: 'bool' = False, before: 'str' = '', after: 'str' = '', examples: 'Sequence[Sequence[str] | str] | str' = (), ask: "Literal['letters', 'text', 'loglik', 'loglik-mean']" = 'letters', protocols: "Sequence[Literal['baseline', 'explanation', 'reprompting']] | str" = ('baseline',), repeats: 'int' = 1, shuffle: 'bool' = True, prompts: 'str | None' = None, names: 'str | None' = None, temperature: 'float | None' = 1.0, top_p: 'float | None' = None, max_tokens: 'int | None' = 512, reasoning: 'str | None' = None, extra: 'Any' = Ellipsis, seed: 'int' = 0, confidence: 'float' = 0.95, concurrency: 'int' = 8, requests_per_minute: 'int | None' = None, timeout: 'float' = 600.0, attempts: 'int' = 12, patience: 'float' = 180.0, batch: 'bool' = False, max_cost: 'float | None' = None, price: 'str | None' = None, device: 'str' = 'auto', dtype: "Literal['auto', 'float32', 'bfloat16', 'float16']" = 'auto', revision: 'str | None' = None, tokenizer: 'str | None' = None, adapter: 'str | None' = None, trust_remote_code: 'bool' = False, chat_template: 'str | None' = None, batch_size: 'int | None' = None, engine: "Literal['local', 'ray']" = 'local', ray_address: 'str | None' = None, workers: 'int | None' = None, num_gpus: 'float | None' = None) -> 'Result':
    """Which person a model picks where nobody can know, and whether debiasing changes its answer. `endoxa probe qa`; see `probe`.

    Options:
        languages: Use only items in this language; repeatable.
        limit: Use only the first N items.
        sample: Use a random sample of N items, stratified by what they have: language, axis, template, identity (--seed).
        include_drafts: Also use drafts of `endoxa author` that nobody has judged yet; rejected ones never are.
        metadata: BBQ's additional_metadata.csv.
        label: Name of the data in reports.
        system: System message.
        retry_errors: Ask again what ended with an error; answers are kept.
        before: Text before each request.
        after: Text after each request.
        examples: Examples before each request: '[["QUESTION", "ANSWER"], ...]'.
        ask: Answer by letter or by text, or score the options (hf/..., http://...).
        protocols: Self-debiasing protocols, separated by commas: baseline, explanation, reprompting.
        repeats: Number of times each question is asked.
        shuffle: Shuffle the options of each question and repeat.
        prompts: Your own instructions by language (TOML); or laces, those of LACES.
        names: Ask the questions about people with names, as this file of `endoxa build qa --names` has them.
        temperature: Sampling temperature; 0 takes the most probable token.
        top_p: Nucleus sampling: share of the probability mass to draw from.
        max_tokens: Maximum tokens per answer, reasoning included.
        reasoning: Reasoning effort of a reasoning model: low, medium, high ...
        extra: Additional fields of the request, as the provider names them.
        seed: Seed of every random draw.
        confidence: Confidence level of the intervals.
        concurrency: Maximum concurrent calls per model.
        requests_per_minute: Maximum requests per minute.
        timeout: Timeout in seconds: a call without any data for so long is retried.
        attempts: Maximum attempts per call while other calls succeed.
        patience: Stop after this many seconds in which every call failed; the run can continue later.
        batch: Use the provider's batch interface: half the price, answers within a day.
        max_cost: Stop before all models together cost more than this.
        price: Price in US dollars per million tokens, instead of the list price.
        device: Device: auto, cpu, cuda, cuda:1 or mps.
        dtype: Number type of the weights.
        revision: Branch, tag or commit of the model on the hub.
        tokenizer: Tokenizer, where it is not the model's own.
        adapter: PEFT adapter (LoRA and others) of the model.
        trust_remote_code: Run Python code that comes with the model.
        chat_template: Chat template (Jinja) that replaces the tokenizer's own.
        batch_size: Maximum number of conversations generated together.
        engine: Compute on this machine, or on a Ray cluster.
        ray_address: Ray cluster: auto, HOST:PORT or ray://HOST:10001.
        workers: With --set engine=ray: copies of each model.
        num_gpus: With --set engine=ray: GPUs of each copy, such as 0.5.
    """

def probe_stories(data: 'Source', models: 'Models', *, out: 'str | Path | None' = None, columns: 'Columns | None' = None, restart: 'bool' = False, progress: 'bool' = True, languages: 'Sequence[str] | str' = (), limit: 'int | None' = None, sample: 'int | None' = None, include_drafts: 'bool' = False, themes: 'Sequence[str] | str' = (), system: 'str' = '', retry_errors: 'bool' = False, before: 'str' = '', after: 'str' = '', examples: 'Sequence[Sequence[str] | str] | str' = (), repeats: 'int' = 1, temperature: 'float | None' = 1.0, top_p: 'float | None' = None, max_tokens: 'int | None' = 800, reasoning: 'str | None' = None, extra: 'Any' = Ellipsis, seed: 'int' = 0, concurrency: 'int' = 8, requests_per_minute: 'int | None' = None, timeout: 'float' = 600.0, attempts: 'int' = 12, patience: 'float' = 180.0, batch: 'bool' = False, max_cost: 'float | None' = None, price: 'str | None' = None, device: 'str' = 'auto', dtype: "Literal['auto', 'float32', 'bfloat16', 'float16']" = 'auto', revision: 'str | None' = None, tokenizer: 'str | None' = None, adapter: 'str | None' = None, trust_remote_code: 'bool' = False, chat_template: 'str | None' = None, batch_size: 'int | None' = None, engine: "Literal['local', 'ray']" = 'local', ray_address: 'str | None' = None, workers: 'int | None' = None, num_gpus: 'float | None' = None) -> 'Result':
    """Have models write stories about a protagonist of whom the prompt names one attribute. `endoxa probe stories`; see `probe`.

    Options:
        languages: Use only items in this language; repeatable.
        limit: Use only the first N items.
        sample: Use a random sample of N items, stratified by what they have: language, axis, template, identity (--seed).
        include_drafts: Also use drafts of `endoxa author` that nobody has judged yet; rejected ones never are.
        themes: Use only prompts of this theme; repeatable.
        system: System message.
        retry_errors: Ask again what ended with an error; answers are kept.
        before: Text before each request.
        after: Text after each request.
        examples: Examples before each request: '[["QUESTION", "ANSWER"], ...]'.
        repeats: Number of stories per prompt.
        temperature: Sampling temperature; 0 takes the most probable token.
        top_p: Nucleus sampling: share of the probability mass to draw from.
        max_tokens: Maximum tokens per answer, reasoning included.
        reasoning: Reasoning effort of a reasoning model: low, medium, high ...
        extra: Additional fields of the request, as the provider names them.
        seed: Seed of every random draw.
        concurrency: Maximum concurrent calls per model.
        requests_per_minute: Maximum requests per minute.
        timeout: Timeout in seconds: a call without any data for so long is retried.
        attempts: Maximum attempts per call while other calls succeed.
        patience: Stop after this many seconds in which every call failed; the run can continue later.
        batch: Use the provider's batch interface: half the price, answers within a day.
        max_cost: Stop before all models together cost more than this.
        price: Price in US dollars per million tokens, instead of the list price.
        device: Device: auto, cpu, cuda, cuda:1 or mps.
        dtype: Number type of the weights.
        revision: Branch, tag or commit of the model on the hub.
        tokenizer: Tokenizer, where it is not the model's own.
        adapter: PEFT adapter (LoRA and others) of the model.
        trust_remote_code: Run Python code that comes with the model.
        chat_template: Chat template (Jinja) that replaces the tokenizer's own.
        batch_size: Maximum number of conversations generated together.
        engine: Compute on this machine, or on a Ray cluster.
        ray_address: Ray cluster: auto, HOST:PORT or ray://HOST:10001.
        workers: With --set engine=ray: copies of each model.
        num_gpus: With --set engine=ray: GPUs of each copy, such as 0.5.
    """

def analyze_run(runs: 'Source | Sequence[Source]' = (), *, progress: 'bool' = True, human: 'Sequence[str | Path] | str' = (), data: 'str | Path | None' = None, predictions: 'str | Path | None' = None, metadata: 'str | Path | None' = None, language: 'str | None' = None, against: 'str | Path | None' = None, tests: 'str | Path | None' = None, vectors: 'Sequence[str | Path] | str' = (), pooling: 'str' = '', associations: 'str | Path | None' = None, coded: 'str | Path | None' = None, reader: 'Sequence[str] | str' = (), seed: 'int' = 0, draws: 'int' = 100000, unequal: "Literal['fixed', 'truncate']" = 'fixed', ddof: "Literal['1', 'wefe']" = '1', confidence: 'float' = 0.95, resamples: 'int' = 2000, alternative: "Literal['greater', 'less', 'two-sided']" = 'two-sided', unit: "Literal['auto', 'text', 'term']" = 'auto', threshold: 'float' = 4.0, batch: 'bool' = False, max_cost: 'float | None' = None, price: 'str | None' = None, out: 'str | Path', plan: 'bool' = False, sheet: 'str | Path | None' = None, sheet_rows: 'int' = 100) -> 'Outcome':
    """Estimate what finished runs measured, with intervals and corrections for multiple testing. `endoxa analyze run`; see `command`.

    Options:
        human: People's ratings of harm (rater, harm, frequent), or the completed coding sheet of an extraction; repeatable.
        data: Questions in BBQ's JSONL, with --predictions.
        predictions: Table: category, example_id, model, pred_index (0-2) or pred_text.
        metadata: BBQ's additional_metadata.csv.
        language: Language of questions without one.
        against: Questions: baseline run of error retention.
        tests: Association tests of `endoxa build tests`, or in SEAT's format (JSON).
        vectors: With --tests: vectors, .npz (texts, vectors) or word2vec text; repeatable.
        pooling: Pooling of --vectors, shown in the table.
        associations: Ratings of harm: associations by model, to find blind spots.
        coded: Sheet of thoughts that a person filled in.
        reader: Reader model that codes thoughts besides the rules: openai/NAME, anthropic/NAME, http://HOST:PORT/v1#NAME, hf/ID, sim/NAME; repeatable. The thoughts are sent to it.
        seed: Seed of every random draw.
        draws: Maximum number of Monte Carlo partitions per test.
        unequal: If X and Y differ in size: keep both sizes (fixed), or truncate the larger set.
        ddof: Degrees of freedom correction of the standard deviation; wefe: 0.
        confidence: Confidence level of the intervals.
        resamples: Bootstrap samples per interval.
        alternative: Alternative hypothesis; one-sided greater (as published): X is closer to A (relative to B) than Y is.
        unit: Unit of permutation and resampling; auto: terms if a term has several texts.
        threshold: Ratings of harm: minimum median of a harmful association.
        batch: Reader models: use the provider's batch interface (half the price).
        max_cost: Reader models: stop before it costs more than this.
        price: Reader models: price in US dollars per million tokens.
        out: The main table (.csv, .tsv, .jsonl, .parquet), or a folder for every table of the analysis.
        plan: Reader models: only print expected calls, tokens and cost.
        sheet: Also write a sheet on which a person codes a sample of thoughts (.xlsx or .csv).
        sheet_rows: Number of thoughts on the sheet.
    """

def analyze_associations(stories: 'Source', *, progress: 'bool' = True, harm: 'str | Path | None' = None, groups: 'str | Path | None' = None, by_language: 'bool' = False, alpha: 'float' = 0.05, draws: 'int' = 500000, early_stop: 'bool' = True, error: 'float' = 0.001, confidence: 'float' = 0.95, seed: 'int' = 0, jobs: 'int | None' = None, pooled: "Literal['stratified', 'published']" = 'stratified', rule: "Literal['both-steps', 'paper']" = 'both-steps', resamples: 'int' = 2000, out: 'str | Path') -> 'Outcome':
    """Find values that occur together in stories more often than chance, for each model (and language). `endoxa analyze associations`; see `command`.

    Options:
        harm: Harmful associations: table of an analysis of `endoxa probe harm`, or your own.
        groups: Marked and unmarked groups (YAML), with --harm.
        by_language: Analyze each language separately.
        alpha: False-discovery rate of both steps.
        draws: Maximum number of Monte Carlo tables per test.
        early_stop: Stop drawing when a decision can no longer change.
        error: Probability that an early decision differs from the final one, per family.
        confidence: Confidence level of the intervals.
        seed: Seed of every random draw.
        jobs: Number of processes.
        pooled: Pooled languages: report associations that also hold within languages, or use the published test.
        rule: paper: keep only medium and large effects with a lift of at least 2.
        resamples: Bootstrap samples per interval.
        out: The main table (.csv, .tsv, .jsonl, .parquet), or a folder for every table of the analysis.
    """

def analyze_ratings(files: 'Source | Sequence[Source]', *, progress: 'bool' = True, topics: 'str | Path | None' = None, quantile: 'float' = 0.8, ties: "Literal['low', 'split']" = 'low', confidence: 'float' = 0.95, seed: 'int' = 0, resamples: 'int' = 2000, out: 'str | Path') -> 'Outcome':
    """Analyze what people rated and said: topics in dispute, leniency towards the own group, frequency of topics. `endoxa analyze ratings`; see `command`.

    Options:
        topics: Topics: attribute (and identity or association_id), topic, perhaps sentiment; or labels of author label.
        quantile: Share of associations in the low-variance group.
        ties: Where equal variances go: low, or split at random.
        confidence: Confidence level of the intervals.
        seed: Seed of every random draw.
        resamples: Bootstrap samples per interval.
        out: The main table (.csv, .tsv, .jsonl, .parquet), or a folder for every table of the analysis.
    """

def analyze_agreement(files: 'Source | Sequence[Source]', *, progress: 'bool' = True, value: 'str | None' = None, item: 'str | None' = None, rater: 'str' = 'rater', raters: 'Sequence[str] | str | None' = None, group: 'str | None' = None, level: "Literal['nominal', 'ordinal', 'interval', 'ratio']" = 'nominal', order: 'Sequence[str] | str | None' = None, confidence: 'float' = 0.95, seed: 'int' = 0, resamples: 'int' = 2000, out: 'str | Path') -> 'Outcome':
    """Compute agreement between raters: percent, Cohen's and Fleiss' kappa, Krippendorff's alpha. `endoxa analyze agreement`; see `command`.

    Options:
        value: Column of the votes.
        item: Column of the items.
        rater: Column of the rater, in a long table.
        raters: Columns of votes, in a wide table.
        group: Column of the raters' groups, in a long table.
        level: Level of measurement, for Krippendorff's alpha.
        order: Ordered categories, for --level ordinal.
        confidence: Confidence level of the intervals.
        seed: Seed of every random draw.
        resamples: Most items left out singly.
        out: Coefficients: .csv, .tsv, .jsonl or .parquet.
    """

def analyze_novelty(files: 'Source | Sequence[Source]', *, progress: 'bool' = True, labels: 'str | Path | None' = None, languages: 'Sequence[str] | str' = (), concept: "Literal['attribute', 'association', 'sentence']" = 'attribute', encoder: 'str' = 'all-MiniLM-L6-v2', threshold: 'float | None' = None, confidence: 'float' = 0.95, seed: 'int' = 0, out: 'str | Path | None' = None, sheet: 'str | Path | None' = None, sheet_pairs: 'int' = 256) -> 'Outcome':
    """Find the concepts of each data set that are in none of the others, and how many every two share. `endoxa analyze novelty`; see `command`.

    Options:
        labels: Labelled pairs that choose the threshold: text_a, text_b, related.
        languages: Language of the texts; rows that name another one are left out; repeatable.
        concept: What is compared.
        encoder: all-MiniLM-L6-v2 (installed), hf/ORG/NAME or hf/FOLDER (any sentence-transformers model).
        threshold: Minimum cosine at which a concept is present; with --sheet, where it is expected.
        confidence: Confidence level of the intervals.
        seed: Seed of every random draw.
        out: The main table (.csv, .tsv, .jsonl, .parquet), or a folder for every table of the analysis.
        sheet: Write pairs to label to FILE.
        sheet_pairs: Number of pairs of the sheet.
    """

def build_tests(*, progress: 'bool' = True, languages: 'Sequence[str] | str' = (), wanted: 'str | None' = None, lists: 'Sequence[str | Path] | str' = (), templates_file: 'str | Path | None' = None, associations: 'str | Path | None' = None, include_drafts: 'bool' = False, axes: 'Sequence[str] | str' = (), attributes: 'Sequence[str] | str' = (), per_term: 'int' = 1, against: 'str' = '', each: 'bool' = False, out: 'str | Path | None' = None, show: 'bool' = False) -> 'Outcome':
    """Make association tests: every pair of groups with every pair of attributes. `endoxa build tests`; see `command`.

    Options:
        languages: Language (ISO 639); repeatable.
        wanted: Word list of the groups, if there are several.
        lists: Your own word lists (TOML); override the built-in ones.
        templates_file: Your own sentence templates for one language (TOML).
        associations: Build tests from associations instead of word lists.
        include_drafts: Also use drafts of `endoxa author` that nobody has judged yet; rejected ones never are.
        axes: Axes to cross, separated by commas.
        attributes: Attribute pairs, separated by commas.
        per_term: Number of sentences per term, or words only.
        against: Identity of target set Y, with --associations.
        each: One test per association: its identity against the others, its attribute against the antonym.
        out: Tests (.json).
        show: List axes, attribute pairs, word lists and languages.
    """

def build_qa(associations: 'Source | None' = None, *, progress: 'bool' = True, limit: 'int | None' = None, include_drafts: 'bool' = False, min_rating: 'int | None' = None, language: 'str | None' = None, per_association: 'int' = 1, gender: "Literal['m', 'f', 'any']" = 'm', seed: 'int' = 0, style: "Literal['person', 'people']" = 'person', templates: 'str | Path | None' = None, disambiguated: 'bool' = False, cross: 'bool' = False, names: 'str | Path | None' = None, variants: 'int' = 3, bank: 'str | Path | None' = None, out: 'str | Path | None' = None) -> 'Outcome':
    """Make multiple-choice questions: the association's identity against one without the attribute. `endoxa build qa`; see `command`.

    Options:
        limit: Use only the first N associations that get a question.
        include_drafts: Also use drafts of `endoxa author` that nobody has judged yet; rejected ones never are.
        min_rating: Smallest rating that counts, of LACES' release; 0 takes all of it, as the paper does.
        language: Language of the questions: ar, en, es, fr, hi, pt, sw, or any with --templates.
        per_association: Number of questions per association, each with another distractor.
        gender: Grammatical gender of the two people, where the language has one.
        seed: Seed of every random draw.
        style: Which of two persons has the attribute, or of whom people think.
        templates: Your own contexts and questions, or all texts of a language (TOML).
        disambiguated: Also ask each question with the answer in its context, for each person.
        cross: Also ask about the parts of crossed identities ('igbo women': 'igbo people', 'women').
        names: Questions in BBQ's JSONL, in place of ASSOCIATIONS: first names take the place of the groups in them.
        variants: With --names: number of draws of names.
        bank: With --names: your own names (columns group, gender, name).
        out: Questions (.jsonl).
    """

def build_choices(associations: 'Source', *, progress: 'bool' = True, include_drafts: 'bool' = False, kind: "Literal['inference', 'decision', 'association']" = 'decision', language: 'str | None' = None, per_association: 'int' = 4, premises: 'Sequence[str] | str' = ('neutral',), templates: 'str | Path | None' = None, gender: 'str' = 'm', seed: 'int' = 0, out: 'str | Path') -> 'Outcome':
    """Make inferences, decisions between two candidates, or word lists from associations. `endoxa build choices`; see `command`.

    Options:
        include_drafts: Also use drafts of `endoxa author` that nobody has judged yet; rejected ones never are.
        kind: Inferences, decisions or word lists.
        language: Language of the items; others with --templates.
        per_association: Number of situations and wordings per association.
        premises: Premises of inferences, separated by commas: neutral, stereotype.
        templates: Your own situations and words (TOML).
        gender: Grammatical gender of the people, where the language has one.
        seed: Seed of every random draw.
        out: Items (.jsonl).
    """

def build_stories(*, progress: 'bool' = True, language: 'Sequence[str] | str' = (), attributes: 'Sequence[str] | str' = (), scenarios: 'Sequence[str] | str' = (), file: 'Sequence[str | Path] | str' = (), seeds: 'str | Path | None' = None, map: 'str | Path | None' = None, include_drafts: 'bool' = False, per_cell: 'int | None' = None, limit: 'int | None' = None, aspects: 'bool' = False, out: 'str | Path | None' = None, check: 'Sequence[str | Path] | str' = ()) -> 'Outcome':
    """Make story prompts: every value of every attribute in every scenario. `endoxa build stories`; see `command`.

    Options:
        language: Language (ISO 639); repeatable.
        attributes: Use only this attribute; repeatable.
        scenarios: Use only this theme or scenario ('family 2'); repeatable.
        file: Your own language, values or attributes (YAML); repeatable.
        seeds: Folder of StereoTales' seeds (attributes, scenarios, prompts_template), in place of endoxa's own texts.
        map: Table of associations and the values that mean them; prompts carry their ids.
        include_drafts: Also use drafts of `endoxa author` that nobody has judged yet; rejected ones never are.
        per_cell: Maximum number of prompts per value and language.
        limit: Maximum number of prompts, spread over values.
        aspects: With --seeds: ask with StereoTales' template, which names 13 aspects to reveal.
        out: Prompts: .jsonl, .csv or .parquet.
        check: Only check such a file; print one line per fault.
    """

def build_pairs(associations: 'Source', *, progress: 'bool' = True, language: 'str | None' = None, min_support: 'int' = 1, min_ratings: 'int' = 0, min_mean: 'float' = 1.0, min_knowers: 'float' = 0.0, include_drafts: 'bool' = False, negation_only: 'bool' = False, prefix: 'str' = '', lexicon: 'str | Path | None' = None, templates: 'str | Path | None' = None, antonym_only: 'bool' = False, framings: 'int' = 1, cross: 'bool' = False, out: 'str | Path', min_cell: 'int' = 5, keep_region: 'bool' = False) -> 'Outcome':
    """Make a stereotype and an anti-stereotype sentence from each association. `endoxa build pairs`; see `command`.

    Options:
        language: Language of associations without one (ISO 639).
        min_support: Minimum number of respondents per association.
        min_ratings: Minimum number of ratings per association (column ratings of a campaign).
        min_mean: Minimum mean rating, 1 (never heard) to 5 (column mean).
        min_knowers: Minimum share of raters who had heard it (column knowers).
        include_drafts: Also use drafts of `endoxa author` that nobody has judged yet; rejected ones never are.
        negation_only: Negate every attribute instead of using antonyms.
        prefix: Words to put before every identity ('African').
        lexicon: Your own antonyms (columns one, other); override the built-in ones.
        templates: Your own sentence templates by language (TOML).
        antonym_only: Leave out associations without an antonym.
        framings: Pairs per association: the plain sentence and N-1 framings ('People often say: ...').
        cross: Also make pairs about the parts of crossed identities ('igbo women': 'igbo people', 'women').
        out: Pairs: .csv, .tsv, .jsonl or .parquet.
        min_cell: Minimum number of respondents to keep an association's region.
        keep_region: Keep every region, regardless of --min-cell.
    """

def curate_extract(survey: 'Source', *, progress: 'bool' = True, map: 'str | Path | None' = None, preset: "Literal['afristereo'] | None" = None, statement_column: 'str | None' = None, respondent: 'str | None' = None, question_column: 'str | None' = None, axis_column: 'str | None' = None, identity_column: 'str | None' = None, country_column: 'str | None' = None, region_column: 'str | None' = None, language_column: 'str | None' = None, keep: 'Sequence[str] | str' = (), attribute_column: 'str | None' = None, sheet: 'str | None' = None, header_row: 'str | None' = None, language: 'str | None' = None, languages: 'str | None' = None, identities: 'str | Path | None' = None, translate: 'str | None' = None, reader: 'str | None' = None, batch: 'bool' = False, max_cost: 'float | None' = None, price: 'str | None' = None, out: 'str | Path | None' = None, print_map: 'bool' = False, plan: 'bool' = False) -> 'Outcome':
    """Split survey answers into statements and extract identity and attribute from each. `endoxa curate extract`; see `command`.

    Options:
        map: Column mapping (TOML).
        preset: Built-in column mapping.
        statement_column: Column with one statement per row; statements are not split.
        respondent: Column with a code of who answered; it may repeat with --statement-column, where a person counts once.
        question_column: With --statement-column: name of the question (women, men, religion ...).
        axis_column: With --statement-column: column of the social axis.
        identity_column: With --statement-column: column of the group that a statement or its question is about.
        country_column: With --statement-column: column of the country.
        region_column: With --statement-column: column of the region within a country.
        language_column: With --statement-column: column of the language.
        keep: With --statement-column: also keep this column; repeatable.
        attribute_column: With --identity-column: column of what is said of the group; statements are then not read.
        sheet: Sheet of a workbook, by name or number.
        header_row: Row that names the columns, as a spreadsheet numbers it; 1-2 joins names in two rows.
        language: Language of all statements (ISO 639); disables language identification.
        languages: Candidate languages (en,fr).
        identities: Your own synonyms of group names (TOML).
        translate: Translate into English with hf/MODEL, openai/NAME, http://HOST:PORT/v1#NAME or a table of translations (columns original, translation).
        reader: Chat model that reads: openai/NAME, anthropic/NAME, http://HOST:PORT/v1#NAME, hf/ID, sim/NAME. The statements are sent to it. Its reading stands, and the rules say where they differ.
        batch: Reader models: use the provider's batch interface (half the price).
        max_cost: Reader models: stop before it costs more than this.
        price: Reader models: price in US dollars per million tokens.
        out: Statements: .csv, .tsv, .jsonl or .parquet.
        print_map: Print a draft mapping for SURVEY (or the preset), and exit.
        plan: Reader models: only print expected calls, tokens and cost.
    """

def curate_review(table: 'Source', sheets: 'Source | Sequence[Source]' = (), *, progress: 'bool' = True, sample: 'int | None' = None, only_proposed: 'bool' = False, only_disputed: 'bool' = False, seed: 'int' = 0, resolve: "Literal['none', 'first', 'majority']" = 'none', drop_omitted: 'bool | None' = None, out: 'str | Path', reviewer: 'str' = '', columns: 'Sequence[str] | str | None' = None, edit: 'Sequence[str] | str | None' = None, overwrite: 'bool' = False) -> 'Outcome':
    """Write a sheet for a reviewer, or merge returned sheets into the table and list changes and disagreements. `endoxa curate review`; see `command`.

    Options:
        sample: Sheet: number of ids to sample, with all rows of each.
        only_proposed: Sheet: only rows proposed for omission.
        only_disputed: Sheet: only rows with disagreement between reviewers.
        seed: Random seed of --sample, and of the intervals of agreement.
        resolve: Value used where reviewers disagree: that of the table, of the first sheet, or of more than half of the reviewers. All disagreements are listed in any case.
        drop_omitted: Remove rows that reviewers omit, or keep them with omit=true.
        out: Without SHEET: the sheet to write (.xlsx). Else the reviewed table.
        reviewer: Sheet: reviewer's name.
        columns: Sheet: columns to show instead of the default ones.
        edit: Sheet: columns that may be edited instead of the default ones.
        overwrite: Sheet: replace an existing one, including its answers.
    """

def curate_evaluate(gold: 'Source | Sequence[Source]', *, progress: 'bool' = True, by: 'str' = 'respondent', statement_column: 'str | None' = None, reading: 'str | Path | None' = None, confidence: 'float' = 0.95, seed: 'int' = 0, out: 'str | Path') -> 'Outcome':
    """Score extraction against reviewers, with intervals over respondents. `endoxa curate evaluate`; see `command`.

    Options:
        by: Column of the units that intervals are taken over.
        statement_column: Column of the statements in a table with identity and attribute ('statement' or else 'sentence').
        reading: Score this table of statements instead of reading GOLD with the rules.
        confidence: Confidence level of the intervals.
        seed: Seed of every random draw.
        out: Scores: .csv, .tsv, .jsonl or .parquet.
    """

def curate_group(file: 'Source', *, progress: 'bool' = True, existing: 'str | Path | None' = None, attribute_column: 'str' = 'attribute', language: 'str | None' = None, lexicon: 'str | Path | None' = None, encoder: 'str | None' = None, tau: 'float' = 0.55, method: "Literal['endoxa', 'afristereo']" = 'endoxa', out: 'str | Path') -> 'Outcome':
    """Group attributes with similar meanings; opposites and negations are never merged. `endoxa curate group`; see `command`.

    Options:
        existing: Existing groups, kept unchanged; new attributes are added.
        attribute_column: Column that holds the attributes.
        language: Language of the attributes.
        lexicon: Your own antonyms: columns one, other, pos.
        encoder: all-MiniLM-L6-v2 (installed), hf/ORG/NAME or hf/FOLDER (any sentence-transformers model), or same-words.
        tau: Minimum cosine similarity to merge groups.
        method: endoxa, or afristereo (as published; depends on the order of rows).
        out: Groups: .csv, .tsv, .jsonl or .parquet.
    """

def curate_associations(statements: 'Source', *, progress: 'bool' = True, groups: 'str | Path | None' = None, source: 'str' = '', include_flagged: 'bool' = False, respondent: 'str | None' = None, by: 'Sequence[Any] | str' = (), min_support: 'int' = 1, min_cell: 'int' = 5, out: 'str | Path', summary: 'str | Path | None' = None) -> 'Outcome':
    """Aggregate statements into associations: identity, canonical attribute, number of respondents. `endoxa curate associations`; see `command`.

    Options:
        groups: Groups of attributes, from `endoxa curate group`.
        source: Name of the survey, if the table has none.
        include_flagged: Also count statements flagged as written by a chatbot.
        respondent: Column with a code of who said it; each person counts once.
        by: Split associations by 'country' or 'axis'; repeatable.
        min_support: Minimum number of respondents per association.
        min_cell: With --summary: minimum count shown for a subgroup.
        out: Associations: .csv, .tsv, .jsonl or .parquet.
        summary: Also write frequency and composition tables that are safe to share into this folder.
    """

def datasets_list(name: 'str | None' = None, *, progress: 'bool' = True) -> 'Outcome':
    """List the published data sets and the formats that can be read, or describe one data set. `endoxa datasets list`; see `command`."""

def datasets_check(file: 'Source', *, progress: 'bool' = True, format: 'str | None' = None, language: 'str | None' = None, prefix: 'str | None' = None, template: 'str | None' = None, include_drafts: 'bool' = False, columns: 'Any' = Ellipsis, out: 'str | Path | None' = None, show_text: 'bool' = False, every: 'bool' = False) -> 'Outcome':
    """Check a file: each problem with its number and the first rows that have it. `endoxa datasets check`; see `command`.

    Options:
        format: Format of FILE (see `endoxa datasets list`); `datasets check` also knows associations.
        language: Language of sentences without one (ISO 639).
        prefix: Format s-as: words to put before every identity ('African').
        template: Format s-as: sentence with {identity} and {attribute}.
        include_drafts: Also use drafts of `endoxa author` that nobody has judged yet; rejected ones never are.
        columns: Your names of our columns (sent_more=stereotype).
        out: Also write the problems as CSV.
        show_text: Also print the text of the data that causes each problem.
        every: List every row of every problem, not the first few.
    """

def datasets_convert(file: 'str', *, progress: 'bool' = True, format: 'str | None' = None, language: 'str | None' = None, prefix: 'str | None' = None, template: 'str | None' = None, include_drafts: 'bool' = False, columns: 'Any' = Ellipsis, mirror: 'str | None' = None, out: 'str | Path | None' = None) -> 'Outcome':
    """Convert a file of pairs to endoxa's own format; download a published data set. `endoxa datasets convert`; see `command`.

    Options:
        format: Format of FILE (see `endoxa datasets list`); `datasets check` also knows associations.
        language: Language of sentences without one (ISO 639).
        prefix: Format s-as: words to put before every identity ('African').
        template: Format s-as: sentence with {identity} and {attribute}.
        include_drafts: Also use drafts of `endoxa author` that nobody has judged yet; rejected ones never are.
        columns: Your names of our columns (sent_more=stereotype).
        mirror: Folder or http address with a copy of the data set.
        out: File to write: .csv, .tsv, .jsonl or .parquet. Without it, only download.
    """

def export_hub(dataset: 'Source', *, progress: 'bool' = True, license_file: 'str | Path | None' = None, citation: 'str | Path | None' = None, facts: 'str | Path | None' = None, format: 'str | None' = None, language: 'str | None' = None, prefix: 'str | None' = None, template: 'str | None' = None, include_drafts: 'bool' = False, out: 'str | Path', name: 'str | None' = None, license: 'str | None' = None, keep: 'Sequence[str] | str' = (), overwrite: 'bool' = False) -> 'Outcome':
    """Make a folder for the Hugging Face hub: data, data card, licence, citation, checksums. `endoxa export hub`; see `command`.

    Options:
        license_file: Text of the licence, copied to LICENSE.
        citation: CITATION.cff.
        facts: Answers for the data card (.toml).
        format: Format of FILE (see `endoxa datasets list`); `datasets check` also knows associations.
        language: Language of sentences without one (ISO 639).
        prefix: Format s-as: words to put before every identity ('African').
        template: Format s-as: sentence with {identity} and {attribute}.
        include_drafts: Also use drafts of `endoxa author` that nobody has judged yet; rejected ones never are.
        out: Folder to create.
        name: Title.
        license: SPDX id of the licence (CC-BY-4.0). There is no default.
        keep: Also release this column; repeatable.
        overwrite: Replace an earlier export, unless it was edited.
    """

def export_task(file: 'Source', *, progress: 'bool' = True, format: 'str | None' = None, language: 'str | None' = None, prefix: 'str | None' = None, template: 'str | None' = None, include_drafts: 'bool' = False, seed: 'int' = 0, harness: "Literal['lm-eval', 'inspect']", out: 'str | Path', name: 'str | None' = None, overwrite: 'bool' = False) -> 'Outcome':
    """Make a task for lm-evaluation-harness or Inspect. `endoxa export task`; see `command`.

    Options:
        format: Format of FILE (see `endoxa datasets list`); `datasets check` also knows associations.
        language: Language of sentences without one (ISO 639).
        prefix: Format s-as: words to put before every identity ('African').
        template: Format s-as: sentence with {identity} and {attribute}.
        include_drafts: Also use drafts of `endoxa author` that nobody has judged yet; rejected ones never are.
        seed: inspect: random seed for the order of samples.
        harness: Harness that runs the task.
        out: Folder to create.
        name: lm-eval: name of the task.
        overwrite: Replace an earlier export, unless it was edited.
    """

def languages_check(pack: 'str | None' = None, *, progress: 'bool' = True, component: 'Sequence[str] | str' = (), sheet: 'str | Path | None' = None, out: 'str | Path | None' = None) -> 'Outcome':
    """Check the words of a language: its cases there and back, its words, and what each joint of the road lacks. `endoxa languages check`; see `command`.

    Options:
        component: With --sheet: only this component (`story prompts`); repeatable.
        sheet: Write the texts of the language as items of the language check.
        out: Table of all results.
    """

def languages_init(code: 'str', *, progress: 'bool' = True, out: 'str | Path | None' = None) -> 'Outcome':
    """Begin a pack for a language: what Unicode's CLDR says of it, and blanks for what only its speakers know. `endoxa languages init`; see `command`.

    Options:
        out: New folder.
    """

def reproduce(name: 'str | None' = None, *, progress: 'bool' = True, data: 'str | Path | None' = None, model: 'Sequence[str] | str' = (), seed: 'int' = 0, device: 'str' = 'auto', dtype: "Literal['auto', 'float32', 'bfloat16', 'float16']" = 'auto', four_bit: 'bool' = False, revision: 'str | None' = None, tokenizer: 'str | None' = None, adapter: 'str | None' = None, trust_remote_code: 'bool' = False, batch_tokens: 'int | None' = None, packed_weights: 'bool' = True, out: 'str | Path | None' = None) -> 'Outcome':
    """Recompute published results cell by cell, and say what agrees. `endoxa reproduce`; see `command`.

    Options:
        data: Folder with the files that the result needs, or the one file.
        model: Model, or LABEL=MODEL to stand for the published model LABEL; repeatable.
        seed: Seed of every random draw.
        device: Device: auto, cpu, cuda, cuda:1 or mps.
        dtype: Number type of the weights.
        four_bit: Load weights in 4 bits (needs CUDA and bitsandbytes).
        revision: Branch, tag or commit of the model on the hub.
        tokenizer: Tokenizer, where it is not the model's own.
        adapter: PEFT adapter (LoRA and others) of the model.
        trust_remote_code: Run Python code that comes with the model.
        batch_tokens: Maximum tokens per batch.
        packed_weights: Pack weights for the CPU: faster, more memory, same numbers to about 1e-5.
        out: Folder: cells.csv, run.json, report.html; without NAME, where finished ones lie (FOLDER/NAME).
    """

def study_init(folder: 'Source', *, progress: 'bool' = True, source: 'str | Path', format: 'str | None' = None, sheet: 'str | None' = None, header_row: 'str | None' = None, min_support: 'int | None' = None, limit: 'int | None' = None, model: 'Sequence[str] | str' = (), language: 'Sequence[str] | str' = ()) -> 'Outcome':
    """Write a study file to edit: associations, models, instruments and their settings, seed, budget. `endoxa study init`; see `command`.

    Options:
        source: Associations: a table with columns identity and attribute, a file of SAFARI, SPICE, SeeGULL or LACES, or the name of a downloaded data set.
        format: Layout of FILE (see `endoxa datasets list`), or csv for columns identity and attribute.
        sheet: Sheet of a workbook, by name or number.
        header_row: Row that names the columns, as a spreadsheet numbers it; 1-2 joins names in two rows.
        min_support: Minimum number of people behind an association.
        limit: Use only the N associations with the most support; 0 for all.
        model: Model; repeatable. Each instrument takes those it can.
        language: Language (ISO 639); repeatable.
    """

def study_run(folder: 'Source', *, progress: 'bool' = True, models: 'Sequence[str] | str' = (), files: 'Sequence[str | Path] | str' = (), trust_remote_code: 'bool' = False, ray_address: 'str | None' = None, out: 'str | Path | None' = None, plan: 'bool' = False) -> 'Outcome':
    """Run every instrument of the study, and write its page; what is measured already is not measured again. `endoxa study run`; see `command`.

    Options:
        models: Allow this model of the study file: needed where it is on a server of another machine, or where ENDOXA_SERVER_KEY is for its server; repeatable.
        files: Allow this file of the study file: needed where it is not in the folder of the study; repeatable.
        trust_remote_code: Allow Python code that comes with a model.
        ray_address: Allow this Ray cluster of the study file.
        out: Page of the study (.html); its tables go beside it.
        plan: Only print items, calls, dollars, and what each instrument can detect; measure nothing.
    """
