import { en } from 'zod/locales';
import * as z from 'zod/mini';
import type { HostTransport } from '#shared/host/transport.ts';
import type { WebviewApp } from '#shared/host/webview-contract.ts';
import { HostErrorReply } from '../../platform/webview/json-rpc-transport.ts';
import type { TextPort } from '../../platform/webview/webview-port.ts';

// The schemas' messages for what is wrong: other pages display none, and do without them.
z.config(en());

/** A check's access to the app around the page: as the page uses it, and below the schemas. */
export interface AppUnderTest {
  app: WebviewApp;
  transport: HostTransport;
  port: TextPort;
}

/** One rule of the contract. Rules are for the app's developers, in English like the contract. */
export interface Check {
  /** `group.name`, or whatever the rule is about. */
  subject: string;
  rule: string;
  run(under: AppUnderTest): Promise<void>;
}

export type CheckResult = { is: 'passed' } | { is: 'failed' | 'skipped'; reason: string };

/** The app breaks the rule; the message says how. */
class RuleBroken extends Error {
  override name = 'RuleBroken';
}

/** The rule cannot be checked on this app, or not now. */
export class NotChecked extends Error {
  override name = 'NotChecked';
}

export function must(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new RuleBroken(otherwise);
}

export function mustEqual(actual: unknown, expected: unknown, what: string): void {
  const [is, wanted] = [canonical(actual), canonical(expected)];
  must(is === wanted, `${what} is ${shorten(is)}, not ${shorten(wanted)}`);
}

/** Whether a request is refused with this error code. */
export async function mustRefuse(reply: Promise<unknown>, code: number): Promise<void> {
  const answer = await reply.then(
    (result) => `the result ${shorten(canonical(result))}`,
    (error: unknown) => {
      if (!(error instanceof HostErrorReply)) throw error;
      return error.code === code ? undefined : `error ${error.code}`;
    },
  );
  must(answer === undefined, `answered by ${answer}, not by error ${code}`);
}

export async function runCheck(check: Check, under: AppUnderTest): Promise<CheckResult> {
  try {
    await check.run(under);
    return { is: 'passed' };
  } catch (error) {
    if (error instanceof NotChecked) return { is: 'skipped', reason: error.message };
    return { is: 'failed', reason: explain(error) };
  }
}

function explain(error: unknown): string {
  if (error instanceof z.core.$ZodError) return `not what the contract says: ${z.prettifyError(error)}`;
  if (error instanceof HostErrorReply) return `answered by error ${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

/** JSON with sorted property names. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part: unknown) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => one.localeCompare(other)))
        : part,
    ) ?? 'nothing'
  );
}

const shorten = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
