from django.apps import AppConfig


class CalculatorConfig(AppConfig):
    name = "calculator"
    verbose_name = "Calculateur"

    def ready(self) -> None:
        from calculator import checks  # noqa: F401  (importing registers them)
