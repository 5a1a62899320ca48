// Stands before advapi32.dll and kernel32.dll where programs without rights are started. It writes down what it is given, as
// Windows' own headers lay it out, one line of JSON a call, and has wine do it, with tokens that wine has.
#define _WIN32_WINNT 0x0A00
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <sddl.h>
#include <stdio.h>


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

static const char *boolean(int value) { return value ? "true" : "false"; }

static HANDLE logged_on, restricted;

BOOL WINAPI double_LogonUserW(LPCWSTR user, LPCWSTR domain, LPCWSTR password, DWORD type, DWORD provider, PHANDLE token) {
  record("{\"call\":\"LogonUserW\",\"user\":\"%ls\",\"domain\":\"%ls\",\"password\":%s,\"type\":%lu,\"provider\":%lu}", user,
         domain, boolean(password != NULL), type, provider);
  HANDLE own;
  if (!OpenProcessToken(GetCurrentProcess(), TOKEN_ALL_ACCESS, &own)) return FALSE;
  BOOL done = DuplicateTokenEx(own, TOKEN_ALL_ACCESS, NULL, SecurityImpersonation, TokenPrimary, token);
  CloseHandle(own);
  logged_on = *token;
  return done;
}

BOOL WINAPI double_CreateRestrictedToken(HANDLE token, DWORD flags, DWORD disabled, PSID_AND_ATTRIBUTES a, DWORD deleted,
                                                PLUID_AND_ATTRIBUTES b, DWORD restricting, PSID_AND_ATTRIBUTES c,
                                                PHANDLE made) {
  (void)a, (void)b, (void)c;
  record("{\"call\":\"CreateRestrictedToken\",\"flags\":%lu,\"disabled\":%lu,\"deleted\":%lu,\"restricting\":%lu,"
         "\"isOfLogOn\":%s}",
         flags, disabled, deleted, restricting, boolean(token == logged_on));
  BOOL done = DuplicateTokenEx(token, TOKEN_ALL_ACCESS, NULL, SecurityImpersonation, TokenPrimary, made);
  restricted = *made;
  return done;
}

BOOL WINAPI double_SetInformationJobObject(HANDLE job, JOBOBJECTINFOCLASS class, LPVOID given, DWORD length) {
  if (class == JobObjectExtendedLimitInformation && length == sizeof(JOBOBJECT_EXTENDED_LIMIT_INFORMATION)) {
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION *limits = given;
    record("{\"call\":\"SetInformationJobObject\",\"class\":%d,\"limits\":%lu,\"processes\":%lu,\"memory\":%llu}", class,
           limits->BasicLimitInformation.LimitFlags, limits->BasicLimitInformation.ActiveProcessLimit,
           (unsigned long long)limits->ProcessMemoryLimit);
  } else {
    record("{\"call\":\"SetInformationJobObject\",\"class\":%d,\"windows\":%lu}", class, *(DWORD *)given);
  }
  // Wine knows fewer limits.
  SetInformationJobObject(job, class, given, length);
  return TRUE;
}

BOOL WINAPI double_AssignProcessToJobObject(HANDLE job, HANDLE process) {
  record("{\"call\":\"AssignProcessToJobObject\"}");
  return AssignProcessToJobObject(job, process);
}

DWORD WINAPI double_ResumeThread(HANDLE thread) {
  DWORD before = ResumeThread(thread);
  record("{\"call\":\"ResumeThread\",\"wasSuspended\":%lu}", before);
  return before;
}

// The list of attributes has no declared layout; this is that of Windows and wine for its entries.
struct attribute {
  DWORD_PTR name;
  SIZE_T size;
  void *value;
};
struct attributes {
  DWORD mask, size, count, pad;
  DWORD_PTR unknown;
  struct attribute entries[1];
};

BOOL WINAPI double_CreateProcessAsUserW(HANDLE token, LPCWSTR file, LPWSTR words, LPSECURITY_ATTRIBUTES process,
                                               LPSECURITY_ATTRIBUTES thread, BOOL inherits, DWORD flags, LPVOID environment,
                                               LPCWSTR folder, LPSTARTUPINFOW startup, LPPROCESS_INFORMATION made) {
  char variables[1024] = "", *at = variables;
  for (wchar_t *one = environment; *one; one += lstrlenW(one) + 1) at += sprintf(at, "%ls;", one);
  for (char *slash = variables; (slash = strchr(slash, '\\')); slash += 2) memmove(slash + 1, slash, strlen(slash) + 1);
  LPSTR access = NULL;
  ConvertSecurityDescriptorToStringSecurityDescriptorA(process->lpSecurityDescriptor, SDDL_REVISION_1,
                                                       DACL_SECURITY_INFORMATION, &access, NULL);
  int count = *(int *)startup->lpReserved2;
  BYTE *kinds = startup->lpReserved2 + sizeof(int);
  HANDLE *handles = (HANDLE *)(kinds + count);
  char descriptors[128] = "", pipes[32] = "";
  struct attributes *list = (void *)((LPSTARTUPINFOEXW)startup)->lpAttributeList;
  struct attribute *only = &list->entries[0];
  BOOL are_listed = list->count == 1 && only->name == PROC_THREAD_ATTRIBUTE_HANDLE_LIST;
  for (int i = 0; i < count; i++) {
    sprintf(descriptors + strlen(descriptors), "%s%d", i ? "," : "", kinds[i]);
    HANDLE handle;
    memcpy(&handle, &handles[i], sizeof handle);
    strcat(pipes, GetFileType(handle) == FILE_TYPE_PIPE ? "1" : "0");
    if (are_listed) are_listed = !memcmp((HANDLE *)only->value + i, &handle, sizeof handle);
    DWORD state;
    if (!GetHandleInformation(handle, &state) || !(state & HANDLE_FLAG_INHERIT)) are_listed = FALSE;
  }
  record("{\"call\":\"CreateProcessAsUserW\",\"isRestricted\":%s,\"inherits\":%s,\"flags\":%lu,\"isExtended\":%s,"
         "\"usesHandles\":%s,\"desktop\":\"%ls\",\"environment\":\"%s\",\"access\":\"%s\",\"descriptors\":[%s],"
         "\"listed\":%d,\"areListed\":%s,\"arePipes\":\"%s\"}",
         boolean(token == restricted), boolean(inherits), flags, boolean(startup->cb == sizeof(STARTUPINFOEXW)),
         boolean(startup->dwFlags == STARTF_USESTDHANDLES && !memcmp(&startup->hStdInput, handles, 3 * sizeof(HANDLE))),
         startup->lpDesktop ? startup->lpDesktop : L"inherited", variables, access ? access : "none", descriptors,
         (int)(only->size / sizeof(HANDLE)), boolean(are_listed), pipes);
  return CreateProcessAsUserW(token, file, words, process, thread, inherits, flags, environment, folder, startup, made);
}
