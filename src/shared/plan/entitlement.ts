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
  /** The plan that runs, or ran last; undefined: there was none. */
  plan: { name: string; from: number; until: number; runs: boolean } | undefined;
  /** Undefined: there is no trial, or a plan took its place. */
  trial: { until: number; runs: boolean } | undefined;
  /** Members that the holder of the plan may have. */
  seats: number;
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
  return {
    level: isMember ? 3 : hasBought ? 2 : 1,
    plan: period && {
      name: period.terms.plan,
      from: period.from,
      until: period.to,
      runs: now < period.to,
    },
    trial: hasBought || trialUntil === null ? undefined : { until: trialUntil, runs: now < trialUntil },
    seats: seatsOf(periods, now),
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

/** Whether a server item is offered; an account without a plan sees what it could have. */
export function isServerItemOffered(
  { plan, serverLevel }: Entitlement,
  item: { level: number; isTrial: boolean },
): boolean {
  return item.isTrial || plan === undefined || serverLevel === null || item.level <= serverLevel;
}

/** Whether a gateway of the server item is open now, and if so until when (milliseconds since 1970). */
export function openUntil(
  entitlement: Entitlement,
  item: { level: number; isTrial: boolean },
): number | undefined {
  const { plan, trial } = entitlement;
  if (plan?.runs) return isServerItemOffered(entitlement, item) ? plan.until : undefined;
  return trial?.runs && item.isTrial ? trial.until : undefined;
}

/** Members share what a payer has, and manage nothing of it. The only place that asks for their level. */
export function isMemberLevel(level: UserLevel): boolean {
  return level === 3;
}
