/*
 * test_flood.c - a server that more come to than it can take, and those who then wait for it.
 *
 * What depends on the moment is played: __wrap_accept4() knows a queue that never ends, and another
 * thread that takes each descriptor which becomes free.  At the end there are real processes of
 * another user.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/fork_ranks.h"
#include "tests/unit/harness/request_wait.h"
#include "tests/unit/harness/stranger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "heap/server/server.h"

enum { NOBODY = -1, NOTHING_YET = -2 };

/* ---- what the server and its clients call ---------------------------------------------------- */

static atomic_int accepts, connects; /* calls so far */
static atomic_bool endless;          /* behind all peers there are strangers in the queue */
static atomic_int thief = NOBODY;    /* the descriptor that another thread has taken */

int __real_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
int __real_connect(int fd, const struct sockaddr *address, socklen_t length);
int __wrap_connect(int fd, const struct sockaddr *address, socklen_t length);

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    atomic_fetch_add(&accepts, 1);
    if (atomic_load(&thief) == NOTHING_YET) {
        int taken = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (taken >= 0) {
            atomic_store(&thief, taken);
        }
    }
    int accepted = __real_accept4(fd, address, length, flags);
    if (accepted < 0 && errno == EAGAIN && atomic_load(&endless)) {
        return open("/dev/null", O_RDONLY | O_CLOEXEC); /* nobody whom one can know */
    }
    return accepted;
}

int __wrap_connect(int fd, const struct sockaddr *address, socklen_t length)
{
    atomic_fetch_add(&connects, 1);
    return __real_connect(fd, address, length);
}

static void sleep_ms(long ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)nanosleep(&time, NULL);
}

static struct symm_server *server_start(struct fork_rank *self)
{
    struct symm_server *server = NULL;
    struct symm_object_id id = object_id(1);
    struct symm_object object = object_make("one");
    char name[SYMM_NAME_SIZE] = "";
    FORK_STATUS(self, symm_server_create(&server), SYMM_OK);
    FORK_STATUS(self, symm_server_export(server, &id, &object), SYMM_OK);
    FORK_STATUS(self, symm_server_start_thread(server), SYMM_OK);
    (void)strcpy(name, symm_server_name(server));
    FORK_CHECK(self, fork_send(self->channel, name, sizeof(name)));
    return server;
}

/* Let the parent do something, and wait until it has. */
static void parent_turn(struct fork_rank *self)
{
    char byte = 0;
    FORK_CHECK(self, fork_send(self->channel, &byte, 1));
    FORK_CHECK(self, fork_receive(self->channel, &byte, 1));
}

static void turn_begin(const struct fork_ranks *ranks)
{
    char byte;
    assert_true(fork_receive(ranks->channels[0], &byte, 1));
}

static void turn_end(const struct fork_ranks *ranks)
{
    char byte = 0;
    assert_true(fork_send(ranks->channels[0], &byte, 1));
}

static struct symm_request begin(const char *name, uint32_t number)
{
    struct symm_request request;
    struct symm_object_id id = object_id(number);
    symm_request_begin(&request, name, &id);
    return request;
}

static void expect_one(const char *name)
{
    struct symm_object_id id = object_id(1);
    struct symm_object object;
    assert_status(request_object(name, &id, &object), SYMM_OK);
    assert_true(object_is(&object, "one"));
}

/* ---- the server ------------------------------------------------------------------------------ */

static void test_queue_without_end(void **state)
{
    struct symm_server *server = NULL;
    struct symm_object_id id = object_id(1);
    struct symm_object object = object_make("one"), got = {.descriptor = -1};
    (void)state;
    assert_status(symm_server_create(&server), SYMM_OK);
    assert_status(symm_server_start_thread(server), SYMM_OK);
    struct symm_request request = begin(symm_server_name(server), 1);
    assert_status(request_wait(&request, 0.02, &got), SYMM_PENDING);
    atomic_store(&endless, true);
    struct symm_request other = begin(symm_server_name(server), 2); /* so that it accepts */
    assert_status(request_wait(&other, 0.02, &got), SYMM_PENDING);
    assert_status(symm_server_export(server, &id, &object), SYMM_OK);
    enum symm_status status = request_wait(&request, 5, &got);
    atomic_store(&endless, false);
    assert_status(status, SYMM_OK);
    assert_true(object_is(&got, "one"));
    symm_request_cancel(&other);
    symm_server_destroy(server);
    (void)close(object.descriptor);
}

