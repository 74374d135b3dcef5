/*
 * faults.c - how often each function is used, and uses that are to fail.
 *
 * SYMM_STANDIN_FAIL=NAME:N[+][:ERROR][@RANK],...  the N-th use of the function NAME in a process
 *     (all from there on with a plus) returns ERROR and does nothing else; only on that rank of an
 *     MPI job.  Without ERROR: CUDA_ERROR_OUT_OF_MEMORY from what allocates, CUDA_ERROR_NOT_FOUND
 *     from cuGetProcAddress, CUDA_ERROR_UNKNOWN from the rest.  With SIGKILL instead of ERROR the
 *     process dies there.  The names `kernel` and `copy` stand for what streams do later: it fails
 *     when it is its turn, and breaks its context.
 * SYMM_STANDIN_COUNT=FILE  at exit each process adds lines "RANK NAME USES" there.
 * SYMM_STANDIN_CAPTURING=1  as if the application were capturing a graph in another thread: what is
 *     not allowed then fails, unless the calling thread has exchanged its mode for a relaxed one.
 * What a thread does after symm_standin_watch(0) (kernels.h) is exempt from all of this.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/kernels.h"
#include "tests/standin/standin.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FUNCTIONS_MAX = 128, LATER = 2, FAULTS_MAX = 32 };

static const char *const later_names[LATER] = {"kernel", "copy"};

struct fault {
    size_t what; /* index of a function, or of a later name behind those */
    unsigned long use;
    bool and_on, kills;
    CUresult error;
};

static struct fault faults[FAULTS_MAX];
static size_t fault_count;
static unsigned long uses[FUNCTIONS_MAX + LATER];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool name_is(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && strncmp(name, text, length) == 0;
}

static bool find_name(const char *text, size_t length, size_t *what)
{
    for (size_t i = 0; i < standin_function_count; i++) {
        if (name_is(standin_functions[i].name, text, length)) {
            *what = i;
            return true;
        }
    }
    for (size_t i = 0; i < LATER; i++) {
        if (name_is(later_names[i], text, length)) {
            *what = FUNCTIONS_MAX + i;
            return true;
        }
    }
    return false;
}

static CUresult usual_error(size_t what)
{
    if (what >= FUNCTIONS_MAX) {
        return CUDA_ERROR_LAUNCH_FAILED;
    }
    if ((standin_functions[what].flags & STANDIN_ALLOCATES) != 0) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return strcmp(standin_functions[what].name, "cuGetProcAddress") == 0 ? CUDA_ERROR_NOT_FOUND
                                                                         : CUDA_ERROR_UNKNOWN;
}

/* One fault of the list, `length` characters long; false if it cannot be understood. */
static bool parse(const char *text, size_t length, struct fault *fault, int *rank)
{
    const char *end = text + length;
    const char *colon = memchr(text, ':', length);
    if (colon == NULL || !find_name(text, (size_t)(colon - text), &fault->what)) {
        return false;
    }
    char *rest;
    fault->use = strtoul(colon + 1, &rest, 10);
    fault->error = usual_error(fault->what);
    fault->kills = false;
    fault->and_on = rest < end && *rest == '+';
    rest += fault->and_on;
    if (rest < end && *rest == ':') {
        const char *name = ++rest;
        while (rest < end && *rest != '@') {
            rest++;
        }
        fault->kills = name_is("SIGKILL", name, (size_t)(rest - name));
        if (!fault->kills && !standin_error_find(name, (size_t)(rest - name), &fault->error)) {
            return false;
        }
    }
    *rank = -1;
    if (rest < end && *rest == '@') {
        *rank = (int)strtol(rest + 1, &rest, 10);
    }
    return rest == end && fault->use > 0;
}

