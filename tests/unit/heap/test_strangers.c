/*
 * test_strangers.c - servers and clients that die, lie, talk nonsense or belong to somebody else.
 *
 * The parent listens or asks; forked ranks play the others.  A rank that is a server sends its
 * name through its channel first.
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
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "heap/server/server.h"

/* ---- sockets by hand ------------------------------------------------------------------------- */

/* Whether the other end closes the connection without a word. */
static bool is_hung_up(int fd)
{
    char byte;
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    if (poll(&polled, 1, 30000) != 1) {
        return false;
    }
    ssize_t received = recv(fd, &byte, 1, MSG_DONTWAIT);
    return received == 0 || (received < 0 && errno == ECONNRESET);
}

static bool send_with_descriptors(int fd, const void *packet, size_t size, const int *passed,
                                  size_t count)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(8 * sizeof(int))];
    } control;
    struct iovec vector = {.iov_base = (void *)(uintptr_t)packet, .iov_len = size};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    if (count > 0) {
        memset(&control, 0, sizeof(control));
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(&control.header), passed, count * sizeof(int));
    }
    return sendmsg(fd, &message, MSG_NOSIGNAL) == (ssize_t)size;
}

/* ---- in the parent --------------------------------------------------------------------------- */

static struct symm_server *server_start(const char *text)
{
    struct symm_server *server = NULL;
    struct symm_object_id id = object_id(1);
    struct symm_object object = object_make(text);
    assert_status(symm_server_create(&server), SYMM_OK);
    assert_status(symm_server_export(server, &id, &object), SYMM_OK);
    assert_status(symm_server_start_thread(server), SYMM_OK);
    (void)close(object.descriptor);
    return server;
}

/* What asking rank 0 for object 1 comes to. */
static enum symm_status ask(const struct fork_ranks *ranks)
{
    char name[SYMM_NAME_SIZE] = "";
    struct symm_object_id id = object_id(1);
    struct symm_object object = {.descriptor = -1};
    assert_true(fork_receive(ranks->channels[0], name, sizeof(name)));
    enum symm_status status = request_object(name, &id, &object);
    if (status == SYMM_OK) {
        (void)close(object.descriptor);
    }
    return status;
}

static void expect_from(fork_body *body, void *context, enum symm_status wanted)
{
    struct fork_ranks ranks;
    size_t descriptors = unit_open_descriptors();
    fork_ranks_start(&ranks, 1, body, context);
    enum symm_status got = ask(&ranks);
    fork_ranks_join(&ranks);
    assert_status(got, wanted);
    assert_int_equal(unit_open_descriptors(), descriptors);
}

/* ---- peers that die -------------------------------------------------------------------------- */

static int listen_and_tell(struct fork_rank *self, char name[SYMM_NAME_SIZE])
{
    int fd = listen_blindly(name);
    FORK_CHECK(self, fd >= 0);
    FORK_CHECK(self, fcntl(fd, F_SETFL, 0) == 0);
    FORK_CHECK(self, fork_send(self->channel, name, SYMM_NAME_SIZE));
    return fd;
}

static void accept_and_die(struct fork_rank *self, void *context)
{
    char name[SYMM_NAME_SIZE] = "";
    int fd = listen_and_tell(self, name), connection = accept(fd, NULL, NULL);
    struct symm_request_packet packet;
    (void)context;
    FORK_CHECK(self, recv(connection, &packet, sizeof(packet), 0) == (ssize_t)sizeof(packet));
}

static void die_before_accepting(struct fork_rank *self, void *context)
{
    char name[SYMM_NAME_SIZE] = "";
    struct pollfd polled = {.fd = listen_and_tell(self, name), .events = POLLIN};
    (void)context;
    FORK_CHECK(self, poll(&polled, 1, 30000) == 1);
}

static void die_with_requests_waiting(struct fork_rank *self, void *context)
{
    struct symm_server *server = NULL;
    char name[SYMM_NAME_SIZE] = "", byte;
    (void)context;
    FORK_STATUS(self, symm_server_create(&server), SYMM_OK);
    FORK_STATUS(self, symm_server_start_thread(server), SYMM_OK);
    (void)strcpy(name, symm_server_name(server));
    FORK_CHECK(self, fork_send(self->channel, name, sizeof(name)));
    (void)fork_receive(self->channel, &byte, 1); /* until it is killed */
}

static void test_peer_dies(void **state)
{
    (void)state;
    expect_from(accept_and_die, NULL, SYMM_ERR_PEER_LOST);
    expect_from(die_before_accepting, NULL, SYMM_ERR_PEER_LOST);
}

