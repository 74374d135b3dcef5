/*
 * ordering_recorder.c - see ordering_recorder.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/ordering/ordering_recorder.h"

#include <stdlib.h>
#include <string.h>

enum { REGIONS_MAX = 16, WORDS_MAX = 512, VALUES_MAX = 256 };

struct recorded_word {
    uintptr_t address;
    size_t size;
    enum word_class class;
    uint64_t more;
    uint64_t values[VALUES_MAX]; /* 0, and all that have been stored */
    int newest;
    int seen[MODEL_RANKS_MAX];
    int published; /* what the rank had seen that stored a serial number last */
};

static struct {
    struct recording *recording;
    struct unit_random random;
    int rank; /* -1: nobody */
    struct {
        uintptr_t begin, end;
    } regions[REGIONS_MAX];
    int region_count;
    struct recorded_word words[WORDS_MAX];
    int word_count;
    struct record polls[MODEL_RANKS_MAX]; /* each rank's last read of a word; begin = 0: none */
    struct {
        enum word_class class; /* WORD_CLASSES: none */
        uint64_t low, high;
    } expected;
} recorder = {.rank = -1};

/* ---- recording ------------------------------------------------------------------------------- */

void recorder_begin(struct recording *recording, struct unit_random random)
{
    memset(&recorder, 0, sizeof(recorder));
    recorder.recording = recording;
    recorder.random = random;
    recorder.rank = -1;
    recorder.expected.class = WORD_CLASSES;
    recording->count = 0;
}

void recorder_share(const void *memory, size_t size)
{
    assert_true(recorder.region_count < REGIONS_MAX);
    recorder.regions[recorder.region_count].begin = (uintptr_t)memory;
    recorder.regions[recorder.region_count++].end = (uintptr_t)memory + size;
}

void recorder_word(const void *word, enum word_class class, uint64_t more)
{
    assert_true(recorder.word_count < WORDS_MAX);
    recorder.words[recorder.word_count++] =
        (struct recorded_word){.address = (uintptr_t)word,
                               .size = class == WORD_LEFT ? sizeof(uint32_t) : sizeof(uint64_t),
                               .class = class, .more = more};
}

void recorder_turn(int rank)
{
    recorder.rank = rank;
}

void recorder_expect(enum word_class class, uint64_t low, uint64_t high)
{
    recorder.expected.class = class;
    recorder.expected.low = low;
    recorder.expected.high = high;
}

bool recorder_records(uintptr_t address)
{
    for (int i = 0; recorder.rank >= 0 && i < recorder.region_count; i++) {
        if (address >= recorder.regions[i].begin && address < recorder.regions[i].end) {
            return true;
        }
    }
    return false;
}

static void append(const struct record *record)
{
    struct recording *recording = recorder.recording;
    if (recording->count == recording->room) {
        recording->room = recording->room * 2 + 256;
        recording->records = realloc(recording->records,
                                     recording->room * sizeof(*recording->records));
        assert_non_null(recording->records);
    }
    recording->records[recording->count++] = *record;
}

/*
 * Where a rank reads some words again and again, only the last time counts: it could have come so
 * late that it was the first.
 */
static void poll_forget(const struct record *poll)
{
    struct record *records = recorder.recording->records;
    for (size_t i = recorder.recording->count; i-- > 0;) {
        if (records[i].rank != poll->rank) {
            continue;
        }
        if (records[i].action != MODEL_AWAIT) {
            return;
        }
        if (records[i].begin == poll->begin) {
            size_t behind = --recorder.recording->count - i;
            memmove(&records[i], &records[i + 1], behind * sizeof(*records));
            return;
        }
    }
}

/* A rank that goes on to something else has been content with what it read last. */
static void poll_end(int rank)
{
    if (recorder.polls[rank].begin != 0) {
        poll_forget(&recorder.polls[rank]);
        append(&recorder.polls[rank]);
        recorder.polls[rank].begin = 0;
    }
}

size_t recorder_mark(void)
{
    poll_end(recorder.rank);
    return recorder.recording->count;
}

void recorder_forget(size_t mark, enum word_class class)
{
    struct recording *recording = recorder.recording;
    size_t kept = mark;
    recorder_mark();
    for (size_t i = mark; i < recording->count; i++) {
        const struct record *record = &recording->records[i];
        bool is_look = record->action == MODEL_READ ||
                       (record->action == MODEL_AWAIT && recorder_class(record->begin) == class);
        if (!is_look) {
            recording->records[kept++] = *record;
        }
    }
    recording->count = kept;
}

void recorder_access(enum model_action action, uintptr_t begin, size_t size)
{
    if (size > 0 && recorder_records(begin)) {
        poll_end(recorder.rank);
        append(&(struct record){.rank = recorder.rank, .action = action,
                                .begin = begin, .end = begin + size});
    }
}

void recorder_read(const void *memory, size_t size)
{
    recorder_access(MODEL_READ, (uintptr_t)memory, size);
}

void recorder_write(const void *memory, size_t size)
{
    recorder_access(MODEL_WRITE, (uintptr_t)memory, size);
}

void recorder_end(void)
{
    for (int rank = 0; rank < MODEL_RANKS_MAX; rank++) {
        poll_end(rank);
    }
    recorder.rank = -1;
}

