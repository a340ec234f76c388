/* How to use it: fill in a punctual_rig with functions that reach the system, then
 *
 *     #include "suite.h"
 *     int main(void) { return punctual_run(&rig, punctual_cases, punctual_n_cases); }
 *
 * Instants are nanoseconds since the start of a case, so nothing drifts however long a step takes. Values are
 * texts. C99; nothing is allocated. punctual_run gives 0 if all cases pass, 1 if one fails, 3 if one is
 * inconclusive: allowed, but not what it expects. */

#ifndef PUNCTUAL_SUITE_H
#define PUNCTUAL_SUITE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Steps of a case with outputs that are awaited, and characters of a text. */
#ifndef PUNCTUAL_OUTPUTS_MAX
#define PUNCTUAL_OUTPUTS_MAX 256
#endif
/* Ports that a check reads. */
#ifndef PUNCTUAL_PORTS_MAX
#define PUNCTUAL_PORTS_MAX 64
#endif
#ifndef PUNCTUAL_TEXT_MAX
#define PUNCTUAL_TEXT_MAX 128
#endif
/* How long outputs are waited for after the last window has closed: they are on their way to us. */
#ifndef PUNCTUAL_MARGIN_NS
#define PUNCTUAL_MARGIN_NS 20000000LL
#endif

typedef struct {
    const char *name;
    const char *value;
} punctual_pair;

typedef struct {
    const punctual_pair *pairs;
    int n;
} punctual_set;

typedef enum { PUNCTUAL_END, PUNCTUAL_INPUT, PUNCTUAL_OUTPUT, PUNCTUAL_CHECK, PUNCTUAL_STEP } punctual_kind;

typedef struct {
    int64_t at_ns;
    punctual_kind kind;
    const char *name;
    const char *const *values;
    int n_values;
    int64_t from_ns, to_ns; /* when an output may be seen */
    punctual_set inputs, expected;
    const punctual_set *allowed;
    int n_allowed;
    const char *requirement;
} punctual_step;

typedef struct {
    const char *name;
    const punctual_step *steps;
    int n_steps;
    int64_t end_ns;
} punctual_case;

typedef struct {
    void *context; /* handed to all functions */
    /* Starts the system anew; instants count from when it returns. */
    void (*reset)(void *context);
    void (*wait_until)(void *context, int64_t ns);
    void (*send)(void *context, const char *name, const char *const *values, int n_values);
    /* Writes the value of a port as a text; 0 if it can not be read. */
    int (*read)(void *context, const char *port, char *value, size_t size);
    /* The next output since the reset: 1 if there is one. `values` are separated by commas. For cases that
     * expect outputs. */
    int (*output)(void *context, int64_t *at_ns, char *name, char *values, size_t size);
    /* Sets inputs and takes a step; then `read` gives outputs. For cases that take steps. */
    void (*step)(void *context, const punctual_pair *inputs, int n_inputs);
} punctual_rig;

/* The number that a text is, perhaps a fraction: 0 if it is none. */
static int punctual_number(const char *text, double *number) {
    char *end;
    if (strcmp(text, "true") == 0) text = "1";
    if (strcmp(text, "false") == 0) text = "0";
    *number = strtod(text, &end);
    if (end == text) return 0;
    if (*end == '/') {
        const char *below = end + 1;
        *number /= strtod(below, &end);
        if (end == below) return 0;
    }
    return *end == 0;
}

/* Equal texts, equal numbers, or equal truth. */
static int punctual_same(const char *a, const char *b) {
    double x, y;
    return strcmp(a, b) == 0 || (punctual_number(a, &x) && punctual_number(b, &y) && x == y);
}

/* What was read, so that a check reads each port once. */
static const char *punctual_ports[PUNCTUAL_PORTS_MAX];
static char punctual_seen[PUNCTUAL_PORTS_MAX][PUNCTUAL_TEXT_MAX];
static int punctual_n_ports;

static const char *punctual_value(const punctual_rig *rig, const char *port) {
    int i;
    for (i = 0; i < punctual_n_ports; i++) {
        if (strcmp(punctual_ports[i], port) == 0) return punctual_seen[i];
    }
    if (punctual_n_ports == PUNCTUAL_PORTS_MAX) return "";
    punctual_ports[i] = port;
    if (!rig->read(rig->context, port, punctual_seen[i], PUNCTUAL_TEXT_MAX)) punctual_seen[i][0] = 0;
    punctual_n_ports++;
    return punctual_seen[i];
}

