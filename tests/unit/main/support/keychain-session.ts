import { createSystemKeychain } from '../../../../src/main/session/keychain.ts';
import { createSessionStore } from '../../../../src/main/session/session-store.ts';
import { createSettings } from '../../../../src/main/preferences/settings.ts';
import { createTestFile } from './key-value-file.ts';
import { createTestLog } from './log.ts';

/** One start of the app, as far as its session goes: does what its argument says and prints the session. */
const store = createSessionStore({
  deviceId: 'device-1',
  keychain: createSystemKeychain(),
  settings: createSettings(createTestFile()),
  log: createTestLog().log,
});
await store.load();
if (process.argv[2] === 'sign-in') await store.signIn('token-1');
if (process.argv[2] === 'sign-out') await store.signOut();
process.stdout.write(JSON.stringify({ ...store.session(), token: store.credentials().token }));
