/*
 * A double of wintun.dll 0.14.1 for wine, which has no driver: the functions that we call, with the errors of wintun.h.
 * An adapter's packets go by UDP to 127.0.0.1 at the port in WINTUN_DOUBLE_PORT, where a device of Linux is.
 */
#include <winsock2.h>
#include <windows.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __declspec(dllexport)
#define MAX_PACKET 0xffff
#define MIN_RING 0x20000
#define MAX_RING 0x4000000

struct packet {
  struct packet *next;
  DWORD size;
  BYTE bytes[];
};

struct session {
  SOCKET socket;
  HANDLE event;
  CRITICAL_SECTION lock;
  struct packet *first, **last;
  DWORD queued, capacity;
  volatile LONG ending;
};

struct adapter {
  GUID guid;
};

EXPORT void *WINAPI WintunCreateAdapter(LPCWSTR name, LPCWSTR type, const GUID *guid)
{
  /* As after a boot: the first so many tries fail. */
  static int tries;
  char text[16] = "0";
  GetEnvironmentVariableA("WINTUN_DOUBLE_FAILS", text, sizeof text);
  if (tries++ < atoi(text)) {
    SetLastError(ERROR_DEVICE_NOT_AVAILABLE);
    return NULL;
  }
  if (!name || !type || !guid || wcslen(name) > 127) {
    SetLastError(ERROR_INVALID_PARAMETER);
    return NULL;
  }
  struct adapter *adapter = calloc(1, sizeof *adapter);
  adapter->guid = *guid;
  return adapter;
}

EXPORT void WINAPI WintunCloseAdapter(void *adapter)
{
  free(adapter);
}

EXPORT void WINAPI WintunGetAdapterLUID(void *adapter, ULONG64 *luid)
{
  (void)adapter;
  /* IF_TYPE_PROP_VIRTUAL, and a number. */
  *luid = (ULONG64)53 << 48 | (ULONG64)7 << 24;
}

static DWORD WINAPI receive(void *given)
{
  struct session *session = given;
  static BYTE bytes[MAX_PACKET];
  while (!session->ending) {
    int size = recv(session->socket, (char *)bytes, sizeof bytes, 0);
    if (size <= 0)
      continue;
    EnterCriticalSection(&session->lock);
    if (session->queued + size <= session->capacity) {
      struct packet *packet = malloc(sizeof *packet + size);
      packet->next = NULL;
      packet->size = size;
      memcpy(packet->bytes, bytes, size);
      *session->last = packet;
      session->last = &packet->next;
      session->queued += size;
      SetEvent(session->event);
    }
    LeaveCriticalSection(&session->lock);
  }
  return 0;
}

EXPORT void *WINAPI WintunStartSession(void *adapter, DWORD capacity)
{
  if (!adapter || capacity < MIN_RING || capacity > MAX_RING || (capacity & (capacity - 1))) {
    SetLastError(ERROR_INVALID_PARAMETER);
    return NULL;
  }
  WSADATA data;
  char port[16] = "0";
  DWORD limit = 100;
  WSAStartup(0x202, &data);
  GetEnvironmentVariableA("WINTUN_DOUBLE_PORT", port, sizeof port);
  struct session *session = calloc(1, sizeof *session);
  session->capacity = capacity;
  session->last = &session->first;
  InitializeCriticalSection(&session->lock);
  session->event = CreateEventW(NULL, FALSE, FALSE, NULL);
  session->socket = socket(AF_INET, SOCK_DGRAM, 0);
  setsockopt(session->socket, SOL_SOCKET, SO_RCVTIMEO, (char *)&limit, sizeof limit);
  int room = 4 * 1024 * 1024;
  setsockopt(session->socket, SOL_SOCKET, SO_RCVBUF, (char *)&room, sizeof room);
  struct sockaddr_in to = {0};
  to.sin_family = AF_INET;
  to.sin_port = htons((u_short)atoi(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  connect(session->socket, (struct sockaddr *)&to, sizeof to);
  /* The other end learns by this who asks for packets. */
  send(session->socket, "", 0, 0);
  CloseHandle(CreateThread(NULL, 0, receive, session, 0, NULL));
  return session;
}

EXPORT void WINAPI WintunEndSession(void *given)
{
  struct session *session = given;
  session->ending = 1;
  SetEvent(session->event);
}

EXPORT HANDLE WINAPI WintunGetReadWaitEvent(void *session)
{
  return ((struct session *)session)->event;
}

EXPORT BYTE *WINAPI WintunReceivePacket(void *given, DWORD *size)
{
  struct session *session = given;
  if (session->ending) {
    SetLastError(ERROR_HANDLE_EOF);
    return NULL;
  }
  EnterCriticalSection(&session->lock);
  struct packet *packet = session->first;
  if (packet) {
    session->first = packet->next;
    if (!session->first)
      session->last = &session->first;
    *size = packet->size;
  }
  LeaveCriticalSection(&session->lock);
  if (packet)
    return packet->bytes;
  SetLastError(ERROR_NO_MORE_ITEMS);
  return NULL;
}

static struct packet *packet_of(const BYTE *bytes)
{
  return (struct packet *)(bytes - offsetof(struct packet, bytes));
}

EXPORT void WINAPI WintunReleaseReceivePacket(void *given, const BYTE *bytes)
{
  struct session *session = given;
  struct packet *packet = packet_of(bytes);
  EnterCriticalSection(&session->lock);
  session->queued -= packet->size;
  LeaveCriticalSection(&session->lock);
  free(packet);
}

EXPORT BYTE *WINAPI WintunAllocateSendPacket(void *given, DWORD size)
{
  struct session *session = given;
  static LONG count;
  if (session->ending || size > MAX_PACKET) {
    SetLastError(session->ending ? ERROR_HANDLE_EOF : ERROR_INVALID_PARAMETER);
    return NULL;
  }
  /* Now and then the ring is full for a moment, and what has been asked for has to be asked for again. */
  if (InterlockedIncrement(&count) % 50 == 0) {
    SetLastError(ERROR_BUFFER_OVERFLOW);
    return NULL;
  }
  struct packet *packet = malloc(sizeof *packet + size);
  packet->size = size;
  return packet->bytes;
}

EXPORT void WINAPI WintunSendPacket(void *given, const BYTE *bytes)
{
  struct packet *packet = packet_of(bytes);
  send(((struct session *)given)->socket, (const char *)packet->bytes, packet->size, 0);
  free(packet);
}
