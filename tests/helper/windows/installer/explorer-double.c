/* In the place of Windows' desktop, which wine has not here: starts the program that it is given. */
#include <windows.h>

int WINAPI wWinMain(HINSTANCE instance, HINSTANCE before, PWSTR words, int show)
{
	STARTUPINFOW start = { .cb = sizeof(start) };
	PROCESS_INFORMATION made;

	(void)instance;
	(void)before;
	(void)show;
	return CreateProcessW(NULL, words, NULL, NULL, FALSE, 0, NULL, NULL, &start, &made) ? 0 : 1;
}
