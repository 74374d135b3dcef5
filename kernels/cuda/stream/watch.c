/*
 * watch.c - the server's thread looks at all members of the process.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "heap/team/process.h"
#include "kernels/cuda/stream/member_state.h"

enum { PAUSE = 100 }; /* ms from one look to the next */

/*
 * At those that have a queue.  A member that has departed is not moved on here, although its memory
 * may be free to go: the heap gives device memory back by calls of the driver.
 */
static int look(void)
{
    struct symm_stream_member *member;
    int pause = PAUSE;
    /* Another time, if the program is at them: it may wait for kernels. */
    if (symm_stream_members_try(&member)) {
        pause = member != NULL ? PAUSE : -1;
        for (; member != NULL; member = member->next) {
            if (member->queue != NULL) {
                symm_stream_member_watch(member);
            }
        }
        symm_stream_members_done();
    }
    return pause;
}

void symm_stream_members_watch(struct symm_process *process, symm_stream_tell *teller,
                               double seconds)
{
    symm_stream_members_hold(); /* a look that is under way still tells the one before */
    symm_stream_members_tell(teller, seconds);
    symm_stream_members_done();
    symm_process_on_tick(process, teller != NULL ? look : NULL);
}
