/*
 * objects.h - the objects that a server offers, by their ids.
 *
 * Not thread-safe.  An object with the descriptor -1 is there, and says that the object will never
 * come.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_SERVER_OBJECTS_H
#define SYMM_HEAP_SERVER_OBJECTS_H

#include "heap/server/socket.h"

enum { SYMM_OBJECTS_CHAINS = 256 };

/* All zero: there are none. */
struct symm_objects {
    struct symm_objects_entry *chains[SYMM_OBJECTS_CHAINS];
};

/* A place for an object with a duplicate of its descriptor; NULL: no memory, or no descriptor. */
struct symm_objects_entry *symm_objects_prepare(const struct symm_object_id *id,
                                                const struct symm_object *object);

/* The prepared object can be found from now on, in the place of an earlier one with this id. */
void symm_objects_add(struct symm_objects *objects, struct symm_objects_entry *prepared);

/* The object of this id; NULL: there is none. */
const struct symm_object *symm_objects_find(const struct symm_objects *objects,
                                            const struct symm_object_id *id);

/* Forget the object of this id, if there is one; forget all. */
void symm_objects_remove(struct symm_objects *objects, const struct symm_object_id *id);
void symm_objects_clear(struct symm_objects *objects);

#endif /* SYMM_HEAP_SERVER_OBJECTS_H */
