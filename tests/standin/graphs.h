/*
 * graphs.h - work that is kept: what graphs are made of, and the streams that are captured into
 * one.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_STANDIN_GRAPHS_H
#define SYMM_TESTS_STANDIN_GRAPHS_H

#include "tests/standin/standin.h"

#include <stdalign.h>

/* ---- work ------------------------------------------------------------------------------------ */

/*
 * Gives work to a stream, under the lock: at once, or at each launch of a graph that holds it.  So
 * what has been freed meanwhile is found.
 */
typedef CUresult standin_give(const void *payload, CUstream stream);

struct CUgraphNode_st {
    CUgraphNode next;
    standin_give *give; /* NULL: for the stream's thread as it is */
    standin_run *run;
    size_t size;
    alignas(max_align_t) unsigned char payload[];
};

struct standin_nodes {
    CUgraphNode first, last;
};

/* Behind the others; `give` or `run`.  NULL: no memory. */
CUgraphNode standin_node_add(struct standin_nodes *nodes, standin_give *give, standin_run *run,
                             const void *payload, size_t size);

/* As cuGraphLaunch() does. */
CUresult standin_nodes_give(const struct standin_nodes *nodes, CUstream stream);

CUresult standin_nodes_copy(struct standin_nodes *to, const struct standin_nodes *from);
void standin_nodes_free(struct standin_nodes *nodes);

/* Do `give` now, or have the graph do it into which the stream is captured. */
CUresult standin_stream_give(CUstream stream, standin_give *give, const void *payload, size_t size);

/* ---- user objects (user_objects.c) ----------------------------------------------------------- */

/* What a graph, or what is launched of it, keeps. */
struct standin_references {
    struct standin_reference *first;
};

/* So many references: new ones, or the program's own, which it then has no more. */
CUresult standin_references_add(struct standin_references *references, CUuserObject object,
                                unsigned count, bool moves);
CUresult standin_references_copy(struct standin_references *to,
                                 const struct standin_references *from);
void standin_references_drop(struct standin_references *references);

/* Keep the objects until what the stream has now is done, or as long as what captures it. */
CUresult standin_references_hold(const struct standin_references *references, CUstream stream);

/* ---- graphs (graphs.c) ----------------------------------------------------------------------- */

struct CUgraph_st {
    struct standin_object object;
    bool is_captured; /* as yet */
    struct standin_nodes nodes;
    struct standin_references references;
};

CUgraph standin_graph_new(void); /* an empty one; NULL: no memory */
void standin_graph_free(CUgraph graph);
bool standin_graph_is(CUgraph graph);

/* ---- captures (capture.c) -------------------------------------------------------------------- */

struct standin_capture {
    unsigned long long id;
    CUgraph graph; /* what has been given so far, in that order: a chain, whatever the streams */
    CUstream origin;
    CUstreamCaptureMode mode;
    pthread_t capturer; /* the thread that has begun it */
    bool spoilt;
};

/* The place of an event that is recorded while the stream is captured. */
struct standin_capture_place {
    unsigned long long capture; /* 0: in no capture */
    CUstream stream;
    uint64_t number;
};

/* The stream waits for that place, and so is captured with it. */
CUresult standin_capture_join(CUstream stream, const struct standin_capture_place *place);

/* One more work of a stream that is captured. */
CUresult standin_capture_add(CUstream stream, standin_give *give, standin_run *run,
                             const void *payload, size_t size);

/* The stream goes. */
void standin_capture_leave(CUstream stream);

#endif /* SYMM_TESTS_STANDIN_GRAPHS_H */