static void test_peer_is_killed(void **state)
{
    struct fork_ranks ranks;
    struct symm_request request;
    struct symm_object object;
    struct symm_object_id id = object_id(1);
    char name[SYMM_NAME_SIZE] = "";
    (void)state;
    fork_ranks_start(&ranks, 1, die_with_requests_waiting, NULL);
    assert_true(fork_receive(ranks.channels[0], name, sizeof(name)));
    symm_request_begin(&request, name, &id);
    assert_status(request_wait(&request, 0.05, &object), SYMM_PENDING);
    fork_ranks_kill(&ranks, 0);
    assert_status(request_wait(&request, 30, &object), SYMM_ERR_PEER_LOST);
    assert_status(request_object(name, &id, &object), SYMM_ERR_UNREACHABLE);
    fork_ranks_join(&ranks);
}

/* ---- peers that lie -------------------------------------------------------------------------- */

struct lie {
    size_t size;
    uint32_t magic, status;
    size_t descriptors;
    enum symm_status wanted;
};

static void answer_with_a_lie(struct fork_rank *self, void *context)
{
    const struct lie *lie = context;
    char name[SYMM_NAME_SIZE] = "";
    int fd = listen_and_tell(self, name), connection = accept(fd, NULL, NULL);
    struct symm_request_packet request;
    struct {
        struct symm_reply_packet reply;
        char more[64];
    } packet = {.reply = {.answer = secrets_of(name).answer, .magic = lie->magic,
                          .status = lie->status, .size = 4096}};
    int passed[8];
    char byte;
    for (size_t i = 0; i < 8; i++) {
        passed[i] = object_make("a lie").descriptor;
    }
    FORK_CHECK(self, recv(connection, &request, sizeof(request), 0) == (ssize_t)sizeof(request));
    FORK_CHECK(self,
               send_with_descriptors(connection, &packet, lie->size, passed, lie->descriptors));
    (void)recv(connection, &byte, 1, 0); /* stay until the other has had enough */
}

static void test_peer_lies(void **state)
{
    static struct lie lies[] = {
        {sizeof(struct symm_reply_packet), 0, SYMM_OK, 1, SYMM_ERR_PROTOCOL},
        {sizeof(struct symm_reply_packet) - 1, symm_socket_magic, SYMM_OK, 1, SYMM_ERR_PROTOCOL},
        {sizeof(struct symm_reply_packet) + 1, symm_socket_magic, SYMM_OK, 1, SYMM_ERR_PROTOCOL},
        {1, symm_socket_magic, SYMM_OK, 8, SYMM_ERR_PROTOCOL},
        {sizeof(struct symm_reply_packet), symm_socket_magic, SYMM_ERR_NOT_FOUND, 1,
         SYMM_ERR_NOT_FOUND},
        {sizeof(struct symm_reply_packet), symm_socket_magic, 12345, 0, SYMM_ERR_NOT_FOUND},
        {sizeof(struct symm_reply_packet), symm_socket_magic, SYMM_OK, 0, SYMM_ERR_NO_MEMORY},
        {sizeof(struct symm_reply_packet), symm_socket_magic, SYMM_OK, 8, SYMM_OK},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
        lies[i].magic = lies[i].magic != 0 ? lies[i].magic : symm_socket_magic + 1;
        expect_from(answer_with_a_lie, &lies[i], lies[i].wanted);
    }
}

/* ---- other users ----------------------------------------------------------------------------- */

static void serve_as_another_user(struct fork_rank *self, void *context)
{
    struct symm_server *server = NULL;
    struct symm_object_id id = object_id(1);
    struct symm_object object = object_make("not yours");
    char name[SYMM_NAME_SIZE] = "", byte;
    (void)context;
    become_another_user();
    FORK_STATUS(self, symm_server_create(&server), SYMM_OK);
    FORK_STATUS(self, symm_server_export(server, &id, &object), SYMM_OK);
    FORK_STATUS(self, symm_server_start_thread(server), SYMM_OK);
    (void)strcpy(name, symm_server_name(server));
    FORK_CHECK(self, fork_send(self->channel, name, sizeof(name)));
    (void)fork_receive(self->channel, &byte, 1);
}

static void test_server_of_another_user(void **state)
{
    struct fork_ranks ranks;
    (void)state;
    fork_ranks_start(&ranks, 1, serve_as_another_user, NULL);
    char name[SYMM_NAME_SIZE] = "";
    struct symm_object_id id = object_id(1);
    struct symm_object object;
    if (fork_receive(ranks.channels[0], name, sizeof(name))) {
        assert_status(request_object(name, &id, &object), SYMM_ERR_PERMISSION);
        fork_ranks_kill(&ranks, 0);
    }
    fork_ranks_join(&ranks);
}

/* As a well-behaved client, which finds out by itself, and as one that does not care. */
static void ask_as_another_user(struct fork_rank *self, void *context)
{
    char name[SYMM_NAME_SIZE] = "";
    struct symm_object object;
    (void)context;
    become_another_user();
    FORK_CHECK(self, fork_receive(self->channel, name, sizeof(name)));
    struct symm_request_packet packet = request_for(name, 1);
    FORK_STATUS(self, request_object(name, &packet.id, &object), SYMM_ERR_PERMISSION);
    int fd = connect_blindly(name);
    FORK_CHECK(self, fd >= 0);
    (void)send(fd, &packet, sizeof(packet), MSG_NOSIGNAL);
    FORK_CHECK(self, is_hung_up(fd));
}

