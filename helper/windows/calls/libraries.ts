/** The file of each library, as the loader takes it. Tests put a double in the place of one. */
export interface Libraries {
  iphlpapi: string;
  fwpuclnt: string;
  advapi32: string;
  kernel32: string;
  dnsapi: string;
  userenv: string;
}

export const systemLibraries: Libraries = {
  iphlpapi: 'iphlpapi.dll',
  fwpuclnt: 'fwpuclnt.dll',
  advapi32: 'advapi32.dll',
  kernel32: 'kernel32.dll',
  dnsapi: 'dnsapi.dll',
  userenv: 'userenv.dll',
};
