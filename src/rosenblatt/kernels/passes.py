"""Passes over rows with fixed weights, and corrections that a trace has, made again."""

import numpy as np

from rosenblatt.kernels.compile import helper_inlined, kernel
from rosenblatt.kernels.formats import add_row, bias_input, respond, row_sq
from rosenblatt.kernels.kinds import Dense
from rosenblatt.kernels.rules import is_mistake, step

__all__ = ["answer_rows", "descend", "judge", "replay", "respond_all", "squares", "survey", "walk", "weigh_answer"]


@kernel
def descend(rows, y, weights, rule, w, gradient, start, stop):
    """gradient += Σ step·(x_i, 1) over rows start..stop with fixed weights: these rows' share of one batch step.

    Returns the number of mistakes.
    """
    bias = bias_input(rows, w)
    mistakes = 0
    for i in range(start, stop):
        if weights.size and weights[i] == 0.0:
            continue
        s = respond(rows, i, w)
        a = step(rule, y[i], s, rows, i, bias, 0.0)
        if weights.size:
            a *= weights[i]
        if a == 0.0:  # nothing to learn
            continue
        add_row(rows, i, a, gradient)
        mistakes += is_mistake(rule, y[i], s)
    return mistakes


@kernel
def respond_all(rows, w, out, start, stop):
    """out[i] = w · (x_i, 1) for rows start..stop."""
    for i in range(start, stop):
        out[i] = respond(rows, i, w)


@kernel
def answer_rows(X, coef, intercept, bias, zero_is_positive, w, scores, answers):
    """The scores of K weight vectors on a few dense rows, and the number of the class that each row is given.

    It is made for single rows: one call has to do, because the arguments of a call cost more time than the row. `w` is
    room for one weight vector, the bias last. Returns whether all scores are finite.
    """
    rows = Dense(X)
    finite, K = True, coef.shape[0]
    for k in range(K):
        for j in range(coef.shape[1]):
            w[j] = coef[k, j]
        if bias:
            w[w.size - 1] = intercept[k]
        for i in range(X.shape[0]):
            scores[i, k] = respond(rows, i, w)
            finite &= abs(scores[i, k]) < np.inf
    for i in range(X.shape[0]):
        if K == 1:
            answers[i] = scores[i, 0] >= 0.0 if zero_is_positive else scores[i, 0] > 0.0
        else:
            answers[i] = 0
            for k in range(1, K):
                if scores[i, k] > scores[i, answers[i]]:
                    answers[i] = k
    return finite


@kernel
def judge(rows, y, weights, w, ties, doubt, unsure, start, stop):
    """Look at rows start..stop with fixed weights; returns (mistakes, zeros, n).

    mistakes  counts y·s < 0, and s = 0 where `ties` = (on positive examples, on negative ones) says it is a mistake;
    zeros     counts s = 0;
    unsure    is filled with the n rows of |s| ≤ doubt: rounding may hide their true sign.
    """
    mistakes = zeros = n = 0
    for i in range(start, stop):
        agreement = y[i] * respond(rows, i, w)
        if agreement > doubt or (weights.size and weights[i] == 0.0):
            continue
        mistake, zero, doubtful = weigh_answer(agreement, ties[0] if y[i] > 0 else ties[1], doubt)
        mistakes += mistake
        zeros += zero
        if doubtful:
            unsure[n] = i
            n += 1
    return mistakes, zeros, n


@helper_inlined
def weigh_answer(agreement, tie_is_mistake, doubt):
    """Whether an answer is a mistake, whether it is a tie, and whether rounding may hide its true sign."""
    zero = agreement == 0.0
    mistake = tie_is_mistake if zero else not agreement > 0.0  # an answer that is not a number is never right
    return mistake, zero, not agreement < -doubt


@kernel
def survey(rows, bias, start, stop):
    """Largest ‖(x_i, bias)‖² of rows start..stop, and the first of them whose square is no finite number (or −1)."""
    largest, bad = 0.0, -1
    for i in range(start, stop):
        sq = row_sq(rows, i) + bias
        if not sq < np.inf:
            if bad < 0:
                bad = i
            largest = np.inf
        elif sq > largest:
            largest = sq
    return largest, bad


@kernel
def squares(rows, bias, out, start, stop):
    """out[i] = ‖(x_i, bias)‖² for rows start..stop."""
    for i in range(start, stop):
        out[i] = row_sq(rows, i) + bias


@kernel
def replay(rows, traced_rows, traced_steps, w, start, stop):
    """Make corrections start..stop of a trace again."""
    for k in range(start, stop):
        add_row(rows, traced_rows[k], traced_steps[k], w)


@kernel
def walk(rows, traced_rows, traced_steps, w, w_star, norm_sq, along, start, stop):
    """norm_sq[k] = ‖w(k)‖² and along[k] = w(k)·w* for k = start..stop of a trace; w is w(start − 1), at first w(0)."""
    for k in range(start, stop):
        if k > 0:
            add_row(rows, traced_rows[k - 1], traced_steps[k - 1], w)
        sq = dot = 0.0
        for j in range(w.size):
            sq += w[j] * w[j]
            dot += w[j] * w_star[j]
        norm_sq[k], along[k] = sq, dot
