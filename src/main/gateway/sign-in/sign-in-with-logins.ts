import { withTimeout } from '../../with-timeout.ts';
import { serviceTimeoutMs, type GatewayLogins } from '../gateway-logins.ts';
import type { SignIn, SignInWith } from './session.ts';

/**
 * Signs in with the password from the service. If the gateway refuses it, asks the service again, once: it may have a
 * new key, or the gateway another password file.
 */
export function signInWithLogins(signIn: SignInWith, logins: GatewayLogins): SignIn {
  return async (request) => {
    const { gateway, signal } = request;
    const credentials = await logins.find(gateway);
    let asking: Promise<boolean> | undefined;
    async function askService(): Promise<boolean> {
      await withTimeout(logins.refresh(), serviceTimeoutMs, undefined);
      const renewed = logins.known(gateway);
      return renewed !== undefined && renewed.password !== credentials?.password;
    }
    const isRenewed = () => (asking ??= askService());
    const result = await signIn({ ...request, credentials, ...(credentials && { isRenewed }) });
    if (result.ok || result.failure !== 'sign-in-refused' || !credentials || signal.aborted) return result;
    if (!(await isRenewed()) || signal.aborted) return result;
    return await signIn({ ...request, credentials: logins.known(gateway) });
  };
}
