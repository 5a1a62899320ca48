import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newEmail, signedIn, startTestService, type TestService } from '../test-service.ts';

/** What a stranger with nothing but a trial can do to an account by "adding" it. */
describe('a stranger', () => {
  let running: TestService;
  beforeAll(async () => {
    running = await startTestService();
  });
  afterAll(() => running[Symbol.asyncDispose]());

  test('with a trial cannot take over an account: it stays what it was, with its devices and its apps', async () => {
    const email = newEmail();
    const victim = await signedIn(running, email);
    const miniApp = {
      name: 'Own',
      type: 'browser',
      link: 'https://a.example',
      icon: '',
      priority: 0,
    } as const;
    await victim.client.call('createApp', { body: { ...miniApp, requireLabels: [] } });
    const before = await Promise.all(
      (['userInfo', 'myService', 'serverGroups', 'myApps'] as const).map((name) => victim.client.call(name)),
    );
    const stranger = await signedIn(running, newEmail());
    await stranger.client.call('addMember', { body: { loginId: email, loginType: 'email' } });
    await stranger.client.call('createApp', { body: { ...miniApp, name: 'Phishing', requireLabels: [] } });
    const after = () =>
      Promise.all(
        (['userInfo', 'myService', 'serverGroups', 'myApps'] as const).map((name) =>
          victim.client.call(name),
        ),
      );
    expect(await after()).toEqual(before);
    await stranger.client.call('removeMember', { params: { loginId: email } });
    expect(await after()).toEqual(before);
    expect(before).toMatchObject([{ data: { email, profile: { level: 1 } } }, {}, {}, { ok: true }]);
  });
});
