"""The accessibility scan itself: it names each element that breaks a rule, under the rules that were asked for."""

from playwright.sync_api import Browser

from tests.browser import axe

# An image without a text, twice; a text of too little contrast; a heading that skips a level, which no criterion of
# WCAG forbids.
BROKEN = """<!doctype html><html lang="en"><title>Broken</title><main><h1>One</h1><h3>Three</h3>
<img src="data:,1"><img src="data:,2"><p style="color:#aaa;background:#fff">Pale</p></main>"""
SOUND = '<!doctype html><html lang="en"><title>Sound</title><main><h1>One</h1><p>Text</p></main>'


def found(chromium: Browser, content: str, tags: tuple[str, ...] = axe.WCAG) -> list[str]:
    page = chromium.new_page()
    page.set_content(content)
    lines = axe.violations(page, tags)
    assert axe.violations(page, tags) == lines, "a second scan of one page says the same"
    page.context.close()
    return lines


def test_each_element_that_breaks_a_rule_is_named(chromium: Browser) -> None:
    assert found(chromium, BROKEN) == [
        'color-contrast: <p style="color:#aaa;background:#fff">Pale</p>',
        'image-alt: <img src="data:,1">',
        'image-alt: <img src="data:,2">',
    ]


def test_best_practice_is_found_where_it_is_asked_for(chromium: Browser) -> None:
    for tags in (axe.WCAG_AND_BEST_PRACTICE, axe.EVERY_RULE):
        lines = found(chromium, BROKEN, tags)
        assert "heading-order: <h3>Three</h3>" in lines and len(lines) == 4


def test_a_sound_page_breaks_no_rule_at_all(chromium: Browser) -> None:
    assert found(chromium, SOUND, axe.EVERY_RULE) == []
