import { must, mustEqual, mustRefuse, NotChecked, type AppUnderTest, type Check } from './check.ts';
import { invalidParams } from './protocol-checks.ts';

/** The first address is unused (TEST-NET-1, RFC 5737), and the others are invalid. */
const unanswered = ['anyconnect://192.0.2.1:443', 'https://gw.example.net/', 'anyconnect://', ''];

async function measuringApp({ app }: AppUnderTest): Promise<void> {
  if (!(await app.app.describe()).measuresLatency)
    throw new NotChecked('this app does not say measuresLatency');
}

export const serverChecks: readonly Check[] = [
  {
    subject: 'servers.latency',
    rule: 'Answers null for an address where nothing answers, or that is none, and says nothing of a tunnel then.',
    async run(under) {
      await measuringApp(under);
      for (const address of unanswered) {
        const { milliseconds, throughTunnel } = await under.app.servers.latency({ address });
        mustEqual(milliseconds, null, `the time for "${address}"`);
        must(!throughTunnel, `"${address}" is said to be reached through a tunnel`);
      }
    },
  },
  {
    subject: 'servers.latency',
    rule: 'Refuses an address that is no text with error -32602.',
    async run(under) {
      await measuringApp(under);
      await mustRefuse(under.transport.request('servers.latency', { address: 7 }), invalidParams);
    },
  },
];
