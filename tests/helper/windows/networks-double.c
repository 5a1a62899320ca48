// Stands in for iphlpapi.dll and wlanapi.dll, compiled with Windows' own headers: an Ethernet adapter without a router, one of
// Wi-Fi with routers, and a tunnel. The variable WLAN says what the network is: a number of DOT11_AUTH_ALGORITHM, or
// "denied", "hidden", "away" or "no service".
#define _WIN32_WINNT 0x0A00
#include <winsock2.h>
#include <ws2tcpip.h>
#include <windows.h>
#define _WINSOCK2API_
#include <iphlpapi.h>
#include <wlanapi.h>
#include <stdio.h>

#define EXPORT __declspec(dllexport)

static const GUID wifi = {0x12345678, 0x9abc, 0x4def, {0x80, 1, 2, 3, 4, 5, 6, 7}};

static struct {
  IP_ADAPTER_ADDRESSES_LH adapters[3];
  IP_ADAPTER_GATEWAY_ADDRESS_LH routers[2];
  SOCKADDR_IN router4;
  SOCKADDR_IN6 router6;
} given;

EXPORT ULONG WINAPI GetAdaptersAddresses(ULONG family, ULONG flags, PVOID reserved, PIP_ADAPTER_ADDRESSES into, PULONG size) {
  // As much as many adapters take, so that the caller's first memory is too small.
  static ULONG wanted = 40000;
  if (family != AF_UNSPEC || flags != 0x8f || reserved) return ERROR_INVALID_PARAMETER;
  if (*size < wanted) {
    *size = wanted;
    return ERROR_BUFFER_OVERFLOW;
  }
  memset(&given, 0, sizeof given);
  static const char *names[] = {"{00000000-0000-4000-8000-000000000002}", "{12345678-9ABC-4DEF-8001-020304050607}",
                                "{2F1D8C0A-7C5E-4B61-9D0F-5A1E6F3C7B30}"};
  static wchar_t *descriptions[] = {L"Intel(R) Ethernet Connection", L"Wi-Fi 6 \u00b5", L"Waymaker Tunnel"};
  static const ULONG types[] = {IF_TYPE_ETHERNET_CSMACD, IF_TYPE_IEEE80211, IF_TYPE_PROP_VIRTUAL};
  for (int i = 0; i < 3; i++) {
    IP_ADAPTER_ADDRESSES_LH *one = &given.adapters[i];
    one->Length = sizeof *one;
    one->Next = i < 2 ? one + 1 : NULL;
    one->AdapterName = (PCHAR)names[i];
    one->Description = descriptions[i];
    one->IfType = types[i];
    one->OperStatus = IfOperStatusUp;
    one->Ipv4Metric = 35 + i;
    one->Ipv6Metric = 45 + i;
  }
  given.router4.sin_family = AF_INET;
  given.router4.sin_addr.S_un.S_addr = 0x0107a8c0;
  given.router6.sin6_family = AF_INET6;
  given.router6.sin6_addr.u.Byte[0] = 0xfe;
  given.routers[0].Next = &given.routers[1];
  given.routers[0].Address.lpSockaddr = (LPSOCKADDR)&given.router4;
  given.routers[0].Address.iSockaddrLength = sizeof given.router4;
  given.routers[1].Address.lpSockaddr = (LPSOCKADDR)&given.router6;
  given.routers[1].Address.iSockaddrLength = sizeof given.router6;
  given.adapters[1].FirstGatewayAddress = given.routers;
  given.adapters[2].FirstGatewayAddress = given.routers;
  memcpy(into, &given, sizeof given.adapters);
  // The list is in the caller's memory.
  PIP_ADAPTER_ADDRESSES copy = into;
  copy[0].Next = &copy[1];
  copy[1].Next = &copy[2];
  return ERROR_SUCCESS;
}

static BOOL is(const char *what) {
  char value[32] = "";
  GetEnvironmentVariableA("WLAN", value, sizeof value);
  return !strcmp(value, what);
}

static int open_handles;

EXPORT DWORD WINAPI WlanOpenHandle(DWORD version, PVOID reserved, PDWORD negotiated, PHANDLE handle) {
  if (is("no service")) return ERROR_SERVICE_NOT_ACTIVE;
  if (version != 2 || reserved) return ERROR_INVALID_PARAMETER;
  *negotiated = 2;
  *handle = (HANDLE)0x77;
  open_handles++;
  return ERROR_SUCCESS;
}

EXPORT DWORD WINAPI WlanCloseHandle(HANDLE handle, PVOID reserved) {
  if (handle != (HANDLE)0x77 || reserved) return ERROR_INVALID_HANDLE;
  open_handles--;
  return ERROR_SUCCESS;
}

EXPORT VOID WINAPI WlanFreeMemory(PVOID memory) { free(memory); }

EXPORT DWORD WINAPI WlanQueryInterface(HANDLE handle, const GUID *adapter, WLAN_INTF_OPCODE what, PVOID reserved, PDWORD size,
                                       PVOID *data, PWLAN_OPCODE_VALUE_TYPE type) {
  if (handle != (HANDLE)0x77 || open_handles != 1 || reserved || type) return ERROR_INVALID_PARAMETER;
  if (memcmp(adapter, &wifi, sizeof wifi) || what != wlan_intf_opcode_current_connection) return ERROR_NOT_FOUND;
  if (is("denied")) return ERROR_ACCESS_DENIED;
  if (is("away")) return ERROR_INVALID_STATE;
  WLAN_CONNECTION_ATTRIBUTES *found = calloc(1, sizeof *found);
  DOT11_SSID *name = &found->wlanAssociationAttributes.dot11Ssid;
  found->isState = wlan_interface_state_connected;
  if (!is("hidden")) {
    memcpy(name->ucSSID, "Caf\xc3\xa9", 5);
    name->uSSIDLength = 5;
  }
  char value[32] = "";
  GetEnvironmentVariableA("WLAN", value, sizeof value);
  found->wlanSecurityAttributes.dot11AuthAlgorithm = atoi(value);
  found->wlanSecurityAttributes.bSecurityEnabled = atoi(value) > 1;
  *size = sizeof *found;
  *data = found;
  return ERROR_SUCCESS;
}
