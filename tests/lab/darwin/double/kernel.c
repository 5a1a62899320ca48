// Stands in for macOS's C library, for tests on Linux: decodes what it is given by Apple's own headers, writes down each
// call as a line of JSON, and answers with structures of those headers. It uses no library itself.

// The compiler's own <stdint.h> is for Linux, and is left out.
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;

#include <fcntl.h>
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/sockio.h>
#include <sys/ioctl.h>
#include <sys/kern_control.h>
#include <sys/sysctl.h>
#include <sys/ucred.h>
#include <sys/un.h>
#include <net/if.h>
#include <net/if_dl.h>
#include <net/if_var.h>
#include <net/route.h>
#include <netinet/in.h>

static char lines[1 << 20];
static int end;
static int failing;
// Where Linux keeps the error of a call.
extern int *__errno_location(void);

static void put(const char *text) {
  while (*text && end < (int)sizeof lines - 1) lines[end++] = *text++;
  lines[end] = 0;
}
static void put_number(long long value) {
  char digits[24];
  int at = sizeof digits - 1;
  unsigned long long left = value < 0 ? -(unsigned long long)value : (unsigned long long)value;
  digits[at] = 0;
  do digits[--at] = '0' + left % 10; while (left /= 10);
  if (value < 0) put("-");
  put(digits + at);
}
static void name(const char *key) { put(",\""); put(key); put("\":"); }
static void begin(const char *call) { put("{\"call\":\""); put(call); put("\""); }
static void number(const char *key, long long value) { name(key); put_number(value); }
static void text(const char *key, const char *value, int room) {
  char copy[128];
  int at = 0;
  while (at < room && at < 127 && value[at]) { copy[at] = value[at]; at++; }
  copy[at] = 0;
  name(key); put("\""); put(copy); put("\"");
}
static void hex(const char *key, const unsigned char *bytes, int count) {
  char digits[3] = {0};
  name(key); put("\"");
  for (int at = 0; at < count; at++) {
    digits[0] = "0123456789abcdef"[bytes[at] >> 4];
    digits[1] = "0123456789abcdef"[bytes[at] & 15];
    put(digits);
  }
  put("\"");
}
static long finish(long result) {
  put("}\n");
  if (!failing) return result;
  *__errno_location() = failing;
  failing = 0;
  return -1;
}

const char *double_lines(void) { return lines; }
void double_clear(void) { end = 0; lines[0] = 0; }
// The next call fails with this error.
void double_fail(int error) { failing = error; }

static void address(const char *key, const struct sockaddr *a) {
  if (a->sa_family == AF_INET && a->sa_len == sizeof(struct sockaddr_in))
    hex(key, (const unsigned char *)&((const struct sockaddr_in *)a)->sin_addr, 4);
  else if (a->sa_family == AF_INET6 && a->sa_len == sizeof(struct sockaddr_in6))
    hex(key, (const unsigned char *)&((const struct sockaddr_in6 *)a)->sin6_addr, 16);
  else if (a->sa_family == AF_LINK && a->sa_len == sizeof(struct sockaddr_dl))
    number(key, ((const struct sockaddr_dl *)a)->sdl_index);
  else number(key, -1 - a->sa_family);
}

int socket(int domain, int type, int protocol) {
  begin("socket"); number("domain", domain); number("type", type); number("protocol", protocol);
  return finish(1000 + domain);
}
int close(int fd) { begin("close"); number("fd", fd); return finish(0); }
int shutdown(int fd, int how) { begin("shutdown"); number("fd", fd); number("how", how); return finish(0); }
int fcntl(int fd, int command, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, command);
  int value = __builtin_va_arg(list, int);
  __builtin_va_end(list);
  begin("fcntl"); number("fd", fd); number("command", command); number("value", value);
  return finish(command == F_DUPFD_CLOEXEC ? fd + 1 : 0);
}
int connect(int fd, const struct sockaddr *a, socklen_t length) {
  const struct sockaddr_ctl *control = (const void *)a;
  begin("connect"); number("fd", fd); number("length", length);
  if (length >= sizeof *control) {
    number("sc_len", control->sc_len); number("sc_family", control->sc_family);
    number("ss_sysaddr", control->ss_sysaddr); number("sc_id", control->sc_id); number("sc_unit", control->sc_unit);
  }
  return finish(0);
}

int bind(int fd, const struct sockaddr *a, socklen_t length) {
  begin("bind"); number("fd", fd); number("length", length); address("own", a);
  return finish(0);
}

// bsd/netinet6/in6_var.h is not among the public headers.
struct alias6 {
  char name[IFNAMSIZ];
  struct sockaddr_in6 own, other, mask;
  int flags;
  struct { long long expire, preferred; unsigned valid, wanted; } life;
};
struct request6 { char name[IFNAMSIZ]; union { struct sockaddr_in6 own; char room[272]; } u; };