static struct recorded_word *word_find(uintptr_t address)
{
    for (int i = 0; i < recorder.word_count; i++) {
        if (recorder.words[i].address == address) {
            return &recorder.words[i];
        }
    }
    fail_msg("an atomic access to shared memory that the test does not know as a word");
    abort();
}

int recorder_word_count(void)
{
    return recorder.word_count;
}

uintptr_t recorder_word_at(int number)
{
    return recorder.words[number].address;
}

enum word_class recorder_class(uintptr_t word)
{
    return word_find(word)->class;
}

int recorder_word_number(uintptr_t word)
{
    return (int)(word_find(word) - recorder.words);
}

bool recorder_has_word(uintptr_t begin, uintptr_t end)
{
    for (int i = 0; i < recorder.word_count; i++) {
        uintptr_t address = recorder.words[i].address;
        if (begin < address + recorder.words[i].size && end > address) {
            return true;
        }
    }
    return false;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* All that the storing rank knew, as far as the recorder keeps account of it. */
static void serial_publish(int rank)
{
    for (int i = 0; i < recorder.word_count; i++) {
        recorder.words[i].published = recorder.words[i].seen[rank];
    }
}

static void serial_learn(int rank)
{
    for (int i = 0; i < recorder.word_count; i++) {
        struct recorded_word *word = &recorder.words[i];
        word->seen[rank] = word->published > word->seen[rank] ? word->published
                                                              : word->seen[rank];
    }
}

static void look_expect(const struct record *look)
{
    poll_end(look->rank);
    append(look);
}

static void look_await(const struct record *look)
{
    if (recorder.polls[look->rank].begin != look->begin) {
        poll_end(look->rank);
    }
    recorder.polls[look->rank] = *look;
}

/* Of words that are looked at once, the newest value; of others one further, or the same again. */
static uint64_t value_choose(struct recorded_word *word, int rank)
{
    bool is_once = word->class == WORD_SERIAL || word->class == WORD_LEFT ||
                   word->class == WORD_LAST;
    if (is_once) {
        word->seen[rank] = word->newest;
    } else if (word->seen[rank] < word->newest && unit_random_below(&recorder.random, 2) == 0) {
        word->seen[rank]++;
    }
    return word->values[word->seen[rank]];
}

uint64_t recorder_load(uintptr_t address, bool is_acquire)
{
    struct recorded_word *word = word_find(address);
    int rank = recorder.rank;
    uint64_t value = value_choose(word, rank);
    struct record look = {.rank = rank, .action = MODEL_AWAIT, .is_ordered = is_acquire,
                          .begin = address, .end = address + word->size,
                          .value = value, .high = value | word->more};
    if (word->class == WORD_SERIAL) {
        serial_learn(rank);
        look.action = MODEL_EXPECT;
        look_expect(&look);
    } else if (word->class == recorder.expected.class) {
        look.action = MODEL_EXPECT;
        look.value = recorder.expected.low;
        look.high = recorder.expected.high;
        look_expect(&look);
    } else if (word->class == WORD_LEFT) {
        look.high = value;
        if (value == word->more) {
            look_await(&look);
        }
    } else if (word->class != WORD_LAST) {
        look_await(&look);
    }
    return value;
}

static void word_change(enum model_action action, uintptr_t address, uint64_t value, uint64_t after,
                        bool is_release)
{
    struct recorded_word *word = word_find(address);
    assert_true(word->newest + 1 < VALUES_MAX);
    poll_end(recorder.rank);
    word->values[++word->newest] = after;
    word->seen[recorder.rank] = word->newest;
    if (word->class == WORD_SERIAL) {
        serial_publish(recorder.rank);
    }
    append(&(struct record){.rank = recorder.rank, .action = action, .is_ordered = is_release,
                            .begin = address, .end = address + word->size, .value = value,
                            .high = value});
}

void recorder_store(uintptr_t address, uint64_t value, bool is_release)
{
    word_change(MODEL_STORE, address, value, value, is_release);
}

void recorder_add(uintptr_t address, uint64_t value, bool is_release)
{
    const struct recorded_word *word = word_find(address);
    word_change(MODEL_ADD, address, value, word->values[word->newest] + value, is_release);
}

void recorder_raise(uintptr_t address, uint64_t value, bool is_release)
{
    const struct recorded_word *word = word_find(address);
    uint64_t now = word->values[word->newest];
    word_change(MODEL_RAISE, address, value, value > now ? value : now, is_release);
}

void recorder_clear(const void *memory, size_t size)
{
    uintptr_t at = (uintptr_t)memory, end = at + size;
    while (recorder_records((uintptr_t)memory) && at < end) {
        const struct recorded_word *next = NULL;
        for (int i = 0; i < recorder.word_count; i++) {
            const struct recorded_word *word = &recorder.words[i];
            if (word->address >= at && word->address < end &&
                (next == NULL || word->address < next->address)) {
                next = word;
            }
        }
        uintptr_t until = next != NULL ? next->address : end;
        recorder_access(MODEL_WRITE, at, until - at);
        if (next != NULL) {
            recorder_store(next->address, 0, false);
        }
        at = next != NULL ? until + next->size : end;
    }
}
