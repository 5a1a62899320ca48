import { registerHooks } from 'node:module';
import { runCommand, type RunCommand } from '../../../helper/posix/command.ts';
import type { NetlinkMessage } from '../../../helper/linux/netlink/netlink-message.ts';
import type { MessageSeries, NetlinkProtocol } from '../../../helper/linux/netlink/netlink.ts';
import type { RecordedCall } from '../../lab/linux/model/recorded-call.ts';

/**
 * The ways of the helper's adapter to the kernel: ip(8), libnftables and netlink. What changes something is recorded,
 * and may be altered before it is made; what asks is left alone.
 */
export interface KernelCalls {
  /** The calls since this was asked last, in the order in which they were done. */
  taken(): RecordedCall[];
  alter: (call: RecordedCall) => RecordedCall[];
  run: RunCommand;
}

const recorded: RecordedCall[] = [];
export const kernelCalls: KernelCalls = {
  taken: () => recorded.splice(0),
  alter: (call) => [call],
  async run(program, args, input = '') {
    if (program !== 'ip' || !args.includes('-batch')) return await runCommand(program, args, input);
    const family = args.includes('-4') ? 4 : args.includes('-6') ? 6 : undefined;
    const lines = input.split('\n').filter((line) => line !== '');
    const call: RecordedCall = { kind: 'ip', family, continues: args.includes('-force'), lines };
    let result = { status: 0 as number | null, stdout: '', stderr: '' };
    for (const altered of kernelCalls.alter(call)) {
      if (altered.kind !== 'ip') throw new Error('a call became another kind of call');
      const text = altered.lines.map((line) => `${line}\n`).join('');
      if (text !== '') result = await runCommand(program, args, text);
      recorded.push(altered);
    }
    return result;
  },
};

export async function recordScript(script: string, load: (script: string) => Promise<void>): Promise<void> {
  for (const altered of kernelCalls.alter({ kind: 'nft', script })) {
    if (altered.kind !== 'nft') throw new Error('a call became another kind of call');
    await load(altered.script);
    recorded.push(altered);
  }
}

/** Resolves with the messages that are to be sent. */
export async function recordMessages(
  protocol: NetlinkProtocol,
  messages: readonly NetlinkMessage[],
  send: (messages: NetlinkMessage[]) => Promise<void>,
): Promise<void> {
  // Connections that are ended are no part of the model.
  if (protocol === 'sockets') return await send([...messages]);
  const call: RecordedCall = {
    kind: 'netlink',
    protocol,
    messages: messages.map(({ type, payload }) => ({ type, payload: payload.toString('hex') })),
  };
  for (const altered of kernelCalls.alter(call)) {
    if (altered.kind !== 'netlink') throw new Error('a call became another kind of call');
    const kept = altered.messages.map(({ type, payload }) => ({
      type,
      payload: Buffer.from(payload, 'hex'),
    }));
    if (kept.length > 0) await send(kept);
    recorded.push(altered);
  }
}

/** Requests that differ in a few bytes, written out. */
export function messagesOf(series: MessageSeries): NetlinkMessage[] {
  const { type, payload: first } = series.template;
  return Array.from({ length: series.length }, (_, index) => {
    const payload = Buffer.from(first);
    series.write(payload, 0, index);
    return { type, payload };
  });
}

const recording: Readonly<Record<string, string>> = {
  '/helper/linux/netlink/netlink.ts': './recording-netlink.ts',
  '/helper/linux/nftables/libnftables.ts': './recording-nftables.ts',
};

/** From now on, the helper's modules that are loaded get these two with a record of what they do. */
export function recordKernelCalls(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const double = Object.entries(recording).find(([end]) => found.url.endsWith(end))?.[1];
      const isFromDouble = context.parentURL?.includes('/tests/helper/model/recording-') === true;
      return double === undefined || isFromDouble
        ? found
        : { ...found, url: new URL(double, import.meta.url).href };
    },
  });
}
