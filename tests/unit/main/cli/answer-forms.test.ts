import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import type { GatewayForm } from '#shared/host/gateway-form.ts';
import { createSay } from '#shared/texts/say.ts';
import { withForms, withProxyForms } from '../../../../src/main/cli/answer-forms.ts';
import { CommandProblem } from '../../../../src/main/cli/command-context.ts';
import { exitCode } from '../../../../src/main/cli/exit-code.ts';
import { createTerminal } from '../../../../src/main/cli/terminal.ts';

const form = (
  topic: GatewayForm['topic'],
  gateway: string,
  proxyNamedBy?: GatewayForm['proxyNamedBy'],
): GatewayForm => ({
  id: randomUUID(),
  topic,
  ...(proxyNamedBy && { proxyNamedBy }),
  gateway,
  message: '',
  again: false,
  fields: [
    { kind: 'text', label: 'User name' },
    { kind: 'secret', label: 'Password' },
  ],
});

/** A command whose standard input has these lines, while a core asks, maybe since before the command. */
function command(lines: string | undefined, before: GatewayForm | null = null) {
  const input = new PassThrough();
  const notes = new PassThrough();
  const terminal = createTerminal({ input, output: new PassThrough(), notes });
  if (lines !== undefined) input.end(lines);
  let show: (asked: GatewayForm | null) => void = () => undefined;
  let answered: (answers: string[] | null) => void = () => undefined;
  /** All answers, by their forms. */
  const given: { id: string; answers: string[] | null }[] = [];
  const client: Parameters<typeof withForms>[1] = {
    gatewayForm: {
      changed(listener) {
        show = listener;
        return () => undefined;
      },
      get: () => Promise.resolve(before),
      answer({ id, answers }) {
        given.push({ id, answers });
        answered(answers);
        return Promise.resolve(true);
      },
    },
  };
  const { signal: interrupted } = new AbortController();
  const context = { terminal, say: createSay(() => 'en', 'linux'), interrupted };
  let noted = '';
  notes.on('data', (chunk: Buffer) => (noted += chunk.toString()));
  return {
    given,
    input,
    withdraw: () => show(null),
    isNoted: (text: string) => vi.waitFor(() => expect(noted).toContain(text)),
    with: <Result>(work: () => Promise<Result>) => withForms(context, client, work),
    withProxies: <Result>(work: () => Promise<Result>) => withProxyForms(context, client, work),
    ask(asked: GatewayForm): Promise<string[] | null> {
      const { promise, resolve } = Promise.withResolvers<string[] | null>();
      answered = resolve;
      show(asked);
      return promise;
    },
  };
}

test('what is piped answers a gateway, and a proxy that this computer is set to', async () => {
  for (const asked of [form('form', 'gw.example'), form('proxy', 'proxy.example', 'computer')]) {
    const run = command('guest\nsecret\n');
    expect(await run.with(() => run.ask(asked))).toEqual(['guest', 'secret']);
  }
});

// Gateways count an empty one as wrong, and shut out whoever sends too many. Some ask for a push by an empty code, beside
// a user name.
test.each([
  ['\n\nguest\nsecret\n', ['guest', 'secret']],
  ['\nsecret\n', ['', 'secret']],
  ['guest\n\n', ['guest', '']],
  ['\n\n', null],
])('Enter alone does not answer a whole form: %j', async (lines, answers) => {
  const run = command(lines);
  expect(await run.with(() => run.ask(form('form', 'gw.example')))).toEqual(answers);
});

// A network that answers for everything can name a proxy, which asks before the gateway does.
test.each(['network', undefined] as const)(
  'what is piped for a gateway is not told to a proxy that the network names, or nobody knows who (%s)',
  async (namedBy) => {
    const run = command('guest\nsecret\n');
    await run.with(async () => {
      expect(await run.ask(form('proxy', 'proxy.example', namedBy))).toBeNull();
      expect(await run.ask(form('form', 'gw.example'))).toEqual(['guest', 'secret']);
    });
  },
);

test('a text to read is told, and takes no line that is piped', async () => {
  const banner = { ...form('banner', 'gw.example'), message: 'Ended by an administrator', fields: [] };
  const run = command('guest\nsecret\n', banner);
  await run.with(async () => {
    await run.isNoted('gw.example says:\nEnded by an administrator');
    await vi.waitFor(() => expect(run.given).toEqual([{ id: banner.id, answers: null }]));
    expect(await run.ask(form('form', 'gw.example'))).toEqual(['guest', 'secret']);
  });
});

// The app's window shows it, too, and the gateway may be anybody's: the next line is a code for the service, say.
test.each(['form', 'group', 'banner'] as const)(
  'a command that leads to no gateway leaves a gateway’s %s to who is asked it, whatever is piped',
  async (topic) => {
    const before = form(topic, 'gw.example');
    const run = command('guest\nsecret\n', before);
    await run.withProxies(async () => {
      void run.ask(form(topic, 'other.example'));
      const proxy = form('proxy', 'proxy.example', 'computer');
      expect(await run.ask(proxy)).toEqual(['guest', 'secret']);
      expect(run.given.map(({ id }) => id)).toEqual([proxy.id]);
    });
  },
);

test.each([
  ['gateway-unreachable', exitCode.notConnected, 'proxy-credentials'],
  ['gateway-certificate-refused', exitCode.notConnected, 'gateway-certificate-refused'],
  ['sign-in-refused', exitCode.notConnected, 'sign-in-refused'],
] as const)('a proxy that was told nothing explains %s: %s', async (code, exit, shown) => {
  const run = command('');
  const failing = run.with(async () => {
    expect(await run.ask(form('proxy', 'proxy.example', 'computer'))).toBeNull();
    throw new CommandProblem(exit, code, 'why');
  });
  await expect(failing).rejects.toMatchObject({ exitCode: exit, code: shown });
});

test('a proxy that was told nothing does not explain that the core has gone', async () => {
  const run = command('');
  const failing = run.with(async () => {
    await run.ask(form('proxy', 'proxy.example', 'computer'));
    throw new Error('the connection is closed');
  });
  await expect(failing).rejects.toThrow('the connection is closed');
});

test.each(['is withdrawn', 'is replaced'])(
  'once a form %s, the next line answers the one after it, from its first question on',
  async (how) => {
    const run = command(undefined);
    await run.with(async () => {
      void run.ask(form('form', 'first.example'));
      await run.isNoted('first.example asks:\nUser name: ');
      if (how === 'is withdrawn') run.withdraw();
      const next = form('form', 'next.example');
      const answers = run.ask(next);
      await run.isNoted('User name: \nnext.example asks:\nUser name: ');
      run.input.end('guest\nsecret\n');
      expect(await answers).toEqual(['guest', 'secret']);
      expect(run.given.map(({ id }) => id)).toEqual([next.id]);
    });
  },
);

test('a proxy whose form is withdrawn was not silent', async () => {
  const run = command(undefined);
  const failing = run.with(async () => {
    void run.ask(form('proxy', 'proxy.example', 'computer'));
    await run.isNoted('User name: ');
    run.withdraw();
    throw new CommandProblem(exitCode.notConnected, 'gateway-unreachable', 'why');
  });
  await expect(failing).rejects.toMatchObject({ code: 'gateway-unreachable' });
});
