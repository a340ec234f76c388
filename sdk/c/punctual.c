/* The tester's protocol for programs in C: lines of JSON over stdin and stdout. POSIX. */
#define _POSIX_C_SOURCE 200809L
#include "punctual.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_SIZE 65536
#define POLL_NS 500000

/* How much of JSON is needed: finding fields of an object, and reading plain values. */

static const char *skip_spaces(const char *at) {
  while (isspace((unsigned char)*at)) at++;
  return at;
}

/* After the text that starts here; NULL if it does not end. */
static const char *skip_text(const char *at) {
  for (at++; *at != '"'; at++) {
    if (*at == '\\') at++;
    if (*at == '\0') return NULL;
  }
  return at + 1;
}

/* After the value that starts here; NULL if there is none. */
static const char *skip_value(const char *at) {
  int depth = 0;
  do {
    at = skip_spaces(at);
    if (*at == '\0') return NULL;
    if (*at == '"') {
      if ((at = skip_text(at)) == NULL) return NULL;
    } else {
      depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
      at++;
      if (depth == 0) {
        while (*at != '\0' && strchr(",]}", *at) == NULL && !isspace((unsigned char)*at)) at++;
      }
    }
  } while (depth > 0);
  return at;
}

/* The value of a field of the object that starts here, or NULL. */
static const char *field(const char *object, const char *name) {
  size_t length = strlen(name);
  const char *at = skip_spaces(object);
  if (*at++ != '{') return NULL;
  while (*(at = skip_spaces(at)) == '"') {
    const char *key = at + 1;
    if ((at = skip_text(at)) == NULL) return NULL;
    int same = (size_t)(at - 1 - key) == length && strncmp(key, name, length) == 0;
    at = skip_spaces(at);
    if (*at++ != ':') return NULL;
    at = skip_spaces(at);
    if (same) return at;
    if ((at = skip_value(at)) == NULL) return NULL;
    at = skip_spaces(at);
    if (*at == ',') at++;
  }
  return NULL;
}

/* A name has no character that JSON would have to escape. */
static int read_name(const char *at, char *name) {
  size_t length = 0;
  if (at == NULL || *at != '"') return 0;
  for (at++; *at != '"'; at++) {
    if (*at == '\0' || *at == '\\' || length + 1 >= PUNCTUAL_NAME_SIZE) return 0;
    name[length++] = *at;
  }
  name[length] = '\0';
  return 1;
}

static int read_instant(const char *at, uint64_t *value) {
  char *end;
  if (at == NULL || !isdigit((unsigned char)*at)) return 0;
  errno = 0;
  *value = strtoull(at, &end, 10);
  return errno == 0;
}

/* The integers of a list; how many, or -1. */
static int32_t read_values(const char *at, int32_t *values) {
  int32_t n_values = 0;
  if (at == NULL) return 0;
  if (*at++ != '[') return -1;
  for (at = skip_spaces(at); *at != ']'; n_values++) {
    char *end;
    long value = strtol(at, &end, 10);
    if (end == at || n_values == PUNCTUAL_VALUES_MAX) return -1;
    values[n_values] = (int32_t)value;
    at = skip_spaces(end);
    if (*at == ',') at = skip_spaces(at + 1);
  }
  return n_values;
}

/* Reading lines, with a deadline. */

static char line[LINE_SIZE];
static char buffer[LINE_SIZE];
static size_t n_buffered;

enum read_end { LINE, TIMEOUT, CLOSED };

/* Moves one line from the buffer, if there is one. */
static int take_line(void) {
  char *newline = memchr(buffer, '\n', n_buffered);
  if (newline == NULL) return 0;
  size_t length = (size_t)(newline - buffer);
  memcpy(line, buffer, length);
  line[length] = '\0';
  n_buffered -= length + 1;
  memmove(buffer, newline + 1, n_buffered);
  return 1;
}