static int punctual_shows(const punctual_rig *rig, punctual_set set, int says) {
    int i, all = 1;
    for (i = 0; i < set.n; i++) {
        const char *seen = punctual_value(rig, set.pairs[i].name);
        if (punctual_same(seen, set.pairs[i].value)) continue;
        all = 0;
        if (says) printf("      %s = %s was expected, %s was seen\n", set.pairs[i].name, set.pairs[i].value, seen);
    }
    return all;
}

static int punctual_worse(int a, int b) { return a == 1 || b == 1 ? 1 : a > b ? a : b; }

/* Outputs against the windows in which they should come. */
static int punctual_judge_outputs(const punctual_rig *rig, const punctual_case *test) {
    static unsigned char came[PUNCTUAL_OUTPUTS_MAX];
    int i, j, verdict = 0;
    int64_t at_ns;
    char name[PUNCTUAL_TEXT_MAX], values[PUNCTUAL_TEXT_MAX];
    memset(came, 0, sizeof came);
    while (rig->output && rig->output(rig->context, &at_ns, name, values, sizeof name)) {
        int best = -1;
        for (i = 0; i < test->n_steps && i < PUNCTUAL_OUTPUTS_MAX; i++) {
            const punctual_step *step = &test->steps[i];
            const char *rest = values;
            int fits = step->kind == PUNCTUAL_OUTPUT && !came[i] && strcmp(step->name, name) == 0 &&
                       step->from_ns <= at_ns && at_ns <= step->to_ns;
            for (j = 0; fits && j < step->n_values; j++) {
                char value[PUNCTUAL_TEXT_MAX];
                size_t length = strcspn(rest, ",");
                memcpy(value, rest, length);
                value[length] = 0;
                fits = punctual_same(value, step->values[j]);
                rest += length + (rest[length] == ',');
            }
            /* Of those that it can be, the one whose window closes first. */
            if (fits && (best < 0 || step->to_ns < test->steps[best].to_ns)) best = i;
        }
        if (best >= 0) came[best] = 1;
    }
    for (i = 0; i < test->n_steps; i++) {
        const punctual_step *step = &test->steps[i];
        if (step->kind != PUNCTUAL_OUTPUT || (i < PUNCTUAL_OUTPUTS_MAX && came[i])) continue;
        printf("      %s was expected from %lld to %lld ns, and did not come %s\n", step->name,
               (long long)step->from_ns, (long long)step->to_ns, step->requirement ? step->requirement : "");
        verdict = 1;
    }
    return verdict;
}

/* Runs one case. */
static int punctual_run_case(const punctual_rig *rig, const punctual_case *test) {
    int i, j, verdict = 0;
    int64_t end_ns = test->end_ns;
    rig->reset(rig->context);
    for (i = 0; i < test->n_steps; i++) {
        const punctual_step *step = &test->steps[i];
        if (step->kind == PUNCTUAL_OUTPUT) {
            if (end_ns < step->to_ns + PUNCTUAL_MARGIN_NS) end_ns = step->to_ns + PUNCTUAL_MARGIN_NS;
            continue;
        }
        rig->wait_until(rig->context, step->at_ns);
        punctual_n_ports = 0;
        if (step->kind == PUNCTUAL_INPUT) {
            rig->send(rig->context, step->name, step->values, step->n_values);
        } else if (step->kind == PUNCTUAL_STEP) {
            rig->step(rig->context, step->inputs.pairs, step->inputs.n);
            if (!punctual_shows(rig, step->expected, 1)) verdict = 1;
        } else {
            int allowed = 0;
            for (j = 0; j < step->n_allowed && !allowed; j++) allowed = punctual_shows(rig, step->allowed[j], 0);
            if (!allowed) {
                printf("      wrong at %lld ns %s\n", (long long)step->at_ns, step->requirement ? step->requirement : "");
                punctual_shows(rig, step->n_allowed ? step->allowed[0] : step->expected, 1);
                verdict = 1;
            } else if (!punctual_shows(rig, step->expected, 0)) {
                verdict = punctual_worse(verdict, 3);
            }
        }
    }
    rig->wait_until(rig->context, end_ns);
    return punctual_worse(verdict, punctual_judge_outputs(rig, test));
}

/* Runs all cases. */
static int punctual_run(const punctual_rig *rig, const punctual_case *cases, int n_cases) {
    int i, worst = 0;
    for (i = 0; i < n_cases; i++) {
        int verdict = punctual_run_case(rig, &cases[i]);
        printf("%s  %s\n", verdict == 0 ? "PASS" : verdict == 1 ? "FAIL" : "INCONCLUSIVE", cases[i].name);
        worst = punctual_worse(worst, verdict);
    }
    return worst;
}