int ioctl(int fd, unsigned long request, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, request);
  void *argument = __builtin_va_arg(list, void *);
  __builtin_va_end(list);
  begin("ioctl"); number("fd", fd);
  if (request == CTLIOCGINFO) {
    struct ctl_info *info = argument;
    text("request", "CTLIOCGINFO", 32); text("name", info->ctl_name, sizeof info->ctl_name);
    info->ctl_id = 7;
  } else if (request == SIOCSIFMTU) {
    struct ifreq *r = argument;
    text("request", "SIOCSIFMTU", 32); text("name", r->ifr_name, IFNAMSIZ); number("mtu", r->ifr_mtu);
  } else if (request == SIOCGIFFLAGS) {
    struct ifreq *r = argument;
    text("request", "SIOCGIFFLAGS", 32); text("name", r->ifr_name, IFNAMSIZ);
    r->ifr_flags = IFF_POINTOPOINT;
  } else if (request == SIOCSIFFLAGS) {
    struct ifreq *r = argument;
    text("request", "SIOCSIFFLAGS", 32); text("name", r->ifr_name, IFNAMSIZ); number("flags", r->ifr_flags);
  } else if (request == SIOCAIFADDR) {
    struct ifaliasreq *r = argument;
    text("request", "SIOCAIFADDR", 32); text("name", r->ifra_name, IFNAMSIZ);
    address("own", &r->ifra_addr); address("other", &r->ifra_broadaddr); address("mask", &r->ifra_mask);
  } else if (request == SIOCDIFADDR) {
    struct ifreq *r = argument;
    text("request", "SIOCDIFADDR", 32); text("name", r->ifr_name, IFNAMSIZ); address("own", &r->ifr_addr);
  } else if (request == _IOW('i', 26, struct alias6)) {
    struct alias6 *r = argument;
    text("request", "SIOCAIFADDR_IN6", 32); text("name", r->name, IFNAMSIZ);
    address("own", (void *)&r->own); address("mask", (void *)&r->mask);
    number("valid", r->life.valid); number("wanted", r->life.wanted);
  } else if (request == _IOW('i', 25, struct request6)) {
    struct request6 *r = argument;
    text("request", "SIOCDIFADDR_IN6", 32); text("name", r->name, IFNAMSIZ); address("own", (void *)&r->u.own);
  } else number("request", request);
  return finish(0);
}

long write(int fd, const void *bytes, unsigned long count) {
  const struct rt_msghdr *m = bytes;
  static const char *const places[] = {"dst", "gateway", "netmask", "genmask", "ifp", "ifa", "author", "brd"};
  begin("write"); number("fd", fd); number("bytes", count); number("rtm_msglen", m->rtm_msglen);
  number("rtm_version", m->rtm_version); number("rtm_type", m->rtm_type); number("rtm_index", m->rtm_index);
  number("rtm_flags", m->rtm_flags);
  const char *at = (const char *)(m + 1);
  for (int place = 0; place < RTAX_MAX; place++) {
    if (!(m->rtm_addrs & (1 << place))) continue;
    const struct sockaddr *a = (const void *)at;
    address(places[place], a);
    at += a->sa_len ? (a->sa_len + 3) & ~3 : 4;
  }
  number("decoded", at - (const char *)bytes);
  return finish(count);
}

int setsockopt(int fd, int level, int option, const void *value, socklen_t length) {
  begin("setsockopt"); number("fd", fd); number("level", level); number("option", option);
  number("value", *(const int *)value); number("length", length);
  return finish(0);
}
int getsockopt(int fd, int level, int option, void *value, socklen_t *length) {
  unsigned char *bytes = value;
  begin("getsockopt"); number("fd", fd); number("level", level); number("option", option);
  if (level == SOL_LOCAL && option == LOCAL_PEERTOKEN) {
    for (unsigned at = 0; at < 32 && at < *length; at++) bytes[at] = at;
    *length = 32;
  } else if (level == SOL_LOCAL && option == LOCAL_PEERCRED) {
    struct xucred *credentials = value;
    credentials->cr_version = XUCRED_VERSION; credentials->cr_uid = 501; credentials->cr_ngroups = 2;
    credentials->cr_groups[0] = 20; credentials->cr_groups[1] = 80;
    *length = sizeof *credentials;
  } else if (level == SOL_LOCAL && option == LOCAL_PEERPID) {
    *(int *)value = 4711;
    *length = 4;
  } else {
    static const char device[] = "utun9";
    for (unsigned at = 0; at < sizeof device; at++) bytes[at] = device[at];
    *length = sizeof device;
  }
  return finish(0);
}

