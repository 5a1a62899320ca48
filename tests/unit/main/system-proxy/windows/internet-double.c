// Stands in for wininet.dll, rasapi32.dll and kernel32.dll, for tests on Linux: the options of one connection, "宽带连接",
// and a phone book with it and "Work". Written by Microsoft's documentation, without our code's structures.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint16_t wide;
struct option { uint32_t what; union { uint32_t number; wide *text; } value; };
struct list { uint32_t size; wide *connection; uint32_t count, error; struct option *options; };

static const wide known[] = {0x5bbd, 0x5e26, 0x8fde, 0x63a5, 0};
static uint32_t flags = 1;
static wide script[256];
static int living;

static size_t length(const wide *text) { size_t at = 0; while (text[at]) at++; return at; }
static int is_known(const wide *name) { return length(name) == 4 && memcmp(name, known, sizeof known) == 0; }
static struct list *checked(uint32_t what, struct list *list) {
  return what == 75 && list->size == sizeof *list && is_known(list->connection) ? list : 0;
}

int InternetQueryOptionW(uintptr_t handle, uint32_t what, struct list *list, uint32_t *size) {
  if (handle || *size != sizeof *list || !checked(what, list)) return 0;
  for (uint32_t at = 0; at < list->count; at++) {
    struct option *one = &list->options[at];
    if (one->what == 1) one->value.number = flags;
    else if (one->what == 4) {
      one->value.text = 0;
      if (!script[0]) continue;
      one->value.text = malloc(sizeof script);
      memcpy(one->value.text, script, sizeof script);
      living++;
    } else return 0;
  }
  return 1;
}

int InternetSetOptionW(uintptr_t handle, uint32_t what, struct list *list, uint32_t size) {
  if (handle || size != sizeof *list || !checked(what, list)) return 0;
  for (uint32_t at = 0; at < list->count; at++) {
    struct option *one = &list->options[at];
    if (one->what == 1) flags = one->value.number;
    else if (one->what == 4) memcpy(script, one->value.text, 2 * (length(one->value.text) + 1));
    else return 0;
  }
  return 1;
}

uintptr_t GlobalFree(void *memory) { free(memory); living--; return 0; }
int double_living(void) { return living; }

uint32_t RasEnumEntriesW(const wide *reserved, const wide *book, uint8_t *entries, uint32_t *bytes, uint32_t *count) {
  static const wide *names[] = {known, u"Work"};
  const uint32_t entry = 1048, wanted = 2 * entry;
  uint32_t given;
  memcpy(&given, entries, 4);
  if (reserved || book || given != entry) return 632;
  *count = 2;
  if (*bytes < wanted) { *bytes = wanted; return 603; }
  for (int at = 0; at < 2; at++) memcpy(entries + at * entry + 4, names[at], 2 * (length(names[at]) + 1));
  return 0;
}
