"""Estimate → sentences, tables and rows. Everything a template or an export shows of an estimate comes from here."""

from calculator.presenters.badges import Badge, badge, of_kind
from calculator.presenters.headline import lead, sentence
from calculator.presenters.row import Row, sourced_row
from calculator.presenters.rows import export_rows

__all__ = ["Badge", "Row", "badge", "export_rows", "lead", "of_kind", "sentence", "sourced_row"]
