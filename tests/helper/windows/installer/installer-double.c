/* An installer that reads itself for a moment, has the lock of the real one until Z:\work\end is there, and refuses if
   Z:\work\refuse is. */
#include <windows.h>

static BOOL is_there(const wchar_t *file) { return GetFileAttributesW(file) != INVALID_FILE_ATTRIBUTES; }

int main(void)
{
  HANDLE lock;
  Sleep(1000);
  if (is_there(L"Z:\\work\\refuse"))
    return 1;
  lock = CreateFileW(L"C:\\Program Files\\Waymaker.lock", GENERIC_WRITE, 0, NULL, CREATE_ALWAYS,
                     FILE_FLAG_DELETE_ON_CLOSE, NULL);
  if (lock == INVALID_HANDLE_VALUE)
    return 1;
  while (!is_there(L"Z:\\work\\end"))
    Sleep(50);
  CloseHandle(lock);
  return 0;
}
