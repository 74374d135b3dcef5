/*
 * server_texts.h - a server whose objects are texts, and a request for one; for tests.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_SERVER_TEXTS_H
#define SYMM_TESTS_SERVER_TEXTS_H

#include "heap/server/server.h"

/* For cmocka: the state is a server with its thread. */
int server_setup(void **state);
int server_teardown(void **state);

/* The numbers of object_id() are names of objects. */
void server_export_text(struct symm_server *server, uint32_t number, const char *text);
void server_withdraw(struct symm_server *server, uint32_t number);
struct symm_request server_begin(struct symm_server *server, uint32_t number);
void server_expect_text(struct symm_server *server, uint32_t number, const char *text);

#endif
