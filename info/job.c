/*
 * job.c - see job.h.
 *
 * Each rank looks at its machine before MPI_Init, because that may end the job. Then the ranks of
 * each node make some calls, and rank 0 collects what all have found.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "info/calls.h"
#include "info/job.h"
#include "info/machine.h"
#include "info/merge.h"
#include "info/mpi_library.h"
#include "info/print.h"
#include "info/watch.h"

static int number_of(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    return text != NULL && *text != '\0' ? atoi(text) : otherwise;
}

bool job_is_there(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") != NULL || getenv("PMIX_NAMESPACE") != NULL;
}

static bool is_first_rank(void)
{
    return number_of("OMPI_COMM_WORLD_RANK", number_of("PMIX_RANK", 0)) == 0;
}

/* ---- this rank alone ------------------------------------------------------------------------- */

static void own_print(const struct findings *findings, bool json)
{
    struct node node = {.ranks = 1, .findings = *findings};
    const struct nodes nodes = {.list = &node, .count = 1, .is_job = true};
    (void)gethostname(node.name, sizeof(node.name) - 1);
    (void)nodes_print(&nodes, json);
}

/* ---- all ranks ------------------------------------------------------------------------------- */

/* What rank 0 has to know before a rank's findings come. */
struct card {
    int first;  /* rank of the node */
    int length; /* of the findings in packed form */
    char name[64];
};

struct collection {
    struct card *cards;
    char *texts;
    int *lengths, *places;
};

static void *array_make(size_t count, size_t size)
{
    void *array = calloc(count > 0 ? count : 1, size);
    if (array == NULL) {
        (void)fputs("symm_info: out of memory\n", stderr);
        exit(1);
    }
    return array;
}

static void collection_make(struct collection *collection, const struct mpi_library *mpi, int rank,
                            int ranks, const struct card *card, const char *packed)
{
    int all = 0;
    collection->cards = array_make((size_t)ranks, sizeof(*collection->cards));
    collection->lengths = array_make((size_t)ranks, sizeof(int));
    collection->places = array_make((size_t)ranks, sizeof(int));
    (void)mpi->MPI_Gather(card, sizeof(*card), mpi->type_char, collection->cards, sizeof(*card),
                          mpi->type_char, 0, mpi->world);
    for (int i = 0; rank == 0 && i < ranks; i++) {
        collection->lengths[i] = collection->cards[i].length;
        collection->places[i] = all;
        all += collection->lengths[i];
    }
    collection->texts = array_make((size_t)all + 1, 1);
    (void)mpi->MPI_Gatherv(packed, card->length, mpi->type_char, collection->texts,
                           collection->lengths, collection->places, mpi->type_char, 0,
                           mpi->world);
}

static void collection_free(struct collection *collection)
{
    free(collection->cards);
    free(collection->texts);
    free(collection->lengths);
    free(collection->places);
}

/* The findings of the ranks whose node has this first rank. */
static void node_make(struct node *node, const struct collection *collection, int ranks, int first)
{
    struct rank_findings *members = array_make((size_t)ranks, sizeof(*members));
    *node = (struct node){.first = first};
    (void)snprintf(node->name, sizeof(node->name), "%s", collection->cards[first].name);
    for (int i = first; i < ranks; i++) {
        if (collection->cards[i].first == first) {
            /* texts end with 0 bytes, which travel along */
            members[node->ranks].rank = i;
            findings_unpack(&members[node->ranks].findings,
                            collection->texts + collection->places[i]);
            node->ranks++;
        }
    }
    findings_merge(members, node->ranks, &node->findings);
    for (int i = 0; i < node->ranks; i++) {
        findings_free(&members[i].findings);
    }
    free(members);
}

/* Rank 0: print all nodes.  Returns the number of problems. */
static size_t collection_print(const struct collection *collection, int ranks, bool json)
{
    struct nodes nodes = {.is_job = true};
    nodes.list = array_make((size_t)ranks, sizeof(*nodes.list));
    for (int i = 0; i < ranks; i++) {
        if (collection->cards[i].first == i) {
            node_make(&nodes.list[nodes.count++], collection, ranks, i);
        }
    }
    if (nodes.count > 1) {
        finding_add(&nodes.list[0].findings, TOPIC_SERVED, FINDING_NOTE, "nodes",
                    "MPI_COMM_WORLD has ranks on %d nodes: its collectives are Open MPI's; those "
                    "on communicators of each node's ranks are served",
                    nodes.count);
        finding_remedy(&nodes.list[0].findings, "MPI_Comm_split_type(MPI_COMM_TYPE_SHARED)");
    }
    size_t problems = nodes_print(&nodes, json);
    for (int i = 0; i < nodes.count; i++) {
        findings_free(&nodes.list[i].findings);
    }
    free(nodes.list);
    return problems;
}

static int ranks_compare(const struct mpi_library *mpi, MPI_Comm node, bool json,
                         const struct findings *findings)
{
    int rank, ranks;
    struct card card = {.first = 0};
    struct collection collection;
    (void)mpi->MPI_Comm_rank(mpi->world, &rank);
    (void)mpi->MPI_Comm_size(mpi->world, &ranks);
    card.first = rank;
    (void)mpi->MPI_Bcast(&card.first, 1, mpi->type_int, 0, node);
    (void)gethostname(card.name, sizeof(card.name) - 1);
    char *packed = findings_pack(findings);
    card.length = (int)strlen(packed) + 1;
    collection_make(&collection, mpi, rank, ranks, &card, packed);
    size_t problems = rank == 0 ? collection_print(&collection, ranks, json) : 0;
    collection_free(&collection);
    free(packed);
    return problems > 0;
}

static int run_with(const struct mpi_library *mpi, bool json, const struct machine *machine,
                    struct findings *findings)
{
    MPI_Comm node;
    char name[64] = "";
    (void)gethostname(name, sizeof(name) - 1);
    if (is_first_rank()) {
        watch_begin(name, findings, json);
    }
    /* Calls are there to be seen, not to be the fastest: no multicast object is made for them. */
    (void)setenv("OMPI_MCA_coll_symm_multicast", "never", 1);
    if (mpi->MPI_Init(NULL, NULL) != MPI_SUCCESS) {
        return 1;
    }
    watch_started();
    (void)mpi->MPI_Comm_set_errhandler(mpi->world, mpi->errors_return);
    (void)mpi->MPI_Comm_split_type(mpi->world, MPI_COMM_TYPE_SHARED, 0, mpi->info_null, &node);
    calls_make(mpi, node, machine->gpus > 0, findings);
    watch_end();
    int status = ranks_compare(mpi, node, json, findings);
    (void)mpi->MPI_Comm_free(&node);
    (void)mpi->MPI_Finalize();
    return status;
}

int job_run(bool json)
{
    struct findings findings = {.count = 0};
    struct machine machine;
    struct mpi_library mpi;
    char text[512];
    machine_look(&machine, number_of("OMPI_COMM_WORLD_LOCAL_SIZE", 1), &findings);
    if (!machine.has_ompi || !mpi_library_open(&mpi, text, sizeof(text))) {
        if (is_first_rank()) {
            own_print(&findings, json);
        }
        return 1;
    }
    int status = run_with(&mpi, json, &machine, &findings);
    findings_free(&findings);
    return status;
}
