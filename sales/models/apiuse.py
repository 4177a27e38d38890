"""How often the programming interface was asked, so that nobody keeps it from the others."""

from django.db import models


class ApiUse(models.Model):
    """Requests of one client within one minute. `client` is a keyed hash: no address is kept; rows go soon after."""

    client = models.CharField(max_length=32)
    minute = models.DateTimeField(db_index=True)
    count = models.PositiveIntegerField(default=1)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["client", "minute"], name="api_use_once_a_minute")]

    def __str__(self) -> str:
        return f"{self.minute:%H:%M} {self.count}"
