import type { CommandTextKey } from '#shared/texts/command-texts.ts';
import { isInPart, type Observer, type Unchecked, type Verdict } from '../../self-test/verdict.ts';
import type { Obstacle } from '../../self-test/messages.ts';
import type { CheckName } from '../../self-test/check-names.ts';
import type { CommandContext } from '../command-context.ts';
import { tableLines } from '../terminal.ts';

const marks = { passed: '✓', failed: '✗', 'not-checked': '–' } as const;

export const checkTexts = {
  tunnel: 'selfTest.tunnel',
  ipv4: 'selfTest.ipv4',
  ipv6: 'selfTest.ipv6',
  names: 'selfTest.names',
  plain: 'selfTest.plain',
  'other-ip-version': 'selfTest.otherIpVersion',
  'other-resolvers': 'selfTest.otherResolvers',
  'bound-sockets': 'selfTest.boundSockets',
  'others-routes': 'selfTest.othersRoutes',
  neighbours: 'selfTest.neighbours',
  'engine-killed': 'selfTest.engineKilled',
  'helper-killed': 'selfTest.helperKilled',
  'local-network': 'selfTest.localNetwork',
  automatic: 'selfTest.automatic',
  'by-address': 'selfTest.byAddress',
  'by-app': 'selfTest.byApp',
  restored: 'selfTest.restored',
} as const satisfies Record<CheckName, CommandTextKey>;

const whyTexts = {
  'no-observer': 'selfTest.noObserver',
  'no-control': 'selfTest.noControl',
  'no-ipv6': 'selfTest.noIpv6',
  'no-second-computer': 'selfTest.noSecondComputer',
  'no-second-address': 'selfTest.noSecondAddress',
  'not-offered': 'selfTest.notOffered',
  'no-tunnel': 'selfTest.noTunnel',
  'no-time': 'selfTest.noTime',
} as const satisfies Record<Unchecked, CommandTextKey>;

const observerTexts = {
  uplink: 'selfTest.seenByUplink',
  'far-side': 'selfTest.seenByFarSide',
  system: 'selfTest.seenBySystem',
  neighbour: 'selfTest.seenByNeighbour',
} as const satisfies Record<Observer, CommandTextKey>;

export const resultTexts = {
  passed: 'selfTest.passed',
  failed: 'selfTest.failed',
  'not-checked': 'selfTest.notChecked',
} as const satisfies Record<Verdict['outcome'], CommandTextKey>;

/** A table that people can read, or JSON. `stopped`: why it has not come to its end, if so. */
export function showVerdicts(
  { terminal, say, isJson }: CommandContext,
  verdicts: readonly Verdict[],
  stopped: Obstacle | undefined,
): void {
  if (isJson) {
    const checks = verdicts.map(({ check, observers, ...rest }) => ({
      name: check,
      seenBy: observers,
      ...rest,
    }));
    terminal.out(JSON.stringify({ checks, ...(stopped && { stopped }) }));
    return;
  }
  const lines = tableLines([
    ['', say('selfTest.columnCheck'), say('selfTest.columnResult'), say('selfTest.columnObserver')],
    ...verdicts.map(({ check, outcome, observers }) => [
      marks[outcome],
      say(checkTexts[check]),
      say(resultTexts[outcome]),
      observers.map((observer) => say(observerTexts[observer])).join(', '),
    ]),
  ]);
  terminal.out(lines[0] ?? '');
  for (const [index, verdict] of verdicts.entries()) {
    if (verdict.engine !== verdicts[index - 1]?.engine)
      terminal.out(say('selfTest.engine', { engine: verdict.engine }));
    terminal.out(lines[index + 1] ?? '');
    if (verdict.why !== undefined) terminal.out(`   ${say(whyTexts[verdict.why])}`);
    for (const { ipVersion, why } of verdict.unseen ?? [])
      terminal.out(
        `   ${say('selfTest.unseen', { version: say(checkTexts[ipVersion]), why: say(whyTexts[why]) })}`,
      );
    for (const detail of verdict.details) terminal.out(`   ${detail}`);
  }
  const counted = (is: (one: Verdict) => boolean) => String(verdicts.filter(is).length);
  const count = String(verdicts.length);
  const [failed, unchecked] = [
    counted(({ outcome }) => outcome === 'failed'),
    counted((one) => one.outcome === 'not-checked' || isInPart(one)),
  ];
  if (failed !== '0') terminal.out(say('selfTest.someFailed', { count, failed }));
  else if (unchecked !== '0') terminal.out(say('selfTest.someUnchecked', { count, unchecked }));
  else terminal.out(say('selfTest.allPassed', { count }));
}
