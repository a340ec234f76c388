/* What a system under test that is written in C needs.
 *
 * You write the functions under "The system". Then
 *  - as a shared library: compile your file with -shared -fPIC; the tester loads it and calls the
 *    functions directly. punctual.c is not needed, and what is under "For programs" is not there.
 *  - as a program: compile your file together with punctual.c, and call punctual_serve from main;
 *    it speaks the tester's protocol (lines of JSON) over stdin and stdout.
 *
 * Both work on the virtual clock (the tester says how far time goes) and on the real one. Instants
 * are nanoseconds since the last reset, and never decrease. A program that lives on the machine's
 * clock by itself, with threads of its own, calls punctual_serve_device instead.
 */
#ifndef PUNCTUAL_H
#define PUNCTUAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define PUNCTUAL_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define PUNCTUAL_EXPORT __attribute__((visibility("default")))
#else
#define PUNCTUAL_EXPORT
#endif

/* The version of this interface. A library that returns 1 was made for the first one: it has
 * punctual_protocol, _new, _delete, _reset, _input, _advance and _next, and nothing else is called. */
#define PUNCTUAL_PROTOCOL 2
/* The longest name of a signal or port, with the zero at its end. */
#define PUNCTUAL_NAME_SIZE 128
/* The longest text of a value, with the zero at its end. */
#define PUNCTUAL_TEXT_SIZE 64
/* The most values that a signal can have. */
#define PUNCTUAL_VALUES_MAX 32
/* The most outputs that a step can have. */
#define PUNCTUAL_PORTS_MAX 1024
/* An instant that never comes. */
#define PUNCTUAL_NEVER UINT64_MAX

/* Kinds of values. */
#define PUNCTUAL_BOOL 1 /* integer: 0 or 1 */
#define PUNCTUAL_INT 2  /* integer */
#define PUNCTUAL_REAL 3 /* real: stands for the shortest decimal number that is read as this double */
#define PUNCTUAL_TEXT 4 /* text: a member of an enumeration, or an exact number such as 1/3 */

/* A value. In those that the tester gives, more than one field is filled: `integer` of truth values
 * and whole numbers, `real` of those and of all other numbers (also of one that is a text), and `text`
 * of texts. So a system reads the field of the type that it expects. In those that a system gives, the
 * field of its kind counts. */
typedef struct punctual_value {
  int32_t kind;
  int64_t integer;
  double real;
  char text[PUNCTUAL_TEXT_SIZE]; /* ends with a zero */
} punctual_value;

/* A port with its value. */
typedef struct punctual_port {
  char name[PUNCTUAL_NAME_SIZE]; /* a text that ends with a zero */
  punctual_value value;
} punctual_port;

/* Something that the system does, with integers. */
typedef struct punctual_output {
  uint64_t at_ns;                      /* when */
  char name[PUNCTUAL_NAME_SIZE];       /* a text that ends with a zero */
  int32_t n_values;                    /* how many of the values count */
  int32_t values[PUNCTUAL_VALUES_MAX];
} punctual_output;

/* The same, with values of any kind. */
typedef struct punctual_typed_output {
  uint64_t at_ns;
  char name[PUNCTUAL_NAME_SIZE];
  int32_t n_values;
  punctual_value values[PUNCTUAL_VALUES_MAX];
} punctual_typed_output;

/* The system: these functions are yours.
 *
 * Several systems may be made from one library, but each of them is used by one thread at a time.
 * A function that fails returns a negative number, and punctual_problem may say why. */

/* PUNCTUAL_PROTOCOL. */
PUNCTUAL_EXPORT int32_t punctual_protocol(void);

/* Makes a system from arguments (the name of the program is not among them); NULL if it can not. */
PUNCTUAL_EXPORT void *punctual_new(int32_t argc, const char *const *argv);

/* Ends a system. */
PUNCTUAL_EXPORT void punctual_delete(void *system);

/* Starts anew, at instant 0. Comes before anything else. */
PUNCTUAL_EXPORT int32_t punctual_reset(void *system);

/* All functions below may be left out, if punctual_protocol returns 2. What a system has of them it says
 * with punctual_can; a tester looks for those functions only. */

/* What the system can do: a sum of these. 0 if it is left out. It does not depend on a system, and is
 * asked before one is made. */
#define PUNCTUAL_CAN_STEP 1  /* it has punctual_step */
#define PUNCTUAL_CAN_SET 2   /* it has punctual_set */
#define PUNCTUAL_CAN_READ 4  /* it has punctual_read */
#define PUNCTUAL_CAN_TYPED 8 /* it has punctual_input_typed and punctual_advance_typed; these are
                              * called instead of punctual_input and punctual_advance */
PUNCTUAL_EXPORT int32_t punctual_can(void);

