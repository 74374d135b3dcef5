/*
 * symm_mpix.h - MPI collectives on CUDA streams.
 *
 * A call named MPIX_..._enqueue is queued on the stream of its communicator, like a kernel, and
 * returns.  It runs on the stream without the host.  While the stream is captured, it becomes a
 * node of the graph, which may be launched any number of times.
 *
 *     MPI_Info_set(info, "type", "cudaStream_t");
 *     MPIX_Info_set_hex(info, "value", &cuda_stream, sizeof(cuda_stream));
 *     MPIX_Stream_create(info, &stream);
 *     MPIX_Stream_comm_create(MPI_COMM_WORLD, stream, &comm);
 *     MPIX_Allreduce_enqueue(input, output, count, MPI_FLOAT, MPI_SUM, comm);
 *     cudaStreamSynchronize(cuda_stream);
 *
 * Functions and names are MPICH's where MPICH has them (MPIX_Stream, "MPI: Extensions for threads
 * and GPU streams").  Those in its form for other collectives, and those that begin with
 * symm_mpix_, are of this library alone.  symm_mpix(3) is the reference.
 *
 * Where kernels cannot make a call, a thread of the library does: on several nodes, for ranks that
 * share a GPU, for operations of the program's own.  That needs MPI_THREAD_MULTIPLE.
 *
 * The rule for all calls: the work of a communicator, queued or in graphs, runs in one order, the
 * same on all ranks, and never two calls at a time on one rank.  What one stream holds obeys it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_MPIX_H
#define SYMM_MPIX_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SYMM_MPIX_API __attribute__((visibility("default")))

/* ---- streams --------------------------------------------------------------------------------- */

typedef struct symm_mpix_stream *MPIX_Stream;
#define MPIX_STREAM_NULL ((MPIX_Stream)0)

/*
 * Set `key` to the `size` bytes at `value`, as hexadecimal digits.  For handles, which are no
 * text.
 */
SYMM_MPIX_API int MPIX_Info_set_hex(MPI_Info info, const char *key, const void *value, int size);

/*
 * A stream.  Of the info: `type`, "cudaStream_t"; `value`, by MPIX_Info_set_hex(), the handle,
 * which stays the caller's and is destroyed after the last communicator that uses it; `symm_path`,
 * "auto", "kernels", which allows ranks that share a GPU (2 ms a call, for tests), or "host", which
 * has the host make all calls; `symm_bytes`, of device memory that a communicator takes at most, in
 * decimal digits, and `symm_blocks`, thread blocks that a kernel has at most, 8 or more.  Others
 * are ignored.  MPI_INFO_NULL: a stream without a GPU, on which nothing
 * can be queued.
 * Errors: MPI_ERR_ARG, MPI_ERR_INFO_VALUE, MPI_ERR_NO_MEM, which are returned, whatever the
 * handlers are.
 */
SYMM_MPIX_API int MPIX_Stream_create(MPI_Info info, MPIX_Stream *stream);

/* Let go of it, and set it to MPIX_STREAM_NULL.  Communicators that use it keep it. */
SYMM_MPIX_API int MPIX_Stream_free(MPIX_Stream *stream);

/* ---- communicators --------------------------------------------------------------------------- */

/*
 * A duplicate of `comm` with a stream.  Collective, and may wait; all later calls are local, but
 * for the first on a duplicate.  The error handler is that of `comm`.  Either all ranks have a
 * stream with a GPU, or none has.  Errors, on all ranks alike: MPI_ERR_UNSUPPORTED_OPERATION where
 * kernels cannot meet (ranks of several nodes, one GPU for several ranks, MPS, MIG, more than 8
 * ranks, more than 64 communicators), nor the host make the calls (below MPI_THREAD_MULTIPLE, no
 * CUDA), whose error string says which; MPI_ERR_COMM (intercommunicators).
 */
SYMM_MPIX_API int MPIX_Stream_comm_create(MPI_Comm comm, MPIX_Stream stream, MPI_Comm *newcomm);

