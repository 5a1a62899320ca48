// Stands in for iphlpapi.dll, fwpuclnt.dll, dnsapi.dll and userenv.dll, of which wine lacks what changes a network. It is
// compiled with Windows' own headers, so it reads the bytes that it is given independently of our declarations, and writes
// one line of JSON for each call to the file that RECORD_FILE names. What is read of it is made up here.
#define _WIN32_WINNT 0x0A00
#include <winsock2.h>
#include <ws2tcpip.h>
#include <windows.h>
#include <iphlpapi.h>
#include <netioapi.h>
#include <fwpmu.h>
#include <sddl.h>
#include <stdio.h>

#define EXPORT __declspec(dllexport)
typedef unsigned char byte;

static void record(const char *format, ...) {
  char path[MAX_PATH];
  if (!GetEnvironmentVariableA("RECORD_FILE", path, sizeof path)) return;
  FILE *file = fopen(path, "a");
  if (!file) return;
  va_list rest;
  va_start(rest, format);
  vfprintf(file, format, rest);
  va_end(rest);
  fputc('\n', file);
  fclose(file);
}

// Texts. Each call has several at once.

static char *place(void) {
  static char places[64][512];
  static int next;
  return places[next++ % 64];
}

static char *ipv4(const byte *at) {
  char *text = place();
  sprintf(text, "%u.%u.%u.%u", at[0], at[1], at[2], at[3]);
  return text;
}

static char *ipv4_number(UINT32 number) {
  byte at[4] = {number >> 24, number >> 16, number >> 8, number};
  return ipv4(at);
}

static char *ipv6(const byte *at) {
  char *text = place();
  *text = 0;
  for (int i = 0; i < 16; i += 2) sprintf(text + strlen(text), "%s%x", i ? ":" : "", at[i] << 8 | at[i + 1]);
  return text;
}

static char *address(const SOCKADDR_INET *given) {
  if (given->si_family == AF_INET) return ipv4((const byte *)&given->Ipv4.sin_addr);
  if (given->si_family == AF_INET6) return ipv6((const byte *)&given->Ipv6.sin6_addr);
  return "none";
}

static char *guid(const GUID *given) {
  char *text = place();
  const byte *d = given->Data4;
  sprintf(text, "%08lx-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", given->Data1, given->Data2, given->Data3, d[0], d[1],
          d[2], d[3], d[4], d[5], d[6], d[7]);
  return text;
}

static char *escaped(const wchar_t *given) {
  char *text = place(), *at = text;
  for (; given && *given && at - text < 500; given++) {
    if (*given == '\\' || *given == '"') *at++ = '\\';
    *at++ = *given < 128 ? (char)*given : '?';
  }
  *at = 0;
  return text;
}

static void set_address(SOCKADDR_INET *into, const char *text) {
  memset(into, 0, sizeof *into);
  into->si_family = strchr(text, ':') ? AF_INET6 : AF_INET;
  void *at = into->si_family == AF_INET ? (void *)&into->Ipv4.sin_addr : (void *)&into->Ipv6.sin6_addr;
  inet_pton(into->si_family, text, at);
}

// IP Helper: what it says of the machine

static void *allocate(size_t size) { return HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, size); }

EXPORT VOID NETIOAPI_API_ FreeMibTable(PVOID memory) {
  record("{\"call\":\"FreeMibTable\"}");
  HeapFree(GetProcessHeap(), 0, memory);
}

EXPORT NETIO_STATUS NETIOAPI_API_ GetIfTable2(PMIB_IF_TABLE2 *table) {
  MIB_IF_TABLE2 *made = *table = allocate(sizeof *made + sizeof made->Table[0]);
  made->NumEntries = 2;
  MIB_IF_ROW2 *ethernet = &made->Table[0], *loopback = &made->Table[1];
  ethernet->InterfaceLuid.Value = 0x6008001000000ULL;
  ethernet->InterfaceGuid = (GUID){0x12345678, 0x9abc, 0x4def, {0x80, 1, 2, 3, 4, 5, 6, 7}};
  wcscpy(ethernet->Alias, L"Ethernet 2");
  ethernet->Type = 6;
  ethernet->OperStatus = IfOperStatusUp;
  ethernet->InOctets = 0x123456789abULL;
  ethernet->OutOctets = 77;
  loopback->InterfaceLuid.Value = 0x18000000000000ULL;
  loopback->Type = IF_TYPE_SOFTWARE_LOOPBACK;
  loopback->OperStatus = IfOperStatusDown;
  return NO_ERROR;
}

