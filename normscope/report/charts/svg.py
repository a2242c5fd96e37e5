"""A figure's SVG made fit for a file and for a page: small, alone, and whatever its names are."""

import math
import re
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree

from ...files import hash_value
from ...untrusted import visible

_SVG = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"
_DROPPED = {f"{{{_SVG}}}{name}" for name in ("metadata", "style")}
_G = f"{{{_SVG}}}g"

_LONG = re.compile(r"-?\d+\.\d{2,}")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_FONT = (
    "DejaVu Sans, Verdana, Noto Sans, Noto Sans CJK SC, PingFang SC, Microsoft YaHei, sans-serif"
)
"""The layout is that of DejaVu Sans; Verdana, where that is missing, is as wide."""

_READABLE, _REM = 9.0, 16.0
"""Pixels: the smallest letters that can be read on a phone, and what a browser has for a rem."""

_STEP, _MOST = 2, 120
"""The steps of least widths in rem, and the last of them."""

WIDE = "\u2e80"
"""From this character on the letters are as wide as they are high."""

TITLE = "title:"
"""How the id of a drawn group begins that has a tooltip: the rest of it is shown."""

ElementTree.register_namespace("", _SVG)


def cleaned(source: str) -> str:
    """The SVG as a file: without what an element does not need, and with text made visible."""
    return _written(_tree(source, "id"))


def inlined(source: str, *, alt: str, themed: Mapping[str, str]) -> str:
    """The SVG as an element of a page; `themed` maps colours to those that the page gives."""
    # the ids of two charts on a page are told apart by what is drawn
    name = f"c{hash_value([source, alt])[:10]}"
    root = _tree(source, name)
    for element in root.iter():
        for key in ("fill", "stroke"):
            colour = element.get(key, "")
            if colour in themed:
                element.set(key, themed[colour])
    root.attrib.pop("height", None)
    _widen(root)
    looks = f"chart least-{least(root)}"
    root.attrib.update({"class": looks, "role": "img", "aria-label": visible(alt)})
    return _written(root)


def least(root: ElementTree.Element) -> int:
    """How narrow the picture may be drawn, in steps of 2 rem: its letters are 9 pixels then.

    A style sheet has a class for each step (`writers/scroll.css`); a box that is narrower scrolls.
    """
    sizes = [_size(text) for text in root.iter(f"{{{_SVG}}}text") if (text.text or "").strip()]
    width = float(root.get("viewBox", "").split()[2])
    rem = width * _READABLE / min(sizes, default=_READABLE) / _REM
    return min(_STEP * math.ceil(rem / _STEP), _MOST)


def _size(text: ElementTree.Element) -> float:
    return float(text.get("font-size", "9px").removesuffix("px"))


def _tree(source: str, name: str) -> ElementTree.Element:
    # every text stands in a comment too: one NUL in a name, and no reader opens it
    root = ElementTree.fromstring(visible(source))  # noqa: S314 - matplotlib wrote it
    used = dict.fromkeys(name for element in root.iter() for name in _references(element))
    # numbered as they come: the names that matplotlib gives are not the same in every process
    ids = {old: f"{name}-{at}" for at, old in enumerate(used, start=1)}
    _clean(root, ids)
    root.set("font-family", _FONT)
    # matplotlib says this of every element in a style sheet, which a page would apply to its own
    root.set("stroke-linejoin", "round")
    root.attrib.pop("version", None)
    return root


def _widen(root: ElementTree.Element) -> None:
    """Makes room for Chinese text, which a machine without its fonts takes to be narrower."""
    left, top, width, height = (float(number) for number in root.get("viewBox", "").split())
    right = left + width
    for element in root.iter(f"{{{_SVG}}}text"):
        text, size = element.text or "", _size(element)
        if "transform" in element.attrib or all(character < WIDE for character in text):
            continue
        wide = size * sum(1.0 if character >= WIDE else 0.65 for character in text)
        start = {"end": wide, "middle": wide / 2}.get(element.get("text-anchor", ""), 0.0)
        x = float(element.get("x", "0")) - start
        left, right = min(left, x - 2), max(right, x + wide + 2)
    root.set("viewBox", f"{left:g} {top:g} {right - left:g} {height:g}")
    root.set("width", f"{right - left:g}pt")


def _references(element: ElementTree.Element) -> Iterator[str]:
    for key, value in element.attrib.items():
        if key == _LINK:
            yield value.removeprefix("#")
        else:
            yield from _REFERENCE.findall(value)


def _clean(parent: ElementTree.Element, ids: Mapping[str, str]) -> None:
    """Styles as attributes, ids that are used, short numbers; groups that group nothing go."""
    kept: list[ElementTree.Element] = []
    for child in parent:
        if child.tag in _DROPPED:
            continue
        tooltip = child.get("id", "") if child.get("id", "").startswith(TITLE) else ""
        _attributes(child, ids)
        _clean(child, ids)
        if tooltip:
            title = ElementTree.Element(f"{{{_SVG}}}title")
            title.text = tooltip.removeprefix(TITLE)
            child.insert(0, title)
        if child.tag == _G and not tooltip and not child.attrib:
            kept += list(child)
        elif len(child) or child.tag != f"{{{_SVG}}}defs":
            kept.append(child)
    parent[:] = kept
    if not (parent.text or "").strip():
        parent.text = None
    for child in kept:
        child.tail = None


def _attributes(element: ElementTree.Element, ids: Mapping[str, str]) -> None:
    attributes = dict(element.attrib)
    for declaration in filter(None, attributes.pop("style", "").split("; ")):
        key, _, value = declaration.partition(":")
        attributes[key.strip()] = value.strip()
    name = ids.get(attributes.pop("id", ""))
    attributes.pop("font-family", None)
    if _LINK in attributes:
        attributes["href"] = f"#{ids[attributes.pop(_LINK).removeprefix('#')]}"
    if attributes.get("transform", "").startswith("rotate(-0 "):
        del attributes["transform"]
    element.attrib.clear()
    for key, value in attributes.items():
        text = _REFERENCE.sub(lambda match: f"url(#{ids[match[1]]})", value)
        short = key in {"d", "points", "x", "y", "width", "height", "transform"}
        element.set(key, " ".join(_LONG.sub(_shortened, text).split()) if short else text)
    if name is not None:
        element.set("id", name)


def _shortened(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 1) + 0.0:g}"


def _written(root: ElementTree.Element) -> str:
    return ElementTree.tostring(root, encoding="unicode")
