"""Who may do what on every address of the site. A new address without a line here fails `test_rights_pages`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from django.urls import URLPattern, URLResolver, get_resolver

VISITOR, PLAIN, SUPERUSER = "visitor", "plain", "superuser"
GROUPS = ("sales", "pricing", "approver", "operator")
ROLES = (VISITOR, PLAIN, *GROUPS, SUPERUSER)

Audience = frozenset[str]
EVERYONE = Audience(ROLES)
SIGNED_IN = EVERYONE - {VISITOR}
SUPERUSERS = Audience({SUPERUSER})
NOBODY = Audience()


def groups(*names: str) -> Audience:
    """The members of these groups, and superusers."""
    assert set(names) <= set(GROUPS)
    return Audience({*names, SUPERUSER})


OPERATORS = groups("operator")
PRICES, PRICING = groups("pricing", "approver"), groups("pricing")
QUOTES, SELLERS = groups("sales", "approver"), groups("sales")


@dataclass(frozen=True, slots=True)
class Rule:
    """Who may read the address (GET) and who may send to it (POST). NOBODY: the method is refused with 405."""

    get: Audience = EVERYONE
    post: Audience = NOBODY
    args: Mapping[str, object] = field(default_factory=dict)


READ = Rule()
CALCULATORS = ("economics", "inference", "training", "parallelism", "tokens")
CODE = {"code": "no-such-run"}
FILE = {"pk": 999_999}
SECRET = {"token": "no-such-quote-no-such-quote"}
TOKEN = {"uidb64": "MQ", "token": "no-such-token"}

RULES: dict[str, Rule] = {
    # --- for everybody: calculators, catalogue, methods, runs to read ---
    **dict.fromkeys(("root", "healthz", "home", "skus", "gpus", "prices", "methodology", "accuracy"), READ),
    **dict.fromkeys((*CALCULATORS, "accuracy-rows", "runs", "inference-deploy"), READ),
    "advice": READ,
    "advice-text": Rule(post=EVERYONE),
    "advice-file": Rule(args={"suffix": "csv"}),
    "outlook": READ,
    "outlook-export": Rule(args={"suffix": "csv"}),
    "compare": READ,
    "compare-file": Rule(args={"suffix": "csv"}),
    "bill": Rule(post=EVERYONE),
    "price-history": Rule(args={"kind": "sku", "code": "GPU-PRO"}),
    "tokens-count": Rule(post=EVERYONE),
    "inference-model": Rule(post=EVERYONE),
    "estimate-save": Rule(post=EVERYONE, args={"name": "economics"}),
    "export": Rule(args={"name": "economics", "suffix": "csv"}),
    "estimate-saved": Rule(args={"slug": "none"}),
    "estimate-file": Rule(args={"slug": "none", "suffix": "csv"}),
    "coming": Rule(args={"name": "economics"}),
    **dict.fromkeys(("run", "run-csv", "run-json", "run-jsonl", "probe-lines"), Rule(args=CODE)),
    # --- the programming interface, read only ---
    **dict.fromkeys(("api-root", "api-openapi", "api-skus", "api-gpus", "api-models", "api-language-models"), READ),
    **dict.fromkeys(("api-versions", "api-figures", "api-prices", "api-calculators"), READ),
    **{f"api-estimate-{name}": READ for name in CALCULATORS},
    "api-advice": READ,
    "api": READ,
    "api-request": Rule(args={"kind": "sku", "code": "GPU-PRO"}),
    "api-price-history": Rule(args={"kind": "sku", "code": "GPU-PRO"}),
    # --- foresight and explanations ---
    "foresight": Rule(args={"name": "inference"}),
    "learn": READ,
    "learn-topic": Rule(args={"slug": "tokens"}),
    # --- operators: runs ---
    "workers": Rule(get=OPERATORS),
    "run-new": Rule(get=OPERATORS),
    "run-compare": READ,
    "run-import": Rule(get=OPERATORS, post=OPERATORS),
    "run-start": Rule(get=OPERATORS, post=OPERATORS),
    "probe-new": Rule(get=OPERATORS),
    "probe-start": Rule(get=OPERATORS, post=OPERATORS),
    "probe-publish": Rule(get=NOBODY, post=OPERATORS, args=CODE),
    "latency-publish": Rule(get=NOBODY, post=OPERATORS, args=CODE),
    **dict.fromkeys(("run-cancel", "run-publish", "run-withdraw"), Rule(get=NOBODY, post=OPERATORS, args=CODE)),
    # --- coming in, one's own account ---
    "login": Rule(post=EVERYONE),
    "logout": Rule(get=NOBODY, post=EVERYONE),
    "set-password": Rule(post=EVERYONE, args=TOKEN),
    "admin-sign-in": Rule(get=SIGNED_IN),
    "account": Rule(get=SIGNED_IN),
    "password": Rule(get=SIGNED_IN, post=SIGNED_IN),
    "admin-password": Rule(get=SIGNED_IN, post=SIGNED_IN),
    "factor-begin": Rule(get=NOBODY, post=SIGNED_IN),
    "factor": Rule(get=SIGNED_IN, post=SIGNED_IN),
    "factor-off": Rule(get=SIGNED_IN, post=SIGNED_IN),
    # --- price lists ---
    "lists": Rule(get=PRICES),
    "private-prices": Rule(get=groups("sales")),
    "price-record": Rule(get=PRICES),
    "discrepancies": Rule(get=PRICES),
    "list-propose": Rule(get=NOBODY, post=PRICING),
    "list-rollback": Rule(get=PRICING, post=PRICING, args={"number": 999_999}),
    "planned-cancel": Rule(get=PRICING, post=PRICING, args=FILE),
    "list-upload": Rule(get=PRICING, post=PRICING),
    "list-template": Rule(get=PRICING, args={"kind": "gpu", "suffix": "csv"}),
    "list-current": Rule(get=PRICING, args={"kind": "gpu", "suffix": "csv"}),
    "list-price": Rule(get=PRICING, post=PRICING, args={"kind": "gpu"}),
    "list-item": Rule(get=PRICING, post=PRICING, args={"kind": "sku"}),
    **dict.fromkeys(("list", "list-file", "list-errors", "list-effects"), Rule(get=PRICES, args=FILE)),
    "list-columns": Rule(get=PRICING, post=PRICING, args=FILE),
    "list-compare": Rule(get=NOBODY, post=PRICING, args=FILE),
    "list-apply": Rule(get=NOBODY, post=PRICING, args=FILE),
    "list-approve": Rule(get=NOBODY, post=groups("approver"), args=FILE),
    "list-reject": Rule(get=NOBODY, post=PRICES, args=FILE),
    # --- quotes; who may but holds the wrong number gets a 404 ---
    "quotes": Rule(get=QUOTES),
    "quote-costs": Rule(get=groups("pricing"), post=groups("pricing")),
    "quote-new": Rule(get=SELLERS, post=SELLERS, args={"name": "economics"}),
    "quote": Rule(get=QUOTES, args=FILE),
    "quote-file": Rule(get=QUOTES, args={"pk": 999_999, "suffix": "csv"}),
    **dict.fromkeys(("quote-edit", "quote-send", "quote-link"), Rule(get=SELLERS, post=SELLERS, args=FILE)),
    **dict.fromkeys(
        ("quote-revoke", "quote-withdraw", "quote-duplicate", "quote-erase"), Rule(get=NOBODY, post=SELLERS, args=FILE)
    ),
    "quote-approve": Rule(get=NOBODY, post=groups("approver"), args=FILE),
    **dict.fromkeys(("quote-open", "quote-change"), Rule(args=SECRET)),
    "quote-open-file": Rule(args={**SECRET, "suffix": "json"}),
    "quote-propose": Rule(get=NOBODY, post=EVERYONE, args=SECRET),
    # --- superusers: people ---
    "people": Rule(get=SUPERUSERS),
    "person-new": Rule(get=SUPERUSERS, post=SUPERUSERS),
    "person": Rule(get=SUPERUSERS, post=SUPERUSERS, args={"pk": 999_999}),
    "person-password": Rule(get=NOBODY, post=SUPERUSERS, args={"pk": 999_999}),
}


def names() -> set[str]:
    """The names of all addresses but those of the admin site, which has a test of its own."""
    return set(_named(get_resolver().url_patterns))


def _named(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield pattern.name or f"unnamed: {pattern.pattern}"
        elif pattern.app_name != "admin":
            yield from _named(pattern.url_patterns)
