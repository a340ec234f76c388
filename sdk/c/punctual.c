/* The tester's protocol for programs in C: lines of JSON over stdin and stdout. POSIX. */
#define _POSIX_C_SOURCE 200809L
#include "punctual.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#define LINE_SIZE 65536
#define POLL_NS 500000

/* What a system leaves out. */

#define OPTIONAL __attribute__((weak))

OPTIONAL int32_t punctual_can(void) { return 0; }

OPTIONAL int32_t punctual_input(void *system, uint64_t at_ns, const char *name,
                                const int32_t *values, int32_t n_values) {
  (void)system, (void)at_ns, (void)name, (void)values, (void)n_values;
  return PUNCTUAL_UNKNOWN;
}

OPTIONAL int32_t punctual_input_typed(void *system, uint64_t at_ns, const char *name,
                                      const punctual_value *values, int32_t n_values) {
  (void)system, (void)at_ns, (void)name, (void)values, (void)n_values;
  return PUNCTUAL_UNKNOWN;
}

OPTIONAL int32_t punctual_advance(void *system, uint64_t until_ns, punctual_output *output) {
  (void)system, (void)until_ns, (void)output;
  return 0;
}

OPTIONAL int32_t punctual_advance_typed(void *system, uint64_t until_ns,
                                        punctual_typed_output *output) {
  (void)system, (void)until_ns, (void)output;
  return 0;
}

OPTIONAL uint64_t punctual_next(void *system) {
  (void)system;
  return PUNCTUAL_NEVER;
}

OPTIONAL int32_t punctual_set(void *system, uint64_t at_ns, const char *name,
                              const punctual_value *value) {
  (void)system, (void)at_ns, (void)name, (void)value;
  return PUNCTUAL_UNKNOWN;
}

OPTIONAL int32_t punctual_step(void *system, uint64_t at_ns, punctual_port *outputs,
                               int32_t n_max) {
  (void)system, (void)at_ns, (void)outputs, (void)n_max;
  return PUNCTUAL_UNKNOWN;
}

OPTIONAL int32_t punctual_read(void *system, uint64_t at_ns, const char *name,
                               punctual_value *value) {
  (void)system, (void)at_ns, (void)name, (void)value;
  return PUNCTUAL_UNKNOWN;
}

OPTIONAL const char *punctual_problem(void) { return NULL; }

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

/* The next item of a list, or what is after the last one; nothing if the list is broken. */
static const char *next_item(const char *item) {
  const char *at = skip_value(item);
  if (at == NULL) return "";
  at = skip_spaces(at);
  return *at == ',' ? skip_spaces(at + 1) : at;
}

/* The value of the next field of an object, or NULL. `at` is inside of the object, where it goes on
 * after that value; `key` is the text of the name, with its quotation mark. */
static const char *next_field(const char **at, const char **key) {
  const char *value, *end;
  *at = skip_spaces(*at);
  if (**at == ',') *at = skip_spaces(*at + 1);
  if (**at != '"') return NULL;
  *key = *at;
  if ((end = skip_text(*at)) == NULL || *(end = skip_spaces(end)) != ':') return NULL;
  value = skip_spaces(end + 1);
  if ((*at = skip_value(value)) == NULL) return NULL;
  return value;
}

/* The value of a field of the object that starts here, or NULL. */
static const char *field(const char *object, const char *name) {
  size_t length = strlen(name);
  const char *at = skip_spaces(object), *key, *value;
  if (*at++ != '{') return NULL;
  while ((value = next_field(&at, &key)) != NULL) {
    if (strncmp(key + 1, name, length) == 0 && key[1 + length] == '"') return value;
  }
  return NULL;
}

/* A text without characters that JSON would have to escape, with the zero at its end; 0 if it is none
 * or too long. */