EXPORT NETIO_STATUS NETIOAPI_API_ GetIpInterfaceTable(ADDRESS_FAMILY family, PMIB_IPINTERFACE_TABLE *table) {
  MIB_IPINTERFACE_TABLE *made = *table = allocate(sizeof *made);
  made->NumEntries = 1;
  MIB_IPINTERFACE_ROW *row = &made->Table[0];
  row->Family = AF_INET6;
  row->InterfaceLuid.Value = 0x6008001000000ULL;
  row->Metric = 25;
  row->UseAutomaticMetric = TRUE;
  row->NlMtu = 1492;
  row->Connected = row->DisableDefaultRoutes = TRUE;
  return NO_ERROR;
}

EXPORT NETIO_STATUS NETIOAPI_API_ GetUnicastIpAddressTable(ADDRESS_FAMILY family, PMIB_UNICASTIPADDRESS_TABLE *table) {
  MIB_UNICASTIPADDRESS_TABLE *made = *table = allocate(sizeof *made + sizeof made->Table[0]);
  made->NumEntries = 2;
  set_address(&made->Table[0].Address, "192.168.7.20");
  set_address(&made->Table[1].Address, "2001:db8:7::20");
  for (int i = 0; i < 2; i++) made->Table[i].InterfaceLuid.Value = 0x6008001000000ULL;
  made->Table[0].OnLinkPrefixLength = 24;
  made->Table[1].OnLinkPrefixLength = 64;
  return NO_ERROR;
}

EXPORT NETIO_STATUS NETIOAPI_API_ GetIpForwardTable2(ADDRESS_FAMILY family, PMIB_IPFORWARD_TABLE2 *table) {
  MIB_IPFORWARD_TABLE2 *made = *table = allocate(sizeof *made + sizeof made->Table[0]);
  made->NumEntries = 2;
  MIB_IPFORWARD_ROW2 *lead = &made->Table[0], *on_link = &made->Table[1];
  lead->InterfaceLuid.Value = on_link->InterfaceLuid.Value = 0x6008001000000ULL;
  set_address(&lead->DestinationPrefix.Prefix, "0.0.0.0");
  set_address(&lead->NextHop, "192.168.7.1");
  lead->Metric = 5;
  set_address(&on_link->DestinationPrefix.Prefix, "2001:db8:7::");
  on_link->DestinationPrefix.PrefixLength = 64;
  set_address(&on_link->NextHop, "::");
  on_link->Metric = 256;
  return NO_ERROR;
}

// An interface that is down comes first, and the room that is asked for is at first too small.
EXPORT ULONG WINAPI GetAdaptersAddresses(ULONG family, ULONG flags, PVOID reserved, PIP_ADAPTER_ADDRESSES adapters,
                                         PULONG size) {
  record("{\"call\":\"GetAdaptersAddresses\",\"family\":%lu,\"flags\":%lu}", family, flags);
  if (*size < 20000) {
    *size = 20000;
    return ERROR_BUFFER_OVERFLOW;
  }
  static IP_ADAPTER_DNS_SERVER_ADDRESS_XP servers[2];
  static SOCKADDR_INET addresses[2];
  set_address(&addresses[0], "192.168.7.1");
  set_address(&addresses[1], "2001:db8:7::53");
  for (int i = 0; i < 2; i++) servers[i].Address.lpSockaddr = (struct sockaddr *)&addresses[i];
  servers[0].Address.iSockaddrLength = sizeof(struct sockaddr_in);
  servers[1].Address.iSockaddrLength = sizeof(struct sockaddr_in6);
  servers[0].Next = &servers[1];
  memset(adapters, 0, 2 * sizeof *adapters);
  adapters[0].Next = &adapters[1];
  adapters[0].OperStatus = IfOperStatusDown;
  adapters[0].FirstDnsServerAddress = adapters[1].FirstDnsServerAddress = &servers[0];
  adapters[1].OperStatus = IfOperStatusUp;
  adapters[1].Luid.Value = 0x6008001000000ULL;
  return NO_ERROR;
}

