"""The tabs, in their order. A tab is a module with `build(space)`, which draws it and its API."""

TABS = ("answer", "file", "vignettes", "compare", "contribute", "judges", "annotate")
