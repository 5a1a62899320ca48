import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { createSay } from '#shared/texts/say.ts';
import { CommandProblem, type CommandContext } from '../../../../src/main/cli/command-context.ts';
import { signIn } from '../../../../src/main/cli/commands/sign-in.ts';
import { createTerminal } from '../../../../src/main/cli/terminal.ts';

/** The command, on a terminal or behind a pipe, and what it asks the core. */
function command({ isTyped }: { isTyped: boolean }) {
  const input = Object.assign(new PassThrough(), isTyped ? { isTTY: true } : {});
  const [output, notes] = [new PassThrough(), new PassThrough()];
  let noted = '';
  notes.on('data', (chunk: Buffer) => (noted += chunk.toString()));
  const requestCode = vi.fn(() => Promise.resolve({ ok: true, data: { authId: 'a' } }));
  const verifyCode = vi.fn<(given: { authCode: string }) => Promise<unknown>>(() =>
    Promise.resolve({ ok: true, data: { persistence: 'keychain' } }),
  );
  const client = {
    session: { requestCode, verifyCode },
    gatewayForm: { changed: () => () => undefined, get: () => Promise.resolve(null) },
  };
  const context = {
    terminal: createTerminal({ input, output, notes }),
    say: createSay(() => 'en', 'linux'),
    language: () => 'en',
    interrupted: new AbortController().signal,
    core: () => Promise.resolve({ client }),
  } as unknown as CommandContext;
  return {
    input,
    requestCode,
    verifyCode,
    run: () => signIn(context, undefined).finally(() => context.terminal.close()),
    isNoted: (text: string) => vi.waitFor(() => expect(noted).toContain(text)),
  };
}

// The mail has been sent by then, and another one comes after a minute at the earliest.
test('an Enter too many does not give up the code that has been mailed', async () => {
  const { input, run, isNoted, requestCode, verifyCode } = command({ isTyped: true });
  const ended = run();
  await isNoted('mail');
  input.write('\rone@example.com\r\r');
  await vi.waitFor(() =>
    expect(requestCode).toHaveBeenCalledWith({ email: 'one@example.com', language: 'en' }),
  );
  input.write('\r123456\r');
  expect(await ended).toBe(0);
  expect(verifyCode.mock.calls.map(([{ authCode }]) => authCode)).toEqual(['123456']);
});

test.each([
  ['\none@example.com\n123456\n', 'bad-email'],
  ['one@example.com\n\n123456\n', 'no-code'],
  ['one@example.com\n', 'no-code'],
])('a program that pipes an empty line has no other one: %j', async (lines, code) => {
  const { input, run, verifyCode } = command({ isTyped: false });
  input.end(lines);
  const problem = await run().catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(CommandProblem);
  expect(problem).toMatchObject({ code });
  expect(verifyCode).not.toHaveBeenCalled();
});

test('whoever ends the input gives up', async () => {
  const { input, run, isNoted } = command({ isTyped: true });
  const ended = run();
  await isNoted('mail');
  input.write('\r\u0004');
  await expect(ended).rejects.toMatchObject({ code: 'bad-email' });
});
