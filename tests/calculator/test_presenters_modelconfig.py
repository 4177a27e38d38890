"""Every reason why a configuration is refused has a sentence in both languages."""

import re
from pathlib import Path

import pytest
from django.utils import translation

from calculator import modelconfig
from calculator.modelconfig import ModelConfigError
from calculator.modelconfig.families import REFUSED
from calculator.presenters import modelconfig as presenter
from tests.calculator import configfactory as make

ROOM = Path(modelconfig.__file__).parent
SOURCE = "".join(path.read_text() for path in (*ROOM.glob("*.py"), ROOM.parent / "modelupload.py"))
RAISED = set(re.findall(r'ModelConfigError\(\s*"(\w+)"', SOURCE)) | {code for _kinds, code in REFUSED}


def sentence(text: str | bytes) -> str:
    with pytest.raises(ModelConfigError) as caught:
        modelconfig.read(text)
    return presenter.sentence(caught.value)


def test_every_code_has_a_sentence_and_every_sentence_a_code() -> None:
    assert presenter.SENTENCES.keys() == RAISED


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("code", sorted(RAISED))
def test_every_sentence_uses_only_values_that_come_with_its_code(code: str, language: str) -> None:
    calls = re.findall(rf'ModelConfigError\(\s*"{code}"(.*?)\)(?: from error)?\n', SOURCE, re.DOTALL)
    given = set(re.findall(r"(\w+)=", " ".join(calls))) | {"field", "name"}
    with translation.override(language):
        assert set(re.findall(r"%\((\w+)\)s", str(presenter.SENTENCES[code]))) <= given


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", "Collez le contenu de config.json ou choisissez le fichier."),
        ("{", "Ce n’est pas du JSON\u00a0: erreur ligne 1, colonne 2."),
        ('{"a": 1, "a": 1}', "La clé a est écrite deux fois."),
        (make.text("Llama-3-8B", hidden_size=None), "Il manque hidden_size."),
        (make.text("Llama-3-8B", hidden_size=-1), "hidden_size doit être entre 1 et 1\u202f000\u202f000."),
        (make.text("Llama-3-8B", num_key_value_heads=5), "5 têtes KV ne divisent pas 32 têtes d’attention."),
        (make.text("Llama-3-8B", model_type="mamba"), "mamba garde un état de taille fixe et non un cache KV"),
    ],
)
def test_the_sentence_says_what_is_wrong_where(text: str, shown: str) -> None:
    assert sentence(text).startswith(shown)
