import { eventStream, type AccountChange } from '#shared/api/events.ts';
import { eq } from 'drizzle-orm';
import type { Logger } from 'pino';
import { readChangedAccount } from '../database/account-changes.ts';
import type { Database } from '../database/database.ts';
import { devices } from '../database/schema/account.ts';
import type { SignedInDevice } from '../http/device-authentication.ts';
import { describeError } from '../log.ts';
import { openEventStream, type EventOutput, type EventStream } from './event-stream.ts';

export interface StreamLimits {
  /** Of this process. */
  inAll: number;
  perSource: number;
  /** Browsers count too, of which an account may have as many as it likes. */
  perAccount: number;
}

/** The streams of events that this process has open: one of each device. */
export interface EventStreams {
  /** Why this caller gets no stream now; undefined if there is room. */
  refusal(caller: StreamCaller): 'too-many-requests' | 'unavailable' | undefined;
  /** Opens the device's stream; an older one ends. Resolves once it is certain that the device is still signed in. */
  open(caller: StreamCaller, output: EventOutput): Promise<void>;
  /** A notification of `accountChannel`. */
  notified(payload: string): void;
  /** Ends all: the devices come back, and ask for what they have missed. */
  endAll(): void;
  /** Ends all, and opens no more. */
  close(): void;
}

export interface StreamCaller {
  device: SignedInDevice;
  /** What limits take the caller's address for. */
  source: string;
}

interface Open extends StreamCaller {
  stream: EventStream;
}

/** So many devices come back in a second, after all of them were sent away. */
const returnsPerSecond = 200;

export function createEventStreams(options: {
  database: Database;
  limits: StreamLimits;
  logger: Logger;
}): EventStreams {
  const { database, limits } = options;
  /** By the device's name at gateways, which no two share. */
  const all = new Map<string, Open>();
  const byUser = new Map<string, Set<Open>>();
  const bySource = new Map<string, number>();
  let isClosed = false;

  function forget(one: Open): void {
    const { device, source } = one;
    if (all.get(device.gatewayUser) === one) all.delete(device.gatewayUser);
    const ofUser = byUser.get(device.user.id);
    ofUser?.delete(one);
    if (ofUser?.size === 0) byUser.delete(device.user.id);
    const ofSource = (bySource.get(source) ?? 1) - 1;
    if (ofSource > 0) bySource.set(source, ofSource);
    else bySource.delete(source);
  }

  function endUntilLater(streams: Iterable<Open>): void {
    const retryMs = Math.max(eventStream.retrySeconds, all.size / returnsPerSecond) * 1000;
    for (const { stream } of streams) stream.endUntil(retryMs);
  }

  /**
   * Ends the streams of the account's devices that are not signed in any more. The device that asked for that itself
   * finds out when it comes back, if it does: first it has to get the answer.
   */
  async function check(userId: string, by?: string): Promise<void> {
    // Those that are opened meanwhile were signed in later than the answer knows.
    const open = [...(byUser.get(userId) ?? [])];
    if (open.length === 0) return;
    try {
      const rows = await database
        .select({ gatewayUser: devices.gatewayUser, tokenHash: devices.tokenHash })
        .from(devices)
        .where(eq(devices.userId, userId));
      const tokens = new Map(rows.map(({ gatewayUser, tokenHash }) => [gatewayUser, tokenHash]));
      for (const { device, stream } of open) {
        if (tokens.get(device.gatewayUser) === device.tokenHash) continue;
        if (device.gatewayUser === by) stream.endUntil(eventStream.retrySeconds * 1000);
        else stream.end('signed-out');
      }
    } catch (error) {
      options.logger.warn(describeError(error), 'streams of events end, as their devices cannot be checked');
      endUntilLater(open);
    }
  }

  function emit(userId: string, change: AccountChange): void {
    for (const { stream } of byUser.get(userId) ?? []) stream.emit(change);
  }

  return {
    refusal({ device, source }) {
      if (isClosed) return 'unavailable';
      const replaced = all.get(device.gatewayUser);
      const others = (bySource.get(source) ?? 0) - (replaced?.source === source ? 1 : 0);
      if (others >= limits.perSource) return 'too-many-requests';
      const ofAccount = byUser.get(device.user.id)?.size ?? 0;
      if (!replaced && ofAccount >= limits.perAccount) return 'too-many-requests';
      return !replaced && all.size >= limits.inAll ? 'unavailable' : undefined;
    },

    async open(caller, output) {
      const { device, source } = caller;
      all.get(device.gatewayUser)?.stream.end('replaced');
      const one: Open = { ...caller, stream: openEventStream(output, () => forget(one)) };
      all.set(device.gatewayUser, one);
      byUser.set(device.user.id, (byUser.get(device.user.id) ?? new Set()).add(one));
      bySource.set(source, (bySource.get(source) ?? 0) + 1);
      // It may have been revoked between being authenticated and being listed here.
      await check(device.user.id);
    },

    notified(payload) {
      const changed = readChangedAccount(payload);
      if (!changed) return;
      emit(changed.userId, changed.change);
      if (changed.change === 'devices') void check(changed.userId, changed.by);
    },

    endAll: () => endUntilLater([...all.values()]),

    close() {
      isClosed = true;
      endUntilLater([...all.values()]);
    },
  };
}