static int read_text(const char *at, char *text, size_t size) {
  size_t length = 0;
  if (at == NULL || *at != '"') return 0;
  for (at++; *at != '"'; at++) {
    if (*at == '\0' || *at == '\\' || length + 1 >= size) return 0;
    text[length++] = *at;
  }
  text[length] = '\0';
  return 1;
}

static int read_whole(const char *at, uint64_t *value) {
  char *end;
  if (at == NULL || !isdigit((unsigned char)*at)) return 0;
  errno = 0;
  *value = strtoull(at, &end, 10);
  return errno == 0 && strchr(".eE", *end == '\0' ? ' ' : *end) == NULL;
}

/* A decimal number of so many characters, whatever the locale. */
static int read_decimal(const char *at, size_t length, double *value) {
  char digits[PUNCTUAL_TEXT_SIZE], *end, *point;
  if (length == 0 || length >= sizeof digits || strspn(at, "+-.0123456789eE") < length) return 0;
  memcpy(digits, at, length);
  digits[length] = '\0';
  if ((point = strchr(digits, '.')) != NULL) *point = *localeconv()->decimal_point;
  *value = strtod(digits, &end);
  return *end == '\0' && end != digits;
}

/* A value, with all fields that make sense; 0 if it is none. */
static int read_value(const char *at, punctual_value *value) {
  const char *end = skip_value(at);
  memset(value, 0, sizeof *value);
  if (end == NULL) return 0;
  size_t length = (size_t)(end - at);
  if (*at == '"') {
    double below = 1;
    value->kind = PUNCTUAL_TEXT;
    if (!read_text(at, value->text, sizeof value->text)) return 0;
    const char *text = value->text, *slash = strchr(text, '/');
    size_t above = slash == NULL ? strlen(text) : (size_t)(slash - text);
    if (!read_decimal(text, above, &value->real)) return 1;
    if (slash != NULL && !read_decimal(slash + 1, strlen(slash + 1), &below)) below = 1;
    value->real /= below;
    return 1;
  }
  if (strncmp(at, "true", length) == 0 || strncmp(at, "false", length) == 0) {
    *value = punctual_bool(*at == 't');
    return length == (*at == 't' ? 4u : 5u);
  }
  value->kind = PUNCTUAL_REAL;
  if (!read_decimal(at, length, &value->real)) return 0;
  errno = 0;
  if (strcspn(at, ".eE") >= length) {
    value->integer = strtoll(at, NULL, 10);
    if (errno == 0) value->kind = PUNCTUAL_INT;
  } else if (value->real > -9e15 && value->real < 9e15 &&
             (double)(int64_t)value->real == value->real) {
    value->integer = (int64_t)value->real;
  }
  return 1;
}

/* Reading lines, with a deadline. */

static char line[LINE_SIZE];
static char buffer[LINE_SIZE];
static size_t n_buffered;

enum read_end { LINE, TIMEOUT, CLOSED, TOO_LONG };

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
    if (n_buffered == sizeof buffer) return TOO_LONG;
    fd_set in;
    FD_ZERO(&in);
    FD_SET(STDIN_FILENO, &in);
    struct timespec patience = {(time_t)(patience_ns / 1000000000),
                                (long)(patience_ns % 1000000000)};
    int n = pselect(STDIN_FILENO + 1, &in, NULL, NULL, patience_ns < 0 ? NULL : &patience, NULL);
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

/* Speaking. Who speaks holds the lock; all of this is guarded by it. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;        /* the tester, while it is served */
static int version;      /* of the protocol, as it was agreed on */
static int is_running;   /* whether outputs belong to a run */
static int has_failed;   /* whether a thread could not go on */
static uint64_t zero_ns; /* when the run began */

static void begin(void) { pthread_mutex_lock(&lock); }

static void end(void) {
  fputc('\n', out);
  fflush(out);
  pthread_mutex_unlock(&lock);
}

static void put_text(const char *text) {
  fputc('"', out);
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', out);
    if ((unsigned char)*text < ' ') {
      fprintf(out, "\\u%04x", (unsigned)*text);
    } else {
      fputc(*text, out);
    }
  }
  fputc('"', out);
}

