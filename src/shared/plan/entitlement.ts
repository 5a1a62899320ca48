import type { UserLevel } from '../entities.ts';
import { periodAt, seatsOf, type Period } from './ledger.ts';

/** What decides what a person may use: of the account itself, and of the one whose plan it shares. */
export interface Holding {
  /** Whether a payer has the person as a member. */
  isMember: boolean;
  /** Of the payer of a member, else of the person. */
  holder: {
    /** What its ledger makes. */
    periods: readonly Period[];
    /** Whether anything was ever granted to it; trials end with that. */
    hasBought: boolean;
    /** Milliseconds since 1970; null: it has none. */
    trialUntil: number | null;
    /** Bytes that the trial carries; 0: unlimited. */
    trialTraffic: number;
  };
}

/** Where traffic is counted from (milliseconds since 1970), and how many bytes there are; 0: unlimited. */
export interface TrafficAllowance {
  since: number;
  rated: number;
}

/** What a person may use, and until when. Times are milliseconds since 1970. */
export interface Entitlement {
  level: UserLevel;
  /** The plan that runs, or ran last; undefined: there was none. `until`: with what waits for its end. */
  plan: { name: string; from: number; until: number; runs: boolean } | undefined;
  /** Undefined: there is no trial, or a plan took its place. */
  trial: { until: number; runs: boolean } | undefined;
  /** Of the holder's plan, also when it is over. */
  seats: number;
  /** Members that the holder may have: none without a plan that runs, as a trial has no seats to give. */
  seatsToGive: number;
  /** Devices of the person that may use it at once; null: any number. */
  devices: number | null;
  traffic: TrafficAllowance;
  /** The highest level of the server items that the plan allows, also when it is over; null: every level. */
  serverLevel: number | null;
}

export const trafficPeriodMs = 30 * 24 * 3_600_000;

export function entitlementOf({ isMember, holder }: Holding, now: number): Entitlement {
  const { periods, hasBought, trialUntil, trialTraffic } = holder;
  const period = periodAt(periods, now);
  const seatsToGive = seatsOf(periods, now);
  return {
    level: isMember ? 3 : hasBought ? 2 : 1,
    plan: period && {
      name: period.terms.plan,
      from: period.from,
      until: Math.max(period.to, periods.at(-1)?.to ?? 0),
      runs: now < period.to,
    },
    trial: hasBought || trialUntil === null ? undefined : { until: trialUntil, runs: now < trialUntil },
    seats: period && period.to <= now ? period.terms.seats : seatsToGive,
    seatsToGive,
    devices: period?.terms.devices ?? null,
    traffic: period ? trafficOf(period, now) : { since: 0, rated: trialTraffic },
    serverLevel: period?.terms.serverLevel ?? null,
  };
}

/** A plan's traffic is for 30 days at a time, from when it began. */
function trafficOf({ from, to, terms }: Period, now: number): TrafficAllowance {
  const passed = Math.floor((Math.min(now, to - 1) - from) / trafficPeriodMs);
  return { since: from + passed * trafficPeriodMs, rated: terms.traffic };
}

/** What was counted since then, of which only that of now counts. */
export function trafficUsed(
  { since }: TrafficAllowance,
  counted: { since: number; in: number; out: number } | undefined,
): { in: number; out: number } {
  return counted && counted.since >= since ? { in: counted.in, out: counted.out } : { in: 0, out: 0 };
}

export function isTrafficLeft(
  { rated }: Pick<TrafficAllowance, 'rated'>,
  used: { in: number; out: number },
): boolean {
  return rated === 0 || used.in + used.out < rated;
}

/** Whether a server item is offered; an account without a plan sees what it could have. */
export function isServerItemOffered(
  { plan, serverLevel }: Entitlement,
  item: { level: number; isTrial: boolean },
): boolean {
  return item.isTrial || plan === undefined || serverLevel === null || item.level <= serverLevel;
}

/** Whether a gateway of the server item is open now (specification §6). */
export function isServerItemOpen(
  entitlement: Entitlement,
  item: { level: number; isTrial: boolean },
): boolean {
  const { plan, trial } = entitlement;
  if (plan?.runs) return isServerItemOffered(entitlement, item);
  return trial?.runs === true && item.isTrial;
}

/** Members share what a payer has, and manage nothing of it. The only place that asks for their level. */
export function isMemberLevel(level: UserLevel): boolean {
  return level === 3;
}
