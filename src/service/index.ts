import { z } from 'zod';
import { outliveOutput } from '#node/os/standard-output.ts';
import { readConfig } from './config.ts';
import { unknownSettings } from './settings.ts';
import { createLogger } from './log.ts';
import { createService } from './service.ts';
import { issuesOf, SettingProblem } from './setting-problem.ts';

/** The service as a process. It prints one line on standard output when it is ready; its log is on standard error. */

async function run(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const config = readConfig(process.env);
  const logger = createLogger(config.logLevel, process.stderr);
  for (const name of unknownSettings(process.env)) logger.warn({ name }, 'there is no such setting');
  const service = await createService({ config, logger });
  stack.defer(() => service.close());
  const asked = new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
  const { url, mailboxUrl } = await service.listen();
  console.log(`Waymaker service: ${url}${mailboxUrl ? ` · mailbox: ${mailboxUrl}` : ''}`);
  await asked;
}

outliveOutput();
try {
  await run();
} catch (error) {
  if (error instanceof z.ZodError) console.error(issuesOf(error).join('\n'));
  else console.error(error instanceof SettingProblem ? error.message : error);
  process.exitCode = 1;
}