/* The shortest decimal number that is read as this double, whatever the locale. */
static void put_real(double real) {
  char digits[40];
  for (int precision = 15; precision <= 17; precision++) {
    snprintf(digits, sizeof digits, "%.*g", precision, real);
    if (strtod(digits, NULL) == real) break;
  }
  for (char *at = digits; *at != '\0'; at++) {
    fputc(strchr("+-0123456789e", *at) == NULL ? '.' : *at, out);
  }
}

/* Version 1 has integers of 32 bits; no version has numbers that are none. */
static int can_be_said(const punctual_value *value) {
  switch (value->kind) {
    case PUNCTUAL_BOOL: return 1;
    case PUNCTUAL_INT:
      return version == 2 || (value->integer >= INT32_MIN && value->integer <= INT32_MAX);
    case PUNCTUAL_REAL: return version == 2 && value->real - value->real == 0;
    case PUNCTUAL_TEXT: return version == 2;
    default: return 0;
  }
}

static void put_value(const punctual_value *value) {
  switch (value->kind) {
    case PUNCTUAL_BOOL:
      if (version == 1) {
        fprintf(out, "%d", value->integer != 0);
      } else {
        fputs(value->integer != 0 ? "true" : "false", out);
      }
      break;
    case PUNCTUAL_INT: fprintf(out, "%lld", (long long)value->integer); break;
    case PUNCTUAL_REAL: put_real(value->real); break;
    default: put_text(value->text); break;
  }
}

static void put_ports(const char *kind, const punctual_port *ports, int32_t n_ports) {
  fprintf(out, "\"%s\":{", kind);
  for (int32_t i = 0; i < n_ports; i++) {
    if (i > 0) fputc(',', out);
    put_text(ports[i].name);
    fputc(':', out);
    put_value(&ports[i].value);
  }
  fputc('}', out);
}

static void put_output(const char *name, const punctual_value *values, int32_t n_values) {
  fputs("{\"output\":", out);
  put_text(name);
  fputs(",\"values\":[", out);
  for (int32_t i = 0; i < n_values; i++) {
    if (i > 0) fputc(',', out);
    put_value(&values[i]);
  }
  fputc(']', out);
}

static void put_instant(uint64_t at_ns) {
  fprintf(out, ",\"at\":%llu", (unsigned long long)at_ns);
}

/* A message that is a number. */
static void send_number(const char *kind, uint64_t number) {
  begin();
  fprintf(out, "{\"%s\":%llu}", kind, (unsigned long long)number);
  end();
}

/* Tells the tester and stderr why nothing goes on. */
static int refuse(const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  begin();
  fputs("{\"error\":", out);
  put_text(text);
  fputc('}', out);
  end();
  fprintf(stderr, "%s\n", text);
  return 1;
}

static int wrong(const char *what, const char *expected, const char *found) {
  const char *behind = skip_value(found);
  int length = behind == NULL ? 0 : behind - found > 100 ? 100 : (int)(behind - found);
  return refuse("`%s` must be %s, not %.*s", what, expected, length, found);
}

static int failed(const char *doing) {
  const char *problem = punctual_problem();
  return refuse("%s failed: %s", doing, problem == NULL ? "not known why" : problem);
}

static int unspeakable(const char *name) {
  return refuse("`%s` has a value that can not be sent in version %d of the protocol", name,
                version);
}

/* Whether values can be said; if not, the tester was told. */
static int values_can_be_said(const char *name, const punctual_value *values, int32_t n_values) {
  for (int32_t i = 0; i < n_values; i++) {
    if (!can_be_said(&values[i])) return !unspeakable(name);
  }
  return 1;
}

static int ports_can_be_said(const punctual_port *ports, int32_t n_ports) {
  for (int32_t i = 0; i < n_ports; i++) {
    if (!values_can_be_said(ports[i].name, &ports[i].value, 1)) return 0;
  }
  return 1;
}

