/*
 * A network of three layers for the digits: two hidden layers with tanh, and a last one whose ten
 * scores become probabilities by softmax. Loss by cross entropy. The arithmetic of a batch, layer
 * by layer; no MPI.
 *
 * What the layers pass to each other is rounded to a grid, so coarse that the sums of products in a
 * gradient are exact. So gradients do not depend on the order of additions: neither on how many
 * ranks share a batch nor on how an all-reduce adds. It costs the training nothing.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef EXAMPLES_NETWORK_H
#define EXAMPLES_NETWORK_H

#include "dataset.h"

#include <stdbool.h>

enum {
    NETWORK_LAYERS = 3,
    NETWORK_FIRST = 64, /* units of the hidden layers */
    NETWORK_SECOND = 32,
    NETWORK_WEIGHTS = (DIGITS_PIXELS + 1) * NETWORK_FIRST + (NETWORK_FIRST + 1) * NETWORK_SECOND
                      + (NETWORK_SECOND + 1) * DIGITS_CLASSES
};

/*
 * Where a layer's weights begin among the NETWORK_WEIGHTS: for each input, and last for the bias,
 * one weight an output, so that the inner loops run over the outputs. Gradients lie likewise.
 */
struct network_layer {
    int inputs;
    int outputs;
    int begin;
};

extern const struct network_layer network_layers[NETWORK_LAYERS];

/* How many weights a layer has. */
int network_layer_weights(int layer);

/* What one batch leaves in the layers. */
struct network_pass {
    int samples;
    const double *inputs[NETWORK_LAYERS]; /* samples x inputs, of each layer */
    double *outputs[NETWORK_LAYERS];      /* the last ones are the probabilities */
    double *errors[NETWORK_LAYERS];       /* the loss by the layer's scores */
};

/* For up to `samples` samples. False, and *pass is empty, if there is no memory. */
bool network_pass_allocate(struct network_pass *pass, int samples);

void network_pass_free(struct network_pass *pass);

/* Weights to start from: as good as random, and always the same. */
void network_start(double *weights);

/* Predicts `samples` samples: the probabilities are in pass->outputs[NETWORK_LAYERS - 1]. */
void network_forward(const double *weights, const double *pixels, int samples,
                     struct network_pass *pass);

/* After network_forward(): the sum of the losses, and the errors of the last layer. */
double network_errors(const unsigned char *labels, struct network_pass *pass);

/* The layer's gradient, from its errors; `gradient` has a place for each weight of the layer. */
void network_gradient(const struct network_pass *pass, int layer, double *gradient);

/* The errors of the layer before `layer`, which is not the first. */
void network_propagate(const double *weights, int layer, struct network_pass *pass);

/* The class with the largest probability, the smaller one of equals. */
int network_best_class(const double *probabilities);

/* The cross entropy, in nats, of a prediction for a sample whose class is `label`. */
double network_loss(const double *probabilities, int label);

#endif
