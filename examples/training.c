/*
 * The data-parallel training loop. What MPI does stands in collectives.c, what the model does in
 * softmax.c; here is who computes what.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "training.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    /* The loss travels behind the gradient, in the same all-reduce. */
    SUM_COUNT = SOFTMAX_WEIGHTS + 1,
    PROGRESS_LINES = 10
};

struct trainer {
    const struct options *options;
    const struct samples *train;
    const struct samples *test;
    struct collectives *collectives;
    struct training_outcome *outcome;
    int batch;                        /* samples a step */
    int share_most;                   /* test samples of the rank that has most */
    struct buffer own_sum;            /* this rank's gradient and loss */
    struct buffer total_sum;          /* of all ranks */
    struct buffer own_predictions;    /* this rank's test samples, padded to share_most */
    struct buffer all_predictions;    /* size x share_most x DIGITS_CLASSES */
    double velocity[SOFTMAX_WEIGHTS]; /* the last step, for the momentum */
};

/* Samples `begin` up to, but not with, `end`. */
struct range {
    int begin;
    int end;
};

/* A rank's share of a range: contiguous, and the sizes of two shares differ by one at most. */
static struct range range_share(struct range range, int rank, int size)
{
    long long count = range.end - range.begin;
    struct range share = {range.begin + (int)(count * rank / size),
                          range.begin + (int)(count * (rank + 1) / size)};

    return share;
}

/* Gradient and loss, summed over the samples of a batch on all ranks, into total_sum. */
static void sum_gradient(struct trainer *trainer, struct range batch)
{
    struct collectives *collectives = trainer->collectives;
    struct range own = range_share(batch, collectives->rank, collectives->size);
    double loss = 0.0;

    memset(trainer->own_sum.host, 0, SUM_COUNT * sizeof *trainer->own_sum.host);
    for (int i = own.begin; i < own.end; i++) {
        loss += softmax_gradient_add(trainer->outcome->weights,
                                     trainer->train->pixels + (size_t)i * DIGITS_PIXELS,
                                     trainer->train->labels[i], trainer->own_sum.host);
    }
    trainer->own_sum.host[SOFTMAX_WEIGHTS] = loss;
    collectives_sum(collectives, &trainer->own_sum, &trainer->total_sum);
}

static void take_step(struct trainer *trainer, int samples)
{
    double rate = trainer->options->rate / samples;

    for (int i = 0; i < SOFTMAX_WEIGHTS; i++) {
        trainer->velocity[i] =
            trainer->options->momentum * trainer->velocity[i] - rate * trainer->total_sum.host[i];
        trainer->outcome->weights[i] += trainer->velocity[i];
    }
}

/* One pass over the training samples; returns the mean loss met on the way. */
static double run_epoch(struct trainer *trainer)
{
    int count = trainer->train->count;
    double loss = 0.0;
    struct range batch = {0, 0};

    while (batch.end < count) {
        batch.begin = batch.end;
        batch.end = count - batch.begin < trainer->batch ? count : batch.begin + trainer->batch;
        sum_gradient(trainer, batch);
        loss += trainer->total_sum.host[SOFTMAX_WEIGHTS];
        take_step(trainer, batch.end - batch.begin);
    }
    return loss / count;
}

/* Predicts this rank's share of the test samples and gathers the shares of all. */
static void gather_predictions(struct trainer *trainer)
{
    struct collectives *collectives = trainer->collectives;
    struct range all = {0, trainer->test->count};
    struct range own = range_share(all, collectives->rank, collectives->size);

    for (int i = own.begin; i < own.end; i++) {
        softmax_predict(trainer->outcome->weights,
                        trainer->test->pixels + (size_t)i * DIGITS_PIXELS,
                        trainer->own_predictions.host + (size_t)(i - own.begin) * DIGITS_CLASSES);
    }
    collectives_gather(collectives, &trainer->own_predictions, &trainer->all_predictions);
}

/* Scores the gathered predictions against the labels, leaving the padding out. */
static void score_predictions(struct trainer *trainer)
{
    struct range all = {0, trainer->test->count};
    struct training_outcome *outcome = trainer->outcome;
    int size = trainer->collectives->size;

    outcome->correct = 0;
    outcome->test_loss = 0.0;
    for (int rank = 0; rank < size; rank++) {
        struct range share = range_share(all, rank, size);
        const double *prediction =
            trainer->all_predictions.host + (size_t)(rank * trainer->share_most) * DIGITS_CLASSES;

        for (int i = share.begin; i < share.end; i++, prediction += DIGITS_CLASSES) {
            int label = trainer->test->labels[i];

            outcome->correct += softmax_best_class(prediction) == label;
            outcome->test_loss += softmax_loss(prediction, label) / all.end;
        }
    }
}

/* The first epoch and then every tenth part of the work. */
static bool is_progress_due(const struct options *options, int epoch)
{
    long long before = (long long)(epoch - 1) * PROGRESS_LINES / options->epochs;
    long long now = (long long)epoch * PROGRESS_LINES / options->epochs;

    return !options->quiet && (epoch == 1 || now > before);
}

static void print_progress(const struct trainer *trainer, int epoch, double loss)
{
    printf("  epoch %5d of %d   loss %.6f   test accuracy %.4f\n", epoch, trainer->options->epochs,
           loss, (double)trainer->outcome->correct / trainer->test->count);
    fflush(stdout);
}

static bool run_epochs(struct trainer *trainer)
{
    struct range all = {0, trainer->train->count};

    for (int epoch = 1; epoch <= trainer->options->epochs; epoch++) {
        double loss = run_epoch(trainer);

        if (!isfinite(loss)) {
            return false; /* the sum is the same everywhere, so all ranks leave here */
        }
        gather_predictions(trainer);
        score_predictions(trainer);
        trainer->outcome->history += loss + trainer->outcome->test_loss;
        if (trainer->collectives->rank == 0 && is_progress_due(trainer->options, epoch)) {
            print_progress(trainer, epoch, loss);
        }
    }
    /* The losses above were met while the weights moved; this is the loss of the final ones. */
    sum_gradient(trainer, all);
    trainer->outcome->loss = trainer->total_sum.host[SOFTMAX_WEIGHTS] / all.end;
    return isfinite(trainer->outcome->loss);
}

bool training_run(const struct options *options, const struct samples *train,
                  const struct samples *test, struct collectives *collectives,
                  struct training_outcome *outcome)
{
    int size = collectives->size;
    int share_most = test->count / size + (test->count % size != 0);
    int share_values = share_most * DIGITS_CLASSES;
    const struct memory *memory = &collectives->memory;
    struct trainer trainer = {
        .options = options,
        .train = train,
        .test = test,
        .collectives = collectives,
        .outcome = outcome,
        .batch = options->batch == 0 ? train->count : options->batch,
        .share_most = share_most,
        .own_sum = memory_allocate(memory, SUM_COUNT),
        .total_sum = memory_allocate(memory, SUM_COUNT),
        .own_predictions = memory_allocate(memory, share_values),
        .all_predictions = memory_allocate(memory, share_values * size),
    };
    bool good;

    *outcome = (struct training_outcome){.loss = 0.0};
    good = run_epochs(&trainer);
    memory_free(memory, &trainer.own_sum);
    memory_free(memory, &trainer.total_sum);
    memory_free(memory, &trainer.own_predictions);
    memory_free(memory, &trainer.all_predictions);
    return good;
}
