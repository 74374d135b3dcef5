/*
 * test_server.c - handing out descriptors: a server and those who ask it, in one process.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/fork_ranks.h"
#include "tests/unit/harness/request_wait.h"
#include "tests/unit/heap/server_texts.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "heap/server/server.h"

/* ---- objects --------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    struct symm_server *servers[20];
    (void)state;
    for (size_t i = 0; i < 20; i++) {
        assert_status(symm_server_create(&servers[i]), SYMM_OK);
        assert_true(strlen(symm_server_name(servers[i])) < SYMM_NAME_SIZE);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(symm_server_name(servers[i]), symm_server_name(servers[j]));
        }
    }
    for (size_t i = 0; i < 20; i++) {
        symm_server_destroy(servers[i]);
    }
    symm_server_destroy(NULL);
}

static void test_export_replace_withdraw(void **state)
{
    struct symm_object object;
    server_export_text(*state, 1, "one");
    server_export_text(*state, 2, "two");
    server_expect_text(*state, 1, "one");
    server_expect_text(*state, 2, "two");
    server_expect_text(*state, 1, "one"); /* as often as anybody likes */
    server_export_text(*state, 1, "another one");
    server_expect_text(*state, 1, "another one");
    server_expect_text(*state, 2, "two");
    server_withdraw(*state, 1);
    server_withdraw(*state, 1);
    server_withdraw(*state, 99);
    server_expect_text(*state, 2, "two");
    struct symm_request request = server_begin(*state, 1);
    assert_status(request_wait(&request, 0.05, &object), SYMM_PENDING);
    symm_request_cancel(&request);
    symm_request_cancel(&request);
}

/* Hundreds of objects live together. */
static void test_many_objects(void **state)
{
    enum { OBJECTS = 600 };
    char text[32];
    for (uint32_t i = 0; i < OBJECTS; i++) {
        (void)snprintf(text, sizeof(text), "object %u", (unsigned)i);
        server_export_text(*state, i, text);
    }
    for (uint32_t i = 0; i < OBJECTS; i += 3) {
        server_withdraw(*state, i);
    }
    for (uint32_t i = 0; i < OBJECTS; i++) {
        (void)snprintf(text, sizeof(text), "object %u", (unsigned)i);
        if (i % 3 != 0) {
            server_expect_text(*state, i, text);
        }
    }
}

/* Ids that differ in a single word, whichever it is, are different ids. */
static void test_every_word_of_an_id(void **state)
{
    enum { WORDS = sizeof(struct symm_object_id) / sizeof(uint32_t), VALUES = 200 };
    const struct symm_object refusal = {.descriptor = -1};
    struct symm_object object = object_make("here"), got;
    for (uint64_t word = 0; word < WORDS; word++) {
        struct unit_random random = unit_random_start(1, word);
        struct symm_object_id ids[VALUES];
        for (size_t i = 0; i < VALUES; i++) {
            uint32_t value = (uint32_t)unit_random_next(&random);
            ids[i] = object_id(5000);
            memcpy((char *)&ids[i] + word * sizeof(value), &value, sizeof(value));
            assert_status(symm_server_export(*state, &ids[i], i % 2 == 0 ? &object : &refusal),
                          SYMM_OK);
        }
        for (size_t i = 0; i < VALUES; i++) {
            enum symm_status status = request_object(symm_server_name(*state), &ids[i], &got);
            assert_status(status, i % 2 == 0 ? SYMM_OK : SYMM_ERR_NOT_FOUND);
            assert_true(status != SYMM_OK || object_is(&got, "here"));
            symm_server_withdraw(*state, &ids[i]);
        }
    }
    (void)close(object.descriptor);
}

static void test_waiting_request(void **state)
{
    struct symm_object object;
    struct symm_request first = server_begin(*state, 5), second = server_begin(*state, 6);
    assert_status(request_wait(&first, 0.02, &object), SYMM_PENDING);
    assert_status(request_wait(&second, 0.02, &object), SYMM_PENDING);
    server_export_text(*state, 5, "late");
    assert_status(request_wait(&first, 30, &object), SYMM_OK);
    assert_true(object_is(&object, "late"));
    assert_status(request_wait(&second, 0.02, &object), SYMM_PENDING);
    server_export_text(*state, 6, "later");
    assert_status(request_wait(&second, 30, &object), SYMM_OK);
    assert_true(object_is(&object, "later"));
}

