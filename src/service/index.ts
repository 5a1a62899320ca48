import { z } from 'zod';
import { readConfig } from './config.ts';
import { createService } from './service.ts';

/** The service as a process. Standard output has one line, printed when it answers; its log is on standard error. */

try {
  const service = await createService({ config: readConfig(process.env) });
  const end = async () => {
    await service.close();
    process.exitCode = 0;
  };
  process.once('SIGTERM', () => void end());
  process.once('SIGINT', () => void end());
  const { url, mailboxUrl } = await service.listen();
  console.log(`Waymaker service: ${url}${mailboxUrl ? ` · mail box: ${mailboxUrl}` : ''}`);
} catch (error) {
  console.error(error instanceof z.ZodError ? z.prettifyError(error) : error);
  process.exitCode = 1;
}
