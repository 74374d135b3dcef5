/*
 * test_secrets.c - processes of the same user that do not belong to the job: in another container,
 * or in a user namespace where all users look alike.
 *
 * User ids cannot tell them from peers.  So every test here runs as one user.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/request_wait.h"
#include "tests/unit/harness/stranger.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "heap/server/recall.h"
#include "heap/server/user.h"
#include "heap/team/process.h"

/* ---- asking ---------------------------------------------------------------------------------- */

static struct symm_server *server_start(void)
{
    struct symm_server *server = NULL;
    struct symm_object_id id = object_id(1);
    struct symm_object object = object_make("a secret");
    assert_status(symm_server_create(&server), SYMM_OK);
    assert_status(symm_server_export(server, &id, &object), SYMM_OK);
    assert_status(symm_server_start_thread(server), SYMM_OK);
    (void)close(object.descriptor);
    return server;
}

/* The number of bytes that come back for a packet; 0: the server hangs up without a word. */
static ssize_t answer_to(const struct symm_server *server, const void *packet, size_t size,
                         struct symm_reply_packet *reply)
{
    int fd = connect_blindly(symm_server_name(server));
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    assert_true(fd >= 0);
    assert_int_equal(send(fd, packet, size, MSG_NOSIGNAL), size);
    assert_int_equal(poll(&polled, 1, 30000), 1);
    ssize_t got = recv(fd, reply, sizeof(*reply), 0); /* a descriptor is dropped */
    (void)close(fd);
    return got > 0 ? got : 0;
}

static void expect_refusal(const struct symm_server *server, const void *packet, size_t size)
{
    struct symm_reply_packet reply;
    uint64_t refused = symm_server_refused(server);
    assert_int_equal(answer_to(server, packet, size, &reply), 0);
    assert_int_equal(symm_server_refused(server), refused + 1);
}

static void expect_answer(const struct symm_server *server, enum symm_status wanted)
{
    struct symm_object object;
    struct symm_object_id id = object_id(1);
    assert_status(request_object(symm_server_name(server), &id, &object), wanted);
    assert_true(wanted != SYMM_OK || object_is(&object, "a secret"));
}

static void test_wrong_words(void **state)
{
    struct symm_server *server = server_start();
    struct symm_request_packet right = request_for(symm_server_name(server), 1);
    (void)state;
    for (size_t i = 0; i < SYMM_SECRET_SIZE; i++) {
        struct symm_request_packet wrong = right;
        wrong.ask.bytes[i] ^= 1;
        expect_refusal(server, &wrong, sizeof(wrong));
    }
    struct symm_request_packet none = right;
    memset(&none.ask, 0, sizeof(none.ask));
    expect_refusal(server, &none, sizeof(none));
    none.ask = secrets_of(symm_server_name(server)).answer;
    expect_refusal(server, &none, sizeof(none));
    expect_answer(server, SYMM_OK);
    symm_server_destroy(server);
}

static void test_half_packets(void **state)
{
    struct symm_server *server = server_start();
    char packet[sizeof(struct symm_request_packet) + 8] = "";
    struct symm_request_packet right = request_for(symm_server_name(server), 1);
    (void)state;
    memcpy(packet, &right, sizeof(right));
    for (size_t size = 1; size <= sizeof(packet); size += size < sizeof(right) - 4 ? 7 : 1) {
        if (size != sizeof(right)) {
            expect_refusal(server, packet, size);
        }
    }
    expect_answer(server, SYMM_OK);
    symm_server_destroy(server);
}

/*
 * What one server has been asked is worth nothing at another, though it be the next of a process.
 */
static void test_replayed_packets(void **state)
{
    struct symm_server *server = server_start();
    struct symm_request_packet old = request_for(symm_server_name(server), 1);
    (void)state;
    symm_server_destroy(server);
    server = server_start();
    expect_refusal(server, &old, sizeof(old));
    symm_server_destroy(server);
}

static void test_word_for_telling(void **state)
{
    struct symm_server *server = server_start();
    struct symm_name full = secrets_of(symm_server_name(server));
    struct symm_name tell = secrets_of(symm_server_name_to_tell(server));
    struct symm_request_packet packet = request_for(symm_server_name_to_tell(server), 1);
    struct symm_reply_packet reply;
    struct symm_object object;
    (void)state;
    assert_string_equal(full.socket, tell.socket);
    assert_false(symm_secret_is(&full.ask, &tell.ask));
    for (uint32_t what = SYMM_OBJECT_DIRECTORY; what < SYMM_OBJECT_NOTHING; what++) {
        packet.id.what = what;
        expect_refusal(server, &packet, sizeof(packet));
    }
    packet.id = (struct symm_object_id){.what = SYMM_OBJECT_NOTHING};
    assert_int_equal(answer_to(server, &packet, sizeof(packet), &reply), sizeof(reply));
    assert_false(symm_secret_is(&reply.answer, &full.answer)); /* it may be a stranger who tells */
    assert_status(request_object(symm_server_name_to_tell(server), &packet.id, &object),
                  SYMM_ERR_NOT_FOUND);
    assert_status(request_object(symm_server_name(server), &packet.id, &object),
                  SYMM_ERR_NOT_FOUND);
    symm_server_destroy(server);
}

