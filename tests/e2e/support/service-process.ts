import { readConfig } from '../../../src/service/config.ts';
import { createService } from '../../../src/service/service.ts';

/**
 * The embedded service as the tests run it: its own code on its own configuration, with a clock that the
 * tests can move (message `{advance: milliseconds}`) and room for more sign-ins in a minute than people make.
 */
let advanced = 0;

const service = await createService({
  config: readConfig(process.env),
  now: () => new Date(Date.now() + advanced),
  rateLimits: { all: 100_000, signIn: 10_000 },
});
const { url, mailboxUrl } = await service.listen();

process.on('message', (message: { advance: number }) => {
  advanced += message.advance;
  process.send?.({ advanced });
});
process.once('SIGTERM', () => void service.close().then(() => process.exit(0)));
process.on('disconnect', () => process.exit(1));
process.send?.({ url, mailboxUrl });
