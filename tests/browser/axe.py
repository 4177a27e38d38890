"""What axe finds on a page. Only breaches leave the browser: carrying over every element that passes costs more time
than finding them.
"""

import json
from pathlib import Path

from playwright.sync_api import Page

SOURCE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
WCAG_AND_BEST_PRACTICE = (*WCAG, "best-practice")
EVERY_RULE = ()
# `resultTypes` leaves the breaches whole: it only spares axe the descriptions of what passes.
RUN = """async (tags) => {
    const options = tags.length ? { runOnly: { type: "tag", values: tags } } : {};
    const { violations } = await axe.run(document, { ...options, resultTypes: ["violations"] });
    return JSON.stringify(violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) })));
}"""


def violations(page: Page, tags: tuple[str, ...] = WCAG) -> list[str]:
    """One line for each element that breaks a rule of `tags` (none: every rule that axe has on by itself)."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(SOURCE)
    found = json.loads(page.evaluate(RUN, list(tags)))
    return [f"{rule['id']}: {html[:160]}" for rule in found for html in rule["nodes"]]
