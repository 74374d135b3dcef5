/*
 * base/modex.c - see base/modex.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/base/modex.h"

#include <pthread.h>
#include <stdlib.h>

#include "heap/team/process.h"
#include "mca/coll/symm/base/component.h"

/* Communicators may be created in several threads. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static opal_hash_table_t table; /* process name -> char *; "" for a process that has none */
static bool is_open;

static uint64_t key_of(const ompi_proc_t *proc)
{
    uint64_t key = 0;
    _Static_assert(sizeof(proc->super.proc_name) <= sizeof(key), "process names fit in a key");
    memcpy(&key, &proc->super.proc_name, sizeof(proc->super.proc_name));
    return key;
}

/* What a process publishes about itself. */
struct card {
    int32_t priority;
    int32_t refusal; /* 0, or why it cannot take part; then there is no name */
    char name[SYMM_NAME_SIZE];
};

static struct card own_card;

static int own_card_publish(void)
{
    return symm_ompi_modex_send(&mca_coll_symm_component.super.collm_version, &own_card,
                                sizeof(own_card));
}

void mca_coll_symm_modex_refuse(int reason)
{
    own_card = (struct card){.refusal = reason};
    (void)own_card_publish();
}

int mca_coll_symm_modex_open(const char *own_name, int own_priority)
{
    enum { SIZE_AT_FIRST = 64 };
    OBJ_CONSTRUCT(&table, opal_hash_table_t);
    is_open = true;
    int rc = opal_hash_table_init(&table, SIZE_AT_FIRST);
    if (rc == OPAL_SUCCESS) {
        own_card.priority = own_priority;
        strncpy(own_card.name, own_name, sizeof(own_card.name) - 1);
        rc = own_card_publish();
    }
    return rc;
}

void mca_coll_symm_modex_close(void)
{
    if (!is_open) {
        return;
    }
    uint64_t key;
    void *name, *node = NULL;
    int rc = opal_hash_table_get_first_key_uint64(&table, &key, &name, &node);
    while (rc == OPAL_SUCCESS) {
        free(name);
        rc = opal_hash_table_get_next_key_uint64(&table, &key, &name, node, &node);
    }
    OBJ_DESTRUCT(&table);
    is_open = false;
}

/*
 * Get what the process has published, or an empty card if it has published nothing.  False: there
 * is no memory.
 */
static bool card_fetch(const ompi_proc_t *proc, struct card *card)
{
    void *data = NULL;
    size_t size = 0;
    int rc = symm_ompi_modex_receive(&mca_coll_symm_component.super.collm_version, proc, &data,
                                     &size);
    *card = (struct card){.priority = 0};
    if (rc == OMPI_SUCCESS && size == sizeof(*card)) {
        memcpy(card, data, sizeof(*card));
    }
    free(data);
    return rc != OMPI_ERR_OUT_OF_RESOURCE;
}

/* A string for the table, empty for a process that does not take part; NULL: no memory. */
static char *name_fetch(const ompi_proc_t *proc)
{
    struct card card;
    if (!card_fetch(proc, &card)) {
        return NULL;
    }
    bool alike = card.priority == own_card.priority && card.name[sizeof(card.name) - 1] == '\0';
    return strdup(alike ? card.name : "");
}

int mca_coll_symm_server_name(const ompi_proc_t *proc, const char **name)
{
    void *found = NULL;
    (void)pthread_mutex_lock(&mutex);
    if (opal_hash_table_get_value_uint64(&table, key_of(proc), &found) != OPAL_SUCCESS) {
        found = name_fetch(proc);
        if (found != NULL &&
            opal_hash_table_set_value_uint64(&table, key_of(proc), found) != OPAL_SUCCESS) {
            free(found);
            found = NULL;
        }
    }
    (void)pthread_mutex_unlock(&mutex);
    if (found == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    *name = *(const char *)found != '\0' ? found : NULL;
    return OMPI_SUCCESS;
}

int mca_coll_symm_refusal(const ompi_proc_t *proc)
{
    struct card card;
    return card_fetch(proc, &card) ? card.refusal : 0;
}
