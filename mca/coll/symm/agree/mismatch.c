/*
 * agree/mismatch.c - see agree/mismatch.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/agree/mismatch.h"

#include <stdio.h>
#include <string.h>

#include "mca/coll/symm/base/line.h"
#include "mca/coll/symm/base/signature.h"
#include "mca/help.h"

static const char *op_name(unsigned op)
{
    static const char *const names[OMPI_OP_NUM_OF_TYPES] = {
        [OMPI_OP_MAX] = "MPI_MAX",       [OMPI_OP_MIN] = "MPI_MIN",
        [OMPI_OP_SUM] = "MPI_SUM",       [OMPI_OP_PROD] = "MPI_PROD",
        [OMPI_OP_LAND] = "MPI_LAND",     [OMPI_OP_BAND] = "MPI_BAND",
        [OMPI_OP_LOR] = "MPI_LOR",       [OMPI_OP_BOR] = "MPI_BOR",
        [OMPI_OP_LXOR] = "MPI_LXOR",     [OMPI_OP_BXOR] = "MPI_BXOR",
        [OMPI_OP_MAXLOC] = "MPI_MAXLOC", [OMPI_OP_MINLOC] = "MPI_MINLOC",
        [OMPI_OP_REPLACE] = "MPI_REPLACE",
    };
    return op < OMPI_OP_NUM_OF_TYPES && names[op] != NULL ? names[op] : "an unknown operation";
}

/* The name of one of the classes that entry/reduction.h tells apart. */
static const char *element_name(unsigned element)
{
    static const char *const names[] = {"of another type", "integers", "floating point", "complex"};
    return element < sizeof(names) / sizeof(*names) ? names[element] : names[0];
}

/* What is said of the ranks' counts where these are not alike, though their sum may be. */
static void counts_describe(struct symm_signature signature, char *text, size_t size)
{
    if (symm_collective_get(signature.collective)->has_counts) {
        size_t length = strlen(text);
        (void)snprintf(text + length, size - length, ", in all, with counts of checksum %06x",
                       signature.root);
    }
}

static void root_describe(struct symm_signature signature, char *text, size_t size)
{
    if (symm_collective_get(signature.collective)->is_rooted) {
        size_t length = strlen(text);
        (void)snprintf(text + length, size - length, ", root %u", signature.root);
    }
}

static void call_describe(const struct symm_line *line, char *text, size_t size)
{
    struct symm_signature signature = symm_signature_unpack(line->signature);
    unsigned long long count = line->count;
    if (signature.collective >= SYMM_COLLECTIVE_COUNT) { /* a later release has made the call */
        (void)snprintf(text, size, "another collective");
        return;
    }
    const struct symm_collective_row *collective = symm_collective_get(signature.collective);
    if (!collective->reads_inputs && !collective->writes_outputs) {
        (void)snprintf(text, size, "%s", collective->mpi_name);
    } else if (collective->has_tables) { /* ranks do not compare sizes */
        (void)snprintf(text, size, "%s", collective->mpi_name);
    } else if (collective->has_blocks && collective->gathers) {
        (void)snprintf(text, size, "%s of %llu bytes", collective->mpi_name, count);
    } else if (collective->has_blocks) {
        (void)snprintf(text, size, "%s of %llu bytes from each rank to each",
                       collective->mpi_name, count);
    } else if (!collective->reduces) {
        (void)snprintf(text, size, "%s of %llu bytes %s each rank", collective->mpi_name, count,
                       collective->from_root ? "for" : "from");
    } else if (signature.op == SYMM_SIGNATURE_USER_OP) {
        (void)snprintf(text, size, "%s of %llu bytes with a user-defined operation",
                       collective->mpi_name, count);
    } else {
        (void)snprintf(text, size, "%s of %llu elements of %zu bytes (%s) with %s",
                       collective->mpi_name, count, signature.extent,
                       element_name(signature.element), op_name(signature.op));
    }
    counts_describe(signature, text, size);
    root_describe(signature, text, size);
}

/* Whether a rank gets data from another one in a collective. */
static bool is_fed(const struct symm_collective_row *row, int root, int from, int to)
{
    return (!row->from_root || from == root) && (!row->to_root || to == root) &&
           (!row->is_prefix || from < to);
}

/*
 * Whether a rank has less room than another one sends to it, as far as the lines are here.  Open
 * MPI's own components know no other error of counts.
 */
static bool is_room_short(const struct symm_operation *operation, struct symm_signature mine)
{
    const struct symm_team *team = operation->lane->team;
    const struct symm_collective_row *row = symm_collective_get(mine.collective);
    for (int from = 0; from < team->size; from++) {
        for (int to = 0; to < team->size; to++) {
            struct symm_line *sent = mca_coll_symm_line(operation, from);
            struct symm_line *received = mca_coll_symm_line(operation, to);
            if (is_fed(row, (int)mine.root, from, to) &&
                symm_line_is_posted(sent, operation->work.sequence) &&
                symm_line_is_posted(received, operation->work.sequence) &&
                sent->signature == received->signature && sent->count > received->count) {
                return true;
            }
        }
    }
    return false;
}

/* The MPI error class that best fits the difference. */
static int error_class(const struct symm_operation *operation, const struct symm_line *mine,
                       const struct symm_line *theirs)
{
    struct symm_signature signature = symm_signature_unpack(mine->signature);
    struct symm_signature difference = symm_signature_unpack(mine->signature ^ theirs->signature);
    const struct symm_collective_row *row = symm_collective_get(signature.collective);
    if (difference.collective != 0) {
        return MPI_ERR_OTHER;
    }
    if (difference.root != 0 && row->is_rooted) {
        return MPI_ERR_ROOT;
    }
    if (difference.op != 0) {
        return MPI_ERR_OP;
    }
    if (difference.element != 0 || difference.extent != 0) {
        return MPI_ERR_TYPE;
    }
    bool is_short = difference.root != 0 || is_room_short(operation, signature);
    return is_short ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT; /* or checksums of ranks' counts differ */
}

/*
 * Rank 0 tells the user, if all ranks have read the same lines.  In a loose call each rank that
 * notices tells: others may have noticed nothing.
 */
static bool tells(const struct symm_operation *operation)
{
    return operation->lane->team->rank == 0 || operation->loose ||
           (mca_coll_symm_line(operation, 0)->flags & LINE_LOOSE) != 0;
}

bool mca_coll_symm_mismatch_report(const struct symm_operation *operation, int *error)
{
    char mine[200], theirs[200];
    int rank = operation->lane->team->rank;
    const struct symm_line *my_line = mca_coll_symm_line(operation, rank);
    const struct symm_line *their_line = mca_coll_symm_line(operation, operation->mismatch);
    bool is_told = tells(operation);
    if (is_told) {
        call_describe(my_line, mine, sizeof(mine));
        call_describe(their_line, theirs, sizeof(theirs));
        symm_help_show("help-coll-symm.txt", "mismatch", operation->comm->c_name, rank, mine,
                       operation->mismatch, theirs);
    }
    *error = error_class(operation, my_line, their_line);
    return is_told;
}

int mca_coll_symm_truncated_report(const struct symm_operation *operation, int sender,
                                   size_t bytes, size_t room)
{
    symm_help_show("help-coll-symm.txt", "truncated",
                   symm_collective_get(operation->call->collective)->mpi_name,
                   operation->comm->c_name, sender, (unsigned long long)bytes,
                   operation->lane->team->rank, (unsigned long long)room);
    return MPI_ERR_TRUNCATE;
}
