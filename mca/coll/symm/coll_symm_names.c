/*
 * coll_symm_names.c - see coll_symm_names.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/coll_symm_names.h"

#include <pthread.h>
#include <stdlib.h>

#include "mca/coll/symm/coll_symm.h"

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

int mca_coll_symm_names_open(const char *own_name)
{
    enum { SIZE_AT_FIRST = 64 };
    OBJ_CONSTRUCT(&table, opal_hash_table_t);
    is_open = true;
    int rc = opal_hash_table_init(&table, SIZE_AT_FIRST);
    if (rc == OPAL_SUCCESS) {
        rc = symm_ompi_modex_send(&mca_coll_symm_component.super.collm_version, own_name,
                                  strlen(own_name) + 1);
    }
    return rc;
}

void mca_coll_symm_names_close(void)
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

/* A string for the table: what the process has published, or an empty one. */
static char *name_fetch(const ompi_proc_t *proc)
{
    void *data = NULL;
    size_t size = 0;
    int rc = symm_ompi_modex_receive(&mca_coll_symm_component.super.collm_version, proc, &data,
                                     &size);
    char *name = data;
    if (rc == OMPI_SUCCESS && size > 0 && name[size - 1] == '\0') {
        return name;
    }
    free(data);
    return strdup("");
}

const char *mca_coll_symm_server_name(const ompi_proc_t *proc)
{
    void *name = NULL;
    (void)pthread_mutex_lock(&mutex);
    if (opal_hash_table_get_value_uint64(&table, key_of(proc), &name) != OPAL_SUCCESS) {
        name = name_fetch(proc);
        if (name != NULL &&
            opal_hash_table_set_value_uint64(&table, key_of(proc), name) != OPAL_SUCCESS) {
            free(name);
            name = NULL;
        }
    }
    (void)pthread_mutex_unlock(&mutex);
    const char *found = name;
    return found != NULL && found[0] != '\0' ? found : NULL;
}
