"""Estimate → sentences, tables and rows. Everything a template or an export shows of an estimate comes from here."""

from calculator.presenters.badges import Badge, badge, of_kind
from calculator.presenters.headline import lead, sentence
from calculator.presenters.rows import Row, export_rows

__all__ = ["Badge", "Row", "badge", "export_rows", "lead", "of_kind", "sentence"]
