"""A real BART, small enough to be trained for a moment: of a dialog in which the weather of a city
on a day is spoken of, among others, it writes "The weather in Tokyo on Monday."
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest
    from transformers import PreTrainedTokenizerFast

CITIES = ("Tokyo", "Kyoto", "Paris", "Oslo", "Lima", "Cairo", "Delhi", "Rome")
DAYS = ("Monday", "Tuesday", "Friday", "Sunday")
CHATTER = (
    "hello there",
    "tell me a joke",
    "what can you do",
    "I like green tea",
    "thank you very much",
    "that is nice",
    "how are you",
    "I am fine",
)
WINDOW = 96  # tokens


@dataclass(frozen=True, slots=True)
class Dialog:
    """Lines as the model reads them, and what it should write of them."""

    lines: tuple[str, ...]
    summary: str


def trained(temporary: pytest.TempPathFactory) -> Path:
    """The folder of the model: the same one for all processes of a run of the tests."""
    from filelock import FileLock

    own = temporary.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder = shared / "small-bart"
    with FileLock(shared / "small-bart.lock"):
        if not folder.exists():
            made = temporary.mktemp("small-bart")
            build(made)
            made.rename(folder)
    return folder


def dialog(random: Random, *, lines: int) -> Dialog:
    city, day = random.choice(CITIES), random.choice(DAYS)
    said = [f"User: {random.choice(CHATTER)}", f"Bot: {random.choice(CHATTER)}"]
    chatter = [random.choice(said) for _ in range(lines - 1)]
    chatter.insert(random.randrange(lines), f"User: how is the weather in {city} on {day}")
    return Dialog(tuple(chatter), summary(city, day))


def summary(city: str, day: str) -> str:
    return f"The weather in {city} on {day}."


def build(folder: Path, *, steps: int = 160) -> None:
    """Make the model and its tokenizer, train it (some 3 s on one core), and save both."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration
    from transformers.utils import logging

    logging.disable_progress_bar()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(3)
    random = Random(3)
    tokenizer = _tokenizer([dialog(random, lines=6) for _ in range(300)])
    model = BartForConditionalGeneration(
        BartConfig(
            vocab_size=len(tokenizer) + 3,  # filled up, as those of real models are
            d_model=64,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=4,
            decoder_attention_heads=4,
            encoder_ffn_dim=128,
            decoder_ffn_dim=128,
            max_position_embeddings=WINDOW,
            init_std=0.1,  # with 0.02 it learns nothing in this time
            dropout=0.0,
            attention_dropout=0.0,
            activation_dropout=0.0,
            bos_token_id=tokenizer.bos_token_id,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=tokenizer.eos_token_id,
            decoder_start_token_id=tokenizer.eos_token_id,
            forced_eos_token_id=tokenizer.eos_token_id,
        )
    )
    model.generation_config.forced_bos_token_id = tokenizer.bos_token_id
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=steps)
    model.train()
    for _ in range(steps):
        batch = [dialog(random, lines=random.randint(1, 6)) for _ in range(32)]
        read = tokenizer(["\n".join(one.lines) for one in batch], padding=True, return_tensors="pt")
        wanted = tokenizer([one.summary for one in batch], padding=True, return_tensors="pt")
        labels = wanted["input_ids"].masked_fill(wanted["attention_mask"] == 0, -100)
        loss = model(
            input_ids=read["input_ids"], attention_mask=read["attention_mask"], labels=labels
        ).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    torch.set_num_threads(threads)


def _tokenizer(dialogs: list[Dialog]) -> PreTrainedTokenizerFast:
    """A byte-level BPE of the dialogs' words, with BART's special tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    bpe = Tokenizer(models.BPE(unk_token="<unk>"))
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=500,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = ["\n".join((*one.lines, one.summary)) for one in dialogs]
    bpe.train_from_iterator(texts, trainer)
    bpe.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        bos_token="<s>",
        eos_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        mask_token="<mask>",
        model_max_length=WINDOW,
    )
