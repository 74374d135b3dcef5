/*
 * resources/resource.h - what a call may need besides control memory: mapped segments of peers,
 * pads, memory from elsewhere, scratch, multicast.
 *
 * Each resource is a row of functions, in a file of its own.  The folders above walk all rows in
 * one loop, and name none.  A rank prepares a resource before it writes its line, says in the line
 * what it offers, and notes from all lines what the ranks have together.  The choice of an
 * algorithm goes by these facts.  The ranks may then have to set something up, with votes.  When
 * the run starts, the resource tells it addresses; when the call is over, it takes back what the
 * call has had.
 *
 * Calls whose data travel in their lines use no resource.  Those in host memory skip all rows
 * without `on_host`.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_RESOURCES_RESOURCE_H
#define MCA_COLL_SYMM_RESOURCES_RESOURCE_H

#include "heap/gpu/cuda_device.h"
#include "heap/team/pads.h"
#include "mca/coll/symm/base/line.h"
#include "mca/coll/symm/choose/choose.h"

/* All functions but the ones that a resource needs are NULL. */
struct symm_resource {
    const char *name; /* for whoever debugs */
    bool on_host;     /* it is also for calls in host memory */

    /*
     * Before the line is written, and again before a second one (operation->again): get what this
     * rank offers, and let go of what has become needless.  Returns SYMM_REASON_NONE, or why this
     * rank cannot be served.  Local.
     */
    enum symm_reason (*prepare)(struct symm_operation *operation);

    /*
     * What the line says.  Returns flags for it; line->flags has those of the buffers and of the
     * rows before.
     */
    uint32_t (*describe)(struct symm_operation *operation, struct symm_line *line);

    /* The line is posted, and the others have yet to read it: begin what takes as long as that. */
    void (*posted)(struct symm_operation *operation);

    /*
     * All lines are there: what they say, into the facts, which hold what the rows before have
     * noted.  All ranks find the same.  May be called several times in a call.
     */
    void (*note)(struct symm_operation *operation, struct symm_facts *facts);

    /*
     * All ranks have chosen an algorithm, or SYMM_ALGORITHM_COUNT: none, or there is no choice yet.
     * Returns whether the ranks have to set something up together, which is begun; the rows behind
     * are not asked.
     */
    bool (*chosen)(struct symm_operation *operation, enum symm_algorithm algorithm,
                   const struct symm_facts *facts);

    /*
     * Go on with setting it up.  SYMM_PENDING until that is over.  SYMM_OK: the ranks choose again,
     * by new facts.  SYMM_ERR_SYSTEM: a vote has failed, and the call fails with the vote's error.
     */
    enum symm_status (*set_up)(struct symm_operation *operation);

    /*
     * The run starts: its addresses.  False: this rank has lost what all ranks count on, and the
     * run has to fail.
     */
    bool (*resolve)(struct symm_operation *operation, const struct symm_facts *facts);

    /* The call is over, whatever has happened: take back what it has had.  Called once. */
    void (*leave)(struct symm_operation *operation);
};

/* ---- the walks, for the folders above -------------------------------------------------------- */

/*
 * All are for calls whose data do not travel in their lines.  The first may set operation->veto.
 * After the second the line's flags are complete.
 */
void mca_coll_symm_resources_prepare(struct symm_operation *operation);
void mca_coll_symm_resources_describe(struct symm_operation *operation, struct symm_line *line);
void mca_coll_symm_resources_posted(struct symm_operation *operation);
void mca_coll_symm_resources_note(struct symm_operation *operation, struct symm_facts *facts);
bool mca_coll_symm_resources_chosen(struct symm_operation *operation,
                                    enum symm_algorithm algorithm, const struct symm_facts *facts);
bool mca_coll_symm_resources_resolve(struct symm_operation *operation,
                                     const struct symm_facts *facts);

/* After mca_coll_symm_resources_chosen() has returned true, until it is not SYMM_PENDING. */
enum symm_status mca_coll_symm_resources_set_up(struct symm_operation *operation);

/* Also of a call that has ended before its line was written. */
void mca_coll_symm_resources_leave(struct symm_operation *operation);

/* ---- for the rows ---------------------------------------------------------------------------- */

/* A buffer of this rank in device memory that is not of our heaps; see resources/elsewhere.c. */
struct symm_offer {
    bool is_elsewhere; /* the buffer is from elsewhere, and peers need it */
    bool is_made; /* peers may open the buffer */
    struct symm_location location;
    struct symm_ipc_handle handle;
};

/* Segments that are being mapped, and a vote about them; see resources/segments.c. */
struct symm_mapping {
    bool is_cast;      /* this rank has voted */
    bool of_elsewhere; /* memory from elsewhere is being mapped, and not segments */
    int rank;          /* whose segments are next */
    enum symm_status status; /* the first failure to map one here */
    int error;         /* its errno, where the status has one */
    bool is_told;      /* the failure is a device's, and this rank has told the user */
};

/* A multicast address that is being set up; see resources/multicast.c. */
struct symm_multicasting {
    unsigned step;
    bool is_cast;                      /* this rank has voted about the step */
    char failure[SYMM_CUDA_TEXT_SIZE]; /* what has failed on this rank */
};

/* What the call under way has on this rank.  A lane has one, for all its calls. */
struct symm_holdings {
    struct symm_pad *pad;    /* the lane's that this rank's line offers; NULL: none */
    struct symm_offer input_offer, output_offer;
    struct symm_imports *imports; /* in use by this call; NULL: none */
    uint32_t dropped;        /* what symm_imports_enter() has returned */
    void *scratch;           /* on the device, taken for this call; NULL: none */
    size_t scratch_size;     /* of this rank's scratch; the run has the size that all have */
    int scratch_piece;       /* which piece it is; resources/scratch.h */
    bool relay_expected;     /* this rank's line says: through scratch, or below */
    const struct symm_resource *under_set_up;
    struct symm_location *locations; /* [ranks]: of all inputs or outputs, for a moment */
    struct symm_mapping mapping;
    struct symm_multicasting multicasting;
};

/* The rows, in the order of the walks. */
extern const struct symm_resource mca_coll_symm_segments, mca_coll_symm_pads,
    mca_coll_symm_elsewhere, mca_coll_symm_scratch, mca_coll_symm_multicast;

#endif /* MCA_COLL_SYMM_RESOURCES_RESOURCE_H */