/* The lowest number that is free, so that no descriptor is left. */
static struct rlimit descriptors_end(struct fork_rank *self)
{
    struct rlimit limit, tight;
    FORK_CHECK(self, getrlimit(RLIMIT_NOFILE, &limit) == 0);
    int lowest = dup(0);
    (void)close(lowest);
    tight = (struct rlimit){.rlim_cur = (rlim_t)lowest, .rlim_max = limit.rlim_max};
    FORK_CHECK(self, setrlimit(RLIMIT_NOFILE, &tight) == 0);
    return limit;
}

static void lose_the_spare(struct fork_rank *self, void *context)
{
    enum { MS = 200, FEW = 40 };
    struct symm_server *server = server_start(self);
    struct rlimit limit = descriptors_end(self);
    (void)context;
    atomic_store(&thief, NOTHING_YET);
    parent_turn(self); /* it asks */
    for (int waited = 0; atomic_load(&thief) < 0 && waited < 10000; waited++) {
        sleep_ms(1);
    }
    FORK_CHECK(self, atomic_load(&thief) >= 0);
    int before = atomic_load(&accepts);
    sleep_ms(MS);
    FORK_CHECK(self, atomic_load(&accepts) - before < FEW);
    (void)close(atomic_exchange(&thief, NOBODY));
    parent_turn(self); /* it is turned away, whenever it asks */
    FORK_CHECK(self, setrlimit(RLIMIT_NOFILE, &limit) == 0);
    parent_turn(self); /* and is served again */
    symm_server_destroy(server);
}

/* Another thread of the program takes the spare descriptor, and gives it back. */
static void test_spare_is_lost(void **state)
{
    struct fork_ranks ranks;
    struct symm_object object;
    struct symm_object_id id = object_id(1);
    char name[SYMM_NAME_SIZE];
    (void)state;
    fork_ranks_start(&ranks, 1, lose_the_spare, NULL);
    assert_true(fork_receive(ranks.channels[0], name, sizeof(name)));
    turn_begin(&ranks);
    struct symm_request request = begin(name, 1);
    assert_status(request_wait(&request, 0.02, &object), SYMM_PENDING);
    turn_end(&ranks);
    turn_begin(&ranks);
    assert_status(request_wait(&request, 30, &object), SYMM_ERR_PEER_LOST);
    for (int i = 0; i < 3; i++) {
        assert_status(request_object(name, &id, &object), SYMM_ERR_PEER_LOST);
    }
    turn_end(&ranks);
    turn_begin(&ranks);
    expect_one(name);
    turn_end(&ranks);
    fork_ranks_join(&ranks);
}

static void lower_the_limit(struct fork_rank *self, void *context)
{
    struct symm_server *server = server_start(self);
    struct rlimit limit;
    (void)context;
    FORK_CHECK(self, getrlimit(RLIMIT_NOFILE, &limit) == 0);
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = limit.rlim_max};
    FORK_CHECK(self, setrlimit(RLIMIT_NOFILE, &none) == 0);
    parent_turn(self);
    FORK_CHECK(self, setrlimit(RLIMIT_NOFILE, &limit) == 0);
    parent_turn(self);
    symm_server_destroy(server);
}

/*
 * poll() fails where the limit is below the number of descriptors, which a program may lower at any
 * time.
 */
static void test_limit_below_what_is_open(void **state)
{
    struct fork_ranks ranks;
    struct symm_object object;
    char name[SYMM_NAME_SIZE];
    (void)state;
    fork_ranks_start(&ranks, 1, lower_the_limit, NULL);
    assert_true(fork_receive(ranks.channels[0], name, sizeof(name)));
    turn_begin(&ranks);
    struct symm_request request = begin(name, 1);
    assert_status(request_wait(&request, 0.1, &object), SYMM_PENDING);
    turn_end(&ranks);
    turn_begin(&ranks);
    assert_status(request_wait(&request, 10, &object), SYMM_OK);
    assert_true(object_is(&object, "one"));
    turn_end(&ranks);
    fork_ranks_join(&ranks);
}

