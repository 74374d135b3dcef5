/*
 * owner.c - see owner.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/owner.h"

#include <string.h>

#include "heap/heap.h"

enum owner_verb { OWNER_ALLOC, OWNER_FREE, OWNER_FILL, OWNER_COMPARE, OWNER_END };

struct command {
    enum owner_verb verb;
    unsigned block;
    uint64_t number; /* size or sequence */
};

struct answer {
    struct symm_location location;
    uint32_t retired;
    bool is_filled;
};

/* ---- in the rank ----------------------------------------------------------------------------- */

struct holding {
    void *address;
    size_t size;
};

static void obey(struct fork_rank *self, struct symm_heap *heap, struct holding *held,
                 const struct command *command, struct answer *answer)
{
    struct unit_random contents = unit_random_start(1000, command->number);
    switch (command->verb) {
    case OWNER_ALLOC:
        held->size = (size_t)command->number;
        FORK_STATUS(self, symm_heap_alloc(heap, held->size, 0, &held->address), SYMM_OK);
        FORK_STATUS(self, symm_heap_locate(heap, held->address, held->size, &answer->location),
                    SYMM_OK);
        break;
    case OWNER_FREE:
        FORK_STATUS(self, symm_heap_free(heap, held->address), SYMM_OK);
        break;
    case OWNER_FILL:
        unit_fill(held->address, held->size, contents);
        break;
    case OWNER_COMPARE:
        answer->is_filled = unit_is_filled(held->address, held->size, contents);
        break;
    case OWNER_END:
        break;
    }
    answer->retired = symm_heap_retired(heap);
}

static void own(struct fork_rank *self, void *context)
{
    const struct symm_heap_config config = {
        .window_size = OWNER_WINDOW_SIZE, .segment_size = OWNER_SEGMENT_SIZE};
    struct symm_server *server = NULL;
    struct symm_heap *heap = NULL;
    struct holding holdings[OWNER_BLOCKS] = {{NULL, 0}};
    struct command command = {.verb = OWNER_ALLOC};
    char name[SYMM_NAME_SIZE] = "";
    (void)context;
    FORK_STATUS(self, symm_server_create(&server), SYMM_OK);
    FORK_STATUS(self, symm_heap_create(&symm_kind_host, 0, server, &config, &heap), SYMM_OK);
    FORK_STATUS(self, symm_server_start_thread(server), SYMM_OK);
    (void)strcpy(name, symm_server_name(server));
    FORK_CHECK(self, fork_send(self->channel, name, sizeof(name)));
    while (command.verb != OWNER_END) {
        struct answer answer = {.is_filled = false};
        FORK_CHECK(self, fork_receive(self->channel, &command, sizeof(command)));
        obey(self, heap, &holdings[command.block % OWNER_BLOCKS], &command, &answer);
        FORK_CHECK(self, fork_send(self->channel, &answer, sizeof(answer)));
    }
    symm_heap_destroy(heap, 0);
    symm_server_destroy(server);
}

/* ---- in the parent --------------------------------------------------------------------------- */

void owner_start(struct owner *owner)
{
    fork_ranks_start(&owner->ranks, 1, own, NULL);
    assert_true(fork_receive(owner->ranks.channels[0], owner->name, sizeof(owner->name)));
}

static struct answer order(struct owner *owner, enum owner_verb verb, unsigned block,
                           uint64_t number)
{
    struct command command = {.verb = verb, .block = block, .number = number};
    struct answer answer = {.is_filled = false};
    if (!fork_send(owner->ranks.channels[0], &command, sizeof(command)) ||
        !fork_receive(owner->ranks.channels[0], &answer, sizeof(answer))) {
        fork_ranks_join(&owner->ranks); /* says what is wrong with it */
        fail();
    }
    return answer;
}

void owner_stop(struct owner *owner)
{
    (void)order(owner, OWNER_END, 0, 0);
    fork_ranks_join(&owner->ranks);
}

void owner_kill(struct owner *owner)
{
    fork_ranks_kill(&owner->ranks, 0);
    fork_ranks_join(&owner->ranks);
}

struct symm_location owner_alloc(struct owner *owner, unsigned block, size_t size)
{
    return order(owner, OWNER_ALLOC, block, size).location;
}

uint32_t owner_free(struct owner *owner, unsigned block)
{
    return order(owner, OWNER_FREE, block, 0).retired;
}

void owner_fill(struct owner *owner, unsigned block, uint64_t number)
{
    (void)order(owner, OWNER_FILL, block, number);
}

bool owner_sees(struct owner *owner, unsigned block, uint64_t number)
{
    return order(owner, OWNER_COMPARE, block, number).is_filled;
}
