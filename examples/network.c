/*
 * The arithmetic of the network, one layer at a time.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "network.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const struct network_layer network_layers[NETWORK_LAYERS] = {
    {DIGITS_PIXELS, NETWORK_FIRST, 0},
    {NETWORK_FIRST, NETWORK_SECOND, (DIGITS_PIXELS + 1) * NETWORK_FIRST},
    {NETWORK_SECOND, DIGITS_CLASSES, NETWORK_WEIGHTS - (NETWORK_SECOND + 1) * DIGITS_CLASSES},
};

/*
 * Outputs of hidden layers are at most 1 and multiples of 2^-16, errors are multiples of 2^-22. A
 * product is a multiple of 2^-38, and a double holds such sums without loss up to 2^15. The loss of
 * a sample is a multiple of 2^-36, for the same reason.
 */
static const double output_grid = 0x1.8p36; /* 1.5 x 2^52 x the distance of the grid's points */
static const double error_grid = 0x1.8p30;
static const double loss_grid = 0x1.8p16;

/* The sum has no room for finer digits. */
static double round_to(double value, double grid)
{
    return (value + grid) - grid;
}

int network_layer_weights(int layer)
{
    return (network_layers[layer].inputs + 1) * network_layers[layer].outputs;
}

void network_pass_free(struct network_pass *pass)
{
    for (int layer = 0; layer < NETWORK_LAYERS; layer++) {
        free(pass->outputs[layer]);
        free(pass->errors[layer]);
    }
    *pass = (struct network_pass){.samples = 0};
}

bool network_pass_allocate(struct network_pass *pass, int samples)
{
    bool good = true;

    *pass = (struct network_pass){.samples = 0};
    for (int layer = 0; layer < NETWORK_LAYERS; layer++) {
        size_t bytes = (size_t)samples * (size_t)network_layers[layer].outputs * sizeof(double);

        pass->outputs[layer] = malloc(bytes);
        pass->errors[layer] = malloc(bytes);
        good = good && pass->outputs[layer] != NULL && pass->errors[layer] != NULL;
    }
    if (!good) {
        network_pass_free(pass);
    }
    return good;
}

/* Uniform between -1 and 1; the next state of a 64-bit linear congruential generator. */
static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

/* The more units a layer connects, the smaller the weights, so that tanh() is not saturated. */
void network_start(double *weights)
{
    uint64_t state = 1;

    for (int layer = 0; layer < NETWORK_LAYERS; layer++) {
        const struct network_layer *shape = &network_layers[layer];
        double most = sqrt(6.0 / (shape->inputs + shape->outputs));

        for (int i = 0; i < network_layer_weights(layer); i++) {
            bool bias = i >= shape->inputs * shape->outputs;

            weights[shape->begin + i] = bias ? 0.0 : most * draw(&state);
        }
    }
}

/* scores = bias + weights x inputs, of one sample */
static void compute_scores(const double *weights, const struct network_layer *shape,
                           const double *inputs, double *restrict scores)
{
    const double *bias = weights + (size_t)shape->inputs * (size_t)shape->outputs;

    memcpy(scores, bias, (size_t)shape->outputs * sizeof *scores);
    for (int i = 0; i < shape->inputs; i++, weights += shape->outputs) {
        for (int j = 0; j < shape->outputs; j++) {
            scores[j] += inputs[i] * weights[j];
        }
    }
}

/* The largest score is taken off first, so that exp() cannot overflow. */
static void apply_softmax(double *scores)
{
    double largest = scores[0];
    double sum = 0.0;

    for (int c = 1; c < DIGITS_CLASSES; c++) {
        largest = fmax(largest, scores[c]);
    }
    for (int c = 0; c < DIGITS_CLASSES; c++) {
        scores[c] = exp(scores[c] - largest);
        sum += scores[c];
    }
    for (int c = 0; c < DIGITS_CLASSES; c++) {
        scores[c] /= sum;
    }
}

