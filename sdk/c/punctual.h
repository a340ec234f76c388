/* What a system under test that is written in C needs.
 *
 * You write the functions under "The system". Then
 *  - as a shared library: compile your file with -shared -fPIC; the tester loads it and calls the
 *    functions directly. punctual.c is not needed.
 *  - as a program: compile your file together with punctual.c, and call punctual_serve from main;
 *    it speaks the tester's protocol (lines of JSON) over stdin and stdout.
 *
 * Both work on the virtual clock (the tester says how far time goes) and on the real one. Instants
 * are nanoseconds since the last reset, and never decrease.
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

/* The version of this interface. */
#define PUNCTUAL_PROTOCOL 1
/* The longest name of a signal, with the zero at its end. */
#define PUNCTUAL_NAME_SIZE 128
/* The most values that a signal can have. */
#define PUNCTUAL_VALUES_MAX 32
/* An instant that never comes. */
#define PUNCTUAL_NEVER UINT64_MAX

/* Something that the system does. */
typedef struct punctual_output {
  uint64_t at_ns;                      /* when */
  char name[PUNCTUAL_NAME_SIZE];       /* a text that ends with a zero */
  int32_t n_values;                    /* how many of the values count */
  int32_t values[PUNCTUAL_VALUES_MAX];
} punctual_output;

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

/* Takes an input. What comes of it at the same instant is for the next punctual_advance to say. */
PUNCTUAL_EXPORT int32_t punctual_input(void *system, uint64_t at_ns, const char *name,
                                       const int32_t *values, int32_t n_values);

/* Lets time pass to until_ns at most. If there is an output on the way, writes the first one and
 * returns 1; time then stands at that output. Otherwise returns 0. */
PUNCTUAL_EXPORT int32_t punctual_advance(void *system, uint64_t until_ns, punctual_output *output);

/* An instant before which nothing happens unless an input comes; PUNCTUAL_NEVER if nothing ever
 * does; 0 if not known, then the system is asked often. Only the real clock asks. */
PUNCTUAL_EXPORT uint64_t punctual_next(void *system);

/* What went wrong when a function failed; NULL if not known. A library may leave this out. */
PUNCTUAL_EXPORT const char *punctual_problem(void);

/* For programs (punctual.c): serves a tester on stdin and stdout until it says stop or is gone.
 * Returns 0, or 1 if something went wrong (it was told to the tester and to stderr). Nothing else
 * may be written to stdout. */
int punctual_serve(void *system);

#ifdef __cplusplus
}
#endif

#endif