// What sysctl answers: a routing table and a list of interfaces, with the lengths that the kernel writes.
static char answer[4096];
static int answered;
static void *more(int count) { char *at = answer + answered; for (int i = 0; i < count; i++) at[i] = 0; answered += count; return at; }
static void in4(unsigned value, int length) {
  struct sockaddr_in *a = more(16);
  a->sin_len = length; a->sin_family = length > 1 ? AF_INET : 0; a->sin_addr.s_addr = __builtin_bswap32(value);
  answered -= 16 - (length ? (length + 3) / 4 * 4 : 4);
}
static struct sockaddr_in6 *in6(unsigned first, unsigned last) {
  struct sockaddr_in6 *a = more(28);
  unsigned *words = (unsigned *)&a->sin6_addr;
  a->sin6_len = 28; a->sin6_family = AF_INET6; words[0] = __builtin_bswap32(first); words[3] = __builtin_bswap32(last);
  return a;
}
static void link(int index, const char *device) {
  struct sockaddr_dl *a = more(20);
  a->sdl_len = 20; a->sdl_family = AF_LINK; a->sdl_index = index;
  for (; device[a->sdl_nlen]; a->sdl_nlen++) a->sdl_data[a->sdl_nlen] = device[a->sdl_nlen];
}
static void route(int flags, int index, int places) {
  struct rt_msghdr *m = more(sizeof *m);
  m->rtm_version = RTM_VERSION; m->rtm_type = RTM_GET; m->rtm_flags = flags; m->rtm_index = index; m->rtm_addrs = places;
}
static void close_message(int start) { *(unsigned short *)(answer + start) = answered - start; }

static void table(void) {
  int start = answered = 0;
  // default 192.168.1.1 en0: its mask has no bytes.
  route(RTF_UP | RTF_GATEWAY | RTF_STATIC, 4, RTA_DST | RTA_GATEWAY | RTA_NETMASK);
  in4(0, 16); in4(0xc0a80101, 16); in4(0, 0); close_message(start); start = answered;
  // The same for sockets that are bound to en0.
  route(RTF_UP | RTF_GATEWAY | RTF_IFSCOPE, 4, RTA_DST | RTA_GATEWAY | RTA_NETMASK);
  in4(0, 16); in4(0xc0a80101, 16); in4(0, 0); close_message(start); start = answered;
  // 192.168.1.0/24 on the link: its mask ends with the last byte that is not zero.
  route(RTF_UP | RTF_CLONING, 4, RTA_DST | RTA_GATEWAY | RTA_NETMASK);
  in4(0xc0a80100, 16); link(4, ""); in4(0xffffff00, 7); close_message(start); start = answered;
  // A host of it that the kernel has cloned.
  route(RTF_UP | RTF_HOST | RTF_WASCLONED | RTF_LLINFO, 4, RTA_DST | RTA_GATEWAY);
  in4(0xc0a80132, 16); link(4, ""); close_message(start); start = answered;
  // 128.0.0.0/1 refused, with the helper's mark.
  route(RTF_UP | RTF_GATEWAY | RTF_REJECT | RTF_STATIC | RTF_PROTO1, 1, RTA_DST | RTA_GATEWAY | RTA_NETMASK);
  in4(0x80000000, 16); in4(0x7f000001, 16); in4(0x80000000, 5); close_message(start); start = answered;
  // A host by a router whose address has its interface in it.
  route(RTF_UP | RTF_GATEWAY | RTF_HOST, 4, RTA_DST | RTA_GATEWAY);
  in6(0x20010db8, 0x99); in6(0xfe800004, 1); close_message(start);
}

static void interface_list(void) {
  int start = answered = 0;
  struct if_msghdr2 *m = more(sizeof *m);
  m->ifm_version = RTM_VERSION; m->ifm_type = RTM_IFINFO2; m->ifm_addrs = RTA_IFP; m->ifm_flags = IFF_UP | IFF_POINTOPOINT;
  m->ifm_index = 9; m->ifm_data.ifi_mtu = 1400; m->ifm_data.ifi_ibytes = 5000000000ULL; m->ifm_data.ifi_obytes = 70;
  m->ifm_data.ifi_ipackets = 12; m->ifm_data.ifi_imcasts = 2;
  link(9, "utun9"); close_message(start); start = answered;
  struct ifa_msghdr *own = more(sizeof *own);
  own->ifam_version = RTM_VERSION; own->ifam_type = RTM_NEWADDR; own->ifam_addrs = RTA_NETMASK | RTA_IFA | RTA_BRD; own->ifam_index = 9;
  in4(0xffffffff, 8); in4(0x0a420005, 16); in4(0x0a420005, 16); close_message(start);
}

int sysctl(int *name_, unsigned count, void *old, size_t *length, void *fresh, size_t fresh_length) {
  if (!old) {
    begin("sysctl");
    name("name"); put("[");
    for (unsigned at = 0; at < count; at++) { if (at) put(","); put_number(name_[at]); }
    put("]");
    if (finish(0)) return -1;
  }
  if (name_[4] == NET_RT_DUMP) table(); else interface_list();
  if (old) for (int at = 0; at < answered; at++) ((char *)old)[at] = answer[at];
  *length = answered;
  return 0;
}

// The headers give these another name in the object.
__asm__(
  ".globl connect\n.set connect, _connect\n.globl fcntl\n.set fcntl, _fcntl\n"
  ".globl bind\n.set bind, _bind\n"
);
