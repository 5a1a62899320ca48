import { createAdapterReader } from '../../../src/main/networks/windows/network-adapters.ts';
import { createWindowsNetworks } from '../../../src/main/networks/windows/windows-networks.ts';

/**
 * Run under wine: `node networks-driver.mjs [LIBRARY]`. Prints what Windows, or the double of its libraries, says of
 * adapters and of the network in use, as JSON lines.
 */
const [library] = process.argv.slice(2);
const networks = createWindowsNetworks(
  async () => undefined,
  library === undefined ? {} : { adapters: library, wireless: library },
);
console.log(JSON.stringify(createAdapterReader(library)()));
console.log(JSON.stringify((await networks.watch()) ?? null));
process.exit(0);
