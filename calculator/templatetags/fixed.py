"""`translate`, `blocktranslate`, `static` and `url` for what stands in the template itself: looked up once a language.

Loaded after the libraries whose tags it takes the place of. A live answer prints eighty such texts at every key
pressed; what a literal is translated to, or where it leads, never changes while a process lives.
"""

from collections.abc import Callable

from django import template
from django.template.base import Node, Parser, Token, render_value_in_context
from django.template.defaulttags import url as do_url
from django.templatetags.i18n import BlockTranslateNode, do_block_translate, do_translate
from django.templatetags.static import do_static
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from calculator import language

register = template.Library()
QUOTES = "\"'"


class Fixed(Node):
    """A tag that depends on nothing but the language, with what it printed, by language."""

    child_nodelists = ()

    def __init__(self, node: Node) -> None:
        self.node = node
        self.texts: dict[str, SafeString] = {}

    def render(self, context: template.Context) -> SafeString:
        code = language.active()
        if code not in self.texts:
            self.texts[code] = SafeString(self.node.render(context))
        return self.texts[code]


class FixedSentence(Node):
    """A translated sentence whose places are all named by `with`."""

    child_nodelists = ()

    def __init__(self, node: BlockTranslateNode, message: str) -> None:
        self.places = tuple(node.extra_context.items())
        self.message = message
        self.texts: dict[str, str] = {}

    def render(self, context: template.Context) -> SafeString:
        code = language.active()
        if code not in self.texts:
            self.texts[code] = gettext(self.message)
        values = {name: render_value_in_context(value.resolve(context), context) for name, value in self.places}
        return SafeString(self.texts[code] % values)


def is_literal(word: str) -> bool:
    """A quoted text without filters."""
    return word[0] in QUOTES and word[-1] == word[0] and word.count(word[0]) == len(QUOTES)


def of_one_literal(compiled: Callable[[Parser, Token], Node]) -> Callable[[Parser, Token], Node]:
    """The tag, kept by language where it has one literal and nothing else."""

    def compile_tag(parser: Parser, token: Token) -> Node:
        node, words = compiled(parser, token), token.split_contents()
        return Fixed(node) if len(words) == 2 and is_literal(words[1]) else node

    return compile_tag


register.tag("translate", of_one_literal(do_translate))
register.tag("static", of_one_literal(do_static))
register.tag("url", of_one_literal(do_url))


@register.tag("blocktranslate")
def do_sentence(parser: Parser, token: Token) -> Node:
    """A sentence whose places are named by `with`; one with a count, a context or `as` leaves Django's own node."""
    node: BlockTranslateNode = do_block_translate(parser, token)
    message, places = node.render_token_list(node.singular)
    special = node.plural or node.message_context or node.asvar
    return node if special or set(places) - set(node.extra_context) else FixedSentence(node, message)
