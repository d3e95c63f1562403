"""The part of stat.py that evaluates bounds on epsilon, from their published formulas, in high precision.

A bound "at alpha" fails with probability at most alpha. Rates of an attack that calls members positive:
FNR = FN/m over m members, FPR = FP/n over n non-members. Arithmetic is mpmath's with DIGITS digits; the
answers are rounded to double once. An approximate double from SciPy only starts each search.
"""

import itertools

import mpmath
import numpy as np
import scipy.integrate
import scipy.special
import scipy.stats
from mpmath import mp, mpf

DIGITS = 30


def normal_cdf(x):
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


def normal_quantile(p):
    if p <= 0 or p >= 1:
        return mpf("-inf") if p <= 0 else mpf("inf")
    # Newton from the double value; in the upper tail the mirrored problem keeps the digits.
    if p > mpf(1) / 2:
        return -normal_quantile(1 - p)
    x = mpf(float(scipy.special.ndtri(float(p))))
    for _ in range(4):
        x -= (normal_cdf(x) - p) / mpmath.npdf(x)
    return x


def beta_cdf(x, a, b):
    if x <= 0 or x >= 1:
        return mpf(0) if x <= 0 else mpf(1)
    if isinstance(a, int) and isinstance(b, int):
        # A binomial tail, summed over its shorter side; far quicker than the hypergeometric series.
        return 1 - binomial_tail(a, a + b - 1, x) if a <= b else binomial_tail(b, a + b - 1, 1 - x)
    return mpmath.betainc(a, b, 0, x, regularized=True)


def binomial_tail(count, n, x):
    """P(Bin(n, x) < count)."""
    odds = x / (1 - x)
    term = (1 - x) ** n
    total = term
    for k in range(1, count):
        term *= odds * (n - k + 1) / k
        total += term
    return total


def beta_quantile(q, a, b, start=None):
    """The x with P(Beta(a, b) <= x) = q, by Newton's steps from the double value."""
    with mp.workdps(DIGITS + 10):
        x = mpf(float(scipy.special.betaincinv(a, b, float(q))) if start is None else start)
        scale = 1 / mpmath.beta(a, b)
        for _ in range(5):
            x -= (beta_cdf(x, a, b) - q) / (scale * x ** (a - 1) * (1 - x) ** (b - 1))
        return x


def upper_rate(k, n, alpha):
    """The one-sided Clopper-Pearson upper bound of a rate of which k of n were seen."""
    return mpf(1) if k == n else beta_quantile(1 - mpf(alpha), k + 1, n - k)


def lower_rate(k, n, alpha):
    return mpf(0) if k == 0 else beta_quantile(mpf(alpha), k, n - k + 1)


def bisect(inside, low, high):
    """The last point of [low, high] where `inside` holds, which must hold at low and fail at high."""
    low, high = mpf(low), mpf(high)
    for _ in range(75):
        middle = (low + high) / 2
        low, high = (middle, high) if inside(middle) else (low, middle)
    return low


def upper_end(inside):
    """A point where `inside`, true at 0, has become false."""
    high = mpf(1)
    while inside(high):
        high *= 2
    return high


# Item 3: a Clopper-Pearson bound on each rate.

def log_ratio(rate, other, delta):
    """ln((1 - rate - delta) / other)."""
    if 1 - rate - delta <= 0:
        return mpf("-inf")
    return mpf("inf") if other == 0 else mpmath.log((1 - rate - delta) / other)


def clopper_pearson_epsilon(fn, m, fp, n, alpha, delta):
    tail = mpf(alpha) / 2
    fnr, fpr = upper_rate(fn, m, tail), upper_rate(fp, n, tail)
    fnr_low, fpr_low = lower_rate(fn, m, tail), lower_rate(fp, n, tail)
    delta = mpf(delta)
    sides = [log_ratio(fnr, fpr, delta), log_ratio(fpr, fnr, delta)]
    upper = max(log_ratio(fnr_low, fpr_low, delta), log_ratio(fpr_low, fnr_low, delta), 0)
    return {"fnr_upper": float(fnr), "fpr_upper": float(fpr), "fnr_lower": float(fnr_low),
            "fpr_lower": float(fpr_low), "sides": [float(side) for side in sides],
            "epsilon_lower": float(max(0, *sides)), "epsilon_upper": float(upper)}


