# The numbers of R for the benchmark "beside": Rscript benchmarks/estimates/beside.R > benchmarks/results/beside-r.json
# Needs survival, MASS, brglm2 and jsonlite. Each entry has the columns as numbers, so that nothing depends on coding.
suppressPackageStartupMessages({library(survival); library(MASS); library(brglm2); library(jsonlite)})
options(warn = -1)
entries <- list()
quiet <- function(work) tryCatch(work, error = function(e) NULL)
matrix_of <- function(formula, data) { X <- model.matrix(formula, data); X[, colnames(X) != "(Intercept)", drop = FALSE] }
shared <- function(name, model, X, more) c(list(name = name, model = model, columns = colnames(X), X = unname(X)), more)
put <- function(entry) entries[[length(entries) + 1]] <<- entry
of_counts <- function(name, formula, data, y, model = "logistic", trials = NULL, weights = NULL, offset = NULL, link = NULL) {
  X <- matrix_of(formula, data); n <- nrow(X)
  w <- if (is.null(weights)) rep(1, n) else weights; o <- if (is.null(offset)) rep(0, n) else offset
  family <- if (model == "poisson") poisson() else binomial(if (is.null(link)) "logit" else link)
  response <- if (is.null(trials)) y else cbind(y, trials - y)
  exact <- list(epsilon = 1e-14, maxit = 100)
  fit <- glm(response ~ X, family = family, weights = w, offset = o, control = exact)
  firth <- if (is.null(link)) quiet(glm(response ~ X, family = family, weights = w, offset = o, method = "brglmFit",
                                        type = "AS_mean", control = list(epsilon = 1e-10, maxit = 500)))
  ends <- quiet(suppressMessages(confint(fit)))
  turn <- function(v) unname(c(v[-1], v[1]))
  put(shared(name, model, X, list(y = y, trials = trials, weights = weights, offset = offset, link = link,
    estimate = turn(coef(fit)), error = turn(sqrt(diag(vcov(fit)))), loglik = as.numeric(logLik(fit)), aic = AIC(fit),
    firth = if (!is.null(firth) && firth$converged) turn(coef(firth)),
    lower = if (is.matrix(ends)) turn(ends[, 1]), upper = if (is.matrix(ends)) turn(ends[, 2]))))
}
of_times <- function(name, formula, data, time, event, entry = NULL, strata = NULL, ties = "efron") {
  X <- matrix_of(formula, data)
  S <- if (is.null(entry)) Surv(time, event) else Surv(entry, time, event)
  exact <- coxph.control(eps = 1e-13, iter.max = 100)
  fit <- if (is.null(strata)) coxph(S ~ X, ties = ties, control = exact) else coxph(S ~ X + strata(strata), ties = ties, control = exact)
  put(shared(name, "cox", X, list(time = time, event = as.integer(event), entry = entry, groups = strata, ties = ties,
    estimate = unname(coef(fit)), error = unname(sqrt(diag(vcov(fit)))), loglik = fit$loglik[2], null = fit$loglik[1])))
}
of_levels <- function(name, formula, data, y, weights = NULL, link = "logistic") {
  X <- matrix_of(formula, data); w <- if (is.null(weights)) rep(1, nrow(X)) else weights
  fit <- polr(factor(y) ~ X, weights = w, method = link, Hess = TRUE, control = list(reltol = 1e-14, maxit = 500))
  put(shared(name, "ordinal", X, list(y = as.integer(factor(y)), weights = weights,
    link = if (link == "probit") "probit", estimate = unname(c(coef(fit), fit$zeta)),
    error = unname(sqrt(diag(vcov(fit)))), loglik = as.numeric(logLik(fit)))))
}
of_sets <- function(name, formula, data, y, groups) {
  X <- matrix_of(formula, data)
  fit <- clogit(y ~ X + strata(groups), method = "exact", control = coxph.control(eps = 1e-13))
  put(shared(name, "conditional", X, list(y = as.integer(y), groups = groups,
    estimate = unname(coef(fit)), error = unname(sqrt(diag(vcov(fit)))), loglik = fit$loglik[2])))
}
n01 <- function(x) as.integer(x)
b <- birthwt
of_counts("birthwt", ~ age + lwt + factor(race) + smoke + ptl + ht + ui + ftv, b, b$low)
of_counts("birthwt, race", ~ factor(race) + smoke, b, b$low)
of_counts("birthwt, probit", ~ age + lwt + smoke, b, b$low, link = "probit")
of_counts("birthwt, cloglog", ~ age + lwt + smoke, b, b$low, link = "cloglog")
e <- esoph; e$agegp <- unclass(e$agegp); e$alcgp <- unclass(e$alcgp); e$tobgp <- unclass(e$tobgp)
of_counts("esoph", ~ agegp + alcgp + tobgp, e, e$ncases, "binomial", e$ncases + e$ncontrols)
of_counts("infert", ~ spontaneous + induced + age + parity, infert, infert$case)
of_counts("Pima.tr", ~ npreg + glu + bp + skin + bmi + ped + age, Pima.tr, n01(Pima.tr$type == "Yes"))
of_counts("Pima.te", ~ npreg + glu + bmi + ped, Pima.te, n01(Pima.te$type == "Yes"))
d <- na.omit(biopsy); of_counts("biopsy", ~ V1 + V3 + V4 + V6 + V7 + V8, d, n01(d$class == "malignant"))
of_counts("bacteria", ~ trt + week, bacteria, n01(bacteria$y == "y"))
of_counts("mtcars, am", ~ wt + hp, mtcars, mtcars$am)
of_counts("mtcars, vs", ~ wt + disp, mtcars, mtcars$vs)
of_counts("menarche", ~ Age, menarche, menarche$Menarche, "binomial", menarche$Total)
of_counts("menarche, probit", ~ Age, menarche, menarche$Menarche, "binomial", menarche$Total, link = "probit")
data(endometrial); of_counts("endometrial", ~ NV + PI + EH, endometrial, endometrial$HG)
data(lizards); of_counts("lizards", ~ height + diameter + light + time, lizards, lizards$grahami, "binomial", lizards$grahami + lizards$opalinus)
t4 <- as.data.frame(Titanic); t4 <- t4[t4$Freq > 0, ]
of_counts("Titanic", ~ Class + Sex + Age, t4, n01(t4$Survived == "Yes"), weights = t4$Freq)
u <- as.data.frame(UCBAdmissions); of_counts("UCBAdmissions", ~ Gender + Dept, u, n01(u$Admit == "Admitted"), weights = u$Freq)
of_counts("crabs", ~ FL + RW + CW, crabs, n01(crabs$sex == "M"))
i <- iris[iris$Species != "setosa", ]; of_counts("iris, two kinds", ~ Sepal.Length + Petal.Length + Petal.Width, i, n01(i$Species == "virginica"))
of_counts("ToothGrowth", ~ len + dose, ToothGrowth, n01(ToothGrowth$supp == "OJ"))
a <- na.omit(airquality); of_counts("airquality", ~ Wind + Temp + Solar.R, a, n01(a$Ozone > 40))
of_counts("leuk", ~ ag + wbc, transform(leuk, wbc = log(wbc)), n01(leuk$time > 20))
of_counts("snails", ~ Species + Exposure + Rel.Hum + Temp, snails, snails$Deaths, "binomial", snails$N)
of_counts("synth.tr", ~ xs + ys, synth.tr, synth.tr$yc)
of_counts("cats", ~ Bwt + Hwt, cats, n01(cats$Sex == "M"))
of_counts("shuttle", ~ stability + error + sign + vis, shuttle, n01(shuttle$use == "auto"))
of_counts("warpbreaks", ~ wool * tension, warpbreaks, warpbreaks$breaks, "poisson")
of_counts("InsectSprays", ~ spray, InsectSprays, InsectSprays$count, "poisson")
of_counts("quine", ~ Sex + Age + Eth + Lrn, quine, quine$Days, "poisson")
s <- ships[ships$service > 0, ]
of_counts("ships", ~ type + factor(year) + factor(period), s, s$incidents, "poisson", offset = log(s$service))
q <- Insurance; q$Age <- unclass(q$Age); q$Group <- factor(q$Group, ordered = FALSE)
of_counts("Insurance", ~ District + Group + Age, q, q$Claims, "poisson", offset = log(q$Holders))
of_counts("epil", ~ base + age + trt + V4, epil, epil$y, "poisson")
l <- na.omit(lung[c("time", "status", "age", "sex", "ph.ecog")])
of_times("lung", ~ age + sex + ph.ecog, l, l$time, l$status == 2)
of_times("lung, Breslow", ~ age + sex + ph.ecog, l, l$time, l$status == 2, ties = "breslow")
of_times("veteran", ~ trt + celltype + karno + diagtime + age, veteran, veteran$time, veteran$status == 1)
of_times("veteran, strata", ~ trt + karno, veteran, veteran$time, veteran$status == 1, strata = unclass(veteran$celltype))
of_times("ovarian", ~ age + resid.ds + rx + ecog.ps, ovarian, ovarian$futime, ovarian$fustat == 1)
of_times("aml", ~ x, aml, aml$time, aml$status == 1)
of_times("kidney", ~ age + sex + disease, kidney, kidney$time, kidney$status == 1)
of_times("heart, late entry", ~ age + year + surgery + transplant, heart, heart$stop, heart$event == 1, entry = heart$start)
of_times("gehan", ~ treat, gehan, gehan$time, gehan$cens == 1)
of_times("Melanoma", ~ sex + age + thickness + ulcer, Melanoma, Melanoma$time, Melanoma$status == 1)
m <- na.omit(mgus[c("futime", "death", "age", "sex", "alb", "hgb")])
of_times("mgus", ~ age + sex + alb + hgb, m, m$futime, m$death == 1)
p <- na.omit(pbc[1:312, c("time", "status", "age", "edema", "bili", "albumin", "protime")])
of_times("pbc", ~ age + edema + log(bili) + log(albumin) + log(protime), p, p$time, p$status == 2)
of_levels("housing", ~ Infl + Type + Cont, housing, housing$Sat, housing$Freq)
of_levels("housing, probit", ~ Infl + Type + Cont, housing, housing$Sat, housing$Freq, "probit")
v <- na.omit(survey[c("Exer", "Age", "Sex", "Pulse")]); v$Exer <- factor(v$Exer, c("None", "Some", "Freq"))
of_levels("survey", ~ Age + Sex + Pulse, v, unclass(v$Exer))
of_levels("mtcars, gears", ~ qsec + hp, mtcars, mtcars$carb %/% 3)
of_sets("infert, matched", ~ spontaneous + induced, infert, infert$case, infert$stratum)
cat(toJSON(list(made_with = paste(R.version.string, paste0("survival ", packageVersion("survival")),
  paste0("MASS ", packageVersion("MASS")), paste0("brglm2 ", packageVersion("brglm2")), sep = "; "), entries = entries),
  digits = NA, auto_unbox = TRUE, null = "null", na = "null", matrix = "rowmajor"))
