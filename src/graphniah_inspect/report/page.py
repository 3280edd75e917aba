"""The report as one HTML file: nothing is loaded from anywhere, and nothing from a log is anything but text."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from graphniah_inspect.report.content import Chapter, Content
from graphniah_inspect.report.labels import words
from graphniah_inspect.report.measure import Show
from graphniah_inspect.report.section import Number, Section
from graphniah_inspect.report.tables import NUMBER_COLUMNS, RESULT_COLUMNS, number_cells, result_cells

_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; }
h1 { font-size: 1.7rem; } h2 { margin-top: 3rem; border-bottom: 2px solid #0072B2; } h3 { margin-top: 2rem; }
table { border-collapse: collapse; font-size: .8rem; margin: .8rem 0; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #ddd; padding: .25rem .6rem; text-align: left; vertical-align: top; }
td.r, th.r { text-align: right; white-space: nowrap; }
th.r { white-space: normal; } th { background: #f3f6f9; } tr:target { background: #fff3c4; }
figure { margin: 1rem 0; } figure svg { width: 32rem; max-width: 100%; height: auto; } svg a { pointer-events: all; }
figcaption { font-size: .8rem; color: #555; }
code { background: #f3f3f3; padding: .1rem .3rem; overflow-wrap: anywhere; }
.warn { background: #fff6e5; border-left: 4px solid #E69F00; padding: .4rem 1rem; }
details.show { min-width: 5rem; } details.show[open] { min-width: 22rem; } details.show p { margin: .3rem 0; }
summary { cursor: pointer; color: #0072B2; } button { font-size: .75rem; }
nav { columns: 2; }
"""
_SCRIPT = """
document.addEventListener('click', function (event) {
  if (event.target.matches('button.copy')) {
    var code = event.target.previousElementSibling;
    getSelection().selectAllChildren(code);
    if (navigator.clipboard) {
      navigator.clipboard.writeText(code.textContent).then(function () { event.target.textContent = 'copied'; });
    }
  }
});
function reveal() {
  var row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (row && row.tagName === 'TR') {
    row.closest('details').open = true;
    var show = row.querySelector('details'); if (show) { show.open = true; }
    row.scrollIntoView({block: 'center'});
  }
}
window.addEventListener('hashchange', reveal); window.addEventListener('load', reveal);
"""
_RIGHT = {"n", "accuracy %", "95 % interval", "guessing %", "not read", "errors", "with errors as wrong %", "value"}
_INTRO = (
    "A run is one log: one model, asked one set of questions. GraphNIAH hides real citation graphs, written as text, "
    "in very long prompts and asks which papers can be reached from a source paper; an answer needs many steps over "
    "text that lies far apart. As files: <a href='tables.md'>tables.md</a>, <a href='numbers.csv'>numbers.csv</a> "
    "(every number below), <a href='samples.csv'>samples.csv</a> and <a href='report.json'>report.json</a> (every "
    "sample)."
)
_HELP = """
<h2 id="method">How the numbers are made</h2>
<ul>
<li><b>Accuracy</b> is the share of correct answers among the samples that have a score. A response that could
not be read, was empty, cut off, refused, or whose prompt was too long for the model is scored, and counts as
wrong. A sample that ended in an error has no score: it is counted beside accuracy, and the last column says
what accuracy would be if errors were wrong answers.</li>
<li>With several <b>epochs</b> (repetitions), a sample's score is its mean over them; n counts samples, not
repetitions.</li>
<li><b>Intervals</b> are 95 % Wilson score intervals. Samples about the same component or example are not
independent, and are treated as one cluster. To say whether two models differ, use <code>graphniah
compare</code>, which pairs them sample by sample: overlapping intervals alone do not decide it.</li>
<li><b>Guessing</b> is what uniform guessing among the answers offered gives: a half of yes-no questions, a
quarter of multiple choice (a fifth with a None option), nothing of counting; in the mixture of formats
asked.</li>
<li><b>Every log is a row of its own.</b> Runs on other data, by another task version or reading rule, without
the context, or on another selection of examples are never averaged together; the column <i>set apart by</i>
says how.</li>
</ul>
<h2 id="samples">How to see the samples behind a number</h2>
<p>Click a point of a figure, or open <i>show</i> beside a number. Start the viewer with the command, open the
address, and paste the filter into the box above the list of samples. Paths are as seen from the folder in which
the report was made. In Python, <code>samples.csv</code> holds every sample as a row.</p>
"""


