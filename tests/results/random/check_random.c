/*
 * Random collectives, compared with the previous component's answers or with what was sent, and
 * between ranks: types, operations, sizes, places, memories, communicators, late ranks and what
 * else goes on, all mixed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   --seed S     same seed, same calls; without it SYMM_TEST_SEED or one of the moment
 *   --calls N    how many (2000; with --quick 400)
 *   --first I    begin with call I of the sequence: for a look at what has failed. Ranks then
 *                compare whole results, not digests, and with what was sent
 *   --seconds T  end after so long, if the calls have not ended before
 *
 * With SYMM_TEST_DIGEST set the last line is a digest of all results. It is the same for the same
 * seed and number of ranks, whatever parameters the component has.
 */
#define _POSIX_C_SOURCE 200809L

#include "tests/harness/harness.h"
#include "tests/results/random/random_buffers.h"
#include "tests/results/random/random_call.h"
#include "tests/results/random/random_comms.h"
#include "tests/results/random/random_exchange.h"
#include "tests/results/random/random_oracle.h"
#include "tests/results/random/random_traffic.h"
#include "tests/results/random/random_types.h"
#include "tests/results/random/random_values.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SENT = 0x11, RECEIVED = 0x22, POISON = 0xdb }; /* what buffers are filled with */
enum { TEXT = RANDOM_TEXT, BEFORE = 100, LONG_RUN = 100000 };

extern char **environ;

struct options {
    const char *seed;
    uint64_t first;
    uint64_t calls;
    double seconds; /* 0: no limit */
    bool has_first;
};

static struct random_types types;
static struct options options = {.calls = 2000};
static char where[TEXT + 64] = "before the first call\n";

/* ---- options --------------------------------------------------------------------------------- */

/* Takes our options out of the arguments; the rest is the harness's. */
static int parse(int argc, char **argv)
{
    int kept = 1;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--seed") == 0) {
            (void)test_number(argv[i++], value);
            options.seed = value;
        } else if (strcmp(argv[i], "--calls") == 0) {
            options.calls = test_number(argv[i++], value);
        } else if (strcmp(argv[i], "--first") == 0) {
            options.first = test_number(argv[i++], value);
            options.has_first = true;
        } else if (strcmp(argv[i], "--seconds") == 0) {
            options.seconds = (double)test_number(argv[i++], value);
        } else {
            options.calls = strcmp(argv[i], "--quick") == 0 ? 400 : options.calls;
            argv[kept++] = argv[i];
        }
    }
    if (options.seed != NULL) {
        setenv("SYMM_TEST_SEED", options.seed, 1);
    }
    return kept;
}

/* ---- where a rank stands when it is ended ---------------------------------------------------- */

static const int fatal[] = {SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
enum { FATAL = sizeof fatal / sizeof fatal[0] };
static struct sigaction previous[FATAL];

/* Says where, and leaves the rest to the handler that was there before. */
static void say_where(int signal_number)
{
    ssize_t written = write(STDERR_FILENO, where, strlen(where));
    (void)written;
    for (int i = 0; i < FATAL; i++) {
        if (fatal[i] == signal_number) {
            sigaction(signal_number, &previous[i], NULL);
        }
    }
    raise(signal_number);
}

static void watch_signals(void)
{
    struct sigaction action = {.sa_handler = say_where};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < FATAL; i++) {
        sigaction(fatal[i], &action, &previous[i]);
    }
}

/* Parameters of the component travel in the environment. */
static void append_parameters(char *text, size_t size)
{
    static const char prefix[] = "OMPI_MCA_";
    static const char ours[] = "OMPI_MCA_coll_symm_";
    for (char **variable = environ; *variable != NULL; variable++) {
        if (strncmp(*variable, ours, sizeof ours - 1) == 0) {
            const char *name = *variable + sizeof prefix - 1;
            const char *value = strchr(name, '=');
            size_t used = strlen(text);
            snprintf(text + used, size - used, " --mca %.*s %s", (int)(value - name), name,
                     value + 1);
        }
    }
}

/* The call that failed is one of the last RANDOM_BATCH. */
static void say_how_to_repeat(uint64_t index)
{
    static bool said;
    char parameters[512] = "";
    uint64_t first = index < options.first + BEFORE ? options.first : index - BEFORE;
    if (said) {
        return;
    }
    said = true;
    append_parameters(parameters, sizeof parameters);
    fprintf(stderr, "check_random: repeat from just before: mpirun -n %d%s check_random --seed %"
            PRIu64 " --first %" PRIu64 " --calls %" PRIu64 "\n", test_size, parameters,
            test_seed(), first, index + 1 - first);
    fflush(stderr);
}

