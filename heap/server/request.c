/*
 * request.c - see request.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "heap/server/request.h"

/* Nanoseconds between two tries to connect. */
static const int64_t delay_first = 20000, delay_last = 1000000;

void symm_request_begin(struct symm_request *request, const char *name,
                        const struct symm_object_id *id)
{
    *request =
        (struct symm_request){.under_way = true, .descriptor = -1, .name = name, .id = *id};
}

static void disconnect(struct symm_request *request)
{
    if (request->descriptor >= 0) {
        (void)close(request->descriptor);
        request->descriptor = -1;
    }
}

void symm_request_cancel(struct symm_request *request)
{
    if (request->under_way) {
        disconnect(request);
        request->under_way = false;
    }
}

static int64_t now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void try_later(struct symm_request *request)
{
    int64_t longer = request->delay == 0 ? delay_first : 2 * request->delay;
    request->delay = longer < delay_last ? longer : delay_last;
    request->next = now() + request->delay;
}

static enum symm_status request_send(struct symm_request *request)
{
    struct symm_name name;
    if (request->delay != 0 && now() < request->next) {
        return SYMM_PENDING;
    }
    enum symm_status status = symm_name_parse(request->name, &name);
    if (status == SYMM_OK) {
        status = symm_socket_connect(name.socket, &request->descriptor);
    }
    if (status == SYMM_PENDING) {
        try_later(request);
    }
    if (status != SYMM_OK) {
        return status;
    }
    struct symm_request_packet packet = {
        .ask = name.ask, .magic = symm_socket_magic, .id = request->id};
    if (request->requester != NULL) {
        (void)strncpy(packet.requester, request->requester, sizeof(packet.requester) - 1);
    }
    status = symm_socket_send(request->descriptor, &packet, sizeof(packet), -1);
    if (status == SYMM_PENDING) {
        disconnect(request); /* no room for one packet: connect again later */
        try_later(request);
    }
    return status;
}

static enum symm_status request_receive(struct symm_request *request, struct symm_object *object)
{
    struct symm_reply_packet reply;
    struct symm_name name;
    int passed;
    enum symm_status status =
        symm_socket_receive(request->descriptor, &reply, sizeof(reply), &passed);
    if (status != SYMM_OK) {
        return status;
    }
    if (symm_name_parse(request->name, &name) != SYMM_OK ||
        !symm_secret_is(&reply.answer, &name.answer)) {
        status = SYMM_ERR_PERMISSION; /* who has bound the socket of a process that has ended */
    } else if (reply.magic != symm_socket_magic) {
        status = SYMM_ERR_PROTOCOL;
    } else if (reply.status != SYMM_OK) {
        status = SYMM_ERR_NOT_FOUND;
    } else if (passed < 0) {
        status = SYMM_ERR_NO_MEMORY; /* the kernel drops it when our descriptor table is full */
        errno = EMFILE;
    }
    if (status != SYMM_OK) {
        if (passed >= 0) {
            (void)close(passed);
        }
        return status;
    }
    *object = (struct symm_object){
        .descriptor = passed, .size = reply.size, .detail = reply.detail};
    return SYMM_OK;
}

enum symm_status symm_request_test(struct symm_request *request, struct symm_object *object)
{
    enum symm_status status = SYMM_OK;
    if (request->descriptor < 0) {
        status = request_send(request);
    }
    if (status == SYMM_OK) {
        status = request_receive(request, object);
    }
    if (status != SYMM_PENDING) {
        symm_request_cancel(request);
    }
    return status;
}

enum symm_status symm_request_ask(struct symm_request *request, const char *name,
                                  const struct symm_object_id *id, struct symm_object *object)
{
    if (!request->under_way) {
        symm_request_begin(request, name, id);
    }
    return symm_request_test(request, object);
}