def clopper_pearson_cases(_):
    inputs = [(0, 1, 0, 1), (0, 10, 0, 10), (10, 10, 10, 10), (0, 500, 0, 500), (500, 500, 0, 500),
              (480, 500, 0, 500), (450, 500, 3, 500), (3, 500, 450, 500), (100, 200, 100, 200), (7, 40, 2, 300),
              (0, 487, 512, 513), (400, 1000, 1, 1000), (1, 1000, 400, 1000), (990, 1000, 10, 10000),
              (250, 1000, 250, 1000), (999, 1000, 0, 100000)]
    for (fn, m, fp, n), (alpha, delta) in zip(inputs, itertools.cycle([(0.05, 0.0), (0.1, 1e-5), (0.01, 1e-3)])):
        yield {"fn": fn, "members": m, "fp": fp, "non_members": n, "alpha": alpha, "delta": delta,
               **clopper_pearson_epsilon(fn, m, fp, n, alpha, delta)}


# Item 4: one run, approximate differential privacy.

def one_run_p_value(canaries, guesses, right, epsilon, delta):
    """P(at least `right` of `guesses` are right) under (epsilon, delta), membership having been a fair coin."""
    q = 1 / (1 + mpmath.exp(-epsilon))
    mass = [mpmath.binomial(guesses, k) * q**k * (1 - q) ** (guesses - k) for k in range(guesses + 1)]
    beta = mpmath.fsum(mass[right:])
    below, most = mpf(0), mpf(0)
    for i in range(1, right + 1):
        below += mass[right - i]
        most = max(most, below / i)
    return min(mpf(1), beta + 2 * canaries * mpf(delta) * most)


def one_run_cases(_):
    inputs = [(10, 10, 10), (100, 100, 50), (100, 100, 60), (100, 100, 75), (100, 100, 100), (200, 50, 45),
              (200, 50, 50), (200, 1, 1), (500, 100, 90), (500, 100, 99), (500, 300, 200), (300, 100, 0),
              (300, 100, 80), (1000, 200, 180), (1000, 400, 399), (1000, 60, 60)]
    settings = [(0.05, 0.0), (0.05, 1e-5), (0.01, 1e-6), (0.1, 1e-3)]
    for (canaries, guesses, right), (alpha, delta) in zip(inputs, itertools.cycle(settings)):
        def rejected(epsilon):
            return one_run_p_value(canaries, guesses, right, epsilon, delta) <= mpf(alpha)

        grid = [rejected(mpf(k) / 4) for k in range(40)]
        assert grid == sorted(grid, reverse=True), "the p-value must not fall as epsilon grows"
        epsilon = bisect(rejected, 0, upper_end(rejected)) if rejected(mpf(0)) else mpf(0)
        yield {"canaries": canaries, "guesses": guesses, "right": right, "alpha": alpha, "delta": delta,
               "p_value_at_1": float(one_run_p_value(canaries, guesses, right, mpf(1), delta)),
               "epsilon_lower": float(epsilon)}


# Item 6's conversion: what mu of Gaussian differential privacy means at a delta.

def gaussian_delta(mu, epsilon):
    return normal_cdf(-epsilon / mu + mu / 2) - mpmath.exp(epsilon) * normal_cdf(-epsilon / mu - mu / 2)


def gaussian_epsilon(mu, delta):
    """The epsilon >= 0 at which mu-GDP is (epsilon, delta)-DP."""
    with mp.workdps(60):
        mu, delta = mpf(mu), mpf(delta)
        if mu <= 0 or gaussian_delta(mu, mpf(0)) <= delta:
            return mpf(0)
        if delta == 0:
            return mpf("inf")

        def too_small(epsilon):
            return gaussian_delta(mu, epsilon) > delta

        return bisect(too_small, 0, upper_end(too_small))


# Item 5: one run, f-DP with a Gaussian trade-off curve.

def fdp_excess(canaries, guesses, right, alpha, mu, cdf, quantile, number):
    """rr + h - r/M at the end of the recursion: positive means that mu-GDP is rejected."""
    rr = number(alpha) * right / canaries
    h = number(alpha) * (guesses - right) / canaries
    for i in range(right - 1, -1, -1):
        higher = max(h, cdf(quantile(rr) - mu))
        rr = min(number(1), rr + number(i) / (guesses - i) * (higher - h))
        h = higher
    return rr + h - number(guesses) / canaries


