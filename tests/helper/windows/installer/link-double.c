/*
 * In the place of Windows' shell links, whose properties wine does not keep: notes what a caller sets, decoded by Windows'
 * own headers, in C:\link.txt, and saves an empty file. Loaded as the class's library (InprocServer32).
 */
#define COBJMACROS
#define INITGUID
#include <stdio.h>
#include <windows.h>
#include <initguid.h>
#include <shlobj.h>
#include <propsys.h>
#include <propkey.h>

/* Windows' SDK has it in propkey.h, mingw's headers do not. */
DEFINE_PROPERTYKEY(activator_key, 0x9f4c2855, 0x9f79, 0x4b39, 0xa8, 0xd0, 0xe1, 0xd4, 0x2d, 0xe1, 0xd5, 0xf3, 26);

static void note(const char *name, const wchar_t *text)
{
	FILE *notes = fopen("C:\\link.txt", "a");

	if (!notes)
		return;
	fprintf(notes, "%s: %ls\n", name, text);
	fclose(notes);
}

/* One object, for one caller: three interfaces, each a pointer to its functions. */
static struct {
	const IShellLinkWVtbl *link;
	const IPropertyStoreVtbl *store;
	const IPersistFileVtbl *file;
	const IClassFactoryVtbl *factory;
} object;

static HRESULT WINAPI query(void *self, REFIID id, void **found)
{
	(void)self;
	if (IsEqualGUID(id, &IID_IUnknown) || IsEqualGUID(id, &IID_IShellLinkW))
		*found = &object.link;
	else if (IsEqualGUID(id, &IID_IPropertyStore))
		*found = &object.store;
	else if (IsEqualGUID(id, &IID_IPersistFile))
		*found = &object.file;
	else if (IsEqualGUID(id, &IID_IClassFactory))
		*found = &object.factory;
	else
		*found = NULL;
	return *found ? S_OK : E_NOINTERFACE;
}

static ULONG WINAPI count(void *self)
{
	(void)self;
	return 1;
}

static HRESULT WINAPI unused(void)
{
	return E_NOTIMPL;
}

static HRESULT WINAPI set_path(IShellLinkW *self, const wchar_t *path)
{
	(void)self;
	note("path", path);
	return S_OK;
}

static HRESULT WINAPI set_directory(IShellLinkW *self, const wchar_t *path)
{
	(void)self;
	note("directory", path);
	return S_OK;
}

static HRESULT WINAPI set_icon(IShellLinkW *self, const wchar_t *path, int index)
{
	(void)self;
	note(index ? "another icon" : "icon", path);
	return S_OK;
}

static HRESULT WINAPI set_value(IPropertyStore *self, const PROPERTYKEY *key, const PROPVARIANT *value)
{
	wchar_t guid[64] = L"";

	(void)self;
	if (IsEqualPropertyKey(*key, PKEY_AppUserModel_ID) && value->vt == VT_LPWSTR)
		note("id", value->pwszVal);
	else if (IsEqualPropertyKey(*key, activator_key) && value->vt == VT_CLSID &&
		 StringFromGUID2(value->puuid, guid, 64))
		note("activator", guid);
	else
		note("another property", L"");
	return S_OK;
}

static HRESULT WINAPI commit(IPropertyStore *self)
{
	(void)self;
	note("commit", L"");
	return S_OK;
}

static HRESULT WINAPI save(IPersistFile *self, const wchar_t *path, BOOL remembered)
{
	HANDLE file = CreateFileW(path, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);

	(void)self;
	(void)remembered;
	note("save", path);
	return file != INVALID_HANDLE_VALUE && CloseHandle(file) ? S_OK : E_FAIL;
}

static HRESULT WINAPI create(IClassFactory *self, IUnknown *outer, REFIID id, void **made)
{
	(void)outer;
	return query(self, id, made);
}

#define UNUSED (void *)unused
#define UNKNOWN .QueryInterface = (void *)query, .AddRef = (void *)count, .Release = (void *)count

static const IShellLinkWVtbl link_functions = {
	UNKNOWN,
	.GetPath = UNUSED, .GetIDList = UNUSED, .SetIDList = UNUSED, .GetDescription = UNUSED,
	.SetDescription = UNUSED, .GetWorkingDirectory = UNUSED, .SetWorkingDirectory = set_directory,
	.GetArguments = UNUSED, .SetArguments = UNUSED, .GetHotkey = UNUSED, .SetHotkey = UNUSED,
	.GetShowCmd = UNUSED, .SetShowCmd = UNUSED, .GetIconLocation = UNUSED, .SetIconLocation = set_icon,
	.SetRelativePath = UNUSED, .Resolve = UNUSED, .SetPath = set_path,
};
static const IPropertyStoreVtbl store_functions = {
	UNKNOWN, .GetCount = UNUSED, .GetAt = UNUSED, .GetValue = UNUSED, .SetValue = set_value, .Commit = commit,
};
static const IPersistFileVtbl file_functions = {
	UNKNOWN, .GetClassID = UNUSED, .IsDirty = UNUSED, .Load = UNUSED, .Save = save, .SaveCompleted = UNUSED,
	.GetCurFile = UNUSED,
};
static const IClassFactoryVtbl factory_functions = { UNKNOWN, .CreateInstance = create, .LockServer = UNUSED };

__declspec(dllexport) HRESULT WINAPI DllGetClassObject(REFCLSID class, REFIID id, void **found)
{
	(void)class;
	object.link = &link_functions;
	object.store = &store_functions;
	object.file = &file_functions;
	object.factory = &factory_functions;
	return query(NULL, id, found);
}

__declspec(dllexport) HRESULT WINAPI DllCanUnloadNow(void)
{
	return S_FALSE;
}
