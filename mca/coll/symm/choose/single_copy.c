/*
 * choose/single_copy.c - see choose/single_copy.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/choose/single_copy.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#include "mca/ompi_compat.h"

/*
 * Whether the system call works.  A container's system call filter can reject it even for the
 * process itself.
 */
static bool call_works(void)
{
    char from = 1, to = 0;
    struct iovec local = {.iov_base = &to, .iov_len = 1};
    struct iovec remote = {.iov_base = &from, .iov_len = 1};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1;
}

/*
 * Yama's setting: 0 lets processes of one user read each other; without Yama there is no such file.
 */
static bool kernel_allows(void)
{
    int scope = 0;
    FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
    if (file == NULL) {
        return true;
    }
    if (fscanf(file, "%d", &scope) != 1) {
        scope = 1;
    }
    (void)fclose(file);
    return scope == 0;
}

bool mca_coll_symm_single_copy(void)
{
    static atomic_int known = -1; /* several threads may ask at once: all come to the same answer */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer < 0) {
        answer = call_works() && kernel_allows() && symm_ompi_wants_single_copy();
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer > 0;
}

/*
 * Data that go from core to core twice, into the buffer and out of it, cost more where cores have
 * their caches for themselves.  With two ranks on two such cores (Intel) all-to-alls of 128 KiB to
 * 1 MiB a block took 1.08 to 1.30 times as long staged, and with four ranks up to 1.23 times from
 * 256 KiB on (bench/results/host-two-copies.txt); where cores share a cache (AMD) 0.5 to 0.65 times
 * (host-exchanges.txt).
 */
bool mca_coll_symm_single_copy_is_quicker(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_is("intel") && mca_coll_symm_single_copy();
#else
    return false; /* not measured */
#endif
}
