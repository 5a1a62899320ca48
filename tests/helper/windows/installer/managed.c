/*
 * A service that runs its further words as a command line, once, as programs that manage many computers do: notes the session
 * that it is in, and what the command has ended with.
 */
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

static SERVICE_STATUS_HANDLE handle;
static wchar_t command[1024];

static void report(DWORD state)
{
	SERVICE_STATUS status = { SERVICE_WIN32_OWN_PROCESS, state, 0, NO_ERROR, 0, 0, 0 };

	SetServiceStatus(handle, &status);
}

static DWORD WINAPI control(DWORD code, DWORD type, LPVOID data, LPVOID context)
{
	(void)code, (void)type, (void)data, (void)context;
	return NO_ERROR;
}

static void WINAPI service(DWORD count, LPWSTR *words)
{
	STARTUPINFOW how = { .cb = sizeof(how) };
	PROCESS_INFORMATION made;
	DWORD code = 99, session = 99;
	FILE *note;

	(void)count, (void)words;
	handle = RegisterServiceCtrlHandlerExW(L"Managed", control, NULL);
	report(SERVICE_RUNNING);
	if (CreateProcessW(NULL, command, NULL, NULL, FALSE, 0, NULL, NULL, &how, &made)) {
		WaitForSingleObject(made.hProcess, INFINITE);
		GetExitCodeProcess(made.hProcess, &code);
		ProcessIdToSessionId(made.dwProcessId, &session);
	}
	note = fopen("C:\\managed.txt", "wb");
	if (note) {
		fprintf(note, "session %lu, code %lu\n", session, code);
		fclose(note);
	}
	report(SERVICE_STOPPED);
}

int wmain(int count, wchar_t **words)
{
	wchar_t name[] = L"Managed";
	SERVICE_TABLE_ENTRYW table[] = { { name, service }, { NULL, NULL } };
	int at;

	for (at = 1; at < count; at++) {
		if (wcslen(command) + wcslen(words[at]) + 2 > sizeof(command) / sizeof(command[0]))
			return 2;
		wcscat(command, words[at]);
		wcscat(command, L" ");
	}
	return !StartServiceCtrlDispatcherW(table);
}