/* For threads of a device. The tester ends a conversation in which something can not be said. */

void punctual_emit(const char *name, const punctual_value *values, int32_t n_values) {
  begin();
  int is_heard = out != NULL && is_running && !has_failed;
  for (int32_t i = 0; is_heard && i < n_values; i++) has_failed |= !can_be_said(&values[i]);
  if (!is_heard || has_failed) {
    pthread_mutex_unlock(&lock);
    if (is_heard) unspeakable(name);
    return;
  }
  put_output(name, values, n_values);
  if (version == 2) put_instant(now_ns() - zero_ns);
  fputc('}', out);
  end();
}

void punctual_stepped(const punctual_port *outputs, int32_t n_outputs, const punctual_port *inputs,
                      int32_t n_inputs) {
  begin();
  int is_heard = out != NULL && is_running && !has_failed;
  if (is_heard) has_failed = version == 1;
  for (int32_t i = 0; is_heard && i < n_outputs; i++) has_failed |= !can_be_said(&outputs[i].value);
  for (int32_t i = 0; is_heard && i < n_inputs; i++) has_failed |= !can_be_said(&inputs[i].value);
  if (!is_heard || has_failed) {
    pthread_mutex_unlock(&lock);
    if (is_heard) unspeakable("stepped");
    return;
  }
  fputc('{', out);
  put_ports("stepped", outputs, n_outputs);
  fputc(',', out);
  put_ports("inputs", inputs, n_inputs);
  put_instant(now_ns() - zero_ns);
  fputc('}', out);
  end();
}

void punctual_log(const char *text) {
  begin();
  if (out == NULL) {
    pthread_mutex_unlock(&lock);
    fprintf(stderr, "%s\n", text);
    return;
  }
  fputs("{\"log\":", out);
  put_text(text);
  fputc('}', out);
  end();
}

/* Serving. */

enum clock { VIRTUAL, REAL, DEVICE };

/* A service goes on as long as this is what follows. */
#define GO_ON (-1)

static punctual_port ports[PUNCTUAL_PORTS_MAX];
static punctual_value values[PUNCTUAL_VALUES_MAX];

/* Lets time pass. The output is left in `typed`; returns as punctual_advance. */
static int32_t advance(void *system, uint64_t until_ns, punctual_typed_output *typed) {
  if (punctual_can() & PUNCTUAL_CAN_TYPED) return punctual_advance_typed(system, until_ns, typed);
  punctual_output output;
  int32_t found = punctual_advance(system, until_ns, &output);
  if (found <= 0) return found;
  typed->at_ns = output.at_ns;
  typed->n_values = output.n_values;
  memcpy(typed->name, output.name, sizeof typed->name);
  for (int32_t i = 0; i < output.n_values && i < PUNCTUAL_VALUES_MAX; i++) {
    typed->values[i] = punctual_int(output.values[i]);
  }
  return found;
}

static int send_output(punctual_typed_output *output, int with_instant) {
  output->name[PUNCTUAL_NAME_SIZE - 1] = '\0';
  if (output->n_values < 0 || output->n_values > PUNCTUAL_VALUES_MAX) {
    return refuse("`%s` has %ld values", output->name, (long)output->n_values);
  }
  if (!values_can_be_said(output->name, output->values, output->n_values)) return 1;
  begin();
  put_output(output->name, output->values, output->n_values);
  if (with_instant) put_instant(output->at_ns);
  fputc('}', out);
  end();
  return GO_ON;
}

/* On the real clock: lets the system come to the present, and says when that is. */
static int send_due_outputs(void *system, uint64_t *at_ns) {
  static punctual_typed_output output;
  for (;;) {
    *at_ns = now_ns() - zero_ns;
    int32_t found = advance(system, *at_ns, &output);
    if (found < 0) return failed("passing time");
    if (found == 0) return GO_ON;
    int then = send_output(&output, version == 2);
    if (then != GO_ON) return then;
  }
}

