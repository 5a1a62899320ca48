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
  /** The limit for this process. */
  inAll: number;
  perSource: number;
  /** Browsers count, too, and an account may have any number of them. */
  perAccount: number;
}

/** The event streams that this process has open: one for each device. */
export interface EventStreams {
  /** Why this caller gets no stream now; undefined if it does. */
  refusal(caller: StreamCaller): 'too-many-requests' | 'unavailable' | undefined;
  /**
   * Opens the device's stream and ends an older one. Resolves once it is certain that the device is still signed in.
   */
  open(caller: StreamCaller, output: EventOutput): Promise<void>;
  /** Call this with each notification of `accountChannel`. */
  notified(payload: string): void;
  /** Ends all streams: the devices reconnect, and ask for what they have missed. */
  endAll(): void;
  /** Ends all streams, and accepts no more. */
  close(): void;
}

export interface StreamCaller {
  device: SignedInDevice;
  /** The caller's source, as limits count it. */
  source: string;
}

interface Open extends StreamCaller {
  stream: EventStream;
}

/** How many devices should reconnect per second after all streams were ended. */
const returnsPerSecond = 200;

export function createEventStreams(options: {
  database: Database;
  limits: StreamLimits;
  logger: Logger;
}): EventStreams {
  const { database, limits } = options;
  /** By the device's gateway user name, which is unique. */
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
   * Ends the streams of the account's devices that are no longer signed in. The device that asked for the sign-out, or
   * signs in again, has to get its answer first: it finds out when it reconnects, if it does.
   */
  async function check(userId: string, by?: string): Promise<void> {
    // Streams that are opened during the query belong to devices that signed in after it.
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
      // The device may have been revoked between being authenticated and being listed here.
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
