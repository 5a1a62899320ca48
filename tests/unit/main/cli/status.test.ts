import { expect, test } from 'vitest';
import { createSay } from '#shared/texts/say.ts';
import { en } from '#shared/texts/en.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { stateLines } from '../../../../src/main/cli/commands/status.ts';

const gateway = { host: 'gateway.example.net', port: 443 };
const linesOf = (state: TunnelState) => stateLines(state, { say: createSay('en', 'linux') });

test.each<[TunnelState, string]>([
  [
    { state: 'connecting', gateway, attempt: 2, phase: 'waiting', goodbye: 'Idle timeout' },
    'The server said: “Idle timeout”',
  ],
  [
    { state: 'disconnected', reason: 'session-ended', goodbye: 'Ended by $& {{text}}' },
    'The server said: “Ended by $& {{text}}”',
  ],
  // As of a helper that let it through.
  [
    { state: 'disconnected', reason: 'session-ended', goodbye: 'a\u001b[2J\u202e\nConnected' },
    'The server said: “a[2J Connected”',
  ],
])('the gateway’s last words are told as its own, on one line: %j', (state, line) => {
  expect(linesOf(state).at(-1)).toBe(line);
});

test('a gateway that has said nothing is not told of', () => {
  expect(linesOf({ state: 'disconnected', reason: 'session-ended' }).at(-1)).toBe(en['reason.sessionEnded']);
});
