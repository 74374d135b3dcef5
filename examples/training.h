/*
 * Data-parallel training: every rank holds the same weights and computes the gradient of its share
 * of a batch, from the last layer to the first; all-reduces add the shares, each layer's while the
 * gradient of the layer before is computed, and all ranks take the same step. After every epoch
 * each rank predicts its share of the test samples, and MPI_Allgather gives all ranks all
 * predictions.
 *
 * A batch is a run of consecutive training samples, whatever the number of ranks. So the
 * mathematics does not depend on that number; only the order of the additions does, and the
 * gradients are the same in any order (network.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef EXAMPLES_TRAINING_H
#define EXAMPLES_TRAINING_H

#include "collectives.h"
#include "dataset.h"
#include "network.h"
#include "options.h"

/* How well the weights do. Losses are means over the samples, in nats. The same on every rank. */
struct training_outcome {
    double loss;      /* training samples */
    double test_loss; /* test samples */
    int correct;      /* test samples whose digit was recognised */
    double history;   /* training and test losses met on the way, summed over the epochs */
    double weights[NETWORK_WEIGHTS];
};

/*
 * Trains for options->epochs epochs and measures the result. Collective over the communicator of
 * `collectives`, where the times add up; rank 0 prints the progress lines. False if the loss
 * became infinite or not a number; then all ranks return false, and *outcome is not complete.
 */
bool training_run(const struct options *options, const struct samples *train,
                  const struct samples *test, struct collectives *collectives,
                  struct training_outcome *outcome);

#endif
