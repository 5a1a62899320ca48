import type { TunnelState } from '#shared/tunnel/state.ts';
import { openControlConnection, type ControlConnection } from '../../control/control-connection.ts';
import { controlPlace } from '../../control/control-place.ts';
import type { Bench } from '../checks/bench.ts';
import type { ServiceFacts } from '../service.ts';
import { Stopped } from '../stopped.ts';

/** Connects to the core of a profile, which runs. Throws `Stopped`. */
export async function reachCore(
  profile: string,
  env: NodeJS.ProcessEnv,
  version: string,
): Promise<ControlConnection> {
  const connection = await openControlConnection({
    place: controlPlace(profile, { env }),
    client: { name: 'waymaker-self-test', version },
  });
  if (typeof connection === 'string') throw new Stopped('broken', `the core is ${connection}`);
  return connection;
}

/**
 * Signs in as somebody does who reads the code in a mail; resolves with the only server's address. Throws `Stopped`.
 */
export async function signIn(
  { client }: ControlConnection,
  { email, code }: Pick<ServiceFacts, 'email' | 'code'>,
): Promise<string> {
  const asked = await client.session.requestCode({ email });
  if (!asked.ok) throw new Stopped('no-sign-in', JSON.stringify(asked.failure));
  const { authId } = asked.data;
  const signedIn = await client.session.verifyCode({ authId, authCode: code });
  if (!signedIn.ok) throw new Stopped('no-sign-in', JSON.stringify(signedIn.failure));
  const [server] = (await client.servers.list()) ?? [];
  if (!server) throw new Stopped('no-sign-in', 'there is no server');
  return server.address;
}

/** The tunnel's state, as the core tells it. */
export function followState({ client, closed }: ControlConnection): Pick<Bench, 'state' | 'until'> {
  let current: TunnelState = { state: 'invalid', cause: 'helper-absent' };
  const waiting = new Set<() => void>();
  const learn = (state: TunnelState) => {
    current = state;
    for (const look of waiting) look();
  };
  client.tunnel.stateChanged(learn);
  void client.tunnel.snapshot().then(learn, () => undefined);
  return {
    state: () => current,
    until: (is, limit) =>
      new Promise((resolve) => {
        const settle = (isSo: boolean) => {
          clearTimeout(timer);
          waiting.delete(look);
          resolve(isSo);
        };
        const look = () => {
          if (is(current)) settle(true);
        };
        const timer = setTimeout(settle, limit, false);
        waiting.add(look);
        void closed.then(() => settle(false));
        look();
      }),
  };
}
