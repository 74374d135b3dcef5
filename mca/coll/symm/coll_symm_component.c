/*
 * coll_symm_component.c - the component: registration, opening and closing.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <errno.h>

#include "kernels/cuda/launch/device.h"
#include "kernels/cuda/launch/host_memory.h"
#include "mca/coll/symm/coll_symm.h"
#include "mca/coll/symm/base/modex.h"
#include "mca/coll/symm/data/recognise.h"
#include "mca/coll/symm/host_copy/request.h"
#include "mca/coll/symm/nodes/present.h"
#include "mca/coll/symm/nodes/request.h"
#include "mca/coll/symm/report/pvars.h"
#include "mca/coll/symm/report/report.h"
#include "mca/coll/symm/device/pack_buffers.h"
#include "mca/coll/symm/resources/scratch_pieces.h"
#include "mca/coll/symm/report/shortage.h"
#include "mca/coll/symm/choose/table_file.h"
#include "mca/coll/symm/report/verbose.h"
#include "mca/coll/symm/request/request.h"
#include "mca/help.h"
#include "mca/once.h"
#include "mca/release.h"

static int component_register(void);
static int component_open(void);
static int component_close(void);

mca_coll_symm_component_t mca_coll_symm_component = {
    .super = {
        .collm_version = {
            SYMM_COLL_BASE_VERSION,
            .mca_component_name = "symm",
            MCA_BASE_MAKE_VERSION(component, SYMM_COMPONENT_MAJOR, SYMM_COMPONENT_MINOR,
                                  SYMM_COMPONENT_RELEASE),
            .mca_open_component = component_open,
            .mca_close_component = component_close,
            .mca_register_component_params = component_register,
        },
        .collm_data = { SYMM_COMPONENT_METADATA, .reserved = {0} },
        .collm_init_query = mca_coll_symm_init_query,
        .collm_comm_query = mca_coll_symm_comm_query,
    },
};

static int component_register(void)
{
    static bool busy; /* selecting the other components registers this one again */
    mca_coll_symm_component_t *component = &mca_coll_symm_component;
    if (busy) {
        return OMPI_SUCCESS;
    }
    if (!symm_release_is_ours()) {
        return OMPI_ERR_NOT_AVAILABLE;
    }
    busy = true;
    symm_help_open();
    mca_coll_symm_select_register();
    mca_coll_symm_parameters_register(component);
    mca_coll_symm_pvars_register(&component->super.collm_version);
    busy = false;
    return OMPI_SUCCESS;
}

/* ---- opening and closing --------------------------------------------------------------------- */

/* Free what is only there to make calls quick: symm_process_on_shortage(). */
static bool device_spare(int device)
{
    bool had_rooms = mca_coll_symm_pack_buffers_spare(device);
    return mca_coll_symm_scratch_spare(device) || had_rooms;
}

/* In the server's thread, which has refused one. */
static void stranger_warn(void)
{
    if (symm_once("strangers")) {
        symm_help_show("help-coll-symm.txt", "strangers", (int)OPAL_PROC_MY_NAME.vpid,
                       opal_process_info.nodename);
    }
}

/*
 * The server's name goes into the data that processes exchange in MPI_Init, which happens after
 * components are opened and before they are queried.
 */
static int component_open(void)
{
    mca_coll_symm_component_t *component = &mca_coll_symm_component;
    if (!mca_coll_symm_select_interface_is_theirs()) {
        return OMPI_ERR_NOT_AVAILABLE;
    }
    mca_coll_symm_verbose_open();
    symm_host_blocks_limit(component->host_pinned);
    symm_device_use_graphs(component->device_graphs);
    enum symm_status status = symm_process_acquire(NULL, &component->process);
    if (status != SYMM_OK) {
        int reason = mca_coll_symm_shortage(status, errno);
        component->process = NULL;
        mca_coll_symm_verbose(SYMM_VERBOSE_TROUBLE, "not used: %s", symm_status_string(status));
        mca_coll_symm_verbose_close();
        mca_coll_symm_modex_refuse(reason);
        if (opal_process_info.my_local_rank == 0) {
            mca_coll_symm_shortage_warn(MCA_COLL_SYMM_CANNOT_SHARE, "MPI_COMM_WORLD",
                                      (int)OPAL_PROC_MY_NAME.vpid, reason);
        }
        return OMPI_ERR_NOT_AVAILABLE;
    }
    const char *name = symm_process_name(component->process);
    if (mca_coll_symm_reserve_open() != OMPI_SUCCESS ||
        mca_coll_symm_modex_open(name, component->priority) != OMPI_SUCCESS) {
        (void)component_close();
        return OMPI_ERR_NOT_AVAILABLE;
    }
    mca_coll_symm_present_open();
    mca_coll_symm_table_open(component->table);
    mca_coll_symm_recognise_open(component->process);
    symm_process_on_shortage(component->process, device_spare);
    symm_server_on_refused(symm_process_server(component->process), stranger_warn);
    mca_coll_symm_report_open();
    return OMPI_SUCCESS;
}

static int component_close(void)
{
    mca_coll_symm_component_t *component = &mca_coll_symm_component;
    if (component->process != NULL) {
        symm_server_on_refused(symm_process_server(component->process), NULL);
        mca_coll_symm_report_close();
        mca_coll_symm_recognise_close();
        mca_coll_symm_table_close();
        mca_coll_symm_requests_close();
        mca_coll_symm_host_copy_requests_close();
        mca_coll_symm_nodes_requests_close();
        symm_host_blocks_close();
        mca_coll_symm_present_close();
        mca_coll_symm_modex_close();
        mca_coll_symm_reserve_close();
        symm_process_on_shortage(component->process, NULL);
        mca_coll_symm_scratch_close();
        mca_coll_symm_pack_buffers_close();
        symm_process_release(component->process);
        component->process = NULL;
    }
    mca_coll_symm_verbose_close();
    return OMPI_SUCCESS;
}

int mca_coll_symm_init_query(bool enable_progress_threads, bool enable_mpi_threads)
{
    (void)enable_progress_threads;
    (void)enable_mpi_threads; /* every thread level is fine */
    mca_coll_symm_select_check();
    return OMPI_SUCCESS;
}