// IP Helper: what it is told

EXPORT VOID NETIOAPI_API_ InitializeIpForwardEntry(PMIB_IPFORWARD_ROW2 row) {
  memset(row, 0, sizeof *row);
  row->ValidLifetime = row->PreferredLifetime = row->Metric = 0xffffffff;
  row->Loopback = row->AutoconfigureAddress = row->Publish = row->Immortal = TRUE;
  row->Protocol = MIB_IPPROTO_NETMGMT;
}

static NETIO_STATUS route(const char *call, const MIB_IPFORWARD_ROW2 *row) {
  record("{\"call\":\"%s\",\"luid\":\"%llx\",\"prefix\":\"%s/%u\",\"nextHop\":\"%s\",\"metric\":%lu,\"protocol\":%d,"
         "\"lifetimes\":[%lu,%lu],\"flags\":[%d,%d,%d,%d],\"origin\":%d}",
         call, row->InterfaceLuid.Value, address(&row->DestinationPrefix.Prefix), row->DestinationPrefix.PrefixLength,
         address(&row->NextHop), row->Metric, row->Protocol, row->ValidLifetime, row->PreferredLifetime, row->Loopback,
         row->AutoconfigureAddress, row->Publish, row->Immortal, row->Origin);
  return NO_ERROR;
}
EXPORT NETIO_STATUS NETIOAPI_API_ CreateIpForwardEntry2(const MIB_IPFORWARD_ROW2 *row) {
  return route("CreateIpForwardEntry2", row);
}
EXPORT NETIO_STATUS NETIOAPI_API_ SetIpForwardEntry2(const MIB_IPFORWARD_ROW2 *row) {
  return route("SetIpForwardEntry2", row);
}
EXPORT NETIO_STATUS NETIOAPI_API_ DeleteIpForwardEntry2(const MIB_IPFORWARD_ROW2 *row) {
  return route("DeleteIpForwardEntry2", row);
}

EXPORT VOID NETIOAPI_API_ InitializeUnicastIpAddressEntry(PMIB_UNICASTIPADDRESS_ROW row) {
  memset(row, 0, sizeof *row);
  row->ValidLifetime = row->PreferredLifetime = 0xffffffff;
  row->PrefixOrigin = row->SuffixOrigin = 16;
  row->OnLinkPrefixLength = 255;
}

static NETIO_STATUS own_address(const char *call, const MIB_UNICASTIPADDRESS_ROW *row) {
  record("{\"call\":\"%s\",\"luid\":\"%llx\",\"address\":\"%s/%u\",\"origins\":[%d,%d],\"lifetimes\":[%lu,%lu],"
         "\"skipAsSource\":%d,\"dadState\":%d}",
         call, row->InterfaceLuid.Value, address(&row->Address), row->OnLinkPrefixLength, row->PrefixOrigin,
         row->SuffixOrigin, row->ValidLifetime, row->PreferredLifetime, row->SkipAsSource, row->DadState);
  return NO_ERROR;
}
EXPORT NETIO_STATUS NETIOAPI_API_ CreateUnicastIpAddressEntry(const MIB_UNICASTIPADDRESS_ROW *row) {
  return own_address("CreateUnicastIpAddressEntry", row);
}
EXPORT NETIO_STATUS NETIOAPI_API_ DeleteUnicastIpAddressEntry(const MIB_UNICASTIPADDRESS_ROW *row) {
  return own_address("DeleteUnicastIpAddressEntry", row);
}

EXPORT VOID NETIOAPI_API_ InitializeIpInterfaceEntry(PMIB_IPINTERFACE_ROW row) { memset(row, 0, sizeof *row); }

EXPORT NETIO_STATUS NETIOAPI_API_ GetIpInterfaceEntry(PMIB_IPINTERFACE_ROW row) {
  row->UseAutomaticMetric = row->DisableDefaultRoutes = row->ManagedAddressConfigurationSupported = TRUE;
  row->OtherStatefulConfigurationSupported = TRUE;
  row->RouterDiscoveryBehavior = RouterDiscoveryEnabled;
  row->DadTransmits = 3;
  row->SitePrefixLength = 64;
  row->WeakHostSend = TRUE;
  row->NlMtu = 1500;
  row->ReachableTime = 31337;
  return NO_ERROR;
}

