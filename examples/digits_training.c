/*
 * Data-parallel training of a small network on handwritten digits: an ordinary MPI program that
 * adds up its gradients layer by layer while it computes the next ones. It uses nothing
 * of this project; run it with and without the component to see what changes (README.md in this
 * folder).
 *
 * This file holds the start (options, data), the end (who took how long) and the output.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "collectives.h"
#include "dataset.h"
#include "options.h"
#include "training.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_BAD_OPTION = 2, ERROR_SIZE = 512 };

/* Times of all ranks, known on rank 0. Seconds. */
struct job_times {
    double slowest_total;
    double slowest_collectives; /* the rank that spent most time in collectives */
    double fastest_collectives;
    double slowest_allreduce;
    double slowest_allgather;
    double slowest_first; /* first calls of both collectives */
};

struct job {
    struct options options;
    struct collectives collectives;
    struct samples train;
    struct samples test;
    FILE *result; /* on rank 0, with --result */
    struct training_outcome outcome;
    struct job_times times;
    double spread; /* on rank 0: largest difference of one weight between two ranks */
};

/* Prints on rank 0 and passes `good` of rank 0 on to all ranks. */
static bool agree(const struct job *job, bool good, const char *error)
{
    int flag = good;

    if (job->collectives.rank == 0 && !good) {
        fprintf(stderr, "digits_training: %s\n", error);
    }
    MPI_Bcast(&flag, 1, MPI_INT, 0, job->collectives.comm);
    return flag != 0;
}

/* Rank 0 reads the file, the others get the rows from it. */
static bool load_samples(struct job *job)
{
    const struct options *options = &job->options;
    MPI_Comm comm = job->collectives.comm;
    bool reads = job->collectives.rank == 0;
    struct digits digits = {0, NULL};
    char error[ERROR_SIZE] = "";
    bool good = !reads
                || digits_read(options->data, options->rows, &digits, error, sizeof error);
    int count;

    if (!agree(job, good, error)) {
        return false;
    }
    count = digits.count;
    MPI_Bcast(&count, 1, MPI_INT, 0, comm);
    if (!reads && !digits_allocate(&digits, count)) {
        fprintf(stderr, "digits_training: no memory for the data\n");
        MPI_Abort(comm, EXIT_FAILURE);
    }
    MPI_Bcast(digits.rows, count * DIGITS_COLUMNS, MPI_UNSIGNED_CHAR, 0, comm);
    if (!digits_split(&digits, &job->train, &job->test)) {
        fprintf(stderr, "digits_training: no memory for the samples\n");
        MPI_Abort(comm, EXIT_FAILURE);
    }
    digits_free(&digits);
    if (job->test.count == 0) {
        return agree(job, false, "no digit has five samples, so there is none to test with");
    }
    return true;
}

/* Opened before the work, so that a bad name does not cost the work. */
static bool open_result(struct job *job)
{
    const char *path = job->options.result;
    char error[ERROR_SIZE] = "";
    bool good = true;

    if (path != NULL && job->collectives.rank == 0) {
        job->result = fopen(path, "w");
        good = job->result != NULL;
        snprintf(error, sizeof error, "--result '%s' cannot be written: %s", path, strerror(errno));
    }
    return agree(job, good, error);
}

/* The extremes over the ranks, on rank 0. */
static void collect_times(struct job *job, double total)
{
    const struct collectives *collectives = &job->collectives;
    const struct call_record *allreduce = &collectives->allreduce;
    const struct call_record *allgather = &collectives->allgather;
    double inside = allreduce->seconds + allgather->seconds;
    double own[] = {total, inside, allreduce->seconds, allgather->seconds,
                    allreduce->first_seconds + allgather->first_seconds};
    double most[5];

    MPI_Reduce(own, most, 5, MPI_DOUBLE, MPI_MAX, 0, collectives->comm);
    MPI_Reduce(&inside, &job->times.fastest_collectives, 1, MPI_DOUBLE, MPI_MIN, 0,
               collectives->comm);
    job->times.slowest_total = most[0];
    job->times.slowest_collectives = most[1];
    job->times.slowest_allreduce = most[2];
    job->times.slowest_allgather = most[3];
    job->times.slowest_first = most[4];
}

