"""The verdict, its rivals, and what would become of it without a source or a symptom."""

from __future__ import annotations

from typing import Any

import ipywidgets as widgets

from ..diagnosis import WORDING, Diagnosis
from ..display import Grid, show_actually, show_questions, show_rivals, states_of
from ..hypothesis import Hypothesis, named
from ..printable import escaped, shortened
from ..symptoms import all_symptoms
from ._panel import LABELLED, SOFT, Panel, Picture, button, heading, html, notice, rendered, row

TOP = 6
CHAIN_TAB = 1


class DiagnosisPanel(Panel):
    """Shows `diagnosis`; the toggles leave sources and symptoms out and show at once what then remains."""

    def __init__(self, diagnosis: Diagnosis) -> None:
        self.original = self.diagnosis = diagnosis
        self.verdict, self.moved, self.bars = html(), html(), html()
        self.rival = widgets.Dropdown(description="Evidence for and against", style=LABELLED)
        self.rival.layout.width = "auto"
        self.rival.observe(lambda _: self._show_weights(), names="value")
        self.weights, self.table, self.others, self.next = html(), html(), html(), html()
        self.chain = Picture()
        self.sources = self._toggles(sorted({fact.source.file for fact in diagnosis.incident.evidence}))
        titles = {each.symptom: all_symptoms()[each.symptom].title for each in diagnosis.present}
        self.symptoms = self._toggles(list(titles), titles)
        reset = button("Back to all the evidence", self.reset, tooltip="switch every source and symptom on again")
        what_if = widgets.Accordion(
            [_columns(self.symptoms.values()), _columns(self.sources.values())],
            titles=("What if a symptom had not been looked for", "What if a source had not been collected"),
            layout=widgets.Layout(width="100%"),
        )
        self.details = widgets.Tab(
            [
                self.table,
                self.chain.widget,
                widgets.VBox([self.rival, self.weights]),
                self.others,
                self.next,
            ],
            titles=("What it was doing", "Chain", "Evidence", "Why not the others", "Ask next"),
            layout=widgets.Layout(width="100%"),
        )
        self.details.observe(lambda _: self._draw_chain(), names="selected_index")
        super().__init__(self.verdict, self.moved, self.bars, self.details, heading("What if"), what_if, row(reset))
        self._show()

    def _toggles(self, names: list[str], titles: dict[str, str] | None = None) -> dict[str, widgets.Checkbox]:
        made = {}
        for name in names:
            box = widgets.Checkbox(
                value=True,
                description=shortened((titles or {}).get(name, name), 70),
                description_allow_html=False,
                indent=False,
                layout=widgets.Layout(width="auto"),
            )
            box.observe(lambda _: self.judge_again(), names="value")
            made[name] = box
        return made

    def reset(self) -> None:
        """Switch every source and symptom on again."""
        for box in (*self.sources.values(), *self.symptoms.values()):
            box.value = True

    def judge_again(self) -> None:
        """Make the diagnosis of what is switched on."""
        dropped = [name for name, box in self.sources.items() if not box.value]
        unseen = [name for name, box in self.symptoms.items() if not box.value]
        diagnosis = self.original.without(*dropped) if dropped else self.original
        if unseen:
            diagnosis = diagnosis.assume(**dict.fromkeys(unseen, None))
        self.diagnosis = diagnosis
        self._show()
        without = ", ".join([*(all_symptoms()[name].title for name in unseen), *dropped])
        self.moved.value = (
            notice(f"without {shortened(without, 200)}: {_moved(self.original, diagnosis)}") if without else ""
        )

    def show(self, diagnosis: Diagnosis) -> None:
        """Show another diagnosis of the same incident, such as one that knows a probe's answers."""
        before, self.original = self.original, diagnosis
        self.judge_again()
        self.moved.value = notice(_moved(before, diagnosis))

    def _show(self) -> None:
        diagnosis = self.diagnosis
        tone = {"root-cause": "bad", "independent-causes": "bad", "insufficient": "warning", "healthy": "good"}
        self.verdict.value = notice(diagnosis.headline, tone[diagnosis.verdict.value]) + diagnosis._repr_html_()
        self.bars.value = format_bars(diagnosis)
        self.table.value = rendered(show_actually(diagnosis)._repr_html_())
        self.others.value = rendered(show_rivals(diagnosis)._repr_html_())
        self.next.value = rendered(show_questions(diagnosis)._repr_html_())
        self._draw_chain()
        options = [(shortened(named(each), 80), number) for number, each in enumerate(diagnosis.hypotheses[:TOP])]
        self.rival.options = options
        self._show_weights()

    def _draw_chain(self) -> None:
        """Draw the chain where somebody looks at it: a picture takes longer than the verdict."""
        from ..plots import plot_chain

        if self.details.selected_index == CHAIN_TAB:
            self.chain.show(plot_chain(self.diagnosis))

    def _show_weights(self) -> None:
        number = self.rival.value
        shown = "" if number is None else weights_of(self.diagnosis, self.diagnosis.hypotheses[number])._repr_html_()
        self.weights.value = rendered(shown)

    def _html(self) -> str:
        return f"{self.diagnosis._repr_html_()}{show_actually(self.diagnosis)._repr_html_()}"

    def __repr__(self) -> str:
        return f"<DiagnosisPanel: {self.diagnosis.headline}>"