EXPORT NETIO_STATUS NETIOAPI_API_ SetIpInterfaceEntry(PMIB_IPINTERFACE_ROW row) {
  record("{\"call\":\"SetIpInterfaceEntry\",\"family\":%u,\"luid\":\"%llx\",\"automaticMetric\":%d,\"metric\":%lu,"
         "\"mtu\":%lu,\"routerDiscovery\":%d,\"managed\":[%d,%d],\"dadTransmits\":%lu,\"sitePrefixLength\":%lu,"
         "\"disableDefaultRoutes\":%d,\"weakHostSend\":%d,\"reachableTime\":%lu}",
         row->Family, row->InterfaceLuid.Value, row->UseAutomaticMetric, row->Metric, row->NlMtu,
         row->RouterDiscoveryBehavior, row->ManagedAddressConfigurationSupported,
         row->OtherStatefulConfigurationSupported, row->DadTransmits, row->SitePrefixLength, row->DisableDefaultRoutes,
         row->WeakHostSend, row->ReachableTime);
  return NO_ERROR;
}

// Watches call back once, from a thread of the system's, and ending one waits for that.

struct watch {
  void (WINAPI *call)(void *, void *, int);
  void *context;
};

static DWORD WINAPI tell(void *given) {
  struct watch *watch = given;
  watch->call(watch->context, NULL, 0);
  return 0;
}

static DWORD start_watch(void *call, void *context, HANDLE *handle) {
  struct watch *watch = allocate(sizeof *watch);
  watch->call = (void (WINAPI *)(void *, void *, int))call;
  watch->context = context;
  *handle = CreateThread(NULL, 0, tell, watch, 0, NULL);
  return NO_ERROR;
}

static DWORD end_watch(HANDLE handle) {
  WaitForSingleObject(handle, INFINITE);
  CloseHandle(handle);
  record("{\"call\":\"watch ended\"}");
  return NO_ERROR;
}

#define NOTIFY(name, type)                                                                                             \
  EXPORT NETIO_STATUS NETIOAPI_API_ name(ADDRESS_FAMILY family, type call, PVOID context, BOOLEAN now, HANDLE *handle) { \
    return start_watch((void *)call, context, handle);                                                                 \
  }
NOTIFY(NotifyIpInterfaceChange, PIPINTERFACE_CHANGE_CALLBACK)
NOTIFY(NotifyUnicastIpAddressChange, PUNICAST_IPADDRESS_CHANGE_CALLBACK)
NOTIFY(NotifyRouteChange2, PIPFORWARD_CHANGE_CALLBACK)
EXPORT NETIO_STATUS NETIOAPI_API_ CancelMibChangeNotify2(HANDLE handle) { return end_watch(handle); }

// The filtering platform

EXPORT DWORD WINAPI FwpmEngineOpen0(const wchar_t *server, UINT32 service, SEC_WINNT_AUTH_IDENTITY_W *identity,
                                    const FWPM_SESSION0 *session, HANDLE *engine) {
  record("{\"call\":\"FwpmEngineOpen0\",\"local\":%s,\"service\":%u,\"flags\":%u,\"wait\":%u}", server ? "false" : "true",
         service, session->flags, session->txnWaitTimeoutInMSec);
  *engine = (HANDLE)0x77;
  return 0;
}

