"""`check_fitted`: whether the estimate that another library reports exists at all."""

import warnings
from dataclasses import replace
from typing import Any

from rosenblatt.arguments import checked
from rosenblatt.regressions import Asked, question_of
from rosenblatt.verdicts import Verdict
from rosenblatt.verdicts.existence.decision import existence

__all__ = ["check_fitted"]


@checked
def check_fitted(fitted: Any, X: Any = None, y: Any = None, **more: Any) -> Verdict:
    """The verdict whether the maximum-likelihood estimate of a fitted model exists, and a warning where it does not.

    An optimiser that chases an infinite coefficient stops somewhere, and may report that it has converged. This asks
    the data instead.

    Parameters
    ----------
    fitted : a fitted model
        Of statsmodels: the results of Logit, Probit, GLM (binomial, Poisson, negative binomial), Poisson,
        NegativeBinomial, ZeroInflatedPoisson (the part of the counts), MNLogit, OrderedModel, PHReg, ConditionalLogit
        and ConditionalPoisson. Of scikit-learn: LogisticRegression. Of lifelines: CoxPHFitter. Of scikit-survival:
        CoxPHSurvivalAnalysis. Of pyfixest: fepois.
    X, y : the data it was fitted to, where the fitted model keeps none
        LogisticRegression: rows and labels. CoxPHFitter: the table, as X alone. CoxPHSurvivalAnalysis: rows, and the
        array of events and times. Other models keep their data. Row
        numbers are those of the model's own data, after it dropped rows with missing values.
    **more
        Further arguments of `existence`, such as `time_limit` or `sample_weight`.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), [0, 0, 1, 1]
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     verdict = check_fitted(LogisticRegression().fit(X, y), X, y)
    >>> verdict.kind
    'complete'
    >>> print(caught[0].message)
    LogisticRegression: there is no maximum-likelihood estimate. Completely separable: a hyperplane has every example
    strictly on its side. The fit is penalised (C=1.0): without the penalty it would have no finite estimate.
    """
    asked = question_of(fitted, X, y)
    verdict = existence(**{**asked.arguments, **more})
    if not asked.finite_part:  # `existence` would fit it with another link
        verdict = replace(verdict, plane_rows=None)
    if verdict.kind != "overlap" or asked.notes:
        warnings.warn(f"{asked.name}: {_said(verdict, asked)}", UserWarning, stacklevel=3)  # past `checked`
    return verdict


def _said(verdict: Verdict, asked: Asked) -> str:
    """The text of the warning: the verdict's sentence, and what is to be added to it."""
    no_estimate = verdict.kind in ("complete", "quasi")
    parts = [verdict.sentence]
    if no_estimate and verdict.model is None:  # the sentence of two classes is about hyperplanes
        parts = ["there is no maximum-likelihood estimate.", verdict.sentence]
    if no_estimate and asked.penalty:
        parts.append(f"The fit is penalised ({asked.penalty}): without the penalty it would have no finite estimate.")
    return " ".join([*parts, *asked.notes])
