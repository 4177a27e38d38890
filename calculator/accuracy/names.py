"""GPUs and models by the many ways in which publications write their names.

A name is taken apart into words; vendor words, form factors' generations and what marks a checkpoint's tuning or
quantisation say nothing about the data sheet. Memory and form factor decide where a name alone leaves several sheets.
"""

import re
from collections.abc import Iterable, Mapping

from calculator.domain.hardware import Gpu
from calculator.domain.llm import LanguageModel

GPU_FILLER = re.compile(
    "nvidia|geforce|tesla|quadro|amd|instinct|radeon|rtx|gpus?|graphics|card|tensor|core|generation|edition|server"
    r"|workstation|blackwell|oam|[dh]gx|superchip|hbm2e?|hbm3e?|gddr\dx?|nvl\d+"
)
FORM_FACTORS = frozenset({"sxm", "pcie"})
USUAL_GB = 80
"""Where a name leaves several sheets, the form factor with NVLink and the memory nearest to this are meant."""
SAME_MEMORY_RATIO = 0.1
"""Vendors and drivers print one card's memory up to this far apart (180 and 192 GB for one B200)."""
GPU_NICKNAMES = {
    "gh200 480gb": "GH200-96GB",
    "gh200 144gb": "GH200-141GB",
    "h100 94gb": "H100-NVL-94GB",
    "h100 96gb": "H100-HBM2e-96GB (500W)",
}
"""A GH200 is also sold by the memory of its CPU; 94 and 96 GB belong to one H100 each."""

MODEL_FILLER = re.compile(
    r"meta|instruct|chat|it|hf|base|pt|thinking|awq|gptq|marlin|gguf|ggml|bnb|fp\d+|bf16|nf4|nvfp4|mxfp4|int\d|w\da\d+"
    r"|[48]bit|dynamic|kv|modelopt|quantized(\.w\da\d+)?|[kms]"
)
MODEL_VERSION = re.compile(r"v\d+(\.\d+)?|\d{4}|\d+[km]|[\d.]+t|step|intermediate|i?q\d\w*|\d+e")
"""Words that name a release, a date, a context length, a training state, a GGUF quantisation or a count of experts."""
MODEL_SIZE = re.compile(r"(\d+x)?\d+(\.\d+)?[bm]|a\d+(\.\d+)?b")


def gpu_words(name: str) -> frozenset[str]:
    """The words of a GPU's name that matter, whatever their order.

    >>> sorted(gpu_words("NVIDIA A100-SXM4-80GB")), sorted(gpu_words("RTX3090Ti"))
    (['80gb', 'a100', 'sxm'], ['3090', 'ti'])
    """
    text = re.sub(r"^\d+\s*x\s*", "", name.casefold().strip()).replace("rtx", " rtx ")
    text = re.sub(r"(\d)ti\b", r"\1 ti", text)
    text = re.sub(r"sxm\d?", " sxm ", text)
    text = re.sub(r"\b(\d+)\s*g(i?b)?\b", r" \1gb ", text)
    return frozenset(word for word in re.findall(r"[a-z0-9]+", text) if not GPU_FILLER.fullmatch(word))


def stated_gb(words: frozenset[str]) -> float | None:
    """The memory that a name states."""
    return next((float(word[:-2]) for word in words if re.fullmatch(r"\d+gb", word)), None)


def _without_memory(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if not re.fullmatch(r"\d+gb", word))


def _same_memory(gpu: Gpu, gb: float | None) -> bool:
    return gb is None or abs(gpu.vram_gb - gb) <= SAME_MEMORY_RATIO * gpu.vram_gb


class GpuNames:
    """Finds a sheet by a name that nobody wrote down."""

    def __init__(self, gpus: Mapping[str, Gpu]) -> None:
        self._by_words: dict[frozenset[str], Gpu] = {}
        for name, gpu in gpus.items():
            self._by_words.setdefault(gpu_words(name), gpu)
        self._nicknamed = {gpu_words(nick): gpus[name] for nick, name in GPU_NICKNAMES.items() if name in gpus}

    def find(self, name: str) -> Gpu | None:
        """The sheet of that name; of those that remain, the usual one. None: no sheet bears it."""
        words = gpu_words(name)
        named = self._by_words.get(words) or self._nicknamed.get(words)
        if named is not None:
            return named
        bare, gb = _without_memory(words), stated_gb(words)
        if not bare:
            return None
        return self._usual(bare, gb, frozenset()) or self._usual(bare, gb, FORM_FACTORS)

    def _usual(self, bare: frozenset[str], gb: float | None, unstated: frozenset[str]) -> Gpu | None:
        found = [
            (words, gpu)
            for words, gpu in self._by_words.items()
            if _without_memory(words) - unstated == bare and _same_memory(gpu, gb)
        ]
        usual = sorted(found, key=lambda each: ("sxm" not in each[0], abs(each[1].vram_gb - USUAL_GB)))
        return usual[0][1] if usual else None


def model_key(name: str, *, loose: bool = False) -> str:
    """A model's family and sizes without publisher, tuning and quantisation; `loose` also without its release.

    >>> model_key("meta-llama/Llama-3.1-8B-Instruct"), model_key("Qwen/Qwen-2.5-7B_AWQ")
    ('llama3.1|8b', 'qwen2.5|7b')
    >>> model_key("mistralai/Mistral-7B-Instruct-v0.2"), model_key("mistralai/Mistral-7B-Instruct-v0.2", loose=True)
    ('mistralv0.2|7b', 'mistral|7b')
    """
    short = re.sub(r"\(.*?\)", "", name.casefold()).strip().rpartition("/")[2]
    words = [word for word in re.split(r"[\s_\-:]+", short) if word and not MODEL_FILLER.fullmatch(word)]
    kept = [word for word in words if not (loose and MODEL_VERSION.fullmatch(word))]
    family = "".join(word for word in kept if not MODEL_SIZE.fullmatch(word))
    return "|".join([family, *(word for word in kept if MODEL_SIZE.fullmatch(word))])


class ModelNames:
    """Finds dimensions by a name that nobody wrote down."""

    def __init__(self, named: Iterable[tuple[str, LanguageModel]]) -> None:
        self._strict: dict[str, LanguageModel] = {}
        self._loose: dict[str, LanguageModel] = {}
        for name, model in named:
            self._strict.setdefault(model_key(name), model)
            self._loose.setdefault(model_key(name, loose=True), model)

    def find(self, name: str) -> LanguageModel | None:
        """The model of that name and release, else of that name in its first release."""
        strict = self._strict.get(model_key(name))
        return strict or self._loose.get(model_key(name, loose=True))
