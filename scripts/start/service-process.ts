import path from 'node:path';
import { endProcess, startUntil } from '../../tests/lab/runs/process.ts';
import type { Ports } from './ports.ts';
import { StartProblem } from './start-problem.ts';

const entry = path.resolve(import.meta.dirname, '../../src/service/index.ts');
const routeLists = path.resolve(import.meta.dirname, '../../tests/fixtures/route-lists');

/**
 * Runs the embedded service as a process until `running` is disposed of. `command` says where it runs. If it ends
 * instead, rejects with a StartProblem that has its output.
 */
export async function startServiceProcess(
  running: AsyncDisposableStack,
  ports: Ports,
  env: Record<string, string>,
  command: (argv: string[]) => string[] = (argv) => argv,
): Promise<void> {
  const child = await startUntil(command([process.execPath, entry]), /Waymaker service: /, {
    env: {
      ...process.env,
      WAYMAKER_DEVELOPMENT: '1',
      WAYMAKER_LOG_LEVEL: 'warn',
      WAYMAKER_SERVICE_PORT: String(ports.service),
      WAYMAKER_MAILBOX_PORT: String(ports.mailbox),
      WAYMAKER_ROUTE_LISTS: routeLists,
      WAYMAKER_ROUTE_DOMAINS_FILE: 'cn-domains.txt',
      ...env,
    },
  }).catch((cause: unknown) => {
    throw new StartProblem(cause instanceof Error ? cause.message : String(cause), { cause });
  });
  child.stderr?.pipe(process.stderr);
  running.defer(() => endProcess(child));
}
