import type { ApiClient } from '#shared/api/client.ts';
import type { AccountChange } from '#shared/api/events.ts';
import type { ApiResult } from '#shared/api/result.ts';
import type { DeviceInfo, Language, User } from '#shared/entities.ts';
import type { HostImplementation, SignedOutBy } from '#shared/host/contract.ts';
import type { GatewayForm } from '#shared/host/gateway-form.ts';
import type { LatencyMeter } from '#shared/plan/latency-meter.ts';
import type { ServerLatency } from '#shared/plan/server-latency.ts';
import type { ListedServer } from '#shared/plan/usable-group.ts';
import type { Routing, TunnelState } from '#shared/tunnel/state.ts';
import type { TunnelBrowser } from './apps/tunnel-browser.ts';
import type { RoutedApps } from './apps/routed-apps.ts';
import type { ConnectionLog } from './diagnostics/connection-log.ts';
import type { ClientIdentities } from './gateway/client-identities.ts';
import type { GatewayForms } from './gateway/gateway-forms.ts';
import type { GatewayMemory } from './gateway/gateway-memory.ts';
import type { Networks } from './networks/networks.ts';
import type { AppUpdate } from './notices/app-update.ts';
import type { BehaviourStore } from './preferences/behaviour.ts';
import type { FavouriteServers } from './preferences/favourite-servers.ts';
import type { OperatorTexts } from './preferences/operator-texts.ts';
import type { PreferencesStore } from './preferences/preferences.ts';
import type { RecentServers } from './preferences/recent-servers.ts';
import type { ServerChoice } from './preferences/server-choice.ts';
import type { SessionStore } from './session/session-store.ts';
import type { AccountPlan } from './tunnel/account-plan.ts';
import type { TunnelCommand, TunnelController } from './tunnel/tunnel-controller.ts';
import type { WorldAddress } from './tunnel/world-address.ts';

/**
 * What outlives windows: the tunnel, who is signed in, what the user has chosen, and until when the plan lasts. No page
 * has to be open for any of it; the window, the tray and the command line ask here, and show what is so.
 */
export interface Core {
  device: DeviceInfo;
  /** In which the app speaks to its user now. */
  language(): Language;
  /** What the operator says in the place of our texts. */
  operatorTexts: Pick<OperatorTexts, 'of' | 'onChange'>;
  session: SessionStore;
  /** Calls of the service as who is signed in; what they tell about the plan is heeded. */
  client: ApiClient;
  /** What the service says has changed of the account. The plan is asked for again by then. */
  onAccountChanges(listener: (changes: readonly AccountChange[]) => void): void;
  /** Whether there is a newer release of the app. */
  update: Pick<AppUpdate, 'version' | 'onChange'>;
  /** What the page may load to see whether there is a network. */
  probePages(): readonly string[];
  /** Asks the service who a token belongs to. */
  checkToken(credentials: {
    deviceId: string;
    token: string;
    language?: string | undefined;
  }): Promise<ApiResult<User>>;
  /** Forgets everything about the user: token, choices, page storage with its cached replies, gateway sessions. */
  signOut(by: SignedOutBy): Promise<void>;
  storage: HostImplementation['storage'];
  tunnel: TunnelController;
  onTunnelState(listener: (state: TunnelState) => void): void;
  /** The user connects or disconnects, wherever they press. */
  onTunnelCommand(listener: (command: TunnelCommand) => void): void;
  preferences: PreferencesStore;
  server: ServerChoice;
  behaviour: BehaviourStore;
  networks: Networks | undefined;
  routedApps: RoutedApps['host'];
  /** Routes a process of the user's as those applications are that were chosen, until it ends. */
  admitProcess(pid: number): Promise<'admitted' | 'gone' | 'unsupported'>;
  connectionLog: ConnectionLog;
  /** What whoever looks into a problem has to know, without secrets and names of people. */
  problemReport(): Promise<string>;
  recentServers: Pick<RecentServers, 'ids' | 'onChange'>;
  favouriteServers: Pick<FavouriteServers, 'ids' | 'set' | 'onChange'>;
  /** How fast the servers are that may be used now; only when the user wants to know it. */
  latencyMeter: LatencyMeter;
  onLatency(listener: (latency: ServerLatency) => void): void;
  worldAddress: WorldAddress;
  /** The servers that may be used now; undefined before the service has told which there are. */
  servers(): ListedServer[] | undefined;
  /** When what the user connects by ends, if that is to come. */
  planEnd: AccountPlan['end'];
  /** Whether this has not been told to the user before; from now on it has. */
  toldOnce(name: string): boolean;
  /** What the service lists for the account has changed. */
  onPlanChange(listener: () => void): void;
  /** How traffic can be routed, once it is known whether there is a helper. */
  routingModes(): Promise<Routing['mode'][]>;
  /** Where a browser meets a captive portal. */
  portalAddress: string;
  portal: HostImplementation['portal'];
  tunnelBrowser: Pick<TunnelBrowser, 'open'>;
  gatewayMemory: GatewayMemory;
  gatewayForms: GatewayForms;
  onGatewayForm(listener: (form: GatewayForm | null) => void): void;
  identities: ClientIdentities;
  /** The user looks at the app: a click on Connect is likely. */
  userIsHere(): void;
  close(): void;
}