def one_run_mu(canaries, guesses, right, alpha):
    """The largest mu that is rejected: searched in double, then narrowed in high precision."""
    def rough(mu):
        return fdp_excess(canaries, guesses, right, alpha, mu, scipy.special.ndtr, scipy.special.ndtri, float)

    def exact(mu):
        return fdp_excess(canaries, guesses, right, alpha, mu, normal_cdf, normal_quantile, mpf)

    if rough(0.0) <= 0:
        return mpf(0)
    centre = bisect(lambda mu: rough(float(mu)) > 0, 0, upper_end(lambda mu: rough(float(mu)) > 0))
    low, high = centre - mpf("1e-8"), centre + mpf("1e-8")
    assert exact(low) > 0 >= exact(high)
    return mpmath.findroot(exact, (low, high), solver="illinois", tol=mpf(10) ** -40, verify=False)


def one_run_fdp_cases(_):
    inputs = [(10, 10, 10), (100, 100, 50), (100, 100, 60), (100, 100, 75), (100, 100, 100), (200, 50, 45),
              (200, 50, 50), (200, 1, 1), (200, 100, 90), (200, 100, 99), (200, 150, 100), (200, 100, 0),
              (200, 100, 65), (250, 200, 180), (500, 60, 60), (200, 120, 70)]
    for (canaries, guesses, right), alpha in zip(inputs, itertools.cycle([0.05, 0.01, 0.1])):
        mu = one_run_mu(canaries, guesses, right, alpha)
        yield {"canaries": canaries, "guesses": guesses, "right": right, "alpha": alpha, "mu_lower": float(mu),
               "epsilon_lower": {str(delta): float(gaussian_epsilon(mu, delta)) for delta in [1e-5, 1e-3]}}


# Item 6: many thresholds, Gaussian differential privacy.

def gdp_mu(counts, m, n, alpha):
    tail = mpf(alpha) / (2 * len(counts))
    mus = []
    for fn, fp in counts:
        fnr, fpr = upper_rate(fn, m, tail), upper_rate(fp, n, tail)
        mus.append(normal_quantile(1 - fpr) - normal_quantile(fnr))
    return max(mus)


def gdp_cases(rng):
    for mu in [0.001, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0]:
        for delta in [1e-12, 1e-5, 0.01]:
            yield {"mu": mu, "delta": delta, "epsilon": float(gaussian_epsilon(mu, delta))}
    for m, n, shift, thresholds, alpha in [
        (50, 50, 0.0, 1, 0.05), (50, 50, 1.0, 1, 0.05), (100, 100, 2.0, 3, 0.05), (500, 500, 1.0, 5, 0.05),
        (500, 500, 3.0, 10, 0.1), (1000, 1000, 0.5, 20, 0.05), (1000, 200, 2.0, 7, 0.01), (20, 2000, 4.0, 4, 0.05),
        (1, 1, 1.0, 1, 0.05), (300, 300, -1.0, 4, 0.05), (1000, 1000, 8.0, 10, 0.05),
    ]:
        members, others = rng.normal(size=m) + shift, rng.normal(size=n)
        levels = np.linspace(shift / 2 - 1, shift / 2 + 1, thresholds) if thresholds > 1 else [shift / 2]
        counts = [[int(np.sum(members < t)), int(np.sum(others >= t))] for t in levels]
        mu = gdp_mu(counts, m, n, alpha)
        yield {"members": m, "non_members": n, "counts_fn_fp": counts, "alpha": alpha, "mu_lower": float(mu),
               "epsilon_lower": {str(delta): float(gaussian_epsilon(mu, delta)) for delta in [1e-5, 1e-3]}}


# Item 7: the posterior of epsilon under Jeffreys' priors on both rates.

def region_edges(x, growth, delta):
    """The FPRs that (epsilon, delta) allows at FNR x; growth = e^epsilon."""
    low = max(1 - delta - growth * x, (1 - delta - x) / growth, 0)
    high = min(growth + delta - growth * x, (growth + delta - x) / growth, 1)
    return low, max(low, high)


