import type { HostContract } from '#shared/host/contract.ts';
import type { HostContractShape, HostEvents, HostHandlers } from '#shared/host/descriptor.ts';
import { createHostServer, type EmitHostEvent } from '#shared/host/server.ts';
import type { HostTransport } from '#shared/host/transport.ts';

type Events = HostEvents<HostContract>;

/** Carries the host contract by plain calls, for a host inside the page. */
export function createInPageTransport<Contract extends HostContractShape>(
  contract: Contract,
  implement: (emit: EmitHostEvent<HostContract>) => HostHandlers<Contract>,
): HostTransport {
  const listeners = new Map<string, Set<(payload: unknown) => void>>();
  const emit = <Channel extends keyof Events>(channel: Channel, payload: Events[Channel]) => {
    for (const listener of listeners.get(channel) ?? []) listener(payload);
  };
  const server = createHostServer(contract, implement(emit));
  return {
    request: (channel, input) => server.handle(channel, input),
    subscribe(channel, listener) {
      const ofChannel = listeners.get(channel) ?? new Set();
      listeners.set(channel, ofChannel.add(listener));
      return () => void ofChannel.delete(listener);
    },
  };
}
