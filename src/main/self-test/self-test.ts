import type { PacketSocket } from './checks/packet-socket.ts';
import type { Computer } from './checks/surroundings.ts';
import type { UplinkWatch } from './checks/uplink-watch.ts';
import type { Engine } from './verdict.ts';
import type { InsideTask, Message } from './messages.ts';

/** What a computer lacks for a self-test, before anything was begun. */
export type Lack =
  | { kind: 'not-root' }
  | { kind: 'not-administrator' }
  | { kind: 'no-tun'; detail: string }
  | { kind: 'no-program'; program: string }
  /** Whoever installs the helper makes it. */
  | { kind: 'no-account'; account: string };

/** How a self-test has ended. `died`: the part inside did, without a word. */
export type Ending = { kind: 'done' } | { kind: 'died'; output: string } | { kind: 'interrupted' };

/** How a system runs a self-test apart from the computer's own network. */
export interface SelfTestApart {
  /** What is missing, if anything. */
  lack(): Lack | undefined;
  /** Runs the part inside; everything that it has made is gone when this resolves. */
  run(
    task: Omit<InsideTask, 'controlGroup'>,
    options: { signal: AbortSignal; onMessage: (message: Message) => void },
  ): Promise<Ending>;
  /** The part inside, told as JSON what to do. */
  inside(task: string): Promise<void>;
}

/** By what the computer is connected to the one that serves. */
export interface Uplink {
  device: string;
  /** The computer's own on it, of the IP version by which the other one is reached. */
  address: string;
  /** As hexadecimal digits. */
  hardware: string;
  /** The default route's router, by IPv4; undefined without one. */
  router: string | undefined;
  hasIpv6: boolean;
  /** Whether IPv6 has a default route. */
  hasIpv6Outside: boolean;
}

/** How a system runs a self-test on the computer's own network. */
export interface SelfTestHere {
  /** What is missing, if anything. */
  lack(): Lack | undefined;
  /** Where its journal is: for administrators only, and there after a restart, too. */
  readonly folder: string;
  /** Where others could make that folder, too: throws if they have, and has it for administrators only from then on. */
  keepOthersOut?(): void;
  /** Where the helper listens that the self-test starts. */
  helperSocket(folder: string): string;
  /** More of that helper's command line. */
  helperArguments(engine: Engine): string[];
  /** Those that are installed. */
  engines(): Engine[];
  /** The programs that are started get this of the environment. */
  readonly environment: readonly string[];
  /** Throws if there is none. */
  uplinkTo(peer: string): Uplink;
  computer(uplink: Uplink): Computer;
  /** Throws if the system, or the device, does not let anybody see what leaves. */
  openWatch(uplink: Uplink): UplinkWatch;
  /** Throws likewise. */
  openPacketSocket(device: string): PacketSocket;
  /** Removes what is in no journal, of this self-test and of those that have ended. */
  tidy(): Promise<void>;
}

export interface SelfTestSystem {
  /** The folder with the homes of users; whoever has called sudo has one of them. */
  readonly homes: string;
  /** Undefined where no network apart can be made. */
  readonly apart: SelfTestApart | undefined;
  readonly here: SelfTestHere;
}
