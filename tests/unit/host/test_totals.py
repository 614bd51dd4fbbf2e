"""Totals over members that come and go."""

from exporters.host.totals import MOST_LOST, Member, Totals


def look(totals: Totals, **members: tuple[str, float, bool]) -> dict[object, list[float]]:
    """Return the totals at a look at members, each with group, value and whether it is new."""
    found = totals.look(
        {name: Member(group, (value,), born) for name, (group, value, born) in members.items()}
    )
    return {group: list(values) for group, values in found.items()}


def test_a_new_group_shows_what_the_kernel_shows() -> None:
    """The counters of its members as they stand, however old they are."""
    assert {"a": [12.0]} == look(Totals(), x=("a", 5, False), y=("a", 7, False))


def test_a_death_is_no_step_back() -> None:
    """What a member has counted stays counted."""
    totals = Totals()
    look(totals, x=("a", 5, False), y=("a", 7, False))

    assert {"a": [13.0]} == look(totals, y=("a", 8, False))


def test_a_birth_counts_in_full() -> None:
    """All that a member has counted since its begin, after the look before, is new."""
    totals = Totals()
    look(totals, x=("a", 5, False))

    assert {"a": [7.0]} == look(totals, x=("a", 5, False), y=("a", 2, True))


def test_an_old_newcomer_is_no_step_up() -> None:
    """What a member counted before it belonged to the group is not the group's."""
    totals = Totals()
    look(totals, x=("a", 5, False))
    look(totals, x=("a", 5, False), y=("a", 100, False))

    assert {"a": [8.0]} == look(totals, x=("a", 5, False), y=("a", 103, False))


def test_one_that_changes_its_group_takes_nothing_along() -> None:
    """What was counted stays where it was counted; what comes is the new group's."""
    totals = Totals()
    look(totals, x=("a", 5, False), y=("a", 1, False), z=("b", 10, False))

    found = look(totals, x=("b", 6, False), y=("a", 1, False), z=("b", 10, False))
    assert {"a": [6.0], "b": [11.0]} == found


def test_a_counter_that_fell_began_anew() -> None:
    """What it shows has come since."""
    totals = Totals()
    look(totals, x=("a", 5, False))

    assert {"a": [7.0]} == look(totals, x=("a", 2, False))


def test_a_group_that_comes_back_goes_on() -> None:
    """It costs no series meanwhile."""
    totals = Totals()
    look(totals, x=("a", 5, False))

    assert {} == look(totals)
    assert {"a": [8.0]} == look(totals, z=("a", 3, True))


def test_to_and_fro_counts_once() -> None:
    """A process that is now called a, now b: each grows by what was counted under its name."""
    totals = Totals()
    groups = ("a", "b", "a", "b", "a")
    found = [look(totals, x=(group, 100 + 10 * at, False)) for at, group in enumerate(groups)]

    assert [
        {"a": [100.0]}, {"b": [110.0]}, {"a": [110.0]}, {"b": [120.0]}, {"a": [120.0]}
    ] == found  # fmt: skip


def test_groups_without_members_are_bounded() -> None:
    """One that lost its members too long ago begins anew."""
    totals = Totals()
    for number in range(MOST_LOST + 2):
        look(totals, x=(str(number), 5, False))

    assert {"1": [5.0]} == look(totals, y=("1", 0, True))
    assert {"0": [2.0]} == look(totals, z=("0", 2, True))
