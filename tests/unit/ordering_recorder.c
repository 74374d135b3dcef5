/*
 * ordering_recorder.c - see ordering_recorder.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/ordering_recorder.h"

#include <stdlib.h>
#include <string.h>

enum { REGIONS_MAX = 16, WORDS_MAX = 256, VALUES_MAX = 256 };

struct recorded_word {
    uintptr_t address;
    enum word_class class;
    uint64_t more;
    uint64_t values[VALUES_MAX]; /* 0, and all that have been stored */
    int newest;
    int seen[MODEL_RANKS_MAX];
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
} recorder = {.rank = -1};

/* ---- recording ------------------------------------------------------------------------------- */

void recorder_begin(struct recording *recording, struct unit_random random)
{
    memset(&recorder, 0, sizeof(recorder));
    recorder.recording = recording;
    recorder.random = random;
    recorder.rank = -1;
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
        (struct recorded_word){.address = (uintptr_t)word, .class = class, .more = more};
}

void recorder_turn(int rank)
{
    recorder.rank = rank;
}

static bool is_recorded(uintptr_t address)
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

static void access_record(enum model_action action, uintptr_t begin, size_t size)
{
    if (size > 0 && is_recorded(begin)) {
        poll_end(recorder.rank);
        append(&(struct record){.rank = recorder.rank, .action = action,
                                .begin = begin, .end = begin + size});
    }
}

void recorder_read(const void *memory, size_t size)
{
    access_record(MODEL_READ, (uintptr_t)memory, size);
}

void recorder_write(const void *memory, size_t size)
{
    access_record(MODEL_WRITE, (uintptr_t)memory, size);
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

enum word_class recorder_class(uintptr_t word)
{
    return word_find(word)->class;
}

int recorder_word_number(uintptr_t word, uint64_t *more)
{
    const struct recorded_word *found = word_find(word);
    *more = found->more;
    return (int)(found - recorder.words);
}

bool recorder_has_word(uintptr_t begin, uintptr_t end)
{
    for (int i = 0; i < recorder.word_count; i++) {
        uintptr_t address = recorder.words[i].address;
        if (begin < address + sizeof(uint64_t) && end > address) {
            return true;
        }
    }
    return false;
}

/* One value further than last time, or the same once more. */
static uint64_t word_load(uintptr_t address, bool is_acquire)
{
    struct recorded_word *word = word_find(address);
    int rank = recorder.rank;
    if (word->seen[rank] < word->newest && unit_random_below(&recorder.random, 2) == 0) {
        word->seen[rank]++;
    }
    if (recorder.polls[rank].begin != address) {
        poll_end(rank);
    }
    uint64_t value = word->values[word->seen[rank]];
    recorder.polls[rank] = (struct record){.rank = rank, .action = MODEL_AWAIT,
                                           .is_ordered = is_acquire, .begin = address,
                                           .end = address + sizeof(value), .value = value};
    return value;
}

static void word_store(uintptr_t address, uint64_t value, bool is_release)
{
    struct recorded_word *word = word_find(address);
    assert_true(word->newest + 1 < VALUES_MAX);
    poll_end(recorder.rank);
    word->values[++word->newest] = value;
    word->seen[recorder.rank] = word->newest;
    append(&(struct record){.rank = recorder.rank, .action = MODEL_STORE,
                            .is_ordered = is_release, .begin = address,
                            .end = address + sizeof(value), .value = value});
}

/* ---- what the compiler calls ----------------------------------------------------------------- */

/* Prototypes first, because these are nobody's public functions. */
#define PLAIN(name, action, size)                 \
    void name(void *address);                     \
    void name(void *address)                      \
    {                                             \
        access_record(action, (uintptr_t)address, size); \
    }

PLAIN(__tsan_read1, MODEL_READ, 1)
PLAIN(__tsan_read2, MODEL_READ, 2)
PLAIN(__tsan_read4, MODEL_READ, 4)
PLAIN(__tsan_read8, MODEL_READ, 8)
PLAIN(__tsan_read16, MODEL_READ, 16)
PLAIN(__tsan_write1, MODEL_WRITE, 1)
PLAIN(__tsan_write2, MODEL_WRITE, 2)
PLAIN(__tsan_write4, MODEL_WRITE, 4)
PLAIN(__tsan_write8, MODEL_WRITE, 8)
PLAIN(__tsan_write16, MODEL_WRITE, 16)
PLAIN(__tsan_unaligned_read2, MODEL_READ, 2)
PLAIN(__tsan_unaligned_read4, MODEL_READ, 4)
PLAIN(__tsan_unaligned_read8, MODEL_READ, 8)
PLAIN(__tsan_unaligned_read16, MODEL_READ, 16)
PLAIN(__tsan_unaligned_write2, MODEL_WRITE, 2)
PLAIN(__tsan_unaligned_write4, MODEL_WRITE, 4)
PLAIN(__tsan_unaligned_write8, MODEL_WRITE, 8)
PLAIN(__tsan_unaligned_write16, MODEL_WRITE, 16)

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

void __tsan_read_range(void *address, unsigned long size);
void __tsan_read_range(void *address, unsigned long size)
{
    recorder_read(address, size);
}

void __tsan_write_range(void *address, unsigned long size);
void __tsan_write_range(void *address, unsigned long size)
{
    recorder_write(address, size);
}

uint64_t __tsan_atomic64_load(const volatile uint64_t *address, int order);
uint64_t __tsan_atomic64_load(const volatile uint64_t *address, int order)
{
    return is_recorded((uintptr_t)address)
        ? word_load((uintptr_t)address, order != __ATOMIC_RELAXED)
        : __atomic_load_n(address, __ATOMIC_SEQ_CST);
}

void __tsan_atomic64_store(volatile uint64_t *address, uint64_t value, int order);
void __tsan_atomic64_store(volatile uint64_t *address, uint64_t value, int order)
{
    if (is_recorded((uintptr_t)address)) {
        word_store((uintptr_t)address, value, order != __ATOMIC_RELAXED);
    }
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);
}

/* For the flag of a message that is printed once; no word. */
unsigned char __tsan_atomic8_exchange(volatile unsigned char *address, unsigned char value,
                                      int order);
unsigned char __tsan_atomic8_exchange(volatile unsigned char *address, unsigned char value,
                                      int order)
{
    (void)order;
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);
}

/* memcpy() is not announced; the linker brings all calls here. */
void *__real_memcpy(void *target, const void *source, size_t size);
void *__wrap_memcpy(void *target, const void *source, size_t size);
void *__wrap_memcpy(void *target, const void *source, size_t size)
{
    recorder_read(source, size);
    recorder_write(target, size);
    return __real_memcpy(target, source, size);
}
