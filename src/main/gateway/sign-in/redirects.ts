import type { Logger } from 'pino';
import { reachOf } from '../address-reach.ts';
import type { GatewayAddresses } from '../gateway-addresses.ts';
import { authority } from '../authority.ts';
import type { GatewayMemory } from '../gateway-memory.ts';
import type {
  GatewayAnswer,
  GatewayCredentials,
  SignInRequest,
  SignInResult,
  SignInWith,
} from './session.ts';
import type { Gateway } from '#shared/tunnel/state.ts';

export interface RedirectsOptions {
  /** Signs in at one gateway, starting with a message that contains no credentials. */
  signInAt: (request: SignInRequest) => Promise<GatewayAnswer>;
  addresses: Pick<GatewayAddresses, 'resolve' | 'remember'>;
  memory: Pick<GatewayMemory, 'rememberRedirect'>;
  /**
   * The credentials for a gateway, if they are known. Other gateways get those of the gateway that redirected: they are
   * members of a cluster that are not listed.
   */
  credentialsAt?: (gateway: Gateway) => GatewayCredentials | undefined;
  log: Logger;
}

/** The maximum number of gateways in a row, including the first. A cluster needs two. */
const maxGateways = 4;

/**
 * Follows redirects to another gateway, as clusters use them. Each gateway is resolved and verified by its own name,
 * and its sign-in starts from the beginning: nothing that was told to one gateway is sent to another without being
 * asked for.
 */
export function followRedirects(options: RedirectsOptions): SignInWith {
  const { signInAt, addresses, memory, log } = options;
  return async ({ reach, ...first }) => {
    const visited = new Set<string>();
    let request = first;
    let result = await signInAt(request);
    while (!result.ok && result.failure === 'redirected') {
      const { to, path, from = request.address } = result;
      visited.add(nameOf(request.gateway));
      log.info({ gateway: request.gateway, to }, 'the gateway redirects');
      if (visited.has(nameOf(to)) || visited.size >= maxGateways) {
        log.warn({ gateway: first.gateway }, 'the gateway’s redirects do not end');
        return { ok: false, failure: 'sign-in-refused' };
      }
      memory.rememberRedirect(first.gateway, to, path);
      const candidates = await addresses.resolve(to.host);
      const allowed = candidates.filter((address) => reachOf(address) >= reachOf(from));
      if (candidates.length > allowed.length)
        log.warn({ to }, 'redirected into a network that is not public');
      if (candidates.length === 0) return { ok: false, failure: 'gateway-name-unknown' };
      if (allowed.length === 0) return { ok: false, failure: 'sign-in-refused' };
      const credentials = options.credentialsAt?.(to) ?? first.credentials;
      for (let untried: readonly string[] = allowed; ;) {
        const [address] = untried;
        if (address === undefined) break;
        const together = reach ? await reach(to, address) : untried;
        if (together.length === 0) return { ok: false, failure: 'sign-in-cancelled' };
        const otherAddresses = together.filter((one) => one !== address && untried.includes(one));
        request = { ...first, gateway: to, address, otherAddresses, credentials };
        result = await signInAt(request);
        if (first.signal.aborted || result.ok || result.failure !== 'gateway-unreachable') break;
        untried = untried.filter((one) => one !== address && !otherAddresses.includes(one));
      }
    }
    if (result.ok) addresses.remember(result.signedIn.gateway.host, result.signedIn.address);
    return result satisfies SignInResult;
  };
}

const nameOf = (gateway: Parameters<typeof authority>[0]) => authority(gateway).toLowerCase();