static void list_set(const char *text)
{
    fault_count = 0;
    while (text != NULL && *text != '\0') {
        size_t length = strcspn(text, ",");
        int rank;
        struct fault *fault = &faults[fault_count];
        if (fault_count == FAULTS_MAX || !parse(text, length, fault, &rank)) {
            standin_say("SYMM_STANDIN_FAIL: \"%.*s\" is not understood", (int)length, text);
            abort(); /* a fault that is never made would look like a test that passes */
        }
        if (rank == -1 || rank == standin_rank()) {
            fault_count++;
        }
        text += length + (text[length] == ',');
    }
}

static void read_list(void)
{
    list_set(getenv("SYMM_STANDIN_FAIL"));
}

static _Thread_local bool unwatched;

__attribute__((visibility("default"))) void symm_standin_watch(int on)
{
    unwatched = on == 0;
}

bool standin_fault_is_watched(void)
{
    return !unwatched;
}

static CUresult use(size_t what)
{
    if (unwatched) {
        return CUDA_SUCCESS;
    }
    (void)pthread_once(&once, read_list);
    CUresult error = CUDA_SUCCESS;
    uses[what]++;
    for (size_t i = 0; i < fault_count; i++) {
        const struct fault *fault = &faults[i];
        if (fault->what == what &&
            (fault->use == uses[what] || (fault->and_on && uses[what] > fault->use))) {
            if (fault->kills) {
                (void)raise(SIGKILL);
            }
            error = fault->error;
        }
    }
    return error;
}

CUresult standin_fault_use(size_t function)
{
    static int capturing = -1;
    if (capturing < 0) {
        capturing = standin_setting("SYMM_STANDIN_CAPTURING", 0) != 0;
    }
    CUresult error = use(function);
    if (error == CUDA_SUCCESS && capturing && !unwatched && standin_capture_is_strict() &&
        (standin_functions[function].flags & STANDIN_CAPTURE_SAFE) == 0) {
        standin_say("%s while a stream is being captured", standin_functions[function].name);
        error = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    if (error == CUDA_SUCCESS && (standin_functions[function].flags & STANDIN_CAPTURE_SAFE) == 0 &&
        standin_capture_forbids()) {
        standin_say("%s spoils a capture", standin_functions[function].name);
        error = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return error;
}

CUresult standin_fault_later(const char *what)
{
    size_t index = 0;
    (void)find_name(what, strlen(what), &index);
    standin_lock();
    CUresult error = use(index);
    standin_unlock();
    return error;
}

static const char *name_of(size_t what)
{
    return what < FUNCTIONS_MAX ? standin_functions[what].name : later_names[what - FUNCTIONS_MAX];
}

/* ---- for programs ---------------------------------------------------------------------------- */

__attribute__((visibility("default"))) void symm_standin_fail(const char *list)
{
    (void)pthread_once(&once, read_list);
    standin_lock();
    list_set(list);
    memset(uses, 0, sizeof uses);
    standin_unlock();
}

__attribute__((visibility("default"))) const char *symm_standin_uses(size_t i,
                                                                     unsigned long *number)
{
    const char *name = NULL;
    standin_lock();
    for (size_t what = 0; what < FUNCTIONS_MAX + LATER && name == NULL; what++) {
        if (uses[what] > 0 && i-- == 0) {
            name = name_of(what);
            *number = uses[what];
        }
    }
    standin_unlock();
    return name;
}

/* One write, so that the lines of several processes do not mix. */
void standin_fault_dump(void)
{
    const char *file = getenv("SYMM_STANDIN_COUNT");
    char text[(FUNCTIONS_MAX + LATER) * 64];
    size_t length = 0;
    if (file == NULL || *file == '\0') {
        return;
    }
    for (size_t i = 0; i < FUNCTIONS_MAX + LATER; i++) {
        if (uses[i] > 0) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%d %s %lu\n",
                                       standin_rank(), name_of(i), uses[i]);
        }
    }
    int descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor < 0 || write(descriptor, text, length) != (ssize_t)length) {
        standin_say("cannot write to %s", file);
    }
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
}
