import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { WayOutReply } from '#shared/control/contract.ts';
import type { GatewayForm } from '#shared/host/gateway-form.ts';
import { createSay } from '#shared/texts/say.ts';
import { withForms } from '../../../../src/main/cli/answer-forms.ts';
import { CommandProblem } from '../../../../src/main/cli/command-context.ts';
import { exitCode } from '../../../../src/main/cli/exit-code.ts';
import { createTerminal } from '../../../../src/main/cli/terminal.ts';

const form = (topic: GatewayForm['topic'], gateway: string): GatewayForm => ({
  id: randomUUID(),
  topic,
  gateway,
  message: '',
  again: false,
  fields: [
    { kind: 'text', label: 'User name' },
    { kind: 'secret', label: 'Password' },
  ],
});

/** A command whose standard input has these lines, while a core asks, which gets out like this. */
function command(lines: string, way: Partial<WayOutReply> = {}) {
  const input = new PassThrough();
  const terminal = createTerminal({ input, output: new PassThrough(), notes: new PassThrough() });
  input.end(lines);
  let show: (asked: GatewayForm | null) => void = () => undefined;
  let answered: (answers: string[] | null) => void = () => undefined;
  const client: Parameters<typeof withForms>[1] = {
    gatewayForm: {
      changed(listener) {
        show = listener;
        return () => undefined;
      },
      get: () => Promise.resolve(null),
      answer({ answers }) {
        answered(answers);
        return Promise.resolve(true);
      },
    },
    wayOut: {
      get: () => Promise.resolve({ kind: 'proxy', hasScript: false, proxy: null, ...way }),
    },
  };
  const { signal: interrupted } = new AbortController();
  const context = { terminal, say: createSay(() => 'en', 'linux'), interrupted };
  return {
    with: <Result>(work: () => Promise<Result>) => withForms(context, client, work),
    ask(asked: GatewayForm): Promise<string[] | null> {
      const { promise, resolve } = Promise.withResolvers<string[] | null>();
      answered = resolve;
      show(asked);
      return promise;
    },
  };
}

test('what is piped answers a gateway, and a proxy that this computer is set to', async () => {
  for (const topic of ['form', 'proxy'] as const) {
    const run = command('guest\nsecret\n');
    expect(await run.with(() => run.ask(form(topic, 'asks.example')))).toEqual(['guest', 'secret']);
  }
});

// A network that answers for everything can name a proxy, which asks before the gateway does.
test('what is piped for a gateway is not told to a proxy that the network names', async () => {
  const run = command('guest\nsecret\n', { kind: 'discovery', hasScript: true });
  await run.with(async () => {
    expect(await run.ask(form('proxy', 'proxy.example'))).toBeNull();
    expect(await run.ask(form('form', 'gw.example'))).toEqual(['guest', 'secret']);
  });
});

test.each([
  ['gateway-unreachable', exitCode.notConnected, 'proxy-credentials'],
  ['gateway-certificate-refused', exitCode.notConnected, 'gateway-certificate-refused'],
  ['sign-in-refused', exitCode.notConnected, 'sign-in-refused'],
] as const)('a proxy that was told nothing explains %s: %s', async (code, exit, shown) => {
  const run = command('');
  const failing = run.with(async () => {
    expect(await run.ask(form('proxy', 'proxy.example'))).toBeNull();
    throw new CommandProblem(exit, code, 'why');
  });
  await expect(failing).rejects.toMatchObject({ exitCode: exit, code: shown });
});

test('a proxy that was told nothing does not explain that the core has gone', async () => {
  const run = command('');
  const failing = run.with(async () => {
    await run.ask(form('proxy', 'proxy.example'));
    throw new Error('the connection is closed');
  });
  await expect(failing).rejects.toThrow('the connection is closed');
});