/* All ranks must have ended with the same weights. MPI_Gather brings them together. */
static void compare_weights(struct job *job)
{
    const struct collectives *collectives = &job->collectives;
    const double *weights = job->outcome.weights;
    size_t bytes = (size_t)collectives->size * NETWORK_WEIGHTS * sizeof(double);
    double *all = collectives->rank == 0 ? malloc(bytes) : NULL;

    if (collectives->rank == 0 && all == NULL) {
        fprintf(stderr, "digits_training: no memory to compare the weights\n");
        MPI_Abort(collectives->comm, EXIT_FAILURE);
    }
    MPI_Gather(weights, NETWORK_WEIGHTS, MPI_DOUBLE, all, NETWORK_WEIGHTS, MPI_DOUBLE, 0,
               collectives->comm);
    job->spread = 0.0;
    for (int i = 0; all != NULL && i < collectives->size * NETWORK_WEIGHTS; i++) {
        double difference = fabs(all[i] - weights[i % NETWORK_WEIGHTS]);

        job->spread = difference <= job->spread ? job->spread : difference; /* NaN stays */
    }
    free(all);
}

/* A number that changes when weights change or swap places. */
static double weights_checksum(const double *weights)
{
    double sum = 0.0;

    for (int i = 0; i < NETWORK_WEIGHTS; i++) {
        sum += fabs(weights[i]) * (1.0 + (double)i / NETWORK_WEIGHTS);
    }
    return sum;
}

/* One number for all bits of the weights (64-bit FNV-1a). */
static uint64_t weights_hash(const double *weights)
{
    const unsigned char *bytes = (const unsigned char *)weights;
    uint64_t hash = 14695981039346656037U;

    for (size_t i = 0; i < NETWORK_WEIGHTS * sizeof *weights; i++) {
        hash = (hash ^ bytes[i]) * 1099511628211U;
    }
    return hash;
}

static void print_start(const struct job *job)
{
    const struct options *options = &job->options;

    printf("digits_training: %d training and %d test samples, %d %s\n"
           "  memory from %s\n"
           "  %d layers, %d weights; gradients added up by %s calls\n"
           "  %d epochs, batches of %d samples, rate %g, momentum %g\n",
           job->train.count, job->test.count, job->collectives.size,
           job->collectives.size == 1 ? "rank" : "ranks",
           memory_name(&job->collectives.memory), NETWORK_LAYERS, NETWORK_WEIGHTS,
           exchange_form_name(options->form), options->epochs,
           options->batch == 0 ? job->train.count : options->batch, options->rate,
           options->momentum);
    fflush(stdout);
}

static void print_calls(const char *name, const struct call_record *record, double seconds,
                        const char *round)
{
    printf("  %-19s%.4f s   %ld calls; %zu bytes, %.2f us %s\n", name, seconds, record->calls,
           record->bytes, seconds / (double)record->rounds * 1e6, round);
}

static void print_outcome(const struct job *job)
{
    const struct training_outcome *outcome = &job->outcome;
    const struct job_times *times = &job->times;

    printf("accuracy             %.6f (%d of %d test samples)\n",
           (double)outcome->correct / job->test.count, outcome->correct, job->test.count);
    printf("loss                 %.12f (training), %.12f (test)\n", outcome->loss,
           outcome->test_loss);
    printf("weights checksum     %.12f (all bits: %016" PRIx64 "), ranks differ by at most %g\n",
           weights_checksum(outcome->weights), weights_hash(outcome->weights), job->spread);
    printf("time in collectives  %.4f s (rank with the most; with the least %.4f s)\n",
           times->slowest_collectives, times->fastest_collectives);
    print_calls("all-reduce", &job->collectives.allreduce, times->slowest_allreduce,
                "a step");
    print_calls("all-gather", &job->collectives.allgather, times->slowest_allgather,
                "an epoch");
    printf("  first of each      %.4f s   contained in the above\n", times->slowest_first);
    printf("total time           %.4f s\n", times->slowest_total);
    fflush(stdout);
}

