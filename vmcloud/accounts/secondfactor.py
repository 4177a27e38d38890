"""The second factor: a code of six digits from an application on the person's phone, asked of those who chose it."""

from base64 import b32encode

import segno
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.safestring import SafeString, mark_safe
from django_otp.plugins.otp_totp.models import TOTPDevice

QR_SCALE = 5


def is_on(user: User) -> bool:
    """True for a person who must give a code to log in."""
    return bool(TOTPDevice.objects.filter(user=user, confirmed=True).exists())


def begin(user: User) -> None:
    """A new secret, which counts only once a code made from it was given; an earlier unconfirmed one is dropped."""
    with transaction.atomic():
        TOTPDevice.objects.filter(user=user, confirmed=False).delete()
        TOTPDevice.objects.create(user=user, name="totp", confirmed=False)


def pending(user: User) -> TOTPDevice | None:
    """The secret that waits for its first code."""
    return TOTPDevice.objects.filter(user=user, confirmed=False).first()


def confirm(user: User, code: str) -> bool:
    """Turn the second factor on when `code` fits the waiting secret."""
    with transaction.atomic():
        device = TOTPDevice.objects.select_for_update().filter(user=user, confirmed=False).first()
        if device is None or not device.verify_token(code):
            return False
        device.confirmed = True
        device.save(update_fields=["confirmed"])
        TOTPDevice.objects.filter(user=user, confirmed=True).exclude(pk=device.pk).delete()
        return True


def fits(user: User, code: str) -> bool:
    """True when `code` is the one of this moment; the same never fits twice, and wrong ones make the next one wait."""
    with transaction.atomic():
        device = TOTPDevice.objects.select_for_update().filter(user=user, confirmed=True).first()
        return device is not None and bool(device.verify_token(code))


def turn_off(user: User) -> bool:
    """Forget every secret of a person; False where there was none in force."""
    was_on = is_on(user)
    TOTPDevice.objects.filter(user=user).delete()
    return was_on


def key_text(device: TOTPDevice) -> str:
    """The secret for typing it in, in groups of four."""
    text = b32encode(device.bin_key).decode()
    return " ".join(text[start : start + 4] for start in range(0, len(text), 4))


def picture(device: TOTPDevice) -> SafeString:
    """The secret as a QR code, an SVG element drawn here: nothing is asked of anybody else."""
    drawn = segno.make(device.config_url, micro=False).svg_inline(scale=QR_SCALE, dark="#000", light="#fff", border=4)
    return mark_safe(drawn)  # noqa: S308
