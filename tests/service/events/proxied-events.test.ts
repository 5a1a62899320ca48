import { describe, expect, test } from 'vitest';
import { caddy, nginx, startBehind } from '../http/reverse-proxies.ts';
import { newEmail, TestDevice } from '../test-service.ts';
import { readEvents } from './event-reader.ts';

describe.each([
  { name: 'nginx', proxy: nginx },
  { name: 'Caddy', proxy: caddy },
])('behind $name', ({ proxy }) => {
  test.each(['tcp', 'socket'] as const)(
    'over %s, events come at once, and a stream counts as one request however long it lasts',
    async (over) => {
      await using running = await startBehind(proxy, over);
      const url = `http://127.0.0.1:${running.port}`;
      const email = newEmail();
      async function signIn(): Promise<TestDevice> {
        const device = new TestDevice({ url, service: { mailboxUrl: '' } });
        // Whichever process the proxy asks has the mail.
        const boxes = running.mailboxUrls.map(
          (mailboxUrl) => new TestDevice({ url, service: { mailboxUrl } }),
        );
        const count = () => Promise.all(boxes.map(async (box) => (await box.mails(email)).length));
        const before = await count();
        const authId = await device.requestCode(email);
        const after = await count();
        const box = boxes.find((_, index) => after[index] !== before[index]);
        expect(await device.verify(authId, (await box?.readCode(email)) ?? '')).toMatchObject({ ok: true });
        return device;
      }
      const device = await signIn();
      await using stream = await readEvents(url, device);
      expect(stream.status).toBe(200);
      expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      const before = Number(stream.headers.get('x-ratelimit-remaining'));
      const later = await signIn();
      await expect.poll(() => stream.events).toContain('devices');
      expect(before).toBeGreaterThan(0);
      await later.client.call('revokeDevices');
      await stream.over;
      expect(stream.events.at(-1)).toBe('end signed-out');
    },
  );
});
