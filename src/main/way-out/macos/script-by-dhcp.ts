import type { RunProgram } from '../../run-program.ts';
import { readScutilProxies } from './scutil-proxies.ts';

/** What macOS names where DHCP does not. */
const byName = 'http://wpad/wpad.dat';

/** Where a server of DHCP says that the script is (option 252), as macOS has been told; undefined if it says nothing. */
export async function scriptByDhcp(run: RunProgram): Promise<string | undefined> {
  const { isDiscovered = false, script } = (await readScutilProxies(run)) ?? {};
  if (!isDiscovered || script === undefined || script === byName) return undefined;
  const address = URL.parse(script);
  return address?.protocol === 'http:' || address?.protocol === 'https:' ? address.href : undefined;
}
