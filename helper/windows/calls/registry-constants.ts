/** Of <winreg.h> and <winnt.h>. */
export const registryConstants = {
  /** As a pointer of 64 bits, it has the sign of the 32 bits that the header gives it. */
  HKEY_LOCAL_MACHINE: 0xffff_ffff_8000_0002n,
  KEY_READ: 0x20019,
  KEY_WRITE: 0x20006,
  KEY_WOW64_64KEY: 0x100,
  DELETE: 0x10000,
  REG_SZ: 1,
  REG_EXPAND_SZ: 2,
  REG_DWORD: 4,
  REG_MULTI_SZ: 7,
  REG_NOTIFY_CHANGE_NAME: 1,
  REG_NOTIFY_CHANGE_LAST_SET: 4,
  WAIT_OBJECT_0: 0,
} as const;