def region_breaks(growth, delta):
    corner = (1 - delta) / (1 + growth)
    return [corner, 1 - corner, delta, 1 - delta]


# Both integrals run over the angle with FNR = sin(angle)^2, which takes the poles of the density away.

def posterior_rough(epsilon, fnr, fpr, delta):
    growth = np.exp(epsilon)
    a, b = fnr
    scale = scipy.special.betaln(a, b)

    def column(angle):
        low, high = region_edges(np.sin(angle) ** 2, growth, delta)
        density = scipy.special.xlogy(2 * a - 1, np.sin(angle)) + scipy.special.xlogy(2 * b - 1, np.cos(angle))
        inner = scipy.special.betainc(*fpr, high) - scipy.special.betainc(*fpr, low)
        return 2 * np.exp(density - scale) * inner

    points = [0, 1, *region_breaks(growth, delta), *scipy.special.betaincinv(*fnr, [1e-9, 0.1, 0.5, 0.9, 1 - 1e-9])]
    angles = np.arcsin(np.sqrt(np.unique(points)))
    return sum(scipy.integrate.quad(column, *ends, limit=200)[0] for ends in itertools.pairwise(angles))


def posterior(epsilon, fnr, fpr, delta):
    """P((FNR, FPR) in the (epsilon, delta) region), by double-exponential quadrature between the kinks."""
    growth, delta = mpmath.exp(epsilon), mpf(delta)
    a, b = (mpf(value) for value in fnr)
    scale = 2 / mpmath.beta(a, b)

    def column(angle):
        sine, cosine = mpmath.sin(angle), mpmath.cos(angle)
        low, high = region_edges(sine**2, growth, delta)
        return scale * sine ** (2 * a - 1) * cosine ** (2 * b - 1) * (beta_cdf(high, *fpr) - beta_cdf(low, *fpr))

    # Beyond the outermost quantiles there is nothing to see at this precision.
    quantiles = scipy.special.betaincinv(*fnr, [1e-22, 1e-6, 0.05, 0.5, 0.95]).tolist()
    quantiles += scipy.special.betainccinv(*fnr, [1e-6, 1e-22]).tolist()
    points = {mpf(point) for point in [*quantiles, *region_breaks(growth, delta)]}
    kept = sorted(point for point in points if quantiles[0] <= point <= quantiles[-1])
    return mpmath.quad(column, [mpmath.asin(mpmath.sqrt(point)) for point in kept])


def posterior_quantile(level, fnr, fpr, delta):
    def rough(epsilon):
        return posterior_rough(float(epsilon), fnr, fpr, delta) < level

    if posterior_rough(0.0, fnr, fpr, delta) >= level:
        return mpf(0)
    low, high = mpf(0), upper_end(rough)
    for _ in range(35):
        middle = (low + high) / 2
        low, high = (middle, high) if rough(middle) else (low, middle)
    with mp.workdps(20):
        return mpmath.findroot(lambda e: posterior(e, fnr, fpr, delta) - mpf(level), (low, low + mpf("1e-5")),
                               solver="secant", tol=mpf(10) ** -30, maxsteps=4, verify=False)


def bayes_cases(_):
    inputs = [(487, 1, 512, 0), (1, 1, 0, 0), (0, 0, 1, 1), (5, 5, 5, 5), (9, 8, 2, 1), (50, 50, 0, 0), (0, 30, 0, 30),
              (90, 95, 5, 10), (30, 100, 0, 70), (100, 30, 70, 0), (250, 250, 250, 250), (480, 460, 40, 20),
              (10, 400, 1, 390), (500, 500, 0, 0), (20, 900, 3, 80)]
    for (tp, tn, fp, fn), (alpha, delta) in zip(inputs, itertools.cycle([(0.1, 1e-5), (0.05, 0.0), (0.1, 1e-2)])):
        fnr, fpr = (fn + 0.5, tp + 0.5), (fp + 0.5, tn + 0.5)
        bounds = [posterior_quantile(level, fnr, fpr, delta) for level in (alpha / 2, 1 - alpha / 2)]
        yield {"tp": tp, "tn": tn, "fp": fp, "fn": fn, "alpha": alpha, "delta": delta,
               "epsilon_lower": float(bounds[0]), "epsilon_upper": float(bounds[1])}


mp.dps = DIGITS
