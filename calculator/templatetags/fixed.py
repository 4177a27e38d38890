"""`translate` for a text that stands in the template itself: looked up once for each language, then only printed.

Loaded after i18n, whose tag it takes the place of. A live answer prints eighty such texts at every key pressed.
"""

from django import template
from django.template.base import Node, Parser, Token
from django.templatetags.i18n import TranslateNode, do_translate
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()


class Fixed(Node):
    """A translated literal with what it was translated to, by language."""

    child_nodelists = ()

    def __init__(self, node: TranslateNode) -> None:
        self.node = node
        self.texts: dict[str | None, SafeString] = {}

    def render(self, context: template.Context) -> SafeString:
        language = get_language()
        if language not in self.texts:
            self.texts[language] = SafeString(self.node.render(context))
        return self.texts[language]


@register.tag
def translate(parser: Parser, token: Token) -> Node:
    """A literal is kept by language; a variable, a filter, a context or `as` leave Django's own node."""
    node = do_translate(parser, token)
    words = token.split_contents()
    return Fixed(node) if len(words) == 2 and words[1][0] in "\"'" and not node.filter_expression.filters else node
