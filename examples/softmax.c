/*
 * The arithmetic of softmax regression, one sample at a time.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "softmax.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* scores = bias + weights x pixels */
static void compute_scores(const double *weights, const double *pixels, double *scores)
{
    const double *bias = weights + (size_t)DIGITS_PIXELS * DIGITS_CLASSES;

    memcpy(scores, bias, DIGITS_CLASSES * sizeof *scores);
    for (int i = 0; i < DIGITS_PIXELS; i++) {
        const double *row = weights + (size_t)i * DIGITS_CLASSES;

        for (int c = 0; c < DIGITS_CLASSES; c++) {
            scores[c] += pixels[i] * row[c];
        }
    }
}

void softmax_predict(const double *weights, const double *pixels, double *probabilities)
{
    double scores[DIGITS_CLASSES];
    double largest;
    double sum = 0.0;

    compute_scores(weights, pixels, scores);
    largest = scores[0];
    for (int c = 1; c < DIGITS_CLASSES; c++) {
        largest = fmax(largest, scores[c]);
    }
    /* The largest score is taken off first, so that exp() cannot overflow. */
    for (int c = 0; c < DIGITS_CLASSES; c++) {
        probabilities[c] = exp(scores[c] - largest);
        sum += probabilities[c];
    }
    for (int c = 0; c < DIGITS_CLASSES; c++) {
        probabilities[c] /= sum;
    }
}

int softmax_best_class(const double *probabilities)
{
    int best = 0;

    for (int c = 1; c < DIGITS_CLASSES; c++) {
        if (probabilities[c] > probabilities[best]) {
            best = c;
        }
    }
    return best;
}

double softmax_loss(const double *probabilities, int label)
{
    double probability = probabilities[label];

    /*
     * A probability that underflowed to 0 would make the loss infinite. Written so that NaN, the
     * mark of a training that diverged, passes through.
     */
    return -log(probability < DBL_MIN ? DBL_MIN : probability);
}

double softmax_gradient_add(const double *weights, const double *pixels, int label,
                            double *gradient)
{
    double *bias = gradient + (size_t)DIGITS_PIXELS * DIGITS_CLASSES;
    double error[DIGITS_CLASSES];
    double loss;

    softmax_predict(weights, pixels, error);
    loss = softmax_loss(error, label);
    error[label] -= 1.0;
    for (int i = 0; i < DIGITS_PIXELS; i++) {
        double *row = gradient + (size_t)i * DIGITS_CLASSES;

        for (int c = 0; c < DIGITS_CLASSES; c++) {
            row[c] += pixels[i] * error[c];
        }
    }
    for (int c = 0; c < DIGITS_CLASSES; c++) {
        bias[c] += error[c];
    }
    return loss;
}