/* Known, but refused: for who asks afterwards, and for who waits already. */
static void test_refusal(void **state)
{
    struct symm_object_id id = object_id(7);
    struct symm_object object;
    const struct symm_object refusal = {.descriptor = -1};
    struct symm_request request = server_begin(*state, 7);
    assert_status(request_wait(&request, 0.02, &object), SYMM_PENDING);
    assert_status(symm_server_export(*state, &id, &refusal), SYMM_OK);
    assert_status(request_wait(&request, 30, &object), SYMM_ERR_NOT_FOUND);
    assert_status(request_object(symm_server_name(*state), &id, &object), SYMM_ERR_NOT_FOUND);
    server_export_text(*state, 7, "not refused any more");
    server_expect_text(*state, 7, "not refused any more");
}

/*
 * The answer is followed at once by the end of the connection.  Who looks just then must find the
 * answer, not the end: Linux may report the end of a SOCK_SEQPACKET connection first.
 */
static void test_no_answer_is_lost(void **state)
{
    struct symm_object_id id = object_id(1);
    double end = unit_seconds() + 1.5;
    server_export_text(*state, 1, "one");
    for (unsigned i = 0; i < 50000 && unit_seconds() < end; i++) {
        struct symm_request request;
        struct symm_object object;
        enum symm_status status;
        symm_request_begin(&request, symm_server_name(*state), &id);
        while ((status = symm_request_test(&request, &object)) == SYMM_PENDING) {
        }
        assert_status(status, SYMM_OK);
        (void)close(object.descriptor);
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Requests that come before the thread exists wait in the socket's queue. */
static void test_late_thread(void **state)
{
    struct symm_server *server = NULL;
    struct symm_object object;
    (void)state;
    assert_status(symm_server_create(&server), SYMM_OK);
    struct symm_request before = server_begin(server, 1), unanswered = server_begin(server, 2);
    assert_status(request_wait(&before, 0.02, &object), SYMM_PENDING);
    assert_status(request_wait(&unanswered, 0.02, &object), SYMM_PENDING);
    server_export_text(server, 1, "one");
    assert_status(symm_server_start_thread(server), SYMM_OK);
    assert_status(symm_server_start_thread(server), SYMM_OK); /* it runs: fine */
    assert_status(request_wait(&before, 30, &object), SYMM_OK);
    assert_true(object_is(&object, "one"));
    symm_server_destroy(server);
    assert_status(request_wait(&unanswered, 30, &object), SYMM_ERR_PEER_LOST);
}

static void test_destroy_while_clients_wait(void **state)
{
    enum { CLIENTS = 50 };
    struct symm_server *server = NULL;
    struct symm_request requests[CLIENTS];
    struct symm_object object;
    char name[SYMM_NAME_SIZE] = "";
    size_t descriptors = unit_open_descriptors();
    (void)state;
    assert_status(symm_server_create(&server), SYMM_OK);
    (void)strcpy(name, symm_server_name(server));
    assert_status(symm_server_start_thread(server), SYMM_OK);
    server_export_text(server, 1000, "never asked for");
    for (uint32_t i = 0; i < CLIENTS; i++) {
        requests[i] = server_begin(server, i);
        requests[i].name = name;
        (void)symm_request_test(&requests[i], &object);
    }
    assert_status(request_wait(&requests[CLIENTS - 1], 0.02, &object), SYMM_PENDING);
    symm_server_destroy(server);
    for (size_t i = 0; i < CLIENTS; i++) {
        assert_status(request_wait(&requests[i], 30, &object), SYMM_ERR_PEER_LOST);
    }
    struct symm_object_id id = object_id(1);
    assert_status(request_object(name, &id, &object), SYMM_ERR_UNREACHABLE);
    assert_int_equal(unit_open_descriptors(), descriptors);
}

static void test_unknown_names(void **state)
{
    struct symm_object_id id = object_id(1);
    struct symm_object object;
    char name[SYMM_NAME_SIZE + 1];
    (void)state;
    struct symm_name nobody;
    assert_status(symm_name_make(&nobody), SYMM_OK);
    symm_name_format(&nobody, name);
    assert_status(request_object(name, &id, &object), SYMM_ERR_UNREACHABLE);
    static const char *const wrong[] = {"", ":", "ompi-symm-without-words",
                                        "ompi-symm-few:01234567",
                                        "ompi-symm-x:0123456789abcdef0123456789abcdeg"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        assert_status(request_object(wrong[i], &id, &object), SYMM_ERR_ARGUMENT);
    }
    (void)strcat(name, "0");
    assert_status(request_object(name, &id, &object), SYMM_ERR_ARGUMENT);
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = 0;
    assert_status(request_object(name, &id, &object), SYMM_ERR_ARGUMENT);
}

/* The program's signals are not delivered to the thread: here they would end the process. */
static void test_signals_are_blocked(void **state)
{
    sigset_t ours, before, pending;
    (void)sigemptyset(&ours);
    (void)sigaddset(&ours, SIGUSR1);
    (void)sigaddset(&ours, SIGTERM);
    (void)pthread_sigmask(SIG_BLOCK, &ours, &before);
    (void)kill(getpid(), SIGUSR1);
    (void)kill(getpid(), SIGTERM);
    server_export_text(*state, 1, "one");
    server_expect_text(*state, 1, "one"); /* the thread has been scheduled since */
    (void)sigpending(&pending);
    assert_true(sigismember(&pending, SIGUSR1));
    assert_true(sigismember(&pending, SIGTERM));
    int number;
    (void)sigwait(&ours, &number);
    (void)sigwait(&ours, &number);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- crowds ---------------------------------------------------------------------------------- */

/* More than the server keeps connections for at a time, if this process may have so many files. */
static void test_many_clients(void **state)
{
    enum { MOST = 1200 };
    static struct symm_request requests[MOST];
    struct rlimit limit;
    struct symm_object object;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    struct rlimit wide = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    (void)setrlimit(RLIMIT_NOFILE, &wide);
    size_t clients = wide.rlim_cur > 2 * MOST + 200 ? MOST : 300;
    size_t descriptors = unit_open_descriptors();
    for (size_t i = 0; i < clients; i++) {
        requests[i] = server_begin(*state, (uint32_t)i % 10);
        (void)symm_request_test(&requests[i], &object);
    }
    for (uint32_t i = 0; i < 10; i++) {
        char text[] = {(char)('a' + i), 0};
        server_export_text(*state, i, text);
    }
    for (size_t i = 0; i < clients; i++) {
        char text[] = {(char)('a' + i % 10), 0};
        assert_status(request_wait(&requests[i], 30, &object), SYMM_OK);
        assert_true(object_is(&object, text));
    }
    for (uint32_t i = 0; i < 10; i++) {
        server_withdraw(*state, i);
    }
    /* The server's ends close when its thread gets to it. */
    double end = unit_seconds() + 30;
    while (unit_open_descriptors() > descriptors && unit_seconds() < end) {
        unsigned polls = 40;
        unit_pause(&polls);
    }
    assert_int_equal(unit_open_descriptors(), descriptors);
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* Serve object 1, then with no descriptor left, then as before, each until the parent says so. */
static void serve_without_descriptors(struct fork_rank *self, void *context)
{
    struct symm_server *server = NULL;
    struct symm_object_id id = object_id(1);
    struct symm_object object = object_make("one");
    struct rlimit limit;
    char name[SYMM_NAME_SIZE] = "", byte = 0;
    (void)context;
    FORK_STATUS(self, symm_server_create(&server), SYMM_OK);
    FORK_STATUS(self, symm_server_export(server, &id, &object), SYMM_OK);
    FORK_STATUS(self, symm_server_start_thread(server), SYMM_OK);
    (void)strcpy(name, symm_server_name(server));
    FORK_CHECK(self, fork_send(self->channel, name, sizeof(name)));
    FORK_CHECK(self, fork_receive(self->channel, &byte, 1));
    FORK_CHECK(self, getrlimit(RLIMIT_NOFILE, &limit) == 0);
    struct rlimit tight = {.rlim_max = limit.rlim_max};
    int lowest = dup(0);
    tight.rlim_cur = (rlim_t)lowest;
    (void)close(lowest);
    FORK_CHECK(self, setrlimit(RLIMIT_NOFILE, &tight) == 0);
    FORK_CHECK(self, fork_send(self->channel, &byte, 1));
    FORK_CHECK(self, fork_receive(self->channel, &byte, 1));
    FORK_CHECK(self, setrlimit(RLIMIT_NOFILE, &limit) == 0);
    FORK_CHECK(self, fork_send(self->channel, &byte, 1));
    (void)fork_receive(self->channel, &byte, 1);
    symm_server_destroy(server);
}

/* A server that cannot accept a connection lets its peer know, and gets over it. */
static void test_server_without_descriptors(void **state)
{
    struct fork_ranks ranks;
    struct symm_object_id id = object_id(1);
    struct symm_object object;
    char name[SYMM_NAME_SIZE], byte = 0;
    (void)state;
    fork_ranks_start(&ranks, 1, serve_without_descriptors, NULL);
    assert_true(fork_receive(ranks.channels[0], name, sizeof(name)));
    for (unsigned phase = 0; phase < 3; phase++) {
        for (unsigned i = 0; i < 5; i++) {
            enum symm_status status = request_object(name, &id, &object);
            assert_status(status, phase == 1 ? SYMM_ERR_PEER_LOST : SYMM_OK);
            assert_true(status != SYMM_OK || object_is(&object, "one"));
        }
        assert_true(fork_send(ranks.channels[0], &byte, 1));
        assert_true(phase == 2 || fork_receive(ranks.channels[0], &byte, 1));
    }
    fork_ranks_join(&ranks);
}

struct exporter {
    struct symm_server *server;
    _Atomic bool stopping;
    uint32_t first;
};

/* Exports its objects, withdraws every other one, and begins again. */
static void *export_and_withdraw(void *argument)
{
    struct exporter *exporter = argument;
    struct symm_object object = object_make("of a thread");
    for (uint32_t i = 0; !atomic_load(&exporter->stopping); i++) {
        struct symm_object_id id = object_id(exporter->first + i % 8);
        if (i / 8 % 2 == 0) {
            (void)symm_server_export(exporter->server, &id, &object);
        } else {
            symm_server_withdraw(exporter->server, &id);
        }
    }
    (void)close(object.descriptor);
    return NULL;
}

static void test_threads(void **state)
{
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    struct exporter exporters[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        exporters[i] = (struct exporter){.server = *state, .first = 8 * i};
        assert_int_equal(pthread_create(&threads[i], NULL, export_and_withdraw, &exporters[i]), 0);
    }
    double end = unit_seconds() + 0.5;
    size_t answers = 0;
    for (uint32_t i = 0; unit_seconds() < end || answers == 0; i++) {
        struct symm_request request = server_begin(*state, i % (8 * THREADS));
        struct symm_object object;
        enum symm_status status = request_wait(&request, 0.01, &object);
        if (status == SYMM_OK) {
            assert_true(object_is(&object, "of a thread"));
            answers++;
        } else {
            assert_status(status, SYMM_PENDING); /* withdrawn at the time */
        }
        symm_request_cancel(&request);
    }
    for (size_t i = 0; i < THREADS; i++) {
        atomic_store(&exporters[i].stopping, true);
        (void)pthread_join(threads[i], NULL);
    }
}

UNIT_MAIN("test_server", 100,
    cmocka_unit_test(test_names),
    cmocka_unit_test_setup_teardown(test_export_replace_withdraw, server_setup,
                                    server_teardown),
    cmocka_unit_test_setup_teardown(test_many_objects, server_setup, server_teardown),
    cmocka_unit_test_setup_teardown(test_every_word_of_an_id, server_setup, server_teardown),
    cmocka_unit_test_setup_teardown(test_waiting_request, server_setup, server_teardown),
    cmocka_unit_test_setup_teardown(test_refusal, server_setup, server_teardown),
    cmocka_unit_test_setup_teardown(test_no_answer_is_lost, server_setup, server_teardown),
    cmocka_unit_test(test_late_thread),
    cmocka_unit_test(test_destroy_while_clients_wait),
    cmocka_unit_test(test_unknown_names),
    cmocka_unit_test_setup_teardown(test_signals_are_blocked, server_setup, server_teardown),
    cmocka_unit_test_setup_teardown(test_many_clients, server_setup, server_teardown),
    cmocka_unit_test(test_server_without_descriptors),
    cmocka_unit_test_setup_teardown(test_threads, server_setup, server_teardown))
