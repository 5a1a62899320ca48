/* The window's program for tests of the installer: notes how it was started, and stays until somebody ends it. */
#include <stdio.h>
#include <windows.h>

/* Electron's fuses are found by these bytes, and set in them. */
__attribute__((used)) static const char fuses[] = "dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX\001\011101100111";

int main(void)
{
	FILE *note = fopen("C:\\opened.txt", "a");

	if (!note)
		return 1;
	fprintf(note, "%s\n", GetCommandLineA());
	fclose(note);
	Sleep(INFINITE);
	return fuses[0];
}
