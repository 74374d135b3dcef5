/*
 * child.c - see child.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "info/child.h"
#include "info/finding.h"

/* Open MPI's libraries are there in 0.3 s from a cold disk; a network file system takes longer. */
enum { SECONDS_MOST = 30 };

static _Noreturn void child_main(child_work *work, const void *argument, int descriptor)
{
    int nothing = open("/dev/null", O_RDWR);
    FILE *out = fdopen(descriptor, "w");
    if (out == NULL) {
        _exit(1);
    }
    if (nothing >= 0) {
        (void)dup2(nothing, STDIN_FILENO);
        (void)dup2(nothing, STDOUT_FILENO);
        (void)dup2(nothing, STDERR_FILENO);
    }
    (void)setvbuf(out, NULL, _IOLBF, 0); /* what stands there before a crash is of use */
    work(out, argument);
    (void)fflush(out);
    _exit(0);
}

/* Add what can be read to the text.  False: there will be no more. */
static bool text_read(int descriptor, char **text, size_t *length)
{
    char block[4096];
    ssize_t got = read(descriptor, block, sizeof(block));
    if (got <= 0) {
        return got < 0 && errno == EINTR;
    }
    char *longer = realloc(*text, *length + (size_t)got + 1);
    if (longer == NULL) {
        return false;
    }
    memcpy(longer + *length, block, (size_t)got);
    *length += (size_t)got;
    longer[*length] = '\0';
    *text = longer;
    return true;
}

/* Until the child closes its end.  False: it takes too long. */
static bool text_collect(int descriptor, char **text)
{
    size_t length = 0;
    time_t last = time(NULL) + SECONDS_MOST;
    for (;;) {
        struct pollfd ready = {.fd = descriptor, .events = POLLIN};
        int found = poll(&ready, 1, 1000);
        if (found > 0 && !text_read(descriptor, text, &length)) {
            return true;
        }
        if (time(NULL) > last) {
            return false;
        }
    }
}

static char *words_for(pid_t child, bool in_time)
{
    char words[80];
    int status = 0;
    if (!in_time) {
        (void)kill(child, SIGKILL);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!in_time) {
        (void)snprintf(words, sizeof(words), "it took more than %d seconds", (int)SECONDS_MOST);
    } else if (WIFSIGNALED(status)) {
        (void)snprintf(words, sizeof(words), "it ended with signal %d (%s)", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) != 0) {
        (void)snprintf(words, sizeof(words), "it ended with exit status %d", WEXITSTATUS(status));
    } else {
        return NULL;
    }
    return text_copy(words);
}

char *child_run(child_work *work, const void *argument, char **end)
{
    int ends[2];
    char *text = text_copy("");
    if (pipe(ends) != 0) {
        *end = text_copy("there is no pipe");
        return text;
    }
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        child_main(work, argument, ends[1]);
    }
    (void)close(ends[1]);
    if (child < 0) {
        *end = text_copy("no process can be made for it");
    } else {
        *end = words_for(child, text_collect(ends[0], &text));
    }
    (void)close(ends[0]);
    return text;
}

char *child_value(const char *text, const char *key)
{
    size_t length = strlen(key);
    while (*text != '\0') {
        size_t line = strcspn(text, "\n");
        if (line > length && strncmp(text, key, length) == 0 && text[length] == '\t') {
            char *value = text_copy(text + length + 1);
            value[line - length - 1] = '\0';
            return value;
        }
        text += line + (text[line] == '\n');
    }
    return NULL;
}

void child_write(FILE *out, const char *key, const char *value)
{
    (void)fprintf(out, "%s\t", key);
    for (; *value != '\0'; value++) {
        (void)fputc((unsigned char)*value < ' ' ? ' ' : *value, out);
    }
    (void)fputc('\n', out);
}
