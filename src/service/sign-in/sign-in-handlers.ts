import { isEmail } from '#shared/validation.ts';
import { z } from 'zod';
import { findOrMakeAccount, type Trial } from '../account/account.ts';
import { signInDevice } from '../account/devices.ts';
import {
  askingDevice,
  findTriableCode,
  makeAuthCode,
  tryAuthCode,
  useAuthCode,
  withdrawAuthCode,
} from './auth-code.ts';
import type { Database } from '../database/database.ts';
import type { ChangedAccess } from '../gateways/gateway-access.ts';
import type { Handlers } from '../http/handler.ts';
import type { KeyedHash } from '../http/keyed-hash.ts';
import { describeError } from '../log.ts';
import type { Mailer } from '../mail/mailer.ts';
import { done, refused } from '../http/refusal.ts';
import { makeToken, sha256 } from '../http/token.ts';
import type { Limiter } from '../limits/limiter.ts';
import { signInLimits } from './sign-in-limits.ts';

const authIdSchema = z.uuid();

/** Sign-in with a mailed code. None of the answers reveals whether an address has an account. */
export function signInHandlers(options: {
  database: Database;
  mailer: Mailer;
  limiter: Limiter;
  /** Updates the gateways to match the database. */
  publishGateways: (changed: ChangedAccess) => Promise<void>;
  trial: Trial;
  hash: KeyedHash;
  now: () => Date;
}): Pick<Handlers, 'getAuthCode' | 'auth'> {
  const { database, mailer, trial, hash } = options;
  const limits = signInLimits(options.limiter);
  return {
    async getAuthCode({ body, sender: { deviceId }, source, language, log }) {
      if (!isEmail(body.email)) return refused('invalid-email');
      const email = body.email.toLowerCase();
      const now = options.now();
      const { isKnown: isKnownDevice, hasJustAsked } = await askingDevice(database, { email, deviceId, now });
      if (hasJustAsked) return refused('code-just-sent');
      const reached = await limits.takeCode({ source, email, deviceId, isKnownDevice });
      if (reached === 'all') log.warn('the limit of codes for new devices is reached');
      if (reached) return refused(reached === 'account' ? 'too-many-codes' : 'too-many-requests');
      const made = await makeAuthCode(database, { email, deviceId, isKnownDevice, now, hash });
      if (!made) return refused('code-just-sent');
      const sent = await mailer.sendAuthCode({ to: email, code: made.code, language });
      if (sent.ok) return done({ authId: made.authId });
      log.error(describeError(sent.error), 'a sign-in code could not be mailed');
      await withdrawAuthCode(database, made.authId);
      if (sent.reason === 'no-such-mailbox') return refused('mail-refused');
      await limits.putCodeBack({ email, isKnownDevice });
      return refused('mail-not-sent');
    },

    async auth({ body, sender, source, log }) {
      const now = options.now();
      const { deviceId, deviceName } = sender;
      const authId = authIdSchema.safeParse(body.authId);
      if (!authId.success) return refused('wrong-code');
      const attempt = { authId: authId.data, code: body.authCode, deviceId, now, hash };
      const owner = await findTriableCode(database, attempt);
      const trying = { source, code: owner };
      const reached = await limits.takeGuess(trying);
      if (reached === 'all')
        log.warn({ isKnownDevice: owner?.isKnownDevice }, 'the limit of wrong codes is reached');
      if (reached) return refused('too-many-requests');
      if (!owner || !(await tryAuthCode(database, attempt))) return refused('wrong-code');
      await limits.putGuessBack(trying);
      const token = makeToken();
      const outcome = await database.transaction(async (transaction) => {
        if (!(await useAuthCode(transaction, authId.data, now))) return refused('wrong-code');
        const userId = await findOrMakeAccount(transaction, { email: owner.email, now, trial, hash });
        const signedOut = await signInDevice(transaction, {
          deviceId,
          userId,
          name: deviceName,
          tokenHash: sha256(token),
          isDevice: body.isDevice,
          now,
        });
        return done({ userId, signedOut });
      });
      if (!outcome.ok) return outcome;
      const { userId, signedOut } = outcome.data;
      if (signedOut.length > 0) {
        // After the commit, for all who sign in at the same time; a failure is corrected within a minute.
        await options
          .publishGateways({ userIds: [userId], gatewayUsers: signedOut })
          .catch((error: unknown) => log.error(describeError(error), 'gateways were not told of a sign-in'));
      }
      // Only once, even if several requests brought the right code at the same time.
      await limits.putCodeBack(owner);
      return done({ token });
    },
  };
}
