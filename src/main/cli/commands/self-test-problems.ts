import type { CommandTextKey } from '#shared/texts/command-texts.ts';
import type { Say } from '#shared/texts/say.ts';
import type { Lack } from '../../self-test/self-test.ts';
import type { Obstacle } from '../../self-test/messages.ts';
import { CommandProblem } from '../command-context.ts';
import { exitCode } from '../exit-code.ts';

export interface Stop {
  kind: Obstacle;
  detail: string;
}

/** What a computer lacks, for whoever wants a self-test of it. */
export function lackProblem(lack: Lack, say: Say): CommandProblem {
  const unavailable = exitCode.unavailable;
  switch (lack.kind) {
    case 'not-root':
      return new CommandProblem(unavailable, 'not-root', say('selfTest.needsRoot'));
    case 'not-administrator':
      return new CommandProblem(unavailable, 'not-root', say('selfTest.needsAdministrator'));
    case 'no-tun':
      return new CommandProblem(unavailable, 'no-tun', say('selfTest.noTun', { problem: lack.detail }));
    case 'no-program':
      return new CommandProblem(
        unavailable,
        'no-program',
        say('selfTest.noProgram', { program: lack.program }),
      );
    case 'no-account':
      return new CommandProblem(
        unavailable,
        'no-account',
        say('selfTest.noAccount', { account: lack.account }),
      );
    default:
      return lack satisfies never;
  }
}

const obstacleTexts = {
  'no-namespaces': 'selfTest.noNamespaces',
  'no-packet-filter': 'selfTest.noPacketFilter',
  'no-helper': 'selfTest.noHelper',
  'no-sign-in': 'selfTest.noSignIn',
  'helper-runs': 'selfTest.helperRuns',
  'no-peer': 'selfTest.noPeer',
  'wrong-code': 'selfTest.wrongCode',
  'not-served': 'selfTest.notServed',
  'no-uplink': 'selfTest.noUplink',
  'not-restored': 'selfTest.notRestored',
  broken: 'selfTest.broken',
} as const satisfies Record<Obstacle, CommandTextKey>;

/** Why a self-test could not begin, or go on. */
export const obstacleProblem = ({ kind, detail }: Stop, say: Say): CommandProblem =>
  new CommandProblem(exitCode.unavailable, kind, say(obstacleTexts[kind], { problem: detail }));
