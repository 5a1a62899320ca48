import { isEmail } from '#shared/validation.ts';
import { z } from 'zod';
import { findOrMakeAccount, signInDevice } from '../account/account.ts';
import { makeAuthCode, tryAuthCode, useAuthCode, withdrawAuthCode } from './auth-code.ts';
import type { Database } from '../database/database.ts';
import { publishGatewayAccess, type GatewayAccess } from '../gateways/gateway-access.ts';
import type { Handlers } from '../http/handler.ts';
import { describeError } from '../log.ts';
import type { Mailer } from '../mail/mailer.ts';
import { done, refused } from '../http/refusal.ts';
import { makeToken, sha256 } from '../http/token.ts';

const authIdSchema = z.uuid();

/** Sign-in by a mailed code. Nothing that these calls answer tells whether an address has an account. */
export function signInHandlers(options: {
  database: Database;
  mailer: Mailer;
  gateways: GatewayAccess | undefined;
  trialHours: number;
  now: () => Date;
}): Pick<Handlers, 'getAuthCode' | 'auth'> {
  const { database, mailer, gateways, trialHours } = options;
  return {
    async getAuthCode({ body, sender, language, log }) {
      if (!isEmail(body.email)) return refused('invalid-email');
      const email = body.email.toLowerCase();
      const made = await makeAuthCode(database, { email, deviceId: sender.deviceId, now: options.now() });
      if (!made.ok) return refused(made.reason);
      try {
        await mailer.sendAuthCode({ to: email, code: made.code, language });
      } catch (error) {
        log.error(describeError(error), 'a sign-in code could not be mailed');
        await withdrawAuthCode(database, made.authId);
        return refused('mail-not-sent');
      }
      return done({ authId: made.authId });
    },

    async auth({ body, sender }) {
      const now = options.now();
      const { deviceId, deviceName } = sender;
      const authId = authIdSchema.safeParse(body.authId);
      if (!authId.success) return refused('wrong-code');
      const attempt = { authId: authId.data, code: body.authCode, deviceId, now };
      const owner = await tryAuthCode(database, attempt);
      if (!owner) return refused('wrong-code');
      const token = makeToken();
      const gatewayPasswordHash = gateways ? await gateways.hashPassword(token) : null;
      return database.transaction(async (transaction) => {
        if (!(await useAuthCode(transaction, authId.data, now))) return refused('wrong-code');
        const userId = await findOrMakeAccount(transaction, { email: owner.email, now, trialHours });
        await signInDevice(transaction, {
          deviceId,
          userId,
          name: deviceName,
          tokenHash: sha256(token),
          gatewayPasswordHash,
          now,
        });
        if (gateways) await publishGatewayAccess(transaction, gateways, now);
        return done({ token });
      });
    },
  };
}
