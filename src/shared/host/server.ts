import type { HostContractShape, HostEvents, HostHandlers } from './descriptor.ts';

/** A request that the contract does not allow: an unknown channel, or an input that does not match its schema. */
export class HostRequestRefused extends Error {
  override name = 'HostRequestRefused';
}

/** The app's end: takes a request from any transport, checks it, and passes it to its handler. */
export function createHostServer<Contract extends HostContractShape>(
  contract: Contract,
  handlers: HostHandlers<Contract>,
): { handle(channel: string, input: unknown): Promise<unknown> } {
  const handlersByGroup = handlers as Record<string, Record<string, (input: unknown) => unknown>>;
  return {
    async handle(channel, input) {
      const [group = '', name = ''] = channel.split('.');
      const descriptor = Object.hasOwn(contract, group) ? ownEntry(contract[group], name) : undefined;
      const handler = ownEntry(handlersByGroup[group], name);
      if (descriptor?.direction !== 'request' || !handler) {
        throw new HostRequestRefused(`no such request: ${channel}`);
      }
      const parsed = descriptor.input.safeParse(input);
      if (!parsed.success) throw new HostRequestRefused(`${channel}: ${parsed.error.message}`);
      return descriptor.output.parse(await handler(parsed.data));
    },
  };
}

function ownEntry<Value>(record: Record<string, Value> | undefined, key: string): Value | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** A typed `emit` on top of a function that delivers an event to the pages. */
export type EmitHostEvent<Contract extends HostContractShape> = <
  Channel extends keyof HostEvents<Contract> & string,
>(
  channel: Channel,
  payload: HostEvents<Contract>[Channel],
) => void;