/* ---- those who ask --------------------------------------------------------------------------- */

/* A full queue is not a failure; and connecting is not tried as often as anybody looks. */
static void test_queue_is_full(void **state)
{
    enum { FEW = 250 };
    struct symm_object object;
    struct symm_request_packet packet;
    char name[SYMM_NAME_SIZE];
    int listener;
    (void)state;
    listener = listen_blindly(name);
    assert_true(listener >= 0);
    assert_int_equal(listen(listener, 0), 0); /* room for one */
    int first = connect_blindly(name);
    assert_true(first >= 0);
    struct symm_request request = begin(name, 7);
    int before = atomic_load(&connects);
    double end = unit_seconds() + 0.1;
    while (unit_seconds() < end) {
        assert_status(symm_request_test(&request, &object), SYMM_PENDING);
        assert_true(request.descriptor < 0);
    }
    assert_in_range(atomic_load(&connects) - before, 2, FEW);
    int accepted = __real_accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    assert_true(accepted >= 0);
    assert_status(request_wait(&request, 0.1, &object), SYMM_PENDING);
    int asking = __real_accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    assert_true(asking >= 0);
    assert_int_equal(recv(asking, &packet, sizeof(packet), 0), sizeof(packet));
    assert_int_equal(packet.id.number, 7);
    (void)close(asking);
    assert_status(request_wait(&request, 10, &object), SYMM_ERR_PEER_LOST);
    (void)close(accepted);
    (void)close(first);
    (void)close(listener);
}

/* ---- for real -------------------------------------------------------------------------------- */

/* Connect and go, as fast as it can, until the parent closes the channel. */
static void flood(struct fork_rank *self, void *context)
{
    char name[SYMM_NAME_SIZE], byte;
    (void)context;
    FORK_CHECK(self, fork_receive(self->channel, name, sizeof(name)));
    become_another_user();
    FORK_CHECK(self, fcntl(self->channel, F_SETFL, O_NONBLOCK) == 0);
    FORK_CHECK(self, fork_send(self->channel, name, 1));
    while (recv(self->channel, &byte, 1, MSG_DONTWAIT) < 0) {
        for (int i = 0; i < 100; i++) {
            int fd = connect_blindly(name);
            if (fd >= 0) {
                (void)close(fd);
            }
        }
    }
}

/* Processes of another user cannot keep a server from its peers. */
static void test_other_users(void **state)
{
    enum { FLOODERS = 6, ENOUGH = 20 };
    struct fork_ranks ranks;
    struct symm_server *server = NULL;
    struct symm_object_id id = object_id(1);
    struct symm_object object = object_make("one");
    char name[SYMM_NAME_SIZE] = "", byte;
    (void)state;
    fork_ranks_start(&ranks, FLOODERS, flood, NULL);
    assert_status(symm_server_create(&server), SYMM_OK);
    assert_status(symm_server_export(server, &id, &object), SYMM_OK);
    assert_status(symm_server_start_thread(server), SYMM_OK);
    (void)close(object.descriptor);
    (void)strcpy(name, symm_server_name(server));
    bool flooding = true;
    for (int i = 0; i < FLOODERS; i++) {
        assert_true(fork_send(ranks.channels[i], name, sizeof(name)));
        flooding = fork_receive(ranks.channels[i], &byte, 1) && flooding;
    }
    double begun = unit_seconds();
    int served = 0;
    while (flooding && served < ENOUGH && unit_seconds() < begun + 30) {
        expect_one(name);
        served++;
    }
    double seconds = unit_seconds() - begun;
    print_message("# %d requests served in %.3f s\n", served, seconds);
    for (int i = 0; i < FLOODERS; i++) {
        (void)fork_send(ranks.channels[i], &byte, 1);
    }
    symm_server_destroy(server);
    fork_ranks_join(&ranks);
    assert_true(!flooding || served == ENOUGH);
}

UNIT_MAIN("test_flood", 150,
    cmocka_unit_test(test_queue_without_end),
    cmocka_unit_test(test_spare_is_lost),
    cmocka_unit_test(test_limit_below_what_is_open),
    cmocka_unit_test(test_queue_is_full),
    cmocka_unit_test(test_other_users))
