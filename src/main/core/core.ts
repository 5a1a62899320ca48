import type { ServiceClock } from '#shared/api/service-clock.ts';
import type { ApiClient, ApiSession } from '#shared/api/client.ts';
import type { AccountChange } from '#shared/api/events.ts';
import type { TokenRefusals } from '#shared/api/token-refusals.ts';
import type { WayOutReply } from '#shared/control/contract.ts';
import type { DeviceInfo, Language } from '#shared/entities.ts';
import type { SignedOutBy } from '#shared/host/common-contract.ts';
import type { HostImplementation } from '#shared/host/contract.ts';
import type { GatewayForm } from '#shared/host/gateway-form.ts';
import type { LatencyMeter } from '#shared/servers/latency-meter.ts';
import type { ServerLatency } from '#shared/servers/server-latency.ts';
import type { ListedServer } from '#shared/plan/usable-group.ts';
import type { Routing, TunnelState } from '#shared/tunnel/state.ts';
import type { TunnelBrowser } from '../programs/tunnel-browser.ts';
import type { RoutedPrograms } from '../programs/routed-programs.ts';
import type { ConnectionLog } from '../diagnostics/connection-log.ts';
import type { ClientIdentities } from '../gateway/client-identities.ts';
import type { GatewayForms } from '../gateway/gateway-forms.ts';
import type { GatewayMemory } from '../gateway/gateway-memory.ts';
import type { Networks } from '../networks/networks.ts';
import type { ServiceFetch } from '../http-fetch.ts';
import type { AppUpdate } from '../notices/app-update.ts';
import type { BehaviourStore } from '../preferences/behaviour.ts';
import type { FavouriteServers } from '../preferences/favourite-servers.ts';
import type { OperatorTexts } from '../preferences/operator-texts.ts';
import type { PreferencesStore } from '../preferences/preferences.ts';
import type { RecentServers } from '../preferences/recent-servers.ts';
import type { ServerChoice } from '../preferences/server-choice.ts';
import type { AccountOwner } from '../session/account-owner.ts';
import type { SessionStore } from '../session/session-store.ts';
import type { AccountPlan } from '../tunnel/account-plan.ts';
import type { TunnelCommand, TunnelController } from '../tunnel/tunnel-controller.ts';
import type { WorldAddress } from '../tunnel/world-address.ts';
import type { CallForUser } from '../session/call-for-user.ts';
import type { SessionHostOptions } from '../session/session-host.ts';
import type { FindWay } from '../way-out/connect-by-ways.ts';

/**
 * Everything that outlives windows: the tunnel, the session, the user's choices, and the end of the plan. None of it
 * needs an open page. The window, the tray and the command line send their requests here, and display its state.
 */
export interface Core {
  device: DeviceInfo;
  /** The language of the app now. */
  language(): Language;
  /** The operator's replacements for our texts. */
  operatorTexts: Pick<OperatorTexts, 'of' | 'onChange'>;
  session: SessionStore;
  refusals: TokenRefusals;
  /** Requests by the ways out that this network has. */
  fetch: ServiceFetch;
  /** How this computer reaches the service outside a tunnel, as far as that is known. */
  wayOut(): WayOutReply;
  wayTo: FindWay;
  /**
   * Asks the user for the password of the proxy that leads to this host, which has refused the one that it was told.
   * Whether there is another one now.
   */
  askProxyPassword(host: string): Promise<boolean>;
  /** Makes a call that the user waits for: a proxy on the way may have to be told a password first. */
  callForUser: CallForUser;
  /** Calls of the service with the user's session; their replies update what is known about the plan. */
  client: ApiClient;
  /** From now on `onAccountChanges` is called; what was loaded before may have missed some. */
  onAccountFollowed(listener: () => void): void;
  /** The service says that something in the account has changed. The core is already asking for the plan again. */
  onAccountChanges(listener: (changes: readonly AccountChange[]) => void): void;
  /** Whether there is a newer release of the app. */
  update: Pick<AppUpdate, 'version' | 'onChange'>;
  /** The pages that the page may load to see whether there is a network. */
  probePages(): readonly string[];
  owner: AccountOwner;
  /** Asks the service whose token this is. */
  checkToken: SessionHostOptions['checkToken'];
  /** Ends a token at the service; without a token, it does nothing. */
  endToken(session: ApiSession): Promise<void>;
  /** Deletes everything about the user: token, choices, page storage with its cached replies, gateway sessions. */
  signOut(by: SignedOutBy): Promise<void>;
  storage: HostImplementation['storage'];
  tunnel: TunnelController;
  onTunnelState(listener: (state: TunnelState) => void): void;
  /** The user connects or disconnects, in any part of the app. */
  onTunnelCommand(listener: (command: TunnelCommand) => void): void;
  preferences: PreferencesStore;
  server: ServerChoice;
  behaviour: BehaviourStore;
  networks: Networks | undefined;
  routedPrograms: RoutedPrograms['host'];
  /** Routes a process of the user like the chosen programs, until it ends. */
  admitProcess(pid: number): Promise<'admitted' | 'gone' | 'unsupported'>;
  connectionLog: ConnectionLog;
  /** A problem report, without secrets and names of people. */
  problemReport(): Promise<string>;
  recentServers: Pick<RecentServers, 'ids' | 'onChange'>;
  favouriteServers: Pick<FavouriteServers, 'ids' | 'set' | 'onChange'>;
  /** Measures how fast the servers are that may be used now; only if the user asks for it. */
  latencyMeter: LatencyMeter;
  onLatency(listener: (latency: ServerLatency) => void): void;
  worldAddress: WorldAddress;
  /** The servers that may be used now; undefined until the service has listed them. */
  servers(): ListedServer[] | undefined;
  /** Asks the service for them; settles once it has answered, or could not be reached. */
  refreshServers(): Promise<void>;
  /** By which the times of the service are judged. */
  clock: ServiceClock;
  /** When the plan or trial that the user connects with ends, by that clock, if that is known. */
  planEnd: AccountPlan['end'];
  /** Whether this has not been shown to the user before; marks it as shown. */
  toldOnce(name: string): boolean;
  /** The service's lists for the account have changed. */
  onPlanChange(listener: () => void): void;
  /** How traffic can be routed; resolves once it is known whether there is a helper. */
  routingModes(): Promise<Routing['mode'][]>;
  /** An address at which a browser meets a captive portal. */
  portalAddress: string;
  portal: HostImplementation['portal'];
  tunnelBrowser: Pick<TunnelBrowser, 'open'>;
  gatewayMemory: GatewayMemory;
  gatewayForms: GatewayForms;
  onGatewayForm(listener: (form: GatewayForm | null) => void): void;
  identities: ClientIdentities;
  /** The user is looking at the app, so a click on Connect is likely. */
  userIsHere(): void;
  /** The path of the page that the user sees now; undefined while the window is hidden or minimized. */
  setPageInView(path: string | undefined): void;
  close(): void;
}