def _otherwise(name: str) -> str:
    alike = "how like the words of known incidents it is: no proof"
    return alike if name == WORDING else "this cause does not show it"


def _columns(boxes: Any) -> widgets.Box:
    layout = widgets.Layout(display="grid", grid_template_columns="repeat(auto-fill, minmax(300px, 1fr))", width="100%")
    return widgets.Box(list(boxes), layout=layout)


def _moved(before: Diagnosis, after: Diagnosis) -> str:
    """How the verdict and the leading cause moved."""
    old, new = _leading(before), _leading(after)
    if before.verdict is after.verdict and [h.slug for h in before.answer] == [h.slug for h in after.answer]:
        return f"the verdict stays {after.verdict.value}; {old}, now {new}"
    return f"{before.verdict.value} ({old}) becomes {after.verdict.value} ({new})"


def _leading(diagnosis: Diagnosis) -> str:
    first = next(iter(diagnosis.hypotheses), None)
    return f"{first.slug} {first.posterior:.1%} ({first.bits:+.1f} bits)" if first else "no cause"


def format_bars(diagnosis: Diagnosis, top: int = TOP) -> str:
    """The leading causes as bars with their numbers, as HTML."""
    rows = []
    for each in diagnosis.hypotheses[:top]:
        chosen = each in diagnosis.answer
        fill = "#0072B2" if chosen else "repeating-linear-gradient(45deg, #8c8c8c 0 3px, transparent 3px 6px)"
        rows.append(
            f"<div style='display: flex; gap: 8px; align-items: center; margin: 2px 0'>"
            f"<span style='flex: 0 0 46%; text-align: right; overflow-wrap: anywhere'>{escaped(named(each))}</span>"
            f"<span style='flex: 1; border: 1px solid var(--jp-border-color1, #bdbdbd); height: 13px'>"
            f"<span style='display: block; height: 100%; width: {each.posterior:.1%}; background: "
            f"{fill}'></span></span>"
            f"<span style='flex: 0 0 150px; {SOFT}'>{each.posterior:.1%}, {each.bits:+.1f} bits</span></div>"
        )
    return f"<div role='img' aria-label='posterior of the leading causes'>{''.join(rows)}</div>"


def weights_of(diagnosis: Diagnosis, hypothesis: Hypothesis) -> Grid:
    """What each symptom says for and against one hypothesis, the strongest first."""
    number = diagnosis.hypotheses.index(hypothesis)
    column = diagnosis.weights.iloc[:, number]
    states = states_of(diagnosis)
    found = [(str(name), float(bits)) for name, bits in column.items() if abs(float(bits)) >= 0.05]
    found.sort(key=lambda pair: -abs(pair[1]))
    table = all_symptoms()
    rows = tuple(
        (
            f"{bits:+.1f}",
            f"{table[name].title} ({states[name]})" if name in table else WORDING,
            effect.because if (effect := hypothesis.cause.effect(name)) else _otherwise(name),
        )
        for name, bits in found
    )
    return Grid(f"{hypothesis.bits:+.1f} bits in all", ("bits", "symptom", "because"), rows)
