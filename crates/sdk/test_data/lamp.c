/* A device: a thread of its own lights a lamp up and puts it out. */
#define _POSIX_C_SOURCE 200809L
#include "punctual.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

static punctual_value level;

int32_t punctual_can(void) { return PUNCTUAL_CAN_SET | PUNCTUAL_CAN_TYPED; }

int32_t punctual_reset(void *system) {
  (void)system;
  level = punctual_int(0);
  /* It comes too early: the tester takes what was sent before it is told `ready` for that of the run before. */
  punctual_emit("old", NULL, 0);
  return 0;
}

static void *shine(void *nothing) {
  struct timespec while_on = {0, 50000000};
  punctual_port output = punctual_named("light", punctual_bool(0));
  punctual_port input = punctual_named("level", level);
  (void)nothing;
  punctual_emit("on", &level, 1);
  nanosleep(&while_on, NULL);
  punctual_emit("off", NULL, 0);
  punctual_stepped(&output, 1, &input, 1);
  punctual_log("a \"lamp\"\n");
  return NULL;
}

int32_t punctual_input_typed(void *system, uint64_t at_ns, const char *name,
                             const punctual_value *values, int32_t n_values) {
  pthread_t thread;
  (void)system, (void)at_ns, (void)values, (void)n_values;
  if (strcmp(name, "press") != 0) return PUNCTUAL_UNKNOWN;
  if (pthread_create(&thread, NULL, shine, NULL) != 0) return -1;
  return pthread_detach(thread) == 0 ? 0 : -1;
}

int32_t punctual_set(void *system, uint64_t at_ns, const char *name, const punctual_value *value) {
  (void)system, (void)at_ns, (void)name;
  level = *value;
  return 0;
}

int main(void) { return punctual_serve_device(NULL); }
