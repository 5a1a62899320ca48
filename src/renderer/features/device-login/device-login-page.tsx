import { Navigate } from 'react-router-dom';
import { SignInDevice } from './sign-in-device.tsx';
import type { DeviceLogin } from './take-device-login.ts';

/** Signs in silently (specification §2). Without a token there is nothing to do. */
export function DeviceLoginPage({ login }: { login: DeviceLogin | undefined }) {
  return login ? <SignInDevice login={login} /> : <Navigate to="/" replace />;
}
