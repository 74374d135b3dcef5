/*
 * request_wait.h - asking a server for an object in tests, with patience.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_REQUEST_WAIT_H
#define SYMM_TESTS_REQUEST_WAIT_H

#include "tests/unit/harness/unit.h"

#include "heap/server/request.h"

/* Test a request until it is over, or still pending after `seconds`. */
enum symm_status request_wait(struct symm_request *request, double seconds,
                              struct symm_object *object);

/* Ask the server `name` for an object, and wait for it for many seconds. */
enum symm_status request_object(const char *name, const struct symm_object_id *id,
                                struct symm_object *object);

/* An id for tests. */
struct symm_object_id object_id(uint32_t number);

/* A shared page that begins with `text`; the caller closes the descriptor. */
struct symm_object object_make(const char *text);

/* Whether the object is a page that begins with `text`; closes its descriptor. */
bool object_is(const struct symm_object *object, const char *text);

#endif /* SYMM_TESTS_REQUEST_WAIT_H */
