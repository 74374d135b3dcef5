/*
 * server_texts.c - see server_texts.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/heap/server_texts.h"

#include <unistd.h>

#include "tests/unit/harness/request_wait.h"

int server_setup(void **state)
{
    struct symm_server *server = NULL;
    if (symm_server_create(&server) != SYMM_OK || symm_server_start_thread(server) != SYMM_OK) {
        return -1;
    }
    *state = server;
    return 0;
}

int server_teardown(void **state)
{
    symm_server_destroy(*state);
    return 0;
}

void server_export_text(struct symm_server *server, uint32_t number, const char *text)
{
    struct symm_object_id id = object_id(number);
    struct symm_object object = object_make(text);
    assert_true(object.descriptor >= 0);
    assert_status(symm_server_export(server, &id, &object), SYMM_OK);
    (void)close(object.descriptor); /* the server has its own */
}

void server_withdraw(struct symm_server *server, uint32_t number)
{
    struct symm_object_id id = object_id(number);
    symm_server_withdraw(server, &id);
}

struct symm_request server_begin(struct symm_server *server, uint32_t number)
{
    struct symm_request request;
    struct symm_object_id id = object_id(number);
    symm_request_begin(&request, symm_server_name(server), &id);
    return request;
}

void server_expect_text(struct symm_server *server, uint32_t number, const char *text)
{
    struct symm_object_id id = object_id(number);
    struct symm_object object;
    assert_status(request_object(symm_server_name(server), &id, &object), SYMM_OK);
    assert_true(object_is(&object, text));
}
