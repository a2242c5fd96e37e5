"""Chat templates that never end, or take all memory, are found out before they are used."""

import pytest

from normscope.judges.engines.template_trial import try_template

LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
GOOD = "{% for turn in messages %}{{ turn.role }}: {{ turn.content }}{% endfor %}"
USER = ("user",)
ARGUMENTS = {"enable_thinking": False, "bos_token": "<s>"}


TOO_MUCH = "takes more than 1024 MiB for a short conversation"


def harmful_if(condition: str) -> str:
    return f"{{% if {condition} %}}{{{{ 'x' * 10**10 }}}}{{% endif %}}{GOOD}"


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        (GOOD, None),
        ("{{ messages | tojson(indent=1) }}", None),
        ("{% generation %}{{ messages[0].content }}{% endgeneration %}", None),
        (
            "{{ raise_exception('no system turn') }}",
            "fails on a conversation of user (no system turn)",
        ),
        ("{% for turn in messages %}", "fails on a conversation of user (Unexpected end"),
        (LOOP, "takes more than 5 s"),
        ("{{ 'x' * 10**10 }}", TOO_MUCH),
        ("{{ 'x'|center(9999999999) }}", TOO_MUCH),
        ("{% generation %}{{ 'x' * 10**10 }}{% endgeneration %}", TOO_MUCH),
        # as it is asked in use
        (harmful_if("enable_thinking is false"), TOO_MUCH),
        (harmful_if("bos_token"), TOO_MUCH),
        (harmful_if("messages[0].content|length > 1000"), TOO_MUCH),
        (GOOD + "{{ ['a', 'b'] | random }}", "draws lots"),
        ("{% if false %}{{ ['a', 'b'] | map('ran' ~ 'dom') | list }}{% endif %}", "draws lots"),
        ("{{ [['a', 'b']] | map(*['random']) | list }}", "draws lots"),
        ("{{ lipsum(n=1, html=false) }}", "draws lots"),
        ("{{ messages | map(attribute='content') | map('trim') | join }}", None),
    ],
)
def test_what_a_template_does_wrong_is_found_out(
    template: str, problem: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # one that never ends is not waited for so long
    monkeypatch.setattr("normscope.judges.engines.template_trial.SECONDS", 1)
    found = try_template(template, USER, ARGUMENTS).problem
    assert found is None if problem is None else (found or "").startswith(problem)


def test_a_template_that_does_harm_at_some_turns_only_is_found_out_with_those() -> None:
    template = harmful_if("messages|length == 5")
    assert try_template(template, USER, ARGUMENTS).problem is None
    roles = ("user", "assistant") * 2 + USER
    assert try_template(template, roles, ARGUMENTS).problem == TOO_MUCH


def test_the_words_of_a_trial_are_others_for_every_template() -> None:
    trials = [try_template(GOOD + " " * n, USER, ARGUMENTS) for n in range(2)]
    (first, long), (second, _) = (trial.conversations for trial in trials)
    assert first != second
    # up to 6 words of up to 9 letters, and 400 of two at least
    assert len(first[0][1]) < 60
    assert len(long[0][1]) > 1000