def render(content: Content, figures: Mapping[str, str]) -> str:
    """The page.

    Args:
        content: The report.
        figures: Slug -> SVG text; drawn by us, so put in as it is.
    """
    models = sorted({run.model for run in content.runs})
    parts = [
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>GraphNIAH report</title><style>{_STYLE}</style></head><body>",
        "<h1>GraphNIAH report</h1>",
        f"<p>{_count(len(content.runs), 'run')} of {_count(len(models), 'model')}, "
        f"{_count(len(content.frame), 'response')}. {_INTRO}</p>",
        _warnings(content.warnings),
        "<nav><ul>",
        *(
            f"<li><a href='#{escape(_anchor(chapter))}'>{escape(chapter.family.title)}</a></li>"
            for chapter in content.chapters
        ),
        "<li><a href='#method'>How the numbers are made</a></li>",
        "<li><a href='#samples'>How to see the samples behind a number</a></li>",
        "</ul></nav>",
        *(_chapter(chapter, figures) for chapter in content.chapters),
        _HELP,
        f"<script>{_SCRIPT}</script></body></html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _warnings(warnings: Sequence[str]) -> str:
    if not warnings:
        return ""
    return "<div class='warn'><ul>" + "".join(f"<li>{escape(text)}</li>" for text in warnings) + "</ul></div>"


def _anchor(chapter: Chapter) -> str:
    return f"chapter-{chapter.family.slug}"


def _chapter(chapter: Chapter, figures: Mapping[str, str]) -> str:
    family = chapter.family
    common = {
        name: next(iter(values))
        for name in sorted({name for run in family.runs for name in run.conditions})
        if len(values := {run.conditions.get(name, "") for run in family.runs}) == 1
    }
    same = ", ".join(words(name, value) for name, value in common.items() if value not in ("null", ""))
    rows = [
        _row("", [*map(escape, result_cells(result)), _show(Show(result.run.log, ""))], RESULT_COLUMNS)
        for result in chapter.results
    ]
    return "\n".join(
        [
            f"<h2 id='{escape(_anchor(chapter))}'>{escape(family.title)}</h2>",
            f"<p>The same for all runs here: {escape(same)}.</p>",
            _table([*RESULT_COLUMNS, "see them"], rows),
            *(_section(section, figures.get(section.slug, "")) for section in chapter.sections),
        ]
    )


def _section(section: Section, svg: str) -> str:
    slug = escape(section.slug, quote=True)
    rows = [_number(f"{section.slug}-{index}", number) for index, number in enumerate(section.numbers)]
    figure = (
        f"<figure>{_inline(svg)}<figcaption>Files: <a href='figures/{slug}.png'>PNG</a>, "
        f"<a href='figures/{slug}.svg'>SVG</a>, one paper column wide.</figcaption></figure>"
        if svg
        else ""
    )
    return "\n".join(
        [
            f"<h3 id='{slug}'>{escape(section.title)}</h3>",
            f"<p>{escape(section.text)}</p>",
            figure,
            f"<details><summary>The numbers ({len(rows)}), and the samples behind each</summary>",
            _table([*NUMBER_COLUMNS, "see them"], rows),
            "</details>",
        ]
    )


def _inline(svg: str) -> str:
    """A figure as part of the page: its links lead to rows of this page, not to a new one."""
    return svg[svg.index("<svg") :].replace(' target="_blank"', "")


def _number(anchor: str, number: Number) -> str:
    cells = [escape(cell) for cell in number_cells(number)]
    return _row(anchor, [*cells, _show(number.show) if number.show else ""], NUMBER_COLUMNS)


def _show(show: Show) -> str:
    lines = [("Start", show.command), ("Open", show.address), ("Filter", show.filter)]
    inside = "".join(
        f"<p>{name}: <code>{escape(text)}</code> <button class='copy'>copy</button></p>" for name, text in lines if text
    )
    return f"<details class='show'><summary>show</summary>{inside}</details>"


def _row(anchor: str, cells: Sequence[str], columns: Sequence[str]) -> str:
    named = f" id='{escape(anchor, quote=True)}'" if anchor else ""
    return (
        f"<tr{named}>"
        + "".join(f"<td{_side(columns, index)}>{cell}</td>" for index, cell in enumerate(cells))
        + "</tr>"
    )


def _table(columns: Sequence[str], rows: Iterable[str]) -> str:
    head = "".join(f"<th{_side(columns, index)}>{escape(column)}</th>" for index, column in enumerate(columns))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _side(columns: Sequence[str], index: int) -> str:
    return " class='r'" if index < len(columns) and columns[index] in _RIGHT else ""


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}" + ("" if number == 1 else "s")
