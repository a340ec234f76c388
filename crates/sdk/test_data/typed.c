/* A system with everything that punctual.h has: it adds up `x` in steps, and says what it is told. */
#include "punctual.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct system_state {
  punctual_value x;
  int64_t on;
  double sum;
  char mode[PUNCTUAL_TEXT_SIZE];
  int has_output;
  punctual_typed_output output;
} system_state;

int32_t punctual_protocol(void) { return PUNCTUAL_PROTOCOL; }

int32_t punctual_can(void) {
  return PUNCTUAL_CAN_STEP | PUNCTUAL_CAN_SET | PUNCTUAL_CAN_READ | PUNCTUAL_CAN_TYPED;
}

void *punctual_new(int32_t argc, const char *const *argv) {
  (void)argv;
  return argc == 0 ? calloc(1, sizeof(system_state)) : NULL;
}

void punctual_delete(void *system) { free(system); }

int32_t punctual_reset(void *system) {
  system_state *s = system;
  memset(s, 0, sizeof *s);
  s->x = punctual_int(0);
  s->on = 1;
  strcpy(s->mode, "Idle");
  return 0;
}

int32_t punctual_input_typed(void *system, uint64_t at_ns, const char *name,
                             const punctual_value *values, int32_t n_values) {
  system_state *s = system;
  if (strcmp(name, "break") == 0) return -1;
  if (strcmp(name, "say") != 0) return PUNCTUAL_UNKNOWN;
  printf("printed\n");
  s->has_output = 1;
  s->output.at_ns = at_ns + 5;
  strcpy(s->output.name, "said");
  s->output.n_values = n_values;
  memcpy(s->output.values, values, sizeof *values * (size_t)n_values);
  return 0;
}

int32_t punctual_advance_typed(void *system, uint64_t until_ns, punctual_typed_output *output) {
  system_state *s = system;
  if (!s->has_output || s->output.at_ns > until_ns) return 0;
  s->has_output = 0;
  *output = s->output;
  return 1;
}

uint64_t punctual_next(void *system) {
  system_state *s = system;
  return s->has_output ? s->output.at_ns : PUNCTUAL_NEVER;
}

int32_t punctual_set(void *system, uint64_t at_ns, const char *name, const punctual_value *value) {
  system_state *s = system;
  (void)at_ns;
  if (strcmp(name, "x") == 0) {
    s->x = *value;
  } else if (strcmp(name, "on") == 0) {
    s->on = value->integer;
  } else if (strcmp(name, "mode") == 0) {
    memcpy(s->mode, value->text, sizeof s->mode);
  } else {
    return PUNCTUAL_UNKNOWN;
  }
  return 0;
}

int32_t punctual_step(void *system, uint64_t at_ns, punctual_port *outputs, int32_t n_max) {
  system_state *s = system;
  (void)at_ns, (void)n_max;
  if (s->on) s->sum += s->x.real;
  outputs[0] = punctual_named("sum", punctual_real(s->sum));
  outputs[1] = punctual_named("big", punctual_bool(s->sum > 10));
  outputs[2] = punctual_named("mode", punctual_text(s->mode));
  return 3;
}

int32_t punctual_read(void *system, uint64_t at_ns, const char *name, punctual_value *value) {
  system_state *s = system;
  (void)at_ns;
  if (strcmp(name, "x") == 0) {
    *value = s->x;
  } else if (strcmp(name, "whole") == 0) {
    *value = punctual_int(s->x.integer);
  } else if (strcmp(name, "nothing") == 0) {
    *value = punctual_real(1e308 * 10);
  } else {
    return PUNCTUAL_UNKNOWN;
  }
  return 0;
}

const char *punctual_problem(void) { return "no \"beans\""; }

#ifndef PUNCTUAL_LIBRARY
int main(void) {
  void *system = punctual_new(0, NULL);
  int failed = punctual_serve(system);
  punctual_delete(system);
  return failed;
}
#endif
