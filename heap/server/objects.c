/*
 * objects.c - see objects.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap/headroom.h"
#include "heap/server/objects.h"

struct symm_objects_entry {
    struct symm_object_id id;
    struct symm_object object;
    struct symm_objects_entry *next;
};

struct symm_objects_entry *symm_objects_prepare(const struct symm_object_id *id,
                                                const struct symm_object *object)
{
    struct symm_objects_entry *entry = malloc(sizeof(*entry));
    if (entry == NULL) {
        return NULL;
    }
    *entry = (struct symm_objects_entry){.id = *id, .object = *object};
    if (object->descriptor >= 0) {
        entry->object.descriptor = symm_headroom_descriptor(SYMM_DESCRIPTOR_LASTING) == SYMM_OK
                                       ? fcntl(object->descriptor, F_DUPFD_CLOEXEC, 0)
                                       : -1;
        if (entry->object.descriptor < 0) {
            free(entry);
            return NULL;
        }
    }
    return entry;
}

static size_t chain_of(const struct symm_object_id *id)
{
    const unsigned char *byte = (const unsigned char *)id;
    uint32_t hash = UINT32_C(2166136261); /* FNV-1a */
    for (size_t i = 0; i < sizeof(*id); i++) {
        hash = (hash ^ byte[i]) * UINT32_C(16777619);
    }
    return hash % SYMM_OBJECTS_CHAINS;
}

const struct symm_object *symm_objects_find(const struct symm_objects *objects,
                                            const struct symm_object_id *id)
{
    const struct symm_objects_entry *entry = objects->chains[chain_of(id)];
    while (entry != NULL && memcmp(&entry->id, id, sizeof(*id)) != 0) {
        entry = entry->next;
    }
    return entry != NULL ? &entry->object : NULL;
}

static void entry_remove(struct symm_objects_entry **link)
{
    struct symm_objects_entry *entry = *link;
    *link = entry->next;
    if (entry->object.descriptor >= 0) {
        (void)close(entry->object.descriptor);
    }
    free(entry);
}

void symm_objects_remove(struct symm_objects *objects, const struct symm_object_id *id)
{
    struct symm_objects_entry **link = &objects->chains[chain_of(id)];
    while (*link != NULL && memcmp(&(*link)->id, id, sizeof(*id)) != 0) {
        link = &(*link)->next;
    }
    if (*link != NULL) {
        entry_remove(link);
    }
}

void symm_objects_add(struct symm_objects *objects, struct symm_objects_entry *prepared)
{
    struct symm_objects_entry **chain = &objects->chains[chain_of(&prepared->id)];
    symm_objects_remove(objects, &prepared->id);
    prepared->next = *chain;
    *chain = prepared;
}

void symm_objects_clear(struct symm_objects *objects)
{
    for (size_t i = 0; i < SYMM_OBJECTS_CHAINS; i++) {
        while (objects->chains[i] != NULL) {
            entry_remove(&objects->chains[i]);
        }
    }
}
