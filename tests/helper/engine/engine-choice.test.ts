import { describe, expect, test } from 'vitest';
import type { EngineKind } from '#shared/helper/protocol.ts';
import { createEngineChoice, type EngineSetting } from '../../../helper/engine/engine-choice.ts';
import { createLog } from '../../../helper/log.ts';
import { decide } from '../../../helper/tunnel/reconnect-policy.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { programFile } from '../../lab/runs/programs.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';

const gateway = { host: 'vpn.example', port: 443 };
const other = { host: 'vpn.example', port: 8443 };

async function choiceOf(installed: readonly EngineKind[], setting: EngineSetting = 'automatic') {
  const lines: string[] = [];
  const launch = () => expect.fail('nothing is started');
  const choice = createEngineChoice({
    setting,
    launch: { own: launch, openconnect: launch },
    isAvailable: (engine) => Promise.resolve(installed.includes(engine)),
    log: createLog((line: string) => lines.push(line)),
  });
  await choice.look();
  return { ...choice, found: choice.found, log: () => lines.join('') };
}

describe('the engine', () => {
  const both: readonly EngineKind[] = ['openconnect', 'own'];

  test('is our own, or openconnect where our own is not installed, or the one that root has set', async () => {
    expect((await choiceOf(both)).choose(gateway).kind).toBe('own');
    expect((await choiceOf(['openconnect'])).choose(gateway).kind).toBe('openconnect');
    expect((await choiceOf(both, 'openconnect')).choose(gateway).kind).toBe('openconnect');
    expect((await choiceOf(['openconnect'], 'own')).found).toEqual([]);
    const none = await choiceOf([]);
    expect(() => none.choose(gateway)).toThrow('no engine');
  });

  test('is openconnect for a gateway that our own cannot be used with, which is remembered and logged', async () => {
    const choice = await choiceOf(both);
    expect(choice.exclude('own', gateway)).toBe(true);
    expect(choice.choose(gateway).kind).toBe('openconnect');
    expect(choice.log()).toContain('our own cannot be used with this gateway');
    expect(choice.choose(other).kind).toBe('own');
    // There is no third one.
    expect(choice.exclude('openconnect', gateway)).toBe(false);
    expect((await choiceOf(['own'])).exclude('own', gateway)).toBe(false);
    expect((await choiceOf(both, 'own')).exclude('own', gateway)).toBe(false);
  });

  test('that a gateway needs and that is not installed is named to the user', () => {
    const refused = { gatewayCertificates: 0, clientCertificates: 0 };
    expect(decide('unsuited', true, false, refused)).toEqual({ session: 'kept' });
    expect(decide('unsuited', false, true, refused)).toEqual({ giveUp: 'engine-unsuited' });
    expect(decide('not-started', false, false, refused)).toEqual({ giveUp: 'engine-failed' });
  });
});

describe('a helper that chooses its engine by itself', () => {
  const net = helperLabForEach();
  const automatic = ['--engine', 'automatic'];

  test('carries a tunnel with our own, and says which engines it has', async () => {
    await net.end('SIGTERM');
    await net.start({ args: automatic });
    await net.connect();
    expect(net.log()).toContain('"engine":"own","why":"the usual one"');
    expect((await net.attach()).engines).toEqual(['own', 'openconnect']);
  });

  test('takes openconnect when our own cannot be started', async () => {
    const script = programFile('helper/posix/start-engine.ts');
    const without = `mount --bind /dev/null "$1"; shift; exec "$@"`;
    await net.end('SIGTERM');
    await net.start({
      args: automatic,
      under: ['unshare', '--mount', 'bash', '-ec', without, 'bash', script],
    });
    const client = await net.connect();
    expect(net.log()).toContain('"end":"not-started"');
    expect(net.log()).toContain('"engine":"openconnect"');
    expect(await net.lab.user.probe.http4('through')).toMatchObject({ address: addresses.gateway.ipv4 });
    await client.call('disconnect', {});
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
  });
});
