import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { gatewaySession, type GatewaySession } from '#shared/helper/gateway-session.ts';
import { createSerialQueue } from '#shared/serial-queue.ts';
import { programFile } from '../../../lab/runs/programs.ts';
import { waitLimit } from '../../../lab/runs/wait-limit.ts';
import type { SignInAnswer, SignInOrder } from './sign-in-process.ts';

interface Resident {
  readonly child: ChildProcess;
  onAnswer: (answer: SignInAnswer) => void;
}

/** The process that signs in for all tests of this worker, once there is one; it ends with the worker. */
let resident: Resident | undefined;

/** One at a time, because the process is in one network namespace at a time. */
const enqueue = createSerialQueue();

/** Signs in from a machine of a laboratory, as the app does. */
export function signInFrom(order: SignInOrder): Promise<GatewaySession> {
  return enqueue(async () => {
    const answer = await ask((resident ??= start()), order);
    if ('problem' in answer) throw new Error(answer.problem);
    return gatewaySession.parse(answer.session);
  });
}

function ask(asked: Resident, order: SignInOrder): Promise<SignInAnswer> {
  const { child } = asked;
  child.ref();
  return new Promise((resolve) => {
    // Ends it, which is an answer too.
    const limit = setTimeout(() => child.kill('SIGKILL'), waitLimit(60_000));
    asked.onAnswer = (answer) => {
      clearTimeout(limit);
      child.unref();
      resolve(answer);
    };
    child.stdin?.write(`${JSON.stringify(order)}\n`);
  });
}

function start(): Resident {
  const script = programFile('tests/helper/support/sign-in/sign-in-process.ts');
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', process.execPath, script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const started: Resident = { child, onAnswer: () => undefined };
  createInterface({ input: child.stdout }).on('line', (line) =>
    started.onAnswer(JSON.parse(line) as SignInAnswer),
  );
  child.once('exit', (code) => {
    if (resident === started) resident = undefined;
    started.onAnswer({ problem: `the process that signs in ended with ${code}` });
  });
  child.stdin.on('error', () => undefined);
  // It keeps no test process alive.
  child.unref();
  for (const stream of [child.stdin, child.stdout]) (stream as Socket).unref();
  return started;
}
