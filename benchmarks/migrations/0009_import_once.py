"""A result of a file is kept once. Files that were kept twice before stay; their runs are numbered on."""

from collections import Counter

from django.db import migrations, models


def number_results(apps, schema_editor):
    runs = apps.get_model("benchmarks", "BenchmarkRun").objects
    seen = Counter()
    for pk, digest in runs.exclude(import_file_sha256="").order_by("pk").values_list("pk", "import_file_sha256"):
        seen[digest] += 1
        runs.filter(pk=pk).update(import_number=seen[digest])


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0008_probes")]

    operations = [
        migrations.AddField(
            model_name="benchmarkrun",
            name="import_number",
            field=models.PositiveSmallIntegerField(default=1),
        ),
        migrations.RunPython(number_results, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="benchmarkrun",
            constraint=models.UniqueConstraint(
                condition=models.Q(("import_file_sha256__gt", "")),
                fields=("import_file_sha256", "import_number"),
                name="run_imported_once_a_result",
            ),
        ),
    ]
