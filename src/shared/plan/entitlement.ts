import type { UserLevel } from '../entities.ts';
import { periodAt, seatsOf, type Period } from './ledger.ts';

/** What decides what a person may use: their own account, and the account whose plan they share. */
export interface Holding {
  /** Whether the person is a member of a payer's plan. */
  isMember: boolean;
  /** For a member, the payer; otherwise the person. */
  holder: {
    /** The periods that follow from its ledger. */
    periods: readonly Period[];
    /** Whether anything was ever granted to it; the first grant ends the trial. */
    hasBought: boolean;
    /** Milliseconds since 1970; null without a trial. */
    trialUntil: number | null;
    /** Bytes included in the trial; 0 means unlimited. */
    trialTraffic: number;
  };
}

/** Since when traffic is counted (milliseconds since 1970), and how many bytes are included; 0 means unlimited. */
export interface TrafficAllowance {
  since: number;
  rated: number;
}

/** What a person may use, and until when. Times are milliseconds since 1970. */
export interface Entitlement {
  level: UserLevel;
  /** The current plan, or the last one; undefined if there was none. `until` includes plans that wait for its end. */
  plan: { name: string; from: number; until: number; runs: boolean } | undefined;
  /** Undefined without a trial, or if a plan has replaced it. */
  trial: { until: number; runs: boolean } | undefined;
  /** Seats of the holder's plan, even if it has ended. */
  seats: number;
  /** The maximum number of members. 0 without a current plan, since a trial has no seats. */
  seatsToGive: number;
  /** How many of the person's devices may use the plan at once; null means any number. */
  devices: number | null;
  traffic: TrafficAllowance;
  /** The highest level of server items that the plan allows, even if it has ended; null means every level. */
  serverLevel: number | null;
}

const trafficPeriodMs = 30 * 24 * 3_600_000;

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

/** A plan's traffic is counted in periods of 30 days, from the plan's start. */
function trafficOf({ from, to, terms }: Period, now: number): TrafficAllowance {
  const passed = Math.floor((Math.min(now, to - 1) - from) / trafficPeriodMs);
  return { since: from + passed * trafficPeriodMs, rated: terms.traffic };
}

/** The traffic that was counted since then; only what belongs to the current period counts. */
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

/** Whether a server item is listed; an account without a plan sees what it could have. */
export function isServerItemOffered(
  { plan, serverLevel }: Entitlement,
  item: { level: number; isTrial: boolean },
): boolean {
  return item.isTrial || plan === undefined || serverLevel === null || item.level <= serverLevel;
}

/** Whether gateways of the server item let this person in now (specification §6). */
export function isServerItemOpen(
  entitlement: Entitlement,
  item: { level: number; isTrial: boolean },
): boolean {
  const { plan, trial } = entitlement;
  if (plan?.runs) return isServerItemOffered(entitlement, item);
  return trial?.runs === true && item.isTrial;
}

/** Members use what a payer has, and manage none of it. This is the only place that checks for their level. */
export function isMemberLevel(level: UserLevel): boolean {
  return level === 3;
}
