"""The joined, lighter style sheet means to a browser what its four parts mean."""

from pathlib import Path

from django.conf import settings
from playwright.sync_api import Page

from vmcloud.statics import light_css, light_js

STATIC = Path(settings.BASE_DIR) / "static"
RULES = """(text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    // Custom properties and conditions are kept letter by letter, blanks after a comma or a colon too.
    return [...sheet.cssRules].map((rule) => rule.cssText.replace(/([,:])\\s+/g, "$1"));
}"""


def test_a_browser_reads_the_same_rules_from_the_lighter_sheet(page: Page, site: str) -> None:
    page.goto(f"{site}/healthz")
    parts = [(STATIC / name).read_text() for name in settings.STYLE_PARTS]
    wanted = [rule for text in parts for rule in page.evaluate(RULES, text)]
    found = page.evaluate(RULES, "".join(map(light_css, parts)))
    assert len(wanted) > 4 and found == wanted


def test_a_browser_can_still_read_the_lighter_scripts(page: Page, site: str) -> None:
    page.goto(f"{site}/healthz")
    for path in sorted((STATIC / "js").glob("*.js")):
        written = page.evaluate("(text) => { new Function(text); return true; }", light_js(path.read_text()))
        assert written is True, path.name
