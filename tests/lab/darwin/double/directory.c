// Stands in for membership.h of libSystem, which the compiler's headers lack, for tests on Linux: user 502 is in group 701,
// 503 is not, and there is no 504. A uuid is its number after a byte that says of what. While it is broken, every call fails.
#include <errno.h>

static int broken;

void double_break(int error) { broken = error; }

static int encode(unsigned char kind, unsigned id, unsigned char *uuid) {
  if (broken) return broken;
  if (id == 504) return ENOENT;
  for (int at = 0; at < 16; at++) uuid[at] = 0;
  uuid[0] = kind;
  for (int at = 0; at < 4; at++) uuid[12 + at] = (unsigned char)(id >> (8 * at));
  return 0;
}
static unsigned decode(const unsigned char *uuid) {
  unsigned id = 0;
  for (int at = 0; at < 4; at++) id |= (unsigned)uuid[12 + at] << (8 * at);
  return id;
}

int mbr_uid_to_uuid(unsigned id, unsigned char *uuid) { return encode('u', id, uuid); }
int mbr_gid_to_uuid(unsigned id, unsigned char *uuid) { return encode('g', id, uuid); }

int mbr_check_membership(unsigned char *user, unsigned char *group, int *is_member) {
  if (broken) return broken;
  if (user[0] != 'u' || group[0] != 'g') return EINVAL;
  *is_member = decode(user) == 502 && decode(group) == 701;
  return 0;
}
