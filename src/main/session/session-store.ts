import type { Logger } from 'pino';
import type { ApiSession } from '#shared/api/client.ts';
import type { Session } from '#shared/host/common-contract.ts';
import { isServiceAbsent, type Keychain } from './keychain.ts';
import type { Settings } from '../preferences/settings.ts';
import { withTimeout } from '../with-timeout.ts';

/** Stores the signed-in session: the token in the keychain, or in memory if it cannot be used. */
export interface SessionStore {
  /** Settles once the keychain has answered, or has taken too long. */
  load(): Promise<Session>;
  /** What is known now. */
  session(): Session;
  credentials(): ApiSession;
  /** `newDeviceId`: the id of this device from now on. */
  signIn(token: string, newDeviceId?: string): Promise<Session>;
  signOut(): Promise<Session>;
  onChange(listener: (session: Session) => void): void;
}

/** Keychains can be edited, and some have given back other text than was stored. */
const possibleToken = /^[\x21-\x7e]{1,4096}$/;

/** A locked keychain asks the user first; a broken one never answers. */
const keychainTimeoutMs = 3000;

/**
 * At a login, the keychain's service may start after the app: pauses before it is asked again. For two minutes and a
 * half; later, somebody has signed in, or there is none.
 */
const usualPausesMs = [2000, 5000, 10_000, 20_000, 40_000, 80_000];

export function createSessionStore(options: {
  deviceId: string;
  keychain: Keychain;
  settings: Settings;
  log: Logger;
  timeoutMs?: number;
  pausesMs?: readonly number[];
}): SessionStore {
  const { keychain, settings, log, timeoutMs = keychainTimeoutMs } = options;
  const listeners = new Set<(session: Session) => void>();
  let { deviceId } = options;
  let token: string | undefined;
  let persistence: 'keychain' | 'helper' | 'memory' = 'memory';
  /** Counts sign-ins and sign-outs: what the keychain says about an earlier one no longer matters. */
  let generation = 0;
  let loading: Promise<Session> | undefined;
  /** Keychain calls run one after the other: a slow write must not be overtaken by the removal after it. */
  let last: Promise<unknown> = Promise.resolve();

  const keptIn = () => keychain.keptIn?.(deviceId) ?? 'keychain';
  const session = (): Session => ({ signedIn: token !== undefined, deviceId, persistence });

  function changed(): Session {
    const now = session();
    for (const listener of listeners) listener(now);
    return now;
  }

  /** True if the keychain did it in time. `onFailed` is told even if that comes later. */
  async function inKeychain(
    action: () => Promise<unknown>,
    onFailed: (error: unknown) => void = () => undefined,
  ): Promise<boolean> {
    const work = last.then(action).then(
      () => true,
      (error: unknown) => {
        log.warn({ err: error }, 'keychain not usable');
        onFailed(error);
        return false;
      },
    );
    last = work;
    return await withTimeout(work, timeoutMs, false);
  }

  async function readKeychain(): Promise<void> {
    const started = generation;
    if (settings.get('tokenRevoked')) {
      await keychain.remove(deviceId);
      settings.set('tokenRevoked', false);
    }
    const stored = await keychain.read(deviceId);
    if (generation !== started) return;
    persistence = keptIn();
    token = stored !== null && possibleToken.test(stored) ? stored : undefined;
    // An answer that was too late for `load` still counts, e.g. after the user unlocked the keychain.
    changed();
  }

  /** Settles after the first attempt; the others follow by themselves. */
  async function readUntilThere(pausesMs: readonly number[]): Promise<void> {
    const started = generation;
    const startedAt = performance.now();
    await inKeychain(readKeychain, (error) => {
      const [pauseMs, ...others] = pausesMs;
      // Who has been asked to unlock it, and did not want to, takes longer, and must not be asked again.
      const hasAskedNobody = isServiceAbsent(error) || performance.now() - startedAt < timeoutMs / 3;
      if (pauseMs === undefined || !hasAskedNobody) return;
      setTimeout(() => {
        if (generation === started) void readUntilThere(others);
      }, pauseMs).unref();
    });
  }

  return {
    session,
    credentials: () => ({ deviceId, token }),
    async load() {
      loading ??= readUntilThere(options.pausesMs ?? usualPausesMs).then(session);
      await loading;
      return session();
    },
    async signIn(newToken, newDeviceId = deviceId) {
      const started = ++generation;
      token = newToken;
      if (newDeviceId !== deviceId) settings.set('deviceId', newDeviceId);
      deviceId = newDeviceId;
      let isLate = false;
      const stored = await inKeychain(async () => {
        await keychain.write(newDeviceId, newToken);
        if (generation !== started) return;
        persistence = keptIn();
        settings.set('tokenRevoked', false);
        // The user has unlocked the keychain after a while.
        if (isLate) changed();
      });
      if (generation !== started) return session();
      if (!stored) persistence = 'memory';
      isLate = !stored;
      return changed();
    },
    async signOut() {
      generation += 1;
      token = undefined;
      const signedOut = deviceId;
      const now = changed();
      settings.set('tokenRevoked', true);
      if (await inKeychain(() => keychain.remove(signedOut))) settings.set('tokenRevoked', false);
      return now;
    },
    onChange(listener) {
      listeners.add(listener);
    },
  };
}
