import { createSystemKeychain } from '../../../../src/main/session/keychain.ts';
import { createSessionKeeper } from '../../../../src/main/session/session-store.ts';
import { createSettings } from '../../../../src/main/preferences/settings.ts';
import { createTestFile } from './key-value-file.ts';
import { createTestLog } from './log.ts';

/** One start of the app, as far as its session goes: does what its argument says and prints the session. */
const keeper = createSessionKeeper({
  deviceId: 'device-1',
  keychain: createSystemKeychain(),
  settings: createSettings(createTestFile()),
  log: createTestLog().log,
});
await keeper.load();
if (process.argv[2] === 'sign-in') await keeper.signIn('token-1');
if (process.argv[2] === 'sign-out') await keeper.signOut();
process.stdout.write(JSON.stringify({ ...keeper.session(), token: keeper.credentials().token }));
