/*
 * ordering_recorder.h - what the product's own code does to shared memory, recorded while it runs.
 *
 * The code is compiled with -fsanitize=thread, which puts a call before every access, and linked
 * with ordering_hooks.c in place of ThreadSanitizer's library.  Nothing of the code is written
 * down a second time, so a recording has the accesses, and the memory orders, that the sources have
 * today.
 *
 * Ranks take turns in one thread.  Recording is not simply watching: an atomic read may be given an
 * older value than memory has, at random, one that the rank has not yet seen a newer of.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ORDERING_RECORDER_H
#define SYMM_TESTS_ORDERING_RECORDER_H

#include "tests/unit/ordering/ordering_model.h"
#include "tests/unit/harness/unit.h"

/* Kinds of words, by what they are for. */
enum word_class {
    WORD_LINE,
    WORD_PHASE,
    WORD_FINISHED,
    /* Of a block's header. */
    WORD_SERIAL, /* looked at once, and expected to be as it was when this was recorded */
    WORD_LAST,   /* looked at to raise it, which is part of that, or as recorder_expect() says */
    WORD_LEFT,   /* 32 bits wide; looks that are not content are not recorded */
    WORD_MESSAGE, /* a message of Open MPI */
    WORD_CLASSES,
};

/*
 * One access: a plain one to bytes from `begin` to `end`, or an atomic one to the word at `begin`,
 * from `value` to `high`.
 */
struct record {
    int rank;
    enum model_action action;
    bool is_ordered;
    uintptr_t begin, end;
    uint64_t value, high;
};

/* In the order in which they happened. */
struct recording {
    struct record *records;
    size_t count, room;
};

/* Start anew: nothing is shared, nobody runs. */
void recorder_begin(struct recording *recording, struct unit_random random);

/* Accesses to this memory are recorded; all others are private. */
void recorder_share(const void *memory, size_t size);

/*
 * An atomic word in shared memory.  Who waits until it has some value is content with all others
 * that differ from that one only in the bits of `more`, and are not less.  Of WORD_LEFT, `more` is
 * the value that looks are content with.
 */
void recorder_word(const void *word, enum word_class class, uint64_t more);

/* Whose turn it is; -1: nobody's, and nothing is recorded. */
void recorder_turn(int rank);

/*
 * From now on looks at words of this class find values from `low` to `high`, at once, or it is an
 * error.  WORD_CLASSES: none do.
 */
void recorder_expect(enum word_class class, uint64_t low, uint64_t high);

/*
 * A rank has looked for what was not there yet, without waiting, and does something else: forget
 * its looks at words of this class and what it has read since the mark, which is of its turn.
 */
size_t recorder_mark(void);
void recorder_forget(size_t mark, enum word_class class);

/* Plain accesses of code that is not compiled for recording. */
void recorder_read(const void *memory, size_t size);
void recorder_write(const void *memory, size_t size);

/* All bytes become 0, those of words as well. */
void recorder_clear(const void *memory, size_t size);

/* Whether there is a turn, and the address is in shared memory. */
bool recorder_records(uintptr_t address);

/* What the compiler announces; of words, where recorder_records(). */
void recorder_access(enum model_action action, uintptr_t begin, size_t size);
uint64_t recorder_load(uintptr_t address, bool is_acquire);
void recorder_store(uintptr_t address, uint64_t value, bool is_release);
void recorder_add(uintptr_t address, uint64_t value, bool is_release);
void recorder_raise(uintptr_t address, uint64_t value, bool is_release);

/* End of the recording. */
void recorder_end(void);

/* About the words that the last recording knows: also after it has ended. */
int recorder_word_count(void);
uintptr_t recorder_word_at(int number);
enum word_class recorder_class(uintptr_t word);

/* The number of the word at this address; fails the test if there is none. */
int recorder_word_number(uintptr_t word);

/* Whether some word has bytes from `begin` to `end`. */
bool recorder_has_word(uintptr_t begin, uintptr_t end);

#endif /* SYMM_TESTS_ORDERING_RECORDER_H */
