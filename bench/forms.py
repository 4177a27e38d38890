"""What a browser would send: the successful controls of the calculator's form, and the files that a page loads."""

from html.parser import HTMLParser


class FormReader(HTMLParser):
    """Collects name and value of the controls of the form that updates the result live."""

    def __init__(self) -> None:
        super().__init__()
        self.inside = False
        self.pairs: list[tuple[str, str]] = []
        self.select, self.first_option = "", ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = dict(attrs)
        if tag == "form":
            self.inside = has.get("method", "get") == "get" and "hx-get" in has
        if not self.inside:
            return
        if tag == "input" and has.get("name") and self.counts(has):
            self.pairs.append((str(has["name"]), has.get("value") or ""))
        elif tag == "select":
            self.select, self.first_option = has.get("name") or "", ""
        elif tag == "option" and self.select and "selected" in has:
            self.pairs.append((self.select, has.get("value") or ""))
            self.select = ""

    @staticmethod
    def counts(has: dict[str, str | None]) -> bool:
        if "disabled" in has or has.get("type") in {"submit", "button", "reset"}:
            return False
        return has.get("type") not in {"checkbox", "radio"} or "checked" in has

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = False


class FileReader(HTMLParser):
    """Collects the style sheets and scripts that a page loads at once."""

    def __init__(self) -> None:
        super().__init__()
        self.paths: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = dict(attrs)
        if tag == "link" and has.get("rel") == "stylesheet":
            self.paths.append(has.get("href") or "")
        elif tag == "script" and has.get("src"):
            self.paths.append(has.get("src") or "")
