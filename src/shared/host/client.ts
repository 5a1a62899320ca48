import type { HostClient, HostContractShape } from './descriptor.ts';
import type { HostTransport } from './transport.ts';

/** The page's end: one method for each descriptor, which checks arguments and results by its schemas. */
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
              transport.subscribe(channel, (payload) => {
                // A payload that does not match the schema says nothing that a page could act on.
                const parsed = descriptor.payload.safeParse(payload);
                if (parsed.success) listener(parsed.data);
              });
      return [name, method];
    });
    return [group, Object.fromEntries(methods)];
  });
  return Object.fromEntries(groups) as HostClient<Contract>;
}