/* ---- a call ---------------------------------------------------------------------------------- */

static unsigned char *new_bytes(size_t bytes)
{
    unsigned char *memory = malloc(bytes + 1);
    if (memory == NULL) {
        fprintf(stderr, "no memory for a copy of %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 2);
        exit(2);
    }
    return memory;
}

static void come_late(const struct random_call *call)
{
    if (call->late_asleep) {
        test_delay(call->late_us);
    } else if (call->late_us > 0) {
        double until = MPI_Wtime() + call->late_us * 1e-6;
        while (MPI_Wtime() < until) {
        }
    }
}

/*
 * The call by calls with a root: a reduce and a broadcast, a gather and a broadcast, or a reduce
 * and a scatter.
 */
static void make_parts(const struct random_call *call, const unsigned char *send,
                       unsigned char *receive)
{
    bool is_root = call->comm->rank == call->root, is_gather = call->collective == TEST_ALLGATHER;
    MPI_Comm comm = call->comm->comm;
    MPI_Datatype type = call->receive.type;
    MPI_Op op = call->operation != NULL ? call->operation->op
                : is_gather             ? MPI_OP_NULL
                                        : test_op_handle(call->op);
    size_t own = is_gather ? (size_t)call->comm->rank * call->count * call->receive.extent : 0;
    const void *from = call->in_place ? receive + own + call->receive.origin
                                      : send + call->send.origin;
    void *to = receive + call->receive.origin;
    int count = (int)call->count, blocks = is_gather ? call->comm->size : 1;
    if (call->collective == TEST_REDUCE_SCATTER_BLOCK) {
        unsigned char *vector = new_bytes(call->count * call->receive.extent);
        void *all = vector + call->receive.origin;
        MPI_Reduce(from, all, count, type, op, call->root, comm);
        MPI_Scatter(all, call->counts[0], type, to, call->counts[0], type, call->root, comm);
        free(vector);
        return;
    }
    from = call->in_place && is_root ? MPI_IN_PLACE : from;
    if (is_gather) {
        MPI_Gather(from, (int)call->send_count, call->send.type, to, count, type, call->root, comm);
    } else {
        MPI_Reduce(from, to, count, type, op, call->root, comm);
    }
    MPI_Bcast(to, count * blocks, type, call->root, comm);
}

static void make_call(const struct random_call *call, const unsigned char *send,
                      unsigned char *receive)
{
    if (random_call_exchanges(call)) {
        random_exchange_make(call, send, receive);
        return;
    }
    if (call->root >= 0) {
        make_parts(call, send, receive);
        return;
    }
    struct test_arguments arguments = {
        .send = call->in_place ? MPI_IN_PLACE : send + call->send.origin,
        .send_count = (int)call->send_count, .send_type = call->send.type,
        .receive = receive + call->receive.origin, .count = (int)call->count,
        .counts = call->counts, .type = call->receive.type, .comm = call->comm->comm,
    };
    if (call->collective == TEST_REDUCE_SCATTER_BLOCK) {
        arguments.count = call->counts[0];
    }
    if (call->collective <= TEST_REDUCE) {
        arguments.op = call->operation != NULL ? call->operation->op : test_op_handle(call->op);
    }
    (void)test_call(call->collective, TEST_BLOCKING, &arguments, NULL);
}

static bool holds_only(const struct test_buffer *buffer, unsigned char byte)
{
    return buffer->bytes == 0 || (buffer->data[0] == byte &&
                                  memcmp(buffer->data, buffer->data + 1, buffer->bytes - 1) == 0);
}

struct buffers {
    struct test_buffer send; /* without data if the call is in place */
    struct test_buffer receive;
};

static struct buffers new_buffers(struct random_call *call, const unsigned char *input)
{
    struct buffers buffers = {.receive = random_buffers_new(call, TEST_RECEIVE)};
    size_t bytes = random_call_input_bytes(call);
    if (!call->in_place) {
        buffers.send = random_buffers_new(call, TEST_SEND);
        memcpy(buffers.send.data, input, bytes);
    } else if (call->collective == TEST_ALLGATHER) {
        memcpy(buffers.receive.data + (size_t)call->comm->rank * bytes, input, bytes);
    } else {
        memcpy(buffers.receive.data, input, bytes);
    }
    return buffers;
}

/* The call is over on this rank: its memory is the program's again, which uses it at once. */
static void take_back(const struct random_call *call, struct buffers *buffers,
                      const unsigned char *input, unsigned char *result)
{
    memcpy(result, buffers->receive.data, buffers->receive.bytes);
    memset(buffers->receive.data, RECEIVED, buffers->receive.bytes);
    test_buffer_check(&buffers->receive, "receive");
    if (!call->in_place) {
        test_buffer_unchanged(&buffers->send, input, buffers->send.bytes, "send");
        memset(buffers->send.data, SENT, buffers->send.bytes);
        test_buffer_check(&buffers->send, "send");
    }
}

static struct buffers run_call(struct random_call *call)
{
    size_t input_bytes = random_call_input_bytes(call);
    unsigned char *input = new_bytes(input_bytes);
    unsigned char *result = new_bytes(random_call_output_bytes(call));
    memset(input, POISON, input_bytes);
    random_values_fill(call, call->comm->rank, input);
    struct buffers buffers = new_buffers(call, input);
    random_traffic_before(call);
    come_late(call);
    random_traffic_start(call);
    make_call(call, buffers.send.data, buffers.receive.data);
    take_back(call, &buffers, input, result);
    random_traffic_finish(call);
    random_oracle_keep(call, input, result);
    return buffers;
}

/* Everybody has left the call by now, so nobody may have written after it. */
static void check_nothing_late(struct buffers *buffers)
{
    if (buffers->receive.data != NULL) {
        test_check(holds_only(&buffers->receive, RECEIVED),
                   "no writing to the receive buffer after the call");
        test_buffer_check(&buffers->receive, "receive");
    }
    if (buffers->send.data != NULL) {
        test_check(holds_only(&buffers->send, SENT),
                   "no writing to the send buffer after the call");
    }
}

/* ---- the sequence ---------------------------------------------------------------------------- */

static void one_index(uint64_t index)
{
    struct random_call call;
    struct buffers buffers = {.send = {.data = NULL}};
    random_call_draw_place(&call, index);
    if (random_comms_change(index)) {
        random_oracle_settle();
        random_comms_renew(index);
    }
    random_buffers_renew(index);
    if (random_comms_get(call.place)->comm == MPI_COMM_NULL) {
        random_oracle_pass(index);
    } else {
        char text[TEXT];
        random_call_draw(&call, &types);
        random_call_describe(&call, text, sizeof text);
        snprintf(where, sizeof where, "check_random: rank %d stands in %s\n", test_rank, text);
        test_case("%s", text);
        buffers = run_call(&call);
    }
    if (call.settle) {
        random_oracle_settle();
        check_nothing_late(&buffers);
    }
    random_buffers_release(&buffers.send);
    random_buffers_release(&buffers.receive);
}

static void say_progress(uint64_t done, double since)
{
    if (test_rank == 0 && options.calls >= LONG_RUN && done % (options.calls / 10) < RANDOM_BATCH) {
        printf("check_random: %" PRIu64 " calls, %.0f s\n", done, MPI_Wtime() - since);
        fflush(stdout);
    }
}

static void run_sequence(void)
{
    double begin = MPI_Wtime();
    bool go_on = true;
    uint64_t done = 0;
    while (done < options.calls && go_on) {
        unsigned long failures = test_failures();
        uint64_t index = options.first + done++;
        one_index(index);
        if (done % RANDOM_BATCH == 0 || done == options.calls) {
            bool in_time = options.seconds <= 0 || MPI_Wtime() - begin < options.seconds;
            random_oracle_settle();
            go_on = random_oracle_exchange(options.seconds > 0, in_time);
            say_progress(done, begin);
        }
        if (test_failures() != failures) {
            say_how_to_repeat(index);
        }
    }
    if (test_rank == 0) {
        printf("check_random: calls %" PRIu64 " to %" PRIu64 ", %.1f s\n", options.first,
               options.first + done - 1, MPI_Wtime() - begin);
    }
}

int main(int argc, char **argv)
{
    unsigned char stack[RANDOM_STACK];
    argc = parse(argc, argv);
    test_begin(argc, argv, "check_random", MPI_THREAD_SINGLE);
    watch_signals();
    test_monoids_allow_nothing();
    random_types_create(&types);
    random_buffers_create(stack);
    random_comms_create(options.first);
    random_oracle_create(options.has_first);
    run_sequence();
    where[0] = '\0';
    random_oracle_free();
    random_comms_free();
    random_buffers_free();
    random_types_free(&types);
    test_case_again("arguments of the user functions");
    test_check(test_monoids_misuses() == 0, "no lengths below 0, and the datatype of the call");
    return test_end();
}
