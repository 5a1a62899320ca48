// Stands in for Core Foundation, SystemConfiguration and notify(3), for tests on Linux: a dynamic store in memory, whose
// property lists are their bytes. Counts its objects, so that a test sees what is not released. There are no public
// headers of these frameworks here; what is declared follows their documentation.

extern void *malloc(unsigned long);
extern void free(void *);
extern int pipe(int *);
extern long write(int, const void *, unsigned long);
extern int close(int);
extern void *memcpy(void *, const void *, unsigned long);
extern int memcmp(const void *, const void *, unsigned long);
extern unsigned long strlen(const char *);

typedef struct object { int kind, count; long length; unsigned char *bytes; struct object **members; } object;
enum { STRING = 1, DATA, LIST, ARRAY, STORE };
struct range { long location, length; };

static int living, status;
static struct entry { object *key, *value; } entries[64];
static int count, isBroken, notifier[2];

static object *make(int kind, const void *bytes, long length) {
  object *made = malloc(sizeof *made);
  made->kind = kind; made->count = 1; made->length = length; made->members = 0;
  made->bytes = malloc(length + 1);
  if (bytes) memcpy(made->bytes, bytes, length);
  made->bytes[length] = 0;
  living++;
  return made;
}
void CFRelease(object *one) {
  if (--one->count > 0) return;
  if (one->kind == ARRAY) for (long at = 0; at < one->length; at++) CFRelease(one->members[at]);
  free(one->members); free(one->bytes); free(one);
  living--;
}
static object *retain(object *one) { one->count++; return one; }

object *CFStringCreateWithBytes(void *a, const void *bytes, long length, unsigned encoding, unsigned char external) {
  return encoding == 0x08000100 && !external ? make(STRING, bytes, length) : 0;
}
long CFStringGetLength(object *one) { return one->length; }
unsigned char CFStringGetCString(object *one, char *room, long size, unsigned encoding) {
  if (one->kind != STRING || encoding != 0x08000100 || size <= one->length) return 0;
  memcpy(room, one->bytes, one->length + 1);
  return 1;
}
long CFArrayGetCount(object *one) { return one->length; }
object *CFArrayGetValueAtIndex(object *one, long at) { return one->members[at]; }
object *CFDataCreate(void *a, const void *bytes, long length) { return make(DATA, bytes, length); }
long CFDataGetLength(object *one) { return one->length; }
void CFDataGetBytes(object *one, struct range range, unsigned char *room) {
  memcpy(room, one->bytes + range.location, range.length);
}
object *CFPropertyListCreateData(void *a, object *list, long format, unsigned long options, void *error) {
  return list->kind == LIST && format == 100 ? make(DATA, list->bytes, list->length) : 0;
}
object *CFPropertyListCreateWithData(void *a, object *data, unsigned long options, void *format, void *error) {
  return data->length > 0 && data->bytes[0] == '<' ? make(LIST, data->bytes, data->length) : 0;
}

object *SCDynamicStoreCreate(void *a, object *name, void *callback, void *context) {
  return isBroken || name->kind != STRING ? 0 : make(STORE, 0, 0);
}
static struct entry *find(object *key) {
  for (int at = 0; at < count; at++)
    if (entries[at].key->length == key->length && !memcmp(entries[at].key->bytes, key->bytes, key->length))
      return entries + at;
  return 0;
}
// The patterns of these tests are a beginning and an end.
object *SCDynamicStoreCopyKeyList(object *store, object *pattern) {
  object *list = make(ARRAY, 0, 0);
  list->members = malloc(sizeof(object *) * 64);
  for (int at = 0; at < count; at++)
    if (entries[at].key->length > 4 && !memcmp(entries[at].key->bytes + entries[at].key->length - 4, "/DNS", 4))
      list->members[list->length++] = retain(entries[at].key);
  return list;
}
object *SCDynamicStoreCopyValue(object *store, object *key) {
  struct entry *found = find(key);
  status = found ? 0 : 1004;
  return found ? retain(found->value) : 0;
}
static void tell(void) { int token = 7; if (notifier[1]) write(notifier[1], &token, sizeof token); }
unsigned char SCDynamicStoreSetValue(object *store, object *key, object *value) {
  struct entry *found = find(key);
  if (value->kind != LIST) { status = 1002; return 0; }
  if (found) CFRelease(found->value);
  else { found = entries + count++; found->key = retain(key); }
  found->value = retain(value);
  tell();
  return 1;
}
unsigned char SCDynamicStoreRemoveValue(object *store, object *key) {
  struct entry *found = find(key);
  status = found ? 0 : 1004;
  if (!found) return 0;
  CFRelease(found->key); CFRelease(found->value);
  *found = entries[--count];
  tell();
  return 1;
}
int SCError(void) { return status; }

unsigned notify_register_file_descriptor(const char *name, int *descriptor, int flags, int *token) {
  static const char resolvers[] = "com.apple.system.SystemConfiguration.dns_configuration";
  if (strlen(name) != sizeof resolvers - 1 || memcmp(name, resolvers, sizeof resolvers)) return 1;
  if (pipe(notifier)) return 2;
  *descriptor = notifier[0]; *token = 7;
  return 0;
}
unsigned notify_cancel(int token) {
  close(notifier[0]); close(notifier[1]);
  notifier[0] = notifier[1] = 0;
  return 0;
}

// Security: programs are signed as the test says; requirements of this double begin with "identifier".
static int signature;
static char asked[512];
int SecRequirementCreateWithString(object *text, unsigned flags, object **made) {
  if (text->kind != STRING || text->length < 10 || memcmp(text->bytes, "identifier", 10)) return -67064;
  *made = make(STRING, text->bytes, text->length);
  return 0;
}
int SecCodeCopyGuestWithAttributes(object *host, object *attributes, unsigned flags, object **code) {
  if (host || attributes->kind != LIST || attributes->length >= (long)sizeof asked) return -50;
  memcpy(asked, attributes->bytes, attributes->length + 1);
  if (signature == -67065) return signature;
  *code = make(DATA, 0, 0);
  return 0;
}
int SecCodeCheckValidity(object *code, unsigned flags, object *requirement) {
  return code->kind == DATA && requirement->kind == STRING ? signature : -50;
}
void double_sign(int result) { signature = result; }
const char *double_asked(void) { return asked; }

// Objects that have not been released, without those that the store keeps.
int double_living(void) { return living - 2 * count; }
// From now on there is no connection to the store, as after waking up.
void double_break(int broken) { isBroken = broken; }
