"""The test model is made on the spot, always the same, and of the size that its name says."""

from pathlib import Path

import numpy as np
import pytest
from gguf import GGUFReader

from benchmarks.load import testmodel
from benchmarks.load.testmodel import TEST_MODEL, Recipe


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return testmodel.ensure(tmp_path_factory.mktemp("models"))


def test_the_same_recipe_makes_the_same_bytes(path: Path, tmp_path: Path) -> None:
    testmodel.write(tmp_path / "again.gguf")
    assert testmodel.sha256(tmp_path / "again.gguf") == testmodel.sha256(path)


def test_parameters_by_hand_are_about_one_million() -> None:
    """4 layers of 2·128² + 2·128·64 attention, 3·128·448 feed-forward and two norms; two tables of 300·128; a norm."""
    layer = 2 * 128 * 128 + 2 * 128 * 64 + 3 * 128 * 448 + 2 * 128
    assert testmodel.parameter_count(TEST_MODEL) == 4 * layer + 2 * 300 * 128 + 128 == 962_688


def test_the_file_holds_what_llama_needs(path: Path) -> None:
    reader = GGUFReader(path)
    assert reader.fields["general.architecture"].contents() == "llama"
    assert reader.fields["llama.context_length"].contents() == TEST_MODEL.context_tokens
    assert len(reader.tensors) == 3 + 9 * TEST_MODEL.layer_count
    assert len(reader.fields["tokenizer.ggml.tokens"].contents()) == TEST_MODEL.vocabulary_size


def test_matrices_are_half_precision_and_random_norms_are_ones(path: Path) -> None:
    tensors = {tensor.name: tensor for tensor in GGUFReader(path).tensors}
    assert np.all(tensors["blk.0.attn_norm.weight"].data == 1)
    weights = tensors["blk.0.attn_q.weight"].data
    assert weights.dtype == np.float16
    assert float(np.std(weights.astype(np.float32))) == pytest.approx(128**-0.5, rel=0.05)


def test_a_file_that_is_there_is_not_made_again(path: Path) -> None:
    before = path.stat().st_mtime_ns
    assert testmodel.ensure(path.parent) == path
    assert path.stat().st_mtime_ns == before


def test_another_recipe_has_another_name(path: Path) -> None:
    assert Recipe(seed=1).digest != TEST_MODEL.digest
    assert TEST_MODEL.digest[:16] in path.name


def test_a_model_that_could_not_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(testmodel, "write", fail)
    with pytest.raises(OSError, match="no space"):
        testmodel.ensure(tmp_path)
    assert list(tmp_path.iterdir()) == []