static void ask_as_oneself(struct fork_rank *self, void *context)
{
    char name[SYMM_NAME_SIZE] = "";
    struct symm_object_id id = object_id(1);
    struct symm_object object;
    (void)context;
    FORK_CHECK(self, fork_receive(self->channel, name, sizeof(name)));
    FORK_STATUS(self, request_object(name, &id, &object), SYMM_OK);
    FORK_CHECK(self, object_is(&object, "for us only"));
}

/* Let a forked rank ask a server of this process. */
static void be_asked_by(fork_body *body)
{
    struct fork_ranks ranks;
    char name[SYMM_NAME_SIZE] = "";
    fork_ranks_start(&ranks, 1, body, NULL);
    struct symm_server *server = server_start("for us only");
    (void)strcpy(name, symm_server_name(server));
    (void)fork_send(ranks.channels[0], name, sizeof(name));
    fork_ranks_join(&ranks);
    symm_server_destroy(server);
}

static void test_client_of_another_user(void **state)
{
    (void)state;
    be_asked_by(ask_as_oneself);
    be_asked_by(ask_as_another_user);
}

/* ---- clients that talk nonsense -------------------------------------------------------------- */

static void expect_service(const char *name)
{
    struct symm_object_id id = object_id(1);
    struct symm_object object;
    assert_status(request_object(name, &id, &object), SYMM_OK);
    assert_true(object_is(&object, "good"));
}

/* The server closes its ends when its thread gets to it. */
static void expect_descriptors(size_t wanted)
{
    double end = unit_seconds() + 30;
    while (unit_open_descriptors() != wanted && unit_seconds() < end) {
        const struct timespec moment = {.tv_nsec = 1000000};
        (void)nanosleep(&moment, NULL);
    }
    assert_int_equal(unit_open_descriptors(), wanted);
}

static void test_garbage(void **state)
{
    struct unit_random random = unit_random_start(1, 0);
    struct symm_server *server = server_start("good");
    const char *name = symm_server_name(server);
    size_t descriptors = unit_open_descriptors();
    (void)state;
    for (unsigned i = 0; i < 500; i++) {
        union {
            struct symm_request_packet request;
            unsigned char bytes[1000];
        } packet;
        const int passed[8] = {0, 1, 2, 0, 1, 2, 0, 1};
        size_t size = i % 4 == 0 ? sizeof(packet.request)
                      : i % 50 == 1 ? 0
                                    : unit_random_below(&random, 1000);
        unit_fill(&packet, sizeof(packet), unit_random_start(2, i));
        if (size != sizeof(packet.request)) {
            packet.request.magic = symm_socket_magic; /* of the right version, but mangled */
            packet.request.ask = secrets_of(name).ask;
        }
        int fd = connect_blindly(name);
        assert_true(fd >= 0);
        (void)send_with_descriptors(fd, &packet, size, passed, unit_random_below(&random, 9));
        assert_true(is_hung_up(fd));
        (void)close(fd);
    }
    expect_service(name);
    expect_descriptors(descriptors);
    symm_server_destroy(server);
}

/* Who asks again while it waits is told nothing; who leaves or is silent disturbs nobody. */
static void test_bad_manners(void **state)
{
    struct symm_server *server = server_start("good");
    const char *name = symm_server_name(server);
    struct symm_request_packet unknown = request_for(name, 77);
    int silent[20];
    size_t descriptors = unit_open_descriptors();
    (void)state;
    for (size_t i = 0; i < 20; i++) {
        silent[i] = connect_blindly(name);
    }
    for (size_t i = 0; i < 50; i++) {
        int fd = connect_blindly(name);
        assert_int_equal(send(fd, &unknown, sizeof(unknown), 0), sizeof(unknown));
        if (i % 2 == 0) {
            (void)send(fd, &unknown, sizeof(unknown), MSG_NOSIGNAL);
            assert_true(is_hung_up(fd));
        }
        (void)close(fd);
    }
    expect_service(name);
    for (size_t i = 0; i < 20; i++) {
        (void)close(silent[i]);
    }
    expect_service(name);
    expect_descriptors(descriptors);
    symm_server_destroy(server);
}

UNIT_MAIN("test_strangers", 150,
    cmocka_unit_test(test_peer_dies),
    cmocka_unit_test(test_peer_is_killed),
    cmocka_unit_test(test_peer_lies),
    cmocka_unit_test(test_server_of_another_user),
    cmocka_unit_test(test_client_of_another_user),
    cmocka_unit_test(test_garbage),
    cmocka_unit_test(test_bad_manners))