/* How long nothing will happen by itself; negative if nothing ever does. */
static int64_t patience(void *system) {
  uint64_t due_ns = punctual_next(system), passed_ns = now_ns() - zero_ns;
  if (due_ns == PUNCTUAL_NEVER) return -1;
  if (due_ns == 0) return POLL_NS;
  return due_ns > passed_ns ? (int64_t)(due_ns - passed_ns) : 0;
}

/* When a message is taken: on the virtual clock when it says, on the real one now, after what is due. */
static int instant(void *system, enum clock clock, uint64_t *at_ns) {
  const char *at = field(line, "at");
  if (clock == REAL) return send_due_outputs(system, at_ns);
  *at_ns = now_ns() - zero_ns;
  if (clock == DEVICE) return GO_ON;
  if (at == NULL) return refuse("`at` is missing, the instant of the virtual clock");
  return read_whole(at, at_ns) ? GO_ON : wrong("at", "a whole number", at);
}

static int take_input(void *system, enum clock clock, const char *input) {
  char name[PUNCTUAL_NAME_SIZE];
  int32_t integers[PUNCTUAL_VALUES_MAX], n_values = 0;
  uint64_t at_ns;
  const char *list = field(line, "values");
  if (!read_text(input, name, sizeof name)) return wrong("input", "a name", input);
  if (list != NULL) {
    if (*list != '[') return wrong("values", "a list", list);
    const char *at = skip_spaces(list + 1);
    for (; *at != ']'; n_values++) {
      if (n_values == PUNCTUAL_VALUES_MAX || !read_value(at, &values[n_values])) {
        return wrong("values", "a list of at most 32 numbers, truth values and texts", list);
      }
      at = next_item(at);
    }
  }
  int then = instant(system, clock, &at_ns), typed = punctual_can() & PUNCTUAL_CAN_TYPED;
  if (then != GO_ON) return then;
  for (int32_t i = 0; i < n_values && (version == 1 || !typed); i++) {
    if ((values[i].kind != PUNCTUAL_INT && values[i].kind != PUNCTUAL_BOOL) ||
        values[i].integer < INT32_MIN || values[i].integer > INT32_MAX) {
      return wrong("values", "a list of integers of 32 bits", list);
    }
    integers[i] = (int32_t)values[i].integer;
  }
  int32_t taken = typed ? punctual_input_typed(system, at_ns, name, values, n_values)
                        : punctual_input(system, at_ns, name, integers, n_values);
  if (taken == PUNCTUAL_UNKNOWN) return refuse("there is no input signal `%s`", name);
  if (taken < 0) return failed("taking an input");
  if (clock == VIRTUAL) send_number("done", at_ns);
  return GO_ON;
}

static int set_ports(void *system, uint64_t at_ns) {
  char name[PUNCTUAL_NAME_SIZE];
  punctual_value value;
  const char *set = field(line, "set"), *at = set, *key, *found;
  if (set == NULL) return GO_ON;
  if (*at++ != '{') return wrong("set", "an object of ports", set);
  while ((found = next_field(&at, &key)) != NULL) {
    if (!read_text(key, name, sizeof name)) return wrong("set", "an object of ports", set);
    if (!read_value(found, &value)) {
      return wrong(name, "a number, a truth value or a text", found);
    }
    int32_t taken = punctual_set(system, at_ns, name, &value);
    if (taken == PUNCTUAL_UNKNOWN) return refuse("there is no input port `%s`", name);
    if (taken < 0) return failed("setting a port");
  }
  return GO_ON;
}

static int take_set(void *system, enum clock clock) {
  uint64_t at_ns;
  int then = instant(system, clock, &at_ns);
  if (then == GO_ON) then = set_ports(system, at_ns);
  if (then == GO_ON && clock == VIRTUAL) send_number("done", at_ns);
  return then;
}

