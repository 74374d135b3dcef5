/*
 * request_wait.c - see request_wait.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/request_wait.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "heap/memfd.h"

enum { PAGE = 4096 };

enum symm_status request_wait(struct symm_request *request, double seconds,
                              struct symm_object *object)
{
    double end = unit_seconds() + seconds;
    unsigned polls = 0;
    enum symm_status status;
    while ((status = symm_request_test(request, object)) == SYMM_PENDING &&
           unit_seconds() < end) {
        unit_pause(&polls);
    }
    return status;
}

enum symm_status request_object(const char *name, const struct symm_object_id *id,
                                struct symm_object *object)
{
    struct symm_request request;
    symm_request_begin(&request, name, id);
    enum symm_status status = request_wait(&request, 30, object);
    symm_request_cancel(&request);
    return status;
}

struct symm_object_id object_id(uint32_t number)
{
    struct symm_object_id id = {.what = SYMM_OBJECT_ARENA, .number = number};
    (void)snprintf((char *)id.key, sizeof(id.key), "key of %u", (unsigned)number);
    return id;
}

struct symm_object object_make(const char *text)
{
    struct symm_object object = {.descriptor = -1, .size = PAGE, .detail = strlen(text)};
    if (symm_memfd_create("symm-test", PAGE, &object.descriptor) != SYMM_OK ||
        pwrite(object.descriptor, text, strlen(text) + 1, 0) != (ssize_t)strlen(text) + 1) {
        object.descriptor = -1;
    }
    return object;
}

bool object_is(const struct symm_object *object, const char *text)
{
    char page[PAGE] = "";
    bool is = object->size == PAGE && object->detail == strlen(text) &&
              pread(object->descriptor, page, PAGE, 0) == PAGE && strcmp(page, text) == 0;
    (void)close(object->descriptor);
    return is;
}
