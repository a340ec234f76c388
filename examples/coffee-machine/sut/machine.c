/* The coffee machine I(DS, DW) of the T-UPPAAL paper, section 2.3.
 *
 * As a program:         cc -I sdk/c machine.c sdk/c/punctual.c -o machine    (machine DS DW)
 * As a shared library:  cc -I sdk/c -shared -fPIC -DPUNCTUAL_LIBRARY machine.c -o libmachine.so
 *
 * Asked up to 40 time units after the coin it makes weak coffee, later strong coffee; weak coffee
 * takes DW time units, strong coffee DS. What means nothing at the moment is swallowed. */
#include "punctual.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNIT_NS 1000000 /* one time unit is a millisecond */

typedef struct machine {
  uint64_t strong_ns, weak_ns;
  uint64_t paid_ns; /* when the coin came, or never */
  uint64_t cup_ns;  /* when coffee comes, or never */
  const char *cup;  /* which */
} machine;

int32_t punctual_protocol(void) { return PUNCTUAL_PROTOCOL; }

void *punctual_new(int32_t argc, const char *const *argv) {
  if (argc != 2) return NULL;
  machine *m = calloc(1, sizeof *m);
  if (m == NULL) return NULL;
  m->strong_ns = strtoull(argv[0], NULL, 10) * UNIT_NS;
  m->weak_ns = strtoull(argv[1], NULL, 10) * UNIT_NS;
  return m;
}

void punctual_delete(void *system) { free(system); }

int32_t punctual_reset(void *system) {
  machine *m = system;
  m->paid_ns = m->cup_ns = PUNCTUAL_NEVER;
  return 0;
}

int32_t punctual_input(void *system, uint64_t at_ns, const char *name, const int32_t *values,
                       int32_t n_values) {
  machine *m = system;
  (void)values, (void)n_values;
  if (strcmp(name, "coin") == 0 && m->paid_ns == PUNCTUAL_NEVER && m->cup_ns == PUNCTUAL_NEVER) {
    m->paid_ns = at_ns;
  } else if (strcmp(name, "req") == 0 && m->paid_ns != PUNCTUAL_NEVER) {
    int weak = (at_ns - m->paid_ns) / UNIT_NS <= 40;
    m->cup = weak ? "weakCoffee" : "strongCoffee";
    m->cup_ns = at_ns + (weak ? m->weak_ns : m->strong_ns);
    m->paid_ns = PUNCTUAL_NEVER;
  }
  return 0;
}

int32_t punctual_advance(void *system, uint64_t until_ns, punctual_output *output) {
  machine *m = system;
  if (m->cup_ns == PUNCTUAL_NEVER || m->cup_ns > until_ns) return 0;
  output->at_ns = m->cup_ns;
  output->n_values = 0;
  snprintf(output->name, sizeof output->name, "%s", m->cup);
  m->cup_ns = PUNCTUAL_NEVER;
  return 1;
}

uint64_t punctual_next(void *system) { return ((machine *)system)->cup_ns; }

const char *punctual_problem(void) { return "usage: machine DS DW"; }

#ifndef PUNCTUAL_LIBRARY
int main(int argc, char **argv) {
  void *system = punctual_new(argc - 1, (const char *const *)argv + 1);
  if (system == NULL) {
    fprintf(stderr, "%s\n", punctual_problem());
    return 2;
  }
  int failed = punctual_serve(system);
  punctual_delete(system);
  return failed;
}
#endif
