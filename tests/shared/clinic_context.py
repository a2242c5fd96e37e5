"""A context of eight vignettes that the package has never heard of, and prompts for it."""

CLINIC = """\
name: clinic
title: What a clinic passes on
language: en
population: patients of a clinic
instrument: written for this test
year: 2026
license: CC-BY-4.0
source: written for this test
contributors: [Normscope]
constants: {subject: a patient, sender: a clinic}
factors:
  attribute: {levels: [the date of a visit, the length of a visit]}
  recipient: {levels: ["the patient's school", an insurer]}
  transmission_principle: {levels: [if the patient agrees, if names are left out]}
practices:
  clinic:
    template: "A clinic sends {attribute} to {recipient} {transmission_principle}"
    null_control: "A clinic sends {attribute} to {recipient}"
ratings:
  question: Is it acceptable?
  low: 1
  high: 5
  source: written for this test
  values:
    - {levels: {recipient: an insurer}, mean: 2, n: 20}
    - {levels: {recipient: "the patient's school"}, mean: 3.5}
"""
PROMPTS = """\
source: written for this test
variants:
  kindly: "Kindly say what you think of this: {scenario}. Say one of {likert_scale}"
  frankly: "{scenario}. Frankly, how acceptable is that? One of {likert_scale}"
"""