/* The stream of a communicator; `index` is 0.  MPIX_STREAM_NULL: it has none. */
SYMM_MPIX_API int MPIX_Comm_get_stream(MPI_Comm comm, int index, MPIX_Stream *stream);

/*
 * Later calls of this rank go to another CUDA stream of the same device.  Local.  The new stream
 * waits for all that the old one holds now, which must still exist; unless just one of the two is
 * captured.  MPIX_Comm_get_stream() goes on returning the same handle.
 */
SYMM_MPIX_API int symm_mpix_comm_set_stream(MPI_Comm comm, void *cuda_stream);

/*
 * For a watchdog: kernels of the communicator that wait end without results, on this rank and the
 * others, and all later ones do nothing.  Calls on it fail: here at once, at the others within some
 * tenths of a second, whether their kernels wait or not.  Local, in any thread.  The communicator
 * can only be freed.
 */
SYMM_MPIX_API int symm_mpix_comm_abort(MPI_Comm comm);

/* ---- collectives ----------------------------------------------------------------------------- */

/*
 * Arguments are those of the functions of MPI of the same name.  Buffers are memory that the GPU
 * reaches: of cudaMalloc(), of pools, managed, pinned, of MPI_Alloc_mem().  They stay untouched
 * until the stream has come so far.  Kernels know datatypes without gaps, pairs of MPI
 * (MPI_DOUBLE_INT), MPI's own operations, and those of 16-bit floats in symm.h.  Their results have
 * the bits of the blocking functions in coll/symm.  With other types and operations the host has a
 * part in the call.
 *
 * Errors, through the communicator's handler, at the call: MPI_ERR_COUNT, MPI_ERR_TYPE,
 * MPI_ERR_OP, MPI_ERR_ROOT, MPI_ERR_BUFFER (memory that the GPU does not reach, NULL, MPI_IN_PLACE
 * where MPI does not have it), MPI_ERR_TRUNCATE (this rank sends another number of bytes than it
 * receives), MPI_ERR_OTHER (a communicator without a GPU stream), MPI_ERR_UNSUPPORTED_OPERATION
 * (what only the host could do, below MPI_THREAD_MULTIPLE), MPIX_ERR_STREAM.
 */
SYMM_MPIX_API int MPIX_Allreduce_enqueue(const void *sendbuf, void *recvbuf, int count,
                                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
SYMM_MPIX_API int MPIX_Reduce_enqueue(const void *sendbuf, void *recvbuf, int count,
                                      MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm);
SYMM_MPIX_API int MPIX_Reduce_scatter_block_enqueue(const void *sendbuf, void *recvbuf,
                                                    int recvcount, MPI_Datatype datatype,
                                                    MPI_Op op, MPI_Comm comm);
SYMM_MPIX_API int MPIX_Bcast_enqueue(void *buffer, int count, MPI_Datatype datatype, int root,
                                     MPI_Comm comm);
SYMM_MPIX_API int MPIX_Allgather_enqueue(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                         void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                         MPI_Comm comm);
SYMM_MPIX_API int MPIX_Alltoall_enqueue(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                        void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                        MPI_Comm comm);
SYMM_MPIX_API int MPIX_Gather_enqueue(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                      void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                      int root, MPI_Comm comm);
SYMM_MPIX_API int MPIX_Scatter_enqueue(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                       void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                       int root, MPI_Comm comm);
SYMM_MPIX_API int MPIX_Barrier_enqueue(MPI_Comm comm);

/* The same with large counts. */
SYMM_MPIX_API int MPIX_Allreduce_enqueue_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
SYMM_MPIX_API int MPIX_Reduce_enqueue_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                        MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm);
SYMM_MPIX_API int MPIX_Reduce_scatter_block_enqueue_c(const void *sendbuf, void *recvbuf,
                                                      MPI_Count recvcount, MPI_Datatype datatype,
                                                      MPI_Op op, MPI_Comm comm);
SYMM_MPIX_API int MPIX_Bcast_enqueue_c(void *buffer, MPI_Count count, MPI_Datatype datatype,
                                       int root, MPI_Comm comm);
