import type { HostClient, HostContractShape } from './descriptor.ts';
import type { HostTransport } from './transport.ts';

/** The page's end: one method for every descriptor, arguments and results checked by its schemas. */
export function createHostClient<Contract extends HostContractShape>(
  contract: Contract,
  transport: HostTransport,
): HostClient<Contract> {
  const groups = Object.entries(contract).map(([group, descriptors]) => {
    const methods = Object.entries(descriptors).map(([name, descriptor]) => {
      const channel = `${group}.${name}`;
      const method =
        descriptor.direction === 'request'
          ? async (input?: unknown) =>
              descriptor.output.parse(await transport.request(channel, descriptor.input.parse(input)))
          : (listener: (payload: unknown) => void) =>
              transport.subscribe(channel, (payload) => listener(descriptor.payload.parse(payload)));
      return [name, method];
    });
    return [group, Object.fromEntries(methods)];
  });
  return Object.fromEntries(groups) as HostClient<Contract>;
}