#define SIMPLE(name, parameters, ...)                                                                                  \
  EXPORT DWORD WINAPI name parameters {                                                                                \
    record("{\"call\":\"" #name "\"" __VA_ARGS__);                                                                     \
    return engine == (HANDLE)0x77 ? 0 : ERROR_INVALID_HANDLE;                                                          \
  }
SIMPLE(FwpmEngineClose0, (HANDLE engine), "}")
SIMPLE(FwpmTransactionBegin0, (HANDLE engine, UINT32 flags), ",\"flags\":%u}", flags)
SIMPLE(FwpmTransactionCommit0, (HANDLE engine), "}")
SIMPLE(FwpmTransactionAbort0, (HANDLE engine), "}")
SIMPLE(FwpmFilterDeleteByKey0, (HANDLE engine, const GUID *key), ",\"key\":\"%s\"}", guid(key))
SIMPLE(FwpmSubLayerDeleteByKey0, (HANDLE engine, const GUID *key), ",\"key\":\"%s\"}", guid(key))
SIMPLE(FwpmProviderDeleteByKey0, (HANDLE engine, const GUID *key), ",\"key\":\"%s\"}", guid(key))
SIMPLE(FwpmProviderAdd0, (HANDLE engine, const FWPM_PROVIDER0 *provider, PSECURITY_DESCRIPTOR sd),
       ",\"key\":\"%s\",\"name\":\"%s\",\"flags\":%u}", guid(&provider->providerKey),
       escaped(provider->displayData.name), provider->flags)
SIMPLE(FwpmSubLayerAdd0, (HANDLE engine, const FWPM_SUBLAYER0 *sublayer, PSECURITY_DESCRIPTOR sd),
       ",\"key\":\"%s\",\"name\":\"%s\",\"flags\":%u,\"provider\":\"%s\",\"weight\":%u}", guid(&sublayer->subLayerKey),
       escaped(sublayer->displayData.name), sublayer->flags, guid(sublayer->providerKey), sublayer->weight)

// A value of a condition with its type, whatever it points to.
static void value(char *into, int type, const FWP_CONDITION_VALUE0 *given) {
  switch (type) {
  case FWP_UINT8: sprintf(into, "%u", given->uint8); return;
  case FWP_UINT16: sprintf(into, "%u", given->uint16); return;
  case FWP_UINT32: sprintf(into, "%u", given->uint32); return;
  case FWP_UINT64: sprintf(into, "%llx", *given->uint64); return;
  case FWP_BYTE_ARRAY16_TYPE: strcpy(into, ipv6(given->byteArray16->byteArray16)); return;
  case FWP_BYTE_BLOB_TYPE: strcpy(into, escaped((wchar_t *)given->byteBlob->data)); return;
  case FWP_V4_ADDR_MASK:
    sprintf(into, "%s/%s", ipv4_number(given->v4AddrMask->addr), ipv4_number(given->v4AddrMask->mask));
    return;
  case FWP_V6_ADDR_MASK: sprintf(into, "%s/%u", ipv6(given->v6AddrMask->addr), given->v6AddrMask->prefixLength); return;
  case FWP_RANGE_TYPE: {
    const FWP_VALUE0 *low = &given->rangeValue->valueLow, *high = &given->rangeValue->valueHigh;
    if (low->type == FWP_UINT32 && high->type == FWP_UINT32)
      sprintf(into, "%s-%s", ipv4_number(low->uint32), ipv4_number(high->uint32));
    else if (low->type == FWP_BYTE_ARRAY16_TYPE && high->type == FWP_BYTE_ARRAY16_TYPE)
      sprintf(into, "%s-%s", ipv6(low->byteArray16->byteArray16), ipv6(high->byteArray16->byteArray16));
    else
      sprintf(into, "a range of types %d and %d", low->type, high->type);
    return;
  }
  case FWP_SECURITY_DESCRIPTOR_TYPE: {
    char *text = NULL;
    if (ConvertSecurityDescriptorToStringSecurityDescriptorA(
            given->sd->data, SDDL_REVISION_1,
            OWNER_SECURITY_INFORMATION | GROUP_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &text, NULL))
      strcpy(into, text);
    else
      sprintf(into, "not a security descriptor of %u bytes", given->sd->size);
    return;
  }
  default: sprintf(into, "type %d", type);
  }
}

EXPORT DWORD WINAPI FwpmFilterAdd0(HANDLE engine, const FWPM_FILTER0 *filter, PSECURITY_DESCRIPTOR sd, UINT64 *id) {
  size_t room = 1024 + 700 * (size_t)filter->numFilterConditions;
  char *conditions = allocate(room);
  for (UINT32 i = 0; i < filter->numFilterConditions; i++) {
    const FWPM_FILTER_CONDITION0 *one = &filter->filterCondition[i];
    char text[600];
    value(text, one->conditionValue.type, &one->conditionValue);
    sprintf(conditions + strlen(conditions), "%s[\"%s\",%d,%d,\"%s\"]", i ? "," : "", guid(&one->fieldKey),
            one->matchType, one->conditionValue.type, text);
  }
  record("{\"call\":\"FwpmFilterAdd0\",\"key\":\"%s\",\"name\":\"%s\",\"flags\":%u,\"provider\":\"%s\",\"layer\":\"%s\","
         "\"sublayer\":\"%s\",\"weight\":[%d,%u],\"action\":%u,\"context\":%llu,\"conditions\":[%s]}",
         guid(&filter->filterKey), escaped(filter->displayData.name), filter->flags,
         filter->providerKey ? guid(filter->providerKey) : "none", guid(&filter->layerKey), guid(&filter->subLayerKey),
         filter->weight.type, filter->weight.uint8, filter->action.type, filter->rawContext, conditions);
  HeapFree(GetProcessHeap(), 0, conditions);
  if (id) *id = 1;
  return engine == (HANDLE)0x77 ? 0 : ERROR_INVALID_HANDLE;
}

// 201 filters in two portions: 199 of nobody, and two of the provider that PROVIDER names.
EXPORT DWORD WINAPI FwpmFilterCreateEnumHandle0(HANDLE engine, const FWPM_FILTER_ENUM_TEMPLATE0 *wanted, HANDLE *handle) {
  static UINT32 at;
  at = 0;
  *handle = &at;
  return wanted ? ERROR_INVALID_PARAMETER : 0;
}

EXPORT DWORD WINAPI FwpmFilterEnum0(HANDLE engine, HANDLE handle, UINT32 wanted, FWPM_FILTER0 ***entries, UINT32 *count) {
  static GUID provider = {0x11111111, 0x2222, 0x4333, {0x84, 0x44, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55}};
  UINT32 *at = handle;
  *count = 201 - *at < wanted ? 201 - *at : wanted;
  FWPM_FILTER0 **made = allocate(*count * (sizeof *made + sizeof **made) + 8);
  FWPM_FILTER0 *filters = (FWPM_FILTER0 *)(made + *count);
  for (UINT32 i = 0; i < *count; i++, (*at)++) {
    made[i] = &filters[i];
    filters[i].filterKey.Data1 = *at;
    filters[i].subLayerKey.Data1 = 7;
    filters[i].layerKey.Data1 = 9;
    filters[i].action.type = FWP_ACTION_BLOCK;
    if (*at == 0 || *at == 200) filters[i].providerKey = &provider;
  }
  *entries = made;
  return 0;
}

EXPORT DWORD WINAPI FwpmFilterDestroyEnumHandle0(HANDLE engine, HANDLE handle) { return 0; }

EXPORT void WINAPI FwpmFreeMemory0(void **memory) {
  record("{\"call\":\"FwpmFreeMemory0\"}");
  HeapFree(GetProcessHeap(), 0, *memory);
  *memory = NULL;
}

EXPORT DWORD WINAPI FwpmGetAppIdFromFileName0(const wchar_t *file, FWP_BYTE_BLOB **id) {
  size_t size = 2 * (wcslen(file) + 1);
  FWP_BYTE_BLOB *blob = *id = allocate(sizeof *blob + size);
  blob->size = (UINT32)size;
  blob->data = (byte *)(blob + 1);
  memcpy(blob->data, file, size);
  return 0;
}

EXPORT DWORD WINAPI FwpmFilterSubscribeChanges0(HANDLE engine, const FWPM_FILTER_SUBSCRIPTION0 *subscription,
                                                FWPM_FILTER_CHANGE_CALLBACK0 call, void *context, HANDLE *handle) {
  record("{\"call\":\"FwpmFilterSubscribeChanges0\",\"flags\":%u,\"all\":%s}", subscription->flags,
         subscription->enumTemplate ? "false" : "true");
  return start_watch((void *)call, context, handle);
}
EXPORT DWORD WINAPI FwpmFilterUnsubscribeChanges0(HANDLE engine, HANDLE handle) { return end_watch(handle); }

// The DNS client, and policies

EXPORT BOOL WINAPI DnsFlushResolverCache(void) {
  record("{\"call\":\"DnsFlushResolverCache\"}");
  return TRUE;
}
EXPORT BOOL WINAPI RefreshPolicyEx(BOOL machine, DWORD options) {
  record("{\"call\":\"RefreshPolicyEx\",\"machine\":%d,\"options\":%lu}", machine, options);
  return TRUE;
}
