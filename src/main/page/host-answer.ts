import type { Logger } from 'pino';
import { HostRequestRefused } from '#shared/host/server.ts';

/**
 * The answer to one request of a page. It is a value rather than a thrown error: Electron would send an error's text
 * with the name of its internal channel, and no internals of main should reach a page.
 */
export type HostAnswer = { ok: true; value: unknown } | { ok: false; message: string };

export interface HostServer {
  handle(channel: string, input: unknown): Promise<unknown>;
}

export async function answerHostRequest(
  server: HostServer,
  channel: unknown,
  input: unknown,
  log: Logger,
): Promise<HostAnswer> {
  if (typeof channel !== 'string') return { ok: false, message: 'no such request' };
  try {
    return { ok: true, value: await server.handle(channel, input) };
  } catch (error) {
    if (error instanceof HostRequestRefused) {
      log.warn({ channel }, 'host request refused');
      return { ok: false, message: error.message };
    }
    log.error({ channel, err: error }, 'host request failed');
    return { ok: false, message: `${channel} failed` };
  }
}
