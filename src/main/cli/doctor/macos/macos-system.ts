import type { RunProgram } from '../../../run-program.ts';
import type { SystemView } from '../system-view.ts';
import { createRoutingTable } from './routing-table.ts';
import { checkThisComputer, thisComputer } from './this-computer.ts';

export function createMacosSystem(run: RunProgram): SystemView {
  const table = createRoutingTable(run);
  return {
    check: async (_, say) => await checkThisComputer(thisComputer(run), await table.tunnelDevices(), say),
    // Its files are not compared with what was signed.
    hasHelperRefused: () => Promise.resolve(false),
    // Routes are the same for all users.
    routeTo: (address, uid) => (uid === undefined ? table.routeTo(address) : Promise.resolve(undefined)),
    isByDestination: () => table.isByDestination(),
    networksIntoTunnel: () => table.networksIntoTunnel(),
    // Programs cannot be told apart.
    isInGroup: () => false,
    // Of others' sockets, only root learns the user.
    listenerUser: () => Promise.resolve(undefined),
  };
}
