import path from 'node:path';
import { endProcess, startUntil } from '../../tests/lab/process.ts';

const entry = path.resolve(import.meta.dirname, '../../src/service/index.ts');
const routeLists = path.resolve(import.meta.dirname, '../../tests/fixtures/route-lists');

/** Ports on this machine's loopback; the service's own environment variables change them. */
export const servicePort = Number(process.env['WAYMAKER_SERVICE_PORT'] ?? 8787);
export const mailboxPort = Number(process.env['WAYMAKER_MAILBOX_PORT'] ?? 8025);

/** Runs the embedded service as a process until `running` is disposed of. `command` says where it runs. */
export async function startServiceProcess(
  running: AsyncDisposableStack,
  env: Record<string, string>,
  command: (argv: string[]) => string[] = (argv) => argv,
): Promise<void> {
  const child = await startUntil(command([process.execPath, entry]), /Waymaker service: /, {
    env: {
      ...process.env,
      WAYMAKER_DEVELOPMENT: '1',
      WAYMAKER_LOG_LEVEL: 'warn',
      WAYMAKER_SERVICE_PORT: String(servicePort),
      WAYMAKER_MAILBOX_PORT: String(mailboxPort),
      WAYMAKER_ROUTE_LISTS: routeLists,
      WAYMAKER_ROUTE_DOMAINS_FILE: 'cn-domains.txt',
      ...env,
    },
  });
  child.stderr?.pipe(process.stderr);
  running.defer(() => endProcess(child));
}