/* ---- answering ------------------------------------------------------------------------------- */

/* Binds the socket of a process that has ended, and says yes to all. */
static void squat(struct fork_rank *self, void *context)
{
    char name[SYMM_NAME_SIZE] = "";
    int listener = -1, fd;
    (void)context;
    while (fork_receive(self->channel, name, sizeof(name))) {
        FORK_STATUS(self, symm_socket_listen(secrets_of(name).socket, &listener), SYMM_OK);
        FORK_CHECK(self, fcntl(listener, F_SETFL, 0) == 0 && fork_send(self->channel, name, 1));
        struct symm_request_packet request;
        fd = accept(listener, NULL, NULL);
        FORK_CHECK(self, recv(fd, &request, sizeof(request), 0) == (ssize_t)sizeof(request));
        struct symm_object object = object_make("a trap");
        struct symm_reply_packet reply = {
            .answer = request.ask, .magic = symm_socket_magic, .size = object.size};
        FORK_STATUS(self, symm_socket_send(fd, &reply, sizeof(reply), object.descriptor), SYMM_OK);
        FORK_CHECK(self, recv(fd, name, 1, 0) == 0); /* until the other has had enough */
        (void)close(object.descriptor);
        (void)close(fd);
        (void)close(listener);
    }
}

static void test_socket_of_the_dead(void **state)
{
    struct fork_ranks ranks;
    char name[SYMM_NAME_SIZE] = "", byte;
    struct symm_object_id id = object_id(1);
    struct symm_object object;
    size_t descriptors = unit_open_descriptors();
    (void)state;
    fork_ranks_start(&ranks, 1, squat, NULL);
    struct symm_server *server = server_start();
    (void)strcpy(name, symm_server_name(server));
    symm_server_destroy(server);
    assert_true(fork_send(ranks.channels[0], name, sizeof(name)));
    assert_true(fork_receive(ranks.channels[0], &byte, 1));
    assert_status(request_object(name, &id, &object), SYMM_ERR_PERMISSION);
    fork_ranks_kill(&ranks, 0);
    fork_ranks_join(&ranks);
    assert_int_equal(unit_open_descriptors(), descriptors);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    struct symm_name made, parsed;
    struct symm_secret word;
    char text[SYMM_NAME_SIZE], other[SYMM_NAME_SIZE];
    (void)state;
    assert_status(symm_name_make(&made), SYMM_OK);
    assert_status(symm_secret_make(&word), SYMM_OK);
    symm_name_format(&made, text);
    assert_status(symm_name_parse(text, &parsed), SYMM_OK);
    assert_string_equal(parsed.socket, made.socket);
    assert_true(symm_secret_is(&parsed.ask, &made.ask));
    assert_true(symm_secret_is(&parsed.answer, &made.answer));
    symm_name_format_for(&made, &word, other);
    assert_status(symm_name_parse(other, &parsed), SYMM_OK);
    assert_true(symm_secret_is(&parsed.ask, &word) && symm_secret_is(&parsed.answer, &word));
    assert_true(symm_name_is_of(text, other));
    assert_status(symm_name_make(&made), SYMM_OK);
    symm_name_format(&made, other);
    assert_false(symm_name_is_of(text, other));
}

/* ---- user namespaces ------------------------------------------------------------------------- */

static bool file_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    (void)close(fd);
    return written;
}

static void test_users_that_look_alike(struct fork_rank *self, void *context)
{
    struct symm_process *process = NULL;
    char map[64];
    (void)context;
    FORK_STATUS(self, symm_user_check_own(), SYMM_OK);
    (void)snprintf(map, sizeof(map), "65534 %u 1", (unsigned)geteuid());
    if (unshare(CLONE_NEWUSER) != 0) {
        fork_rank_skip();
    }
    FORK_STATUS(self, symm_user_check_own(), SYMM_ERR_NO_USER);
    FORK_STATUS(self, symm_process_acquire(NULL, &process), SYMM_ERR_NO_USER);
    if (file_write("/proc/self/uid_map", map)) { /* now it is `nobody`, and known */
        FORK_CHECK(self, geteuid() == 65534);
        FORK_STATUS(self, symm_user_check_own(), SYMM_OK);
        FORK_STATUS(self, symm_process_acquire(NULL, &process), SYMM_OK);
        symm_process_release(process);
    }
}

UNIT_MAIN("test_secrets", 60,
    cmocka_unit_test(test_names),
    cmocka_unit_test(test_wrong_words),
    cmocka_unit_test(test_half_packets),
    cmocka_unit_test(test_replayed_packets),
    cmocka_unit_test(test_word_for_telling),
    cmocka_unit_test(test_socket_of_the_dead),
    FORK_TEST(test_users_that_look_alike, 1))