/* Waits for a line; for ever if the patience is negative. */
static enum read_end read_line(int64_t patience_ns) {
  while (!take_line()) {
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    /* Rounded up: waking early only means to wait again. */
    int64_t ms = patience_ns < 0 ? -1 : (patience_ns + 999999) / 1000000;
    int n = poll(&in, 1, ms > INT_MAX ? INT_MAX : (int)ms);
    if (n == 0) return TIMEOUT;
    if (n < 0 && errno == EINTR) continue;
    ssize_t got = read(STDIN_FILENO, buffer + n_buffered, sizeof buffer - n_buffered);
    if (got <= 0) return CLOSED;
    n_buffered += (size_t)got;
  }
  return LINE;
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Serving. */

static int refuse(const char *text) {
  printf("{\"error\":\"%s\"}\n", text);
  fflush(stdout);
  fprintf(stderr, "%s\n", text);
  return 1;
}

/* What a system says is for stderr: it may not be fit for JSON. */
static int failed(const char *doing) {
  const char *problem = punctual_problem();
  fprintf(stderr, "%s failed: %s\n", doing, problem == NULL ? "not known why" : problem);
  return refuse(doing);
}

static void send_output(const punctual_output *output, int with_instant) {
  printf("{\"output\":\"%.*s\",\"values\":[", PUNCTUAL_NAME_SIZE - 1, output->name);
  for (int32_t i = 0; i < output->n_values && i < PUNCTUAL_VALUES_MAX; i++) {
    printf(i == 0 ? "%ld" : ",%ld", (long)output->values[i]);
  }
  printf("]");
  if (with_instant) printf(",\"at\":%llu", (unsigned long long)output->at_ns);
  printf("}\n");
  fflush(stdout);
}

/* On the real clock: lets the system come to the present, and says how long nothing will happen by
 * itself. */
static int send_due_outputs(void *system, uint64_t zero_ns, uint64_t *at_ns, int64_t *patience_ns) {
  for (;;) {
    punctual_output output;
    *at_ns = now_ns() - zero_ns;
    int32_t found = punctual_advance(system, *at_ns, &output);
    if (found < 0) return 0;
    if (found == 0) break;
    send_output(&output, 0);
  }
  uint64_t due_ns = punctual_next(system);
  uint64_t passed_ns = now_ns() - zero_ns;
  if (due_ns == PUNCTUAL_NEVER) {
    *patience_ns = -1;
  } else if (due_ns == 0) {
    *patience_ns = POLL_NS;
  } else {
    *patience_ns = due_ns > passed_ns ? (int64_t)(due_ns - passed_ns) : 0;
  }
  return 1;
}

int punctual_serve(void *system) {
  char name[PUNCTUAL_NAME_SIZE];
  int32_t values[PUNCTUAL_VALUES_MAX];
  uint64_t number = 0, at_ns = 0, zero_ns = 0;
  int64_t patience_ns = -1;
  int is_reset = 0;
  if (read_line(-1) != LINE) return 0;
  const char *hello = field(line, "hello");
  if (hello == NULL) return refuse("the first message must be hello");
  if (!read_instant(field(hello, "protocol"), &number) || number != PUNCTUAL_PROTOCOL) {
    return refuse("only protocol 1 is known here");
  }
  if (!read_name(field(hello, "clock"), name)) return refuse("no clock");
  int is_virtual = strcmp(name, "virtual") == 0;
  if (!is_virtual && strcmp(name, "real") != 0) return refuse("an unknown clock");
  printf("{\"ready\":0}\n");
  fflush(stdout);
  for (;;) {
    if (!is_virtual && is_reset && !send_due_outputs(system, zero_ns, &at_ns, &patience_ns)) {
      return failed("passing time");
    }
    switch (read_line(is_virtual || !is_reset ? -1 : patience_ns)) {
      case TIMEOUT: continue;
      case CLOSED: return 0;
      case LINE: break;
    }
    if (field(line, "stop") != NULL) return 0;
    if (read_instant(field(line, "reset"), &number)) {
      if (punctual_reset(system) < 0) return failed("resetting");
      is_reset = 1;
      zero_ns = now_ns();
      printf("{\"ready\":%llu}\n", (unsigned long long)number);
      fflush(stdout);
    } else if (!is_reset) {
      return refuse("a reset must come first");
    } else if (field(line, "input") != NULL) {
      int32_t n_values = read_values(field(line, "values"), values);
      if (!read_name(field(line, "input"), name) || n_values < 0) {
        return refuse("an input that can not be read");
      }
      if (is_virtual) {
        if (!read_instant(field(line, "at"), &at_ns)) return refuse("an input without instant");
      } else if (!send_due_outputs(system, zero_ns, &at_ns, &patience_ns)) {
        return failed("passing time");
      }
      if (punctual_input(system, at_ns, name, values, n_values) < 0) {
        return failed("taking an input");
      }
      if (is_virtual) {
        printf("{\"done\":%llu}\n", (unsigned long long)at_ns);
        fflush(stdout);
      }
    } else if (is_virtual && read_instant(field(line, "wait"), &number)) {
      punctual_output output;
      int32_t found = punctual_advance(system, number, &output);
      if (found < 0) return failed("passing time");
      if (found > 0) {
        send_output(&output, 1);
      } else {
        printf("{\"quiet\":%llu}\n", (unsigned long long)number);
        fflush(stdout);
      }
    } else {
      return refuse("a message that is not known");
    }
  }
}
