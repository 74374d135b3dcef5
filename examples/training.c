/*
 * The data-parallel training loop. What MPI does stands in exchange.c and collectives.c, what the
 * network does in network.c; here is who computes what, and when.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "training.h"

#include "exchange.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRESS_LINES = 10 };

struct trainer {
    const struct options *options;
    const struct samples *train;
    const struct samples *test;
    struct collectives *collectives;
    struct training_outcome *outcome;
    int batch;                     /* samples a step */
    int share_most;                /* test samples of the rank that has most */
    struct exchange gradients;     /* part by part the layers; the loss travels with the last */
    struct network_pass pass;      /* for this rank's share of a batch, or of the test samples */
    struct buffer own_predictions; /* this rank's test samples, padded to share_most */
    struct buffer all_predictions; /* size x share_most x DIGITS_CLASSES */
    double velocity[NETWORK_WEIGHTS]; /* the last step, for the momentum */
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

/*
 * Forward and backward through this rank's share of a batch. Each layer's gradient is sent as soon
 * as it is there; what is computed after that overlaps with its way.
 */
static void send_gradients(struct trainer *trainer, struct range batch)
{
    struct collectives *collectives = trainer->collectives;
    struct exchange *gradients = &trainer->gradients;
    struct range own = range_share(batch, collectives->rank, collectives->size);
    const double *weights = trainer->outcome->weights;
    struct network_pass *pass = &trainer->pass;

    network_forward(weights, trainer->train->pixels + (size_t)own.begin * DIGITS_PIXELS,
                    own.end - own.begin, pass);
    gradients->own.host[NETWORK_WEIGHTS] =
        network_errors(trainer->train->labels + own.begin, pass);
    for (int layer = NETWORK_LAYERS - 1; layer >= 0; layer--) {
        network_gradient(pass, layer, gradients->part[layer].own.host);
        exchange_send(gradients, layer);
        if (layer > 0) {
            network_propagate(weights, layer, pass);
        }
    }
}

/* A layer's step; the sum of its gradients is there. */
static void move_weights(struct trainer *trainer, int layer, int samples)
{
    double rate = trainer->options->rate / samples;
    double momentum = trainer->options->momentum;
    double *velocity = trainer->velocity + network_layers[layer].begin;
    double *weights = trainer->outcome->weights + network_layers[layer].begin;
    const double *sums = trainer->gradients.part[layer].total.host;

    for (int i = 0; i < network_layer_weights(layer); i++) {
        velocity[i] = momentum * velocity[i] - rate * sums[i];
        weights[i] += velocity[i];
    }
}

/*
 * The batch's loss, summed over the samples of all ranks; with `moves` the weights take a step. The
 * layers come in the order in which they were sent: one is moved while others are on their way.
 */
static double run_batch(struct trainer *trainer, struct range batch, bool moves)
{
    struct exchange *gradients = &trainer->gradients;

    send_gradients(trainer, batch);
    for (int layer = NETWORK_LAYERS - 1; layer >= 0; layer--) {
        exchange_wait(gradients, layer);
        if (moves) {
            move_weights(trainer, layer, batch.end - batch.begin);
        }
    }
    exchange_end_step(gradients);
    return gradients->total.host[NETWORK_WEIGHTS];
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
        loss += run_batch(trainer, batch, true);
    }
    return loss / count;
}

/* Predicts this rank's share of the test samples and gathers the shares of all. */
static void gather_predictions(struct trainer *trainer)
{
    struct collectives *collectives = trainer->collectives;
    struct range all = {0, trainer->test->count};
    struct range own = range_share(all, collectives->rank, collectives->size);

    network_forward(trainer->outcome->weights,
                    trainer->test->pixels + (size_t)own.begin * DIGITS_PIXELS,
                    own.end - own.begin, &trainer->pass);
    memcpy(trainer->own_predictions.host, trainer->pass.outputs[NETWORK_LAYERS - 1],
           (size_t)(own.end - own.begin) * DIGITS_CLASSES * sizeof(double));
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

            outcome->correct += network_best_class(prediction) == label;
            outcome->test_loss += network_loss(prediction, label) / all.end;
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
    trainer->outcome->loss = run_batch(trainer, all, false) / all.end;
    return isfinite(trainer->outcome->loss);
}

/* The samples of the rank that has most. */
static int share_of(int samples, int size)
{
    return samples / size + (samples % size != 0);
}

static void open_gradients(struct trainer *trainer)
{
    int counts[NETWORK_LAYERS];

    for (int layer = 0; layer < NETWORK_LAYERS; layer++) {
        counts[layer] = network_layer_weights(layer);
    }
    counts[NETWORK_LAYERS - 1]++; /* the loss */
    exchange_open(&trainer->gradients, trainer->collectives, trainer->options->form, counts,
                  NETWORK_LAYERS);
}

bool training_run(const struct options *options, const struct samples *train,
                  const struct samples *test, struct collectives *collectives,
                  struct training_outcome *outcome)
{
    int size = collectives->size;
    int share_most = share_of(test->count, size);
    int train_most = share_of(train->count, size);
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
        .own_predictions = memory_allocate(memory, share_values),
        .all_predictions = memory_allocate(memory, share_values * size),
    };
    bool good;

    *outcome = (struct training_outcome){.loss = 0.0};
    if (!network_pass_allocate(&trainer.pass, train_most > share_most ? train_most : share_most)) {
        fprintf(stderr, "digits_training: no memory for the network\n");
        MPI_Abort(collectives->comm, EXIT_FAILURE);
    }
    network_start(outcome->weights);
    open_gradients(&trainer);
    good = run_epochs(&trainer);
    exchange_close(&trainer.gradients);
    network_pass_free(&trainer.pass);
    memory_free(memory, &trainer.own_predictions);
    memory_free(memory, &trainer.all_predictions);
    return good;
}
