/* Prints what Windows' own calls read of a program, and of a shortcut: shell-reader PROGRAM SHORTCUT */
#define COBJMACROS
#include <stdio.h>
#include <windows.h>
#include <initguid.h>
#include <shlobj.h>

static void print_detail(const void *version, const wchar_t *name)
{
	wchar_t place[80];
	wchar_t *text;
	UINT length;

	swprintf(place, 80, L"\\StringFileInfo\\040904B0\\%ls", name);
	if (VerQueryValueW(version, place, (void **)&text, &length))
		printf("%ls: %ls\n", name, text);
}

static void print_version(const wchar_t *program)
{
	static const wchar_t *const names[] = { L"CompanyName", L"FileDescription", L"ProductName", L"ProductVersion" };
	static char version[65536];
	VS_FIXEDFILEINFO *fixed;
	UINT length;

	if (!GetFileVersionInfoW(program, 0, sizeof(version), version))
		return;
	for (unsigned index = 0; index < sizeof(names) / sizeof(*names); index++)
		print_detail(version, names[index]);
	if (VerQueryValueW(version, L"\\", (void **)&fixed, &length))
		printf("version: %lu.%lu.%lu.%lu\n", fixed->dwFileVersionMS >> 16, fixed->dwFileVersionMS & 0xffff,
		       fixed->dwFileVersionLS >> 16, fixed->dwFileVersionLS & 0xffff);
}

static BOOL CALLBACK print_group(HMODULE module, const wchar_t *type, wchar_t *name, LONG_PTR data)
{
	const unsigned short *group = LockResource(LoadResource(module, FindResourceW(module, name, type)));

	(void)data;
	if (group)
		printf("pictures: %d\n", group[2]);
	return TRUE;
}

static void print_icons(const wchar_t *program)
{
	HMODULE module = LoadLibraryExW(program, NULL, LOAD_LIBRARY_AS_DATAFILE);

	if (module)
		EnumResourceNamesW(module, (wchar_t *)RT_GROUP_ICON, print_group, 0);
}

static void print_link(const wchar_t *file)
{
	IShellLinkW *link;
	IPersistFile *persist;
	wchar_t text[MAX_PATH];
	int index;

	CoInitialize(NULL);
	if (CoCreateInstance(&CLSID_ShellLink, NULL, CLSCTX_INPROC_SERVER, &IID_IShellLinkW, (void **)&link) ||
	    IShellLinkW_QueryInterface(link, &IID_IPersistFile, (void **)&persist) ||
	    IPersistFile_Load(persist, file, 0))
		return;
	if (!IShellLinkW_GetPath(link, text, MAX_PATH, NULL, SLGP_RAWPATH))
		printf("path: %ls\n", text);
	if (!IShellLinkW_GetWorkingDirectory(link, text, MAX_PATH))
		printf("directory: %ls\n", text);
	if (!IShellLinkW_GetIconLocation(link, text, MAX_PATH, &index))
		printf("icon: %ls, %d\n", text, index);
}

int wmain(int argc, wchar_t **argv)
{
	if (argc != 3)
		return 2;
	print_version(argv[1]);
	print_icons(argv[1]);
	print_link(argv[2]);
	return 0;
}
