/* What plays the array for one core that was compiled for this machine.
 *
 * Whatever the core does to its surroundings is written down with the contents of its buffers, and
 * answered from a file; where that ends, the program ends well. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a file made for the core defines: the core, and the buffers that it uses. */
struct Buffer {
  unsigned char *at;
  size_t bytes;
};
extern struct Buffer buffers[];
extern int buffer_count;
void core(void);

/* Seconds after which a core that does nothing is one that hangs. */
enum { PATIENCE = 60 };
/* Kinds of answers. */
enum { GO_ON = 1, NEW_CONTENTS = 2 };

static FILE *replies, *transcript;

static void done(void) {
  fclose(transcript);
  exit(0);
}

static void take(void *to, size_t bytes) {
  if (fread(to, 1, bytes, replies) != bytes)
    done();
}

static void take_contents(void) {
  for (int n = 0; n < buffer_count; n++)
    take(buffers[n].at, buffers[n].bytes);
}

static void note(char kind, const void *what, size_t bytes) {
  fputc(kind, transcript);
  fwrite(what, 1, bytes, transcript);
  for (int n = 0; n < buffer_count; n++)
    fwrite(buffers[n].at, 1, buffers[n].bytes, transcript);
}

/* The core does something; the answer may bring bytes, and new contents of buffers. */
void step(char kind, const void *what, size_t bytes, void *answer, size_t wanted) {
  char go_on;
  note(kind, what, bytes);
  take(&go_on, 1);
  take(answer, wanted);
  if (go_on == NEW_CONTENTS)
    take_contents();
}

/* A buffer's number and the place in it; -1 for memory that is none. */
long long place(const void *at) {
  for (int n = 0; n < buffer_count; n++) {
    long long inside = (const unsigned char *)at - buffers[n].at;
    if (inside >= 0 && inside < (long long)buffers[n].bytes)
      return ((long long)n << 32) + inside;
  }
  return -1;
}

/* Of several units each is a step: a core may take and give them in any way. */
void array_acquire(int lock, int value) {
  int what[2] = {lock, value < 0 ? -1 : value};
  do
    step('A', what, sizeof what, 0, 0);
  while (++value < 0);
}
void array_release(int lock, int value) {
  int what[2] = {lock, 1};
  for (; value > 0; value--)
    step('R', what, sizeof what, 0, 0);
}
void array_event(int event) { step('V', &event, sizeof event, 0, 0); }
void array_put(int word) { step('P', &word, sizeof word, 0, 0); }
int array_get(void) {
  int word;
  step('G', 0, 0, &word, sizeof word);
  return word;
}
void array_cascade_put(const void *words) { step('C', words, 64, 0, 0); }
void array_cascade_get(void *words) { step('D', 0, 0, words, 64); }
void debug_i32(int value) { (void)value; }

int main(int argc, char **argv) {
  replies = fopen(argv[1], "rb");
  transcript = fopen(argv[2], "wb");
  if (argc != 3 || !replies || !transcript)
    return 1;
  alarm(PATIENCE);
  take_contents();
  core();
  note('E', 0, 0);
  done();
}