static int answer(const char *kind, int32_t n_ports, uint64_t at_ns, const uint64_t *step) {
  if (!ports_can_be_said(ports, n_ports)) return 1;
  begin();
  fputc('{', out);
  put_ports(kind, ports, n_ports);
  if (step != NULL) fprintf(out, ",\"step\":%llu", (unsigned long long)*step);
  put_instant(at_ns);
  fputc('}', out);
  end();
  return GO_ON;
}

static int take_step(void *system, enum clock clock, const char *step) {
  uint64_t at_ns, number;
  if (!read_whole(step, &number)) return wrong("step", "a whole number", step);
  int then = instant(system, clock, &at_ns);
  if (then == GO_ON) then = set_ports(system, at_ns);
  if (then != GO_ON) return then;
  int32_t n_outputs = punctual_step(system, at_ns, ports, PUNCTUAL_PORTS_MAX);
  if (n_outputs == PUNCTUAL_UNKNOWN) return refuse("this system takes no steps");
  if (n_outputs < 0 || n_outputs > PUNCTUAL_PORTS_MAX) return failed("taking a step");
  for (int32_t i = 0; i < n_outputs; i++) ports[i].name[PUNCTUAL_NAME_SIZE - 1] = '\0';
  return answer("stepped", n_outputs, at_ns, &number);
}

static int take_read(void *system, enum clock clock, const char *read) {
  uint64_t at_ns;
  int32_t n_ports = 0;
  int then = instant(system, clock, &at_ns);
  if (then != GO_ON) return then;
  if (*read != '[') return wrong("read", "a list of names", read);
  const char *at = skip_spaces(read + 1);
  for (; *at != ']'; n_ports++) {
    char *name = ports[n_ports].name;
    if (n_ports == PUNCTUAL_PORTS_MAX || !read_text(at, name, PUNCTUAL_NAME_SIZE)) {
      return wrong("read", "a list of names", read);
    }
    int32_t found = punctual_read(system, at_ns, name, &ports[n_ports].value);
    if (found == PUNCTUAL_UNKNOWN) return refuse("`%s` can not be read", name);
    if (found < 0) return failed("reading");
    at = next_item(at);
  }
  return answer("values", n_ports, at_ns, NULL);
}

static int take_wait(void *system, enum clock clock, const char *wait) {
  static punctual_typed_output output;
  uint64_t until_ns;
  if (clock != VIRTUAL) return refuse("nobody waits by message on the real clock");
  if (!read_whole(wait, &until_ns)) return wrong("wait", "a whole number", wait);
  int32_t found = advance(system, until_ns, &output);
  if (found < 0) return failed("passing time");
  if (found > 0) return send_output(&output, 1);
  send_number("quiet", until_ns);
  return GO_ON;
}

static int take_reset(void *system, const char *reset) {
  uint64_t number;
  if (!read_whole(reset, &number)) return wrong("reset", "a whole number", reset);
  begin();
  is_running = 0;
  pthread_mutex_unlock(&lock);
  if (punctual_reset(system) < 0) return failed("resetting");
  begin();
  is_running = 1;
  zero_ns = now_ns();
  fprintf(out, "{\"ready\":%llu}", (unsigned long long)number);
  end();
  return GO_ON;
}