SYMM_MPIX_API int MPIX_Allgather_enqueue_c(const void *sendbuf, MPI_Count sendcount,
                                           MPI_Datatype sendtype, void *recvbuf,
                                           MPI_Count recvcount, MPI_Datatype recvtype,
                                           MPI_Comm comm);
SYMM_MPIX_API int MPIX_Alltoall_enqueue_c(const void *sendbuf, MPI_Count sendcount,
                                          MPI_Datatype sendtype, void *recvbuf,
                                          MPI_Count recvcount, MPI_Datatype recvtype,
                                          MPI_Comm comm);
SYMM_MPIX_API int MPIX_Gather_enqueue_c(const void *sendbuf, MPI_Count sendcount,
                                        MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                                        MPI_Datatype recvtype, int root, MPI_Comm comm);
SYMM_MPIX_API int MPIX_Scatter_enqueue_c(const void *sendbuf, MPI_Count sendcount,
                                         MPI_Datatype sendtype, void *recvbuf,
                                         MPI_Count recvcount, MPI_Datatype recvtype, int root,
                                         MPI_Comm comm);

/*
 * Sums whose results are multiplied by a factor before they are rounded: 1.0 / size makes means
 * (NCCL's ncclAvg, PyTorch's ReduceOp.AVG).  Otherwise as MPIX_Allreduce_enqueue_c() and its like,
 * with the same factor on all ranks, finite and not 0, as a float as well if sums are no doubles.
 * The operation is MPI_SUM on MPI_FLOAT or MPI_DOUBLE, or the sum of a 16-bit float in symm.h, of
 * which the host rounds results twice; others: MPI_ERR_OP.
 */
SYMM_MPIX_API int symm_mpix_allreduce_scaled(const void *sendbuf, void *recvbuf, MPI_Count count,
                                             MPI_Datatype datatype, MPI_Op op, double factor,
                                             MPI_Comm comm);
SYMM_MPIX_API int symm_mpix_reduce_scaled(const void *sendbuf, void *recvbuf, MPI_Count count,
                                          MPI_Datatype datatype, MPI_Op op, double factor,
                                          int root, MPI_Comm comm);
SYMM_MPIX_API int symm_mpix_reduce_scatter_block_scaled(const void *sendbuf, void *recvbuf,
                                                        MPI_Count recvcount,
                                                        MPI_Datatype datatype, MPI_Op op,
                                                        double factor, MPI_Comm comm);

/* ---- memory ---------------------------------------------------------------------------------- */

/*
 * Symmetric memory of the current device, which has to be `device`: MPI_Alloc_mem() for allocators
 * of frameworks, with the arguments of torch.cuda.memory.CUDAPluggableAllocator; `stream` is not
 * looked at.  NULL: there is none, or MPI is not there.  To free waits for all work of the process
 * on the device, as cudaFree() does; when MPI has ended, it does nothing.
 */
SYMM_MPIX_API void *symm_mpix_device_alloc(ptrdiff_t bytes, int device, void *stream);
SYMM_MPIX_API void symm_mpix_device_free(void *address, ptrdiff_t bytes, int device,
                                         void *stream);

/* ---- failures -------------------------------------------------------------------------------- */

/*
 * How the communicator's lane is: a sentence in `text`, of at most `size` bytes (NULL: not
 * wanted).  MPI_SUCCESS, MPIX_ERR_STREAM if it has failed, MPI_ERR_OTHER if there is no GPU
 * stream.  The error is returned, whatever the handler is.  Local, waits for nobody.
 */
SYMM_MPIX_API int symm_mpix_comm_state(MPI_Comm comm, char *text, int size);

/* The error class of what has failed on a stream; valid between MPI_Init() and MPI_Finalize(). */
SYMM_MPIX_API int symm_mpix_err_stream(void);
#define MPIX_ERR_STREAM (symm_mpix_err_stream())

#ifdef __cplusplus
}
#endif

#endif /* SYMM_MPIX_H */
