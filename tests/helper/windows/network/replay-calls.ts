// Runs under wine: makes the calls that the adapter has made on the model, with the doubles in the place of the
// libraries that wine lacks, and says what they returned.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod/mini';
import { systemLibraries } from '../../../../helper/windows/calls/libraries.ts';
import { createWindowsCalls } from '../../../../helper/windows/calls/windows-calls.ts';
import { readCalls } from '../../../unit/helper/windows/model/record-calls.ts';

const [mode = '', double = ''] = process.argv.slice(2);
const calls = createWindowsCalls({
  ...systemLibraries,
  iphlpapi: double,
  fwpuclnt: double,
  dnsapi: double,
  userenv: double,
});

const provider = '11111111-2222-4333-8444-555555555555';
const print = (value: unknown) =>
  console.log(
    JSON.stringify(value, (_name, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part)),
  );

const recorded = z.array(
  z.object({
    part: z.enum(['ipHelper', 'registry', 'resolverClient', 'filtering', 'session']),
    call: z.string(),
    given: z.array(z.unknown()),
    session: z.optional(z.number()),
  }),
);

function invoke(target: object, call: string, given: readonly unknown[]): unknown {
  const found: unknown = Reflect.get(target, call);
  if (typeof found !== 'function') throw new Error(`no call ${call}`);
  return Reflect.apply(found, target, given) as unknown;
}

function replay(): void {
  const sessions: object[] = [];
  for (const { part, call, given, session = 0 } of recorded.parse(
    readCalls(readFileSync(path.join(import.meta.dirname, 'calls.json'), 'utf8')),
  )) {
    if (part === 'filtering')
      sessions.push(calls.filtering.open(given[0] === 'dynamic' ? 'dynamic' : 'static'));
    else invoke(part === 'session' ? (sessions[session] ?? {}) : calls[part], call, given);
  }
  print('done');
}

/** Each of them is seen to call back from a thread of the system's. */
async function watch(): Promise<void> {
  const session = calls.filtering.open('static');
  const key = 'SOFTWARE\\Waymaker\\Watched';
  calls.registry.setValue(key, 'before', { kind: 'number', number: 1 });
  for (const [name, start] of [
    ['ipHelper', (onChange: () => void) => calls.ipHelper.watch(onChange)],
    ['filters', (onChange: () => void) => session.watch(onChange)],
    ['registry', (onChange: () => void) => calls.registry.watch([`${key}\\Later`, key], onChange)],
  ] as const) {
    const called = new Promise<void>((resolve) => {
      const stop = start(() => {
        stop();
        resolve();
      });
    });
    if (name === 'registry') calls.registry.setValue(`${key}\\Later`, 'after', { kind: 'number', number: 2 });
    // Nothing of a watch keeps the process alive.
    const alive = setInterval(() => undefined, 1_000);
    await called;
    clearInterval(alive);
    print(`${name} called back`);
  }
}

function read(): void {
  const { ipHelper, registry } = calls;
  print(ipHelper.interfaces());
  print(ipHelper.ipInterfaces());
  print(ipHelper.addresses());
  print(ipHelper.routes());
  print(ipHelper.resolvers());
  print(calls.filtering.open('static').filters(provider));
  const key = 'SOFTWARE\\Waymaker\\Read';
  const values = [
    { kind: 'text', text: '10.9.0.53,2001:db8::53 ü' },
    { kind: 'texts', texts: ['.', '.corp.example'] },
    { kind: 'number', number: 0xfedcba98 },
  ] as const;
  for (const [index, value] of values.entries()) registry.setValue(`${key}\\Rule`, `${index}`, value);
  print(values.map((_, index) => registry.value(`${key}\\Rule`, `${index}`)));
  print([registry.keys(key), registry.keys(`${key}\\None`), registry.value(key, 'none')]);
  print([registry.deleteValue(`${key}\\Rule`, '0'), registry.deleteValue(`${key}\\Rule`, '0')]);
  print([registry.deleteKey(key), registry.deleteKey(key), registry.keys(key)]);
}

const modes: Readonly<Record<string, () => void | Promise<void>>> = { replay, read, watch };
const start = modes[mode];
if (!start) throw new Error(`not a mode: ${mode}`);
await start();