/* Agrees on the version of the protocol and on the clock. */
static int take_hello(int is_device, enum clock *clock) {
  char name[PUNCTUAL_NAME_SIZE];
  const char *hello = field(line, "hello");
  if (hello == NULL || *hello != '{') return refuse("the first message must be hello");
  const char *offered = field(hello, "protocols"), *one = field(hello, "protocol");
  version = 0;
  if (offered != NULL && *offered == '[') {
    const char *at = skip_spaces(offered + 1);
    for (; *at != ']' && *at != '\0'; at = next_item(at)) {
      uint64_t number;
      if (read_whole(at, &number) && (number == 1 || number == 2) && (int)number > version) {
        version = (int)number;
      }
    }
  } else {
    uint64_t number;
    if (read_whole(one, &number) && (number == 1 || number == 2)) version = (int)number;
  }
  if (version == 0) return refuse("only the versions 1 and 2 of the protocol are known here");
  if (!read_text(field(hello, "clock"), name, sizeof name)) name[0] = '\0';
  if (strcmp(name, "virtual") != 0 && strcmp(name, "real") != 0) {
    return refuse("`clock` must be `real` or `virtual`");
  }
  if (is_device && *name == 'v') return refuse("this is a device, which knows the real clock only");
  *clock = is_device ? DEVICE : *name == 'v' ? VIRTUAL : REAL;
  if (version == 1) {
    send_number("ready", 0);
    return GO_ON;
  }
  static const char *const names[] = {"step", "set", "read"};
  const char *comma = "";
  begin();
  fputs("{\"ready\":0,\"protocol\":2,\"can\":[", out);
  for (int i = 0; i < 3; i++) {
    if ((punctual_can() & 1 << i) == 0) continue;
    fprintf(out, "%s\"%s\"", comma, names[i]);
    comma = ",";
  }
  fputs("]}", out);
  end();
  return GO_ON;
}

/* What a line is about; returns 0 or 1 at the end. */
static int take(void *system, enum clock clock, int *is_reset) {
  const char *value;
  if (*skip_spaces(line) != '{') return refuse("a message must be a JSON object");
  if (field(line, "stop") != NULL) return 0;
  if ((value = field(line, "reset")) != NULL) {
    *is_reset = 1;
    return take_reset(system, value);
  }
  if (field(line, "hello") != NULL) return refuse("hello came twice");
  if (!*is_reset) return refuse("a reset must come first");
  if ((value = field(line, "input")) != NULL) return take_input(system, clock, value);
  if ((value = field(line, "wait")) != NULL) return take_wait(system, clock, value);
  if (version == 1) return refuse("a message that is not known");
  if ((value = field(line, "step")) != NULL) return take_step(system, clock, value);
  if (field(line, "set") != NULL) return take_set(system, clock);
  if ((value = field(line, "read")) != NULL) return take_read(system, clock, value);
  return refuse("a message that is not known");
}

static int converse(void *system, int is_device) {
  enum clock clock = VIRTUAL;
  int is_reset = 0, then = GO_ON;
  uint64_t at_ns;
  if (read_line(-1) != LINE) return 0;
  if (field(line, "stop") != NULL) return 0;
  then = take_hello(is_device, &clock);
  while (then == GO_ON) {
    int64_t patience_ns = -1;
    if (clock == REAL && is_reset) {
      if ((then = send_due_outputs(system, &at_ns)) != GO_ON) break;
      patience_ns = patience(system);
    }
    switch (read_line(patience_ns)) {
      case TIMEOUT: break;
      case CLOSED: then = 0; break;
      case TOO_LONG: then = refuse("a line is longer than %d bytes", LINE_SIZE); break;
      case LINE: then = take(system, clock, &is_reset); break;
    }
  }
  return then;
}

/* The tester has the pipe of stdout to itself: what the program prints goes to stderr. */
static int serve(void *system, int is_device) {
  fflush(stdout);
  int kept = dup(STDOUT_FILENO);
  FILE *tester = kept < 0 ? NULL : fdopen(kept, "w");
  if (tester == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    perror("stdout");
    return 1;
  }
  begin();
  out = tester;
  pthread_mutex_unlock(&lock);
  int end_code = converse(system, is_device);
  begin();
  out = NULL;
  is_running = 0;
  end_code |= has_failed;
  pthread_mutex_unlock(&lock);
  fflush(stdout);
  dup2(kept, STDOUT_FILENO);
  fclose(tester);
  return end_code;
}

int punctual_serve(void *system) { return serve(system, 0); }

int punctual_serve_device(void *system) { return serve(system, 1); }
