/*
 * trap.c - a kernel that touches what its device has no access to ends, and the process goes on, as
 * it would with a real device.  Whatever else causes such a signal goes to the handler that was
 * there.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/trap.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

static _Thread_local sigjmp_buf *way_out;
static struct sigaction former[2];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void handle(int signal_number, siginfo_t *info, void *context)
{
    if (way_out != NULL) {
        siglongjmp(*way_out, 1);
    }
    const struct sigaction *old = &former[signal_number == SIGBUS];
    if ((old->sa_flags & SA_SIGINFO) != 0) {
        old->sa_sigaction(signal_number, info, context);
    } else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
        old->sa_handler(signal_number);
    } else {
        (void)signal(signal_number, SIG_DFL); /* on return the access is made once more */
    }
}

static void install(void)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGSEGV, &action, &former[0]);
    (void)sigaction(SIGBUS, &action, &former[1]);
}

bool standin_trap_call(void (*function)(void *argument), void *argument)
{
    sigjmp_buf here;
    (void)pthread_once(&once, install);
    bool done = sigsetjmp(here, 1) == 0;
    if (done) {
        way_out = &here;
        function(argument);
    }
    way_out = NULL;
    return done;
}
