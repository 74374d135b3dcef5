/*
 * Softmax regression on the digits: one linear score a class, probabilities by the softmax of the
 * scores, loss by cross entropy. The arithmetic of one sample; no MPI, no memory management.
 *
 * A set of weights is SOFTMAX_WEIGHTS doubles: for each of the 64 pixels, and last for the bias,
 * the ten weights of the classes, so that the inner loops run over the classes.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef EXAMPLES_SOFTMAX_H
#define EXAMPLES_SOFTMAX_H

#include "dataset.h"

enum { SOFTMAX_WEIGHTS = (DIGITS_PIXELS + 1) * DIGITS_CLASSES };

/*
 * The probability that the image `pixels` (DIGITS_PIXELS values) shows each of the ten digits, into
 * `probabilities` (DIGITS_CLASSES values, their sum is 1).
 */
void softmax_predict(const double *weights, const double *pixels, double *probabilities);

/* The class with the largest probability, the smaller one of equals. */
int softmax_best_class(const double *probabilities);

/* The cross entropy, in nats, of a prediction for a sample whose class is `label`. */
double softmax_loss(const double *probabilities, int label);

/*
 * Adds the gradient of one sample's loss to `gradient` (SOFTMAX_WEIGHTS values).
 * Returns the loss.
 */
double softmax_gradient_add(const double *weights, const double *pixels, int label,
                            double *gradient);

#endif
