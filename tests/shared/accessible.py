"""What is wrong with a page for who cannot see it, point at it, or see it at this size.

axe-core checks WCAG 2.2 AA and its own good practice; the rest are checks that it has no rule for.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

SMALLEST = 9
"""No text is smaller, in CSS pixels as they come out on the screen."""

_OPTIONS = {
    "runOnly": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    },
    # off unless it is named
    "rules": {"target-size": {"enabled": True}},
    "resultTypes": ["violations"],
}

_STILL = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { transition: none !important; animation: none !important; }");
  document.adoptedStyleSheets.push(sheet);
}"""

_TOO_SMALL = """smallest => [...document.querySelectorAll("body *")].flatMap(e => {
  const text = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  if (!text || !e.checkVisibility() || e.closest(".unseen")) return [];
  const drawing = e.closest("svg");
  const scale = drawing ? (drawing.getScreenCTM()?.a ?? 1) : 1;
  const size = parseFloat(getComputedStyle(e).fontSize) * scale;
  const words = e.textContent.trim().slice(0, 60);
  return size < smallest - 0.05 ? [`${size.toFixed(1)} px: ${words}`] : [];
})"""

_CUT = """() => {
  const wide = document.documentElement.clientWidth;
  const scrolls = e => {
    for (let a = e; a && a !== document.body; a = a.parentElement) {
      if (["auto", "scroll"].includes(getComputedStyle(a).overflowX)) return true;
    }
    return false;
  };
  return [...document.querySelectorAll("body *")].flatMap(e => {
    const box = e.getBoundingClientRect();
    if (box.right <= wide + 1 && box.left >= -1) return [];
    if (!box.width || !box.height || !e.checkVisibility({ visibilityProperty: true })) return [];
    if (e.closest("svg, .unseen, .skip, .visually-hidden, .sr-only") || scrolls(e)) return [];
    const sides = `${box.left.toFixed()} to ${box.right.toFixed()}`;
    return [`${e.tagName}#${e.id}.${e.className} from ${sides}`];
  });
}"""

_UNSEEN_FOCUS = """() => {
  const look = e => {
    const of = [];
    for (let a = e, n = 0; a && n < 4; a = a.parentElement, n++) {
      const s = getComputedStyle(a);
      of.push(s.outlineStyle === "none" ? "" : s.outline, s.boxShadow, s.borderColor,
              s.backgroundColor, s.textDecoration);
    }
    return of.join();
  };
  const before = document.activeElement;
  const found = [];
  const reached = "a[href], button, input, select, textarea, summary, [tabindex]";
  for (const e of document.querySelectorAll(reached)) {
    if (e.tabIndex < 0 || e.disabled || !e.checkVisibility({ visibilityProperty: true })) continue;
    document.activeElement?.blur();
    const plain = look(e);
    e.focus({ preventScroll: true, focusVisible: true });
    if (document.activeElement === e && look(e) === plain) {
      const name = e.ariaLabel ?? e.textContent.trim().slice(0, 40);
      found.push(`${e.tagName}#${e.id}.${e.className} ${name}`);
    }
  }
  before?.focus?.({ preventScroll: true });
  return found;
}"""


@dataclass(frozen=True, slots=True)
class Excuse:
    """What a library draws and we cannot reach: a rule, its elements, and why it stays."""

    rule: str
    element: str
    """Stands in the selector or the markup of each of them."""
    why: str


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule of axe-core, and one element that breaks it."""

    rule: str
    selector: str
    html: str
    why: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.selector}\n    {self.html}\n    {self.why}"

    def is_excused(self, excuse: Excuse) -> bool:
        """Whether it is what the excuse speaks of."""
        place = f"{self.selector} {self.html}"
        return self.rule == excuse.rule and excuse.element in place


def held_still(page: Any) -> None:
    """Nothing fades on the page from now on: what is checked is what will be seen."""
    page.evaluate(_STILL)


def violations(page: Any) -> list[Violation]:
    """What breaks a rule in the page as it stands now, one for each element."""
    axe = import_module("axe_playwright_python.sync_playwright").Axe()
    return [
        Violation(
            rule=str(broken["id"]),
            selector=" ".join(map(str, node["target"])),
            html=node["html"][:300],
            why=" ".join(str(node.get("failureSummary", "")).split()),
        )
        for broken in axe.run(page, options=_OPTIONS).response["violations"]
        for node in broken["nodes"]
    ]


def without_excuse(
    found: Iterable[Violation], excuses: Sequence[Excuse]
) -> tuple[list[Violation], set[Excuse]]:
    """The violations that nothing excuses, and the excuses that were needed."""
    left, needed = [], set()
    for violation in found:
        excused = {excuse for excuse in excuses if violation.is_excused(excuse)}
        needed |= excused
        if not excused:
            left.append(violation)
    return left, needed


def too_small(page: Any) -> list[str]:
    """Texts under `SMALLEST`, those of drawings as they are scaled."""
    return list(page.evaluate(_TOO_SMALL, SMALLEST))


def cut_off(page: Any) -> list[str]:
    """What lies outside of the screen, to its left or right, where nothing scrolls to it."""
    return list(page.evaluate(_CUT))


def unseen_focus(page: Any) -> list[str]:
    """What takes the focus and looks as before: outline, shadow, border, ground, underline."""
    page.keyboard.press("Shift")
    return list(page.evaluate(_UNSEEN_FOCUS))
