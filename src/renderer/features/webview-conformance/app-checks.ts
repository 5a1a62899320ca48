import { must, mustEqual, mustRefuse, type Check } from './check.ts';
import { invalidParams } from './protocol-checks.ts';

const dangerous = ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/hosts', 'intent://x#Intent;end'];

export const appChecks: readonly Check[] = [
  {
    subject: 'app.describe',
    rule: 'Says that it is a webview, on which device, and how it can route.',
    async run({ app }) {
      const { kind, device, hasTunnel, routingModes } = await app.app.describe();
      mustEqual(kind, 'webview', 'kind');
      must(
        device.platform === 'android' || device.platform === 'ios',
        `device.platform is ${device.platform}, not android or ios`,
      );
      must(device.name.trim() !== '', 'device.name is empty');
      must(
        routingModes.includes('global') === hasTunnel,
        'routingModes has global if, and only if, hasTunnel is true',
      );
    },
  },
  {
    subject: 'app.openExternal',
    rule: 'Answers false for links that are not https, http or mailto, and opens nothing.',
    async run({ app }) {
      for (const link of dangerous)
        mustEqual(await app.app.openExternal(link), false, `the reply for ${link}`);
    },
  },
  {
    subject: 'app.openExternal',
    rule: 'Refuses an input that is no text with error -32602.',
    run: ({ transport }) => mustRefuse(transport.request('app.openExternal', { link: 7 }), invalidParams),
  },
  {
    subject: 'apps.installed',
    rule: 'Lists the names of installed apps on Android, and nothing where the platform does not tell.',
    async run({ app }) {
      const { device } = await app.app.describe();
      const installed = await app.apps.installed();
      if (device.platform === 'android') must(installed.length > 0, 'the list is empty on Android');
    },
  },
  {
    subject: 'apps.open',
    rule: 'Answers false for a link that is no web address, of both types.',
    async run({ app }) {
      for (const type of ['webkit', 'native'] as const) {
        for (const link of [...dangerous, 'myapp://home', 'mailto:a@example.com']) {
          const reply = await app.apps.open({ type, link, title: 'Conformance' });
          mustEqual(reply, false, `the reply for a ${type} app at ${link}`);
        }
      }
    },
  },
  {
    subject: 'apps.open',
    rule: 'Refuses another type than webkit and native with error -32602.',
    run: ({ transport }) =>
      mustRefuse(
        transport.request('apps.open', { type: 'browser', link: 'https://example.com/', title: 'x' }),
        invalidParams,
      ),
  },
];
