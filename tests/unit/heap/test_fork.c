/*
 * test_fork.c - what a child of fork() can do with the host memory of its parent: give blocks back,
 * whatever other threads were doing at the fork, and without taking anything from the parent and
 * its peers.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/unit.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "heap/heap_state.h"
#include "heap/team/process.h"

enum { MIB = 1 << 20, SEGMENT_SIZE = 2 * MIB, SECONDS_MOST = 10, HOLD_NS = 100000000 };

static const struct symm_heap_config config = {
    .window_size = (size_t)1 << 30, .segment_size = SEGMENT_SIZE};

static int setup(void **state)
{
    struct symm_process *process = NULL;
    if (symm_process_acquire(&config, &process) != SYMM_OK) {
        return -1;
    }
    *state = process;
    return 0;
}

static int teardown(void **state)
{
    symm_process_release(*state);
    return 0;
}

static void *alloc_ok(struct symm_heap *heap, size_t size)
{
    void *block = NULL;
    assert_status(symm_heap_alloc(heap, size, 0, &block), SYMM_OK);
    return block;
}

/*
 * Fork; the child gives the blocks back and takes one more.  Whether it has ended well, and in
 * time.
 */
static bool child_frees(struct symm_heap *heap, void *const *blocks, int count)
{
    pid_t child = fork();
    if (child == 0) {
        void *block;
        enum symm_status status = SYMM_OK;
        (void)alarm(SECONDS_MOST);
        for (int i = 0; i < count && status == SYMM_OK; i++) {
            status = symm_heap_free(heap, blocks[i]);
        }
        if (status == SYMM_OK) {
            status = symm_heap_alloc(heap, MIB, 0, &block);
        }
        _exit(status == SYMM_OK ? 0 : 1);
    }
    int ended = -1;
    assert_int_equal(waitpid(child, &ended, 0), child);
    return WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
}

/* ---- locks ----------------------------------------------------------------------------------- */

struct holder {
    pthread_mutex_t *mutex;
    sem_t has_it;
};

/* As the server's thread does, but for long. */
static void *hold(void *argument)
{
    struct holder *holder = argument;
    const struct timespec while_it_forks = {.tv_nsec = HOLD_NS};
    (void)pthread_mutex_lock(holder->mutex);
    (void)sem_post(&holder->has_it);
    (void)nanosleep(&while_it_forks, NULL);
    (void)pthread_mutex_unlock(holder->mutex);
    return NULL;
}

static void test_lock_is_held(void **state)
{
    struct symm_heap *heap = symm_process_heap(*state);
    void *block = alloc_ok(heap, MIB);
    struct holder holder = {.mutex = &heap->mutex};
    pthread_t thread;
    assert_int_equal(sem_init(&holder.has_it, 0, 0), 0);
    assert_int_equal(pthread_create(&thread, NULL, hold, &holder), 0);
    (void)sem_wait(&holder.has_it);
    bool ended = child_frees(heap, &block, 1);
    (void)pthread_join(thread, NULL);
    (void)sem_destroy(&holder.has_it);
    assert_true(ended);
    assert_status(symm_heap_free(heap, block), SYMM_OK);
}

/* As in a signal handler that has interrupted the heap. */
static void test_lock_is_own(void **state)
{
    struct symm_heap *heap = symm_process_heap(*state);
    int status = -1;
    (void)alarm(SECONDS_MOST); /* a lock that is waited for without end */
    (void)pthread_mutex_lock(&heap->mutex);
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    (void)pthread_mutex_unlock(&heap->mutex);
    (void)alarm(0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    void *block = alloc_ok(heap, MIB);
    assert_status(symm_heap_free(heap, block), SYMM_OK);
}

/* A step that gives a chunk back is under way, and goes on in the parent only. */
static void test_step_is_under_way(void **state)
{
    struct symm_heap *heap = symm_process_heap(*state);
    void *block = alloc_ok(heap, MIB);
    (void)pthread_mutex_lock(&heap->mutex);
    heap->reclaim.is_busy = true;
    heap->reclaim.busy = 0;
    (void)pthread_mutex_unlock(&heap->mutex);
    bool ended = child_frees(heap, &block, 1);
    (void)pthread_mutex_lock(&heap->mutex);
    heap->reclaim.is_busy = false;
    (void)pthread_mutex_unlock(&heap->mutex);
    assert_true(ended);
    assert_status(symm_heap_free(heap, block), SYMM_OK);
}

/* ---- segments -------------------------------------------------------------------------------- */

/* The directory is shared: peers would unmap what the parent goes on using. */
static void test_child_retires_nothing(void **state)
{
    enum { BLOCKS = 3 };
    struct symm_heap *heap = symm_process_heap(*state);
    void *blocks[BLOCKS];
    struct symm_location location;
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = alloc_ok(heap, SEGMENT_SIZE);
    }
    uint32_t retired = symm_heap_retired(heap);
    assert_true(child_frees(heap, blocks, BLOCKS));
    assert_int_equal(symm_heap_retired(heap), retired);
    for (int i = 0; i < BLOCKS; i++) {
        assert_status(symm_heap_locate(heap, blocks[i], SEGMENT_SIZE, &location), SYMM_OK);
        assert_int_equal(heap->directory->serial[location.index], location.serial);
        assert_status(symm_heap_free(heap, blocks[i]), SYMM_OK);
    }
}

int main(void)
{
    unit_begin("test_fork", 60);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lock_is_held, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lock_is_own, setup, teardown),
        cmocka_unit_test_setup_teardown(test_step_is_under_way, setup, teardown),
        cmocka_unit_test_setup_teardown(test_child_retires_nothing, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
