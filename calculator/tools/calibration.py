"""What a link says of the calibration that it was made under."""

from django.utils.translation import gettext as _

from calculator import calibrated
from calculator.tool import Notice

CODE = "calibration"


def recalibrated(asked: str) -> tuple[Notice, ...]:
    """That the calibration has changed since the link was made; nothing where it names none or today's."""
    if asked in ("", calibrated.mark()):
        return ()
    return (Notice(CODE, _("L’étalonnage a changé depuis ce lien\u00a0: recalculé avec celui d’aujourd’hui.")),)