/* Takes an input. What comes of it at the same instant is for the next punctual_advance to say. Values
 * are integers of 32 bits, truth is 0 or 1; a tester refuses to send others to a system without
 * PUNCTUAL_CAN_TYPED. Returns 0; PUNCTUAL_UNKNOWN if there is no such input; or another negative number.
 * A system that leaves this out has no inputs. */
#define PUNCTUAL_UNKNOWN (-404)
PUNCTUAL_EXPORT int32_t punctual_input(void *system, uint64_t at_ns, const char *name,
                                       const int32_t *values, int32_t n_values);
PUNCTUAL_EXPORT int32_t punctual_input_typed(void *system, uint64_t at_ns, const char *name,
                                             const punctual_value *values, int32_t n_values);

/* Lets time pass to until_ns at most. If there is an output on the way, writes the first one and
 * returns 1; time then stands at that output. Otherwise returns 0. A system that leaves this out has
 * no outputs. */
PUNCTUAL_EXPORT int32_t punctual_advance(void *system, uint64_t until_ns, punctual_output *output);
PUNCTUAL_EXPORT int32_t punctual_advance_typed(void *system, uint64_t until_ns,
                                               punctual_typed_output *output);

/* An instant before which nothing happens unless an input comes; PUNCTUAL_NEVER if nothing ever
 * does; 0 if not known, then the system is asked often. Only the real clock asks. If it is left out,
 * nothing ever happens without an input. */
PUNCTUAL_EXPORT uint64_t punctual_next(void *system);

/* Sets an input port, which the next step sees. Returns 0; PUNCTUAL_UNKNOWN if there is no such port; or
 * another negative number. */
PUNCTUAL_EXPORT int32_t punctual_set(void *system, uint64_t at_ns, const char *name,
                                     const punctual_value *value);

/* Takes a step with the inputs that were set. Writes all outputs, at most n_max (which is at least
 * PUNCTUAL_PORTS_MAX), and returns how many. */
PUNCTUAL_EXPORT int32_t punctual_step(void *system, uint64_t at_ns, punctual_port *outputs,
                                      int32_t n_max);

/* Writes the value of a variable now, or of an output of the last step. Returns 0; PUNCTUAL_UNKNOWN if
 * there is no such variable; or another negative number. */
PUNCTUAL_EXPORT int32_t punctual_read(void *system, uint64_t at_ns, const char *name,
                                      punctual_value *value);

/* What went wrong when a function failed; NULL if not known. */
PUNCTUAL_EXPORT const char *punctual_problem(void);

/* Values, for systems to give. A text that is too long is cut. */

static inline punctual_value punctual_bool(int value) {
  punctual_value it = {PUNCTUAL_BOOL, value != 0, value != 0 ? 1.0 : 0.0, {0}};
  return it;
}

static inline punctual_value punctual_int(int64_t value) {
  punctual_value it = {PUNCTUAL_INT, value, (double)value, {0}};
  return it;
}

static inline punctual_value punctual_real(double value) {
  punctual_value it = {PUNCTUAL_REAL, 0, value, {0}};
  return it;
}

static inline punctual_value punctual_text(const char *value) {
  punctual_value it = {PUNCTUAL_TEXT, 0, 0, {0}};
  for (int i = 0; i + 1 < PUNCTUAL_TEXT_SIZE && value[i] != '\0'; i++) it.text[i] = value[i];
  return it;
}

static inline punctual_port punctual_named(const char *name, punctual_value value) {
  punctual_port it = {{0}, value};
  for (int i = 0; i + 1 < PUNCTUAL_NAME_SIZE && name[i] != '\0'; i++) it.name[i] = name[i];
  return it;
}

/* For programs (punctual.c, POSIX). While a tester is served, what the program prints to stdout goes to
 * stderr. */

/* Serves a tester on stdin and stdout until it says stop or is gone. Returns 0, or 1 if something went
 * wrong (it was told to the tester and to stderr). */
int punctual_serve(void *system);

/* The same for a program that lives on the machine's clock by itself: punctual_advance and
 * punctual_next are not called, outputs come by punctual_emit. A tester that asks for the virtual clock
 * is refused. */
int punctual_serve_device(void *system);

/* Sends an output of a device, with the present as its time stamp. For any thread. What is emitted before
 * punctual_reset has returned belongs to the run before and is left out. */
void punctual_emit(const char *name, const punctual_value *values, int32_t n_values);

/* Tells of a step that a device took by itself, with the inputs as it saw them. For any thread. */
void punctual_stepped(const punctual_port *outputs, int32_t n_outputs, const punctual_port *inputs,
                      int32_t n_inputs);

/* Says something for the record of the run. For any thread. */
void punctual_log(const char *text);

#ifdef __cplusplus
}
#endif

#endif
