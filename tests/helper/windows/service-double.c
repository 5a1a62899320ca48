// Stands in for the part of advapi32.dll that a service of Windows uses. It plays the service control manager: starts the
// service, sends it the controls below once it runs, from a thread of its own as the system does, and prints a line of JSON
// for each answer and each report.
#define _WIN32_WINNT 0x0A00
// Its functions are ours, not imported.
#define _ADVAPI32_
#include <windows.h>
#include <winsvc.h>
#include <stdio.h>

#define EXPORT __declspec(dllexport)

static LPHANDLER_FUNCTION_EX handler;
static LPVOID context;
static HANDLE running, stopped;

static void print(const char *format, ...) {
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

static void control(const char *name, DWORD number, DWORD event, void *data) {
  DWORD answer = handler(number, event, data, context);
  print("{\"control\":\"%s\",\"answer\":%lu}", name, answer);
}

static DWORD WINAPI begin(void *entry) {
  ((LPSERVICE_MAIN_FUNCTIONW)entry)(0, NULL);
  return 0;
}

EXPORT BOOL WINAPI StartServiceCtrlDispatcherW(const SERVICE_TABLE_ENTRYW *table) {
  running = CreateEventW(NULL, TRUE, FALSE, NULL);
  stopped = CreateEventW(NULL, TRUE, FALSE, NULL);
  CreateThread(NULL, 0, begin, table->lpServiceProc, 0, NULL);
  WaitForSingleObject(running, INFINITE);
  WTSSESSION_NOTIFICATION session = {sizeof session, 3};
  control("interrogate", SERVICE_CONTROL_INTERROGATE, 0, NULL);
  control("suspend", SERVICE_CONTROL_POWEREVENT, PBT_APMSUSPEND, NULL);
  control("battery", SERVICE_CONTROL_POWEREVENT, PBT_APMPOWERSTATUSCHANGE, NULL);
  control("resume", SERVICE_CONTROL_POWEREVENT, PBT_APMRESUMEAUTOMATIC, NULL);
  control("resume by a person", SERVICE_CONTROL_POWEREVENT, PBT_APMRESUMESUSPEND, NULL);
  control("log on", SERVICE_CONTROL_SESSIONCHANGE, WTS_SESSION_LOGON, &session);
  control("lock", SERVICE_CONTROL_SESSIONCHANGE, WTS_SESSION_LOCK, &session);
  control("log off", SERVICE_CONTROL_SESSIONCHANGE, WTS_SESSION_LOGOFF, &session);
  control("pause", SERVICE_CONTROL_PAUSE, 0, NULL);
  control("unknown", 200, 0, NULL);
  control("preshutdown", SERVICE_CONTROL_PRESHUTDOWN, 0, NULL);
  WaitForSingleObject(stopped, INFINITE);
  return TRUE;
}

EXPORT SERVICE_STATUS_HANDLE WINAPI RegisterServiceCtrlHandlerExW(LPCWSTR name, LPHANDLER_FUNCTION_EX given, LPVOID with) {
  handler = given;
  context = with;
  return lstrcmpW(name, L"Waymaker") ? 0 : (SERVICE_STATUS_HANDLE)0x55;
}

EXPORT BOOL WINAPI SetServiceStatus(SERVICE_STATUS_HANDLE handle, SERVICE_STATUS *status) {
  print("{\"state\":%lu,\"type\":%lu,\"accepts\":%lu,\"exit\":%lu,\"own\":%lu,\"wait\":%lu}", status->dwCurrentState,
        status->dwServiceType, status->dwControlsAccepted, status->dwWin32ExitCode, status->dwServiceSpecificExitCode,
        status->dwWaitHint);
  if (status->dwCurrentState == SERVICE_RUNNING) SetEvent(running);
  if (status->dwCurrentState == SERVICE_STOPPED) SetEvent(stopped);
  return handle == (SERVICE_STATUS_HANDLE)0x55;
}