static void apply_tanh(double *scores, int count)
{
    for (int j = 0; j < count; j++) {
        scores[j] = round_to(tanh(scores[j]), output_grid);
    }
}

void network_forward(const double *weights, const double *pixels, int samples,
                     struct network_pass *pass)
{
    pass->samples = samples;
    for (int layer = 0; layer < NETWORK_LAYERS; layer++) {
        const struct network_layer *shape = &network_layers[layer];
        const double *inputs = layer == 0 ? pixels : pass->outputs[layer - 1];
        double *outputs = pass->outputs[layer];

        pass->inputs[layer] = inputs;
        for (int s = 0; s < samples; s++, inputs += shape->inputs, outputs += shape->outputs) {
            compute_scores(weights + shape->begin, shape, inputs, outputs);
            if (layer < NETWORK_LAYERS - 1) {
                apply_tanh(outputs, shape->outputs);
            } else {
                apply_softmax(outputs);
            }
        }
    }
}

double network_errors(const unsigned char *labels, struct network_pass *pass)
{
    const double *probabilities = pass->outputs[NETWORK_LAYERS - 1];
    double *errors = pass->errors[NETWORK_LAYERS - 1];
    double loss = 0.0;

    for (int s = 0; s < pass->samples; s++) {
        loss += round_to(network_loss(probabilities, labels[s]), loss_grid);
        for (int c = 0; c < DIGITS_CLASSES; c++) {
            errors[c] = round_to(probabilities[c] - (c == labels[s]), error_grid);
        }
        probabilities += DIGITS_CLASSES;
        errors += DIGITS_CLASSES;
    }
    return loss;
}

/* The products of inputs and errors, added up over the samples; the bias has the input 1. */
void network_gradient(const struct network_pass *pass, int layer, double *gradient)
{
    const struct network_layer *shape = &network_layers[layer];
    const double *inputs = pass->inputs[layer];
    const double *errors = pass->errors[layer];

    memset(gradient, 0, (size_t)network_layer_weights(layer) * sizeof *gradient);
    for (int s = 0; s < pass->samples; s++, inputs += shape->inputs, errors += shape->outputs) {
        double *restrict row = gradient;

        for (int i = 0; i <= shape->inputs; i++, row += shape->outputs) {
            double input = i < shape->inputs ? inputs[i] : 1.0;

            for (int j = 0; j < shape->outputs; j++) {
                row[j] += input * errors[j];
            }
        }
    }
}

/* The derivative of tanh() is 1 less the square of its value. */
void network_propagate(const double *weights, int layer, struct network_pass *pass)
{
    const struct network_layer *shape = &network_layers[layer];
    const double *inputs = pass->inputs[layer];
    const double *errors = pass->errors[layer];
    double *before = pass->errors[layer - 1];

    for (int s = 0; s < pass->samples; s++) {
        const double *row = weights + shape->begin;

        for (int i = 0; i < shape->inputs; i++, row += shape->outputs) {
            double sum = 0.0;

            for (int j = 0; j < shape->outputs; j++) {
                sum += row[j] * errors[j];
            }
            before[i] = round_to(sum * (1.0 - inputs[i] * inputs[i]), error_grid);
        }
        inputs += shape->inputs;
        before += shape->inputs;
        errors += shape->outputs;
    }
}

int network_best_class(const double *probabilities)
{
    int best = 0;

    for (int c = 1; c < DIGITS_CLASSES; c++) {
        if (probabilities[c] > probabilities[best]) {
            best = c;
        }
    }
    return best;
}

double network_loss(const double *probabilities, int label)
{
    double probability = probabilities[label];

    /*
     * A probability that underflowed to 0 would make the loss infinite. Written so that NaN, the
     * mark of a training that diverged, passes through.
     */
    return -log(probability < DBL_MIN ? DBL_MIN : probability);
}