/* Results with 17 digits, so that nothing is lost between the program and the comparison. */
static bool write_result(const struct job *job)
{
    const struct options *options = &job->options;
    const struct training_outcome *outcome = &job->outcome;
    const struct job_times *times = &job->times;
    FILE *file = job->result;
    bool good;

    fprintf(file, "ranks=%d\nform=%s\nmemory=%s\n", job->collectives.size,
            exchange_form_name(options->form), memory_name(&job->collectives.memory));
    fprintf(file, "epochs=%d\nbatch=%d\nrate=%.12g\nmomentum=%.12g\n", options->epochs,
            options->batch, options->rate, options->momentum);
    fprintf(file, "train_samples=%d\ntest_samples=%d\ncorrect=%d\naccuracy=%.17g\n",
            job->train.count, job->test.count, outcome->correct,
            (double)outcome->correct / job->test.count);
    fprintf(file, "loss=%.17g\ntest_loss=%.17g\nweights_checksum=%.17g\nweights_spread=%.17g\n",
            outcome->loss, outcome->test_loss, weights_checksum(outcome->weights), job->spread);
    fprintf(file, "weights_hash=%016" PRIx64 "\n", weights_hash(outcome->weights));
    /* Training forgets a single wrong sum after a while; the history does not. */
    fprintf(file, "loss_history=%.17g\n", outcome->history);
    fprintf(file, "allreduce_calls=%ld\nallreduce_seconds=%.9f\n",
            job->collectives.allreduce.calls, times->slowest_allreduce);
    fprintf(file, "allgather_calls=%ld\nallgather_seconds=%.9f\n",
            job->collectives.allgather.calls, times->slowest_allgather);
    fprintf(file, "collective_seconds=%.9f\ncollective_seconds_least=%.9f\n",
            times->slowest_collectives, times->fastest_collectives);
    fprintf(file, "first_calls_seconds=%.9f\ntotal_seconds=%.9f\n", times->slowest_first,
            times->slowest_total);
    good = ferror(file) == 0;
    return fclose(file) == 0 && good;
}

static bool train(struct job *job)
{
    bool good;
    double start;

    if (job->collectives.rank == 0) {
        print_start(job);
    }
    MPI_Barrier(job->collectives.comm);
    start = MPI_Wtime();
    good = training_run(&job->options, &job->train, &job->test, &job->collectives, &job->outcome);
    if (!good) {
        return agree(job, false, "the loss is no longer finite; try a smaller --rate");
    }
    collect_times(job, MPI_Wtime() - start);
    compare_weights(job);
    return true;
}

static bool report(struct job *job)
{
    char error[ERROR_SIZE] = "";
    bool good = true;

    if (job->collectives.rank == 0) {
        print_outcome(job);
        if (job->result != NULL) {
            good = write_result(job);
            job->result = NULL;
            snprintf(error, sizeof error, "--result '%s' cannot be written: %s",
                     job->options.result, strerror(errno));
        }
    }
    return agree(job, good, error);
}

static int run_job(int argc, char **argv)
{
    static struct job job;
    char error[ERROR_SIZE] = "";
    enum arguments_outcome outcome = options_parse(argc, argv, &job.options, error, sizeof error);
    bool good;

    collectives_init(&job.collectives, MPI_COMM_WORLD);
    if (outcome == ARGUMENTS_HELP && job.collectives.rank == 0) {
        options_print_help();
    }
    if (outcome == ARGUMENTS_HELP) {
        return EXIT_SUCCESS;
    }
    if (!agree(&job, outcome == ARGUMENTS_GOOD, error)) {
        return EXIT_BAD_OPTION;
    }
    if (!memory_open(&job.collectives.memory, "digits_training", job.options.memory,
                     MPI_COMM_WORLD)) {
        return EXIT_FAILURE;
    }
    good = open_result(&job) && load_samples(&job) && train(&job) && report(&job);
    if (job.result != NULL) {
        fclose(job.result);
    }
    samples_free(&job.train);
    samples_free(&job.test);
    memory_close(&job.collectives.memory);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    status = run_job(argc, argv);
    MPI_Finalize();
    return status;
}
