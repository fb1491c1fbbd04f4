"""The fold, over any text, any chunking, cuts, repeats, losses, orders of attempts (DESIGN 6)."""

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from assistant.domain.log import START, Entry, Folded, Gap, Op, Position, fold
from assistant.domain.transcript import Part, PartKind, Transcript
from tests.unit.domain.stories import Story, stories
from tests.unit.domain.texts import pieces, transcripts

any_story = st.one_of(stories(), stories(lossy=True), stories(lossy=True, replaces=True))


def _true(folded: Folded, story: Story) -> bool:
    """The folded text is one that its attempt had at some moment."""
    return any(
        folded.transcript == transcript
        for position, transcript in story.after.items()
        if position.attempt <= folded.attempt or position == START
    )


@given(any_story)
def test_entries_in_order_give_the_text_with_its_parts(story: Story) -> None:
    folded = fold(Folded(), story.entries)

    assert folded.transcript == story.transcript
    assert folded.position == story.last
    assert folded.gap is None
    assert folded.closed == (story.entries[-1].op is Op.CLOSED)


@given(any_story, st.data())
def test_a_fold_may_be_done_in_steps_cut_anywhere(story: Story, data: st.DataObject) -> None:
    entries = data.draw(st.lists(st.sampled_from(story.entries), unique=True).map(_in_order))
    cut = data.draw(st.integers(0, len(entries)))

    in_steps = fold(fold(Folded(), entries[:cut]), entries[cut:])

    assert in_steps == fold(Folded(), entries)


@given(any_story, st.data())
def test_a_fold_may_begin_at_any_row(story: Story, data: st.DataObject) -> None:
    position = data.draw(
        st.sampled_from([entry.position for entry in story.entries if entry.position.seq] or [START])
    )
    row = Folded(story.after[position], position, position.attempt)

    folded = fold(row, story.entries)

    assert folded.transcript == story.transcript
    assert folded.gap is None


@given(any_story, st.data())
def test_repeated_entries_change_nothing(story: Story, data: st.DataObject) -> None:
    seen: list[Entry] = []
    for entry in story.entries:
        seen.append(entry)
        seen += data.draw(st.lists(st.sampled_from(seen), max_size=2))

    assert fold(Folded(), seen) == fold(Folded(), story.entries)
    assert fold(fold(Folded(), seen), story.entries) == fold(Folded(), story.entries)


@given(stories(), st.data())
def test_losses_give_a_true_text_and_a_gap_that_names_what_is_missing(
    story: Story, data: st.DataObject
) -> None:
    left = data.draw(st.lists(st.sampled_from(story.entries), unique=True).map(_in_order))

    folded = fold(Folded(), left)

    assert _true(folded, story)
    assert story.transcript.text.startswith(folded.text)
    spoken = [entry for entry in left if entry.op is not Op.FENCE]
    if folded.gap is None:
        assert folded.transcript == (story.after[spoken[-1].position] if spoken else Transcript())
    else:
        assert folded.gap.start == len(folded.text)
        assert folded.gap.to >= folded.gap.start
        assert folded.transcript != story.after[spoken[-1].position]


@given(stories(lossy=True), st.data())
def test_losses_after_an_attempts_first_entry_never_give_a_text_that_never_was(
    story: Story, data: st.DataObject
) -> None:
    firsts = [entry for entry in story.entries if entry.position.seq <= 1]
    others = [entry for entry in story.entries if entry.position.seq > 1]
    kept = data.draw(st.lists(st.sampled_from(others), unique=True)) if others else []

    assert _true(fold(Folded(), _in_order([*firsts, *kept])), story)


@given(stories(), st.data())
def test_a_missing_entry_makes_a_gap_from_the_fold_to_the_entry_beyond_it(
    story: Story, data: st.DataObject
) -> None:
    texts = [entry for entry in story.entries if entry.op is Op.TEXT]
    assume(len(texts) >= 2)
    missing = data.draw(st.integers(0, len(texts) - 2))
    rest = [entry for entry in story.entries if entry is not texts[missing]]

    folded = fold(Folded(), rest)

    assert folded.gap == Gap(texts[missing].offset, texts[missing + 1].offset)
    assert folded.text == story.transcript.text[: texts[missing].offset]


@given(stories(), st.data())
def test_a_replace_heals_any_loss(story: Story, data: st.DataObject) -> None:
    left = data.draw(st.lists(st.sampled_from(story.entries), unique=True).map(_in_order))
    assume(story.entries[-1].op is not Op.CLOSED)
    story.replace()

    folded = fold(fold(Folded(), left), story.entries[-1:])

    assert folded.transcript == story.transcript
    assert folded.gap is None


@given(stories(), pieces, st.data())
def test_a_newer_attempt_that_begins_within_reach_heals_a_gap(
    story: Story, text: str, data: st.DataObject
) -> None:
    left = data.draw(st.lists(st.sampled_from(story.entries), unique=True).map(_in_order))
    broken = fold(Folded(), left)
    story.begin_attempt(lost=len(story.transcript) - data.draw(st.integers(0, len(broken.text))))
    story.piece(PartKind.TEXT, text)

    folded = fold(broken, story.entries[-2:])

    assert folded.transcript == story.transcript
    assert folded.gap is None
    assert (folded.attempt, folded.base) == (story.last.attempt, story.base)


@given(stories(), pieces)
def test_a_newer_attempt_that_begins_beyond_the_fold_is_a_gap(story: Story, text: str) -> None:
    before = fold(Folded(), story.entries)
    story.begin_attempt(lost=0)
    story.piece(PartKind.TEXT, text)
    beyond = [replace(entry, offset=entry.offset + 1) for entry in story.entries[-2:]]

    folded = fold(before, beyond)

    assert folded.transcript == before.transcript
    assert folded.gap == Gap(len(before.text), len(before.text) + 1)


@given(any_story)
def test_a_fence_alone_shows_nothing_and_silences_the_older_attempt(story: Story) -> None:
    before = fold(Folded(), story.entries)
    fence = Entry(Position(before.position.attempt + 1, 0), Op.FENCE, len(before.text))
    late = Entry(Position(story.last.attempt, story.last.seq + 1), Op.TEXT, len(before.text), "late")

    folded = fold(before, [fence, late])

    assert folded.transcript == before.transcript
    assert folded.attempt == before.attempt
    assert folded.position == fence.position
    assert folded.gap is None


@given(transcripts())
def test_a_replace_sets_the_text_with_all_its_parts(transcript: Transcript) -> None:
    entry = Entry(Position(3, 7), Op.REPLACE, len(transcript), transcript.text, parts=transcript.parts)

    assert fold(Folded(), [entry]).transcript == transcript


def test_an_attempt_that_goes_on_from_a_seed_is_appended_to_it() -> None:
    seed = Transcript("kept", (Part(PartKind.TEXT, 0, 4),))
    first = Entry(Position(1, 1), Op.TEXT, 4, " and more")

    folded = fold(Folded(seed), [Entry(Position(1, 0), Op.FENCE, 4), first])

    assert folded.text == "kept and more"
    assert folded.base == 4


def test_a_gap_stays_until_it_is_healed_even_if_nothing_new_comes() -> None:
    hole = [Entry(Position(1, 1), Op.TEXT, 0, "a"), Entry(Position(1, 3), Op.TEXT, 2, "c")]
    broken = fold(Folded(), hole)

    assert broken.gap == Gap(1, 2)
    assert fold(broken, []).gap == Gap(1, 2)
    assert fold(broken, [Entry(Position(2, 0), Op.FENCE, 3)]).gap == Gap(1, 2)


def _in_order(entries: list[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: entry.position)
