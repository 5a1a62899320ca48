import type { RecordedCall } from '../../lab/linux/model/recorded-call.ts';

/** The adapter with one mistake each: a call is missing, says something else, or comes at the wrong time. */

/** The calls that are made in the place of one. */
type Mutant = (call: RecordedCall) => RecordedCall[];

const ipLines =
  (change: (line: string) => boolean): Mutant =>
  (call) =>
    call.kind === 'ip' ? [{ ...call, lines: call.lines.filter(change) }] : [call];
const rules =
  (from: RegExp, to: string): Mutant =>
  (call) =>
    call.kind === 'nft'
      ? [
          {
            ...call,
            script: call.script
              .split('\n')
              .map((line) => line.replace(from, to))
              .join('\n'),
          },
        ]
      : [call];
const messages =
  (isMade: (type: number) => boolean): Mutant =>
  (call) =>
    call.kind === 'netlink'
      ? [{ ...call, messages: call.messages.filter(({ type }) => isMade(type)) }]
      : [call];
const deleteRule = 33;
const newRoute = 24;
const newElements = (10 << 8) | 12;

/** What removes the tables that are in force, before those that come. */
const removal =
  /^(?:table (?:inet|arp) waymaker\n(?:delete|flush) table (?:inet|arp) waymaker\n|delete .*\n)+/;

export const mutants: Readonly<Record<string, Mutant>> = {
  'none of the rules that refuse': rules(/^ +goto refuse$/, ''),
  'anybody may reach the gateway': rules(/ meta skuid 301/, ''),
  'the proxy may go past the tunnel': rules(/^ +meta skuid 302 goto refuse$/, ''),
  'a resolver on the link may be asked': rules(/^ +meta l4proto \{ tcp, udp \} th dport .* goto refuse$/, ''),
  'nothing is let into the tunnel': rules(/^ +oifname "wm0" .* accept$/, ''),
  'the old filter goes before the new one comes': (call) => {
    const removes = call.kind === 'nft' ? removal.exec(call.script)?.[0] : undefined;
    if (call.kind !== 'nft' || removes === undefined || removes === call.script) return [call];
    return [
      { kind: 'nft', script: removes },
      { kind: 'nft', script: call.script.slice(removes.length) },
    ];
  },
  'the filter stays': (call) =>
    call.kind === 'nft' && removal.exec(call.script)?.[0] === call.script ? [] : [call],
  'no rule leads to the tunnel’s table': ipLines((line) => !line.startsWith('rule add priority 5190 ')),
  'the engine is routed like everybody': ipLines((line) => !/^rule add priority 51(?:80|81|82) /.test(line)),
  'no route leads into the device': ipLines((line) => !/^route replace \S+ dev wm0 /.test(line)),
  'old rules stay': ipLines((line) => !line.startsWith('rule del ')),
  'rules stay': messages((type) => type !== deleteRule),
  'the addresses that were listed are in no route': messages((type) => type !== newRoute),
  'the addresses that were listed are in no set': messages((type) => type !== newElements),
};
