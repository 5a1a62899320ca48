/**
 * The arithmetic of plans. An account's grants form a ledger that only grows; what the account may use, and when, is
 * computed from it. Times are milliseconds since 1970.
 */

/** What a plan allows while it runs. */
export interface PlanTerms {
  /** The plan's name. */
  plan: string;
  /** The maximum number of members. */
  seats: number;
  /** The highest level of server items that may be used; null means every level. */
  serverLevel: number | null;
  /** How many devices of each person may use it at once; null means any number. */
  devices: number | null;
  /** Bytes for every 30 days; 0 means unlimited. */
  traffic: number;
  /** The value of one day relative to other plans: the stated rate at which time left is converted. Positive. */
  rate: number;
}

/** A number of days of a plan, from an order or a license key. `members` is the number of members at that time. */
export interface Grant extends PlanTerms {
  id: string;
  kind: 'grant';
  at: number;
  durationMs: number;
  members: number;
}

/**
 * A refund or a dispute; it may come before its grant. `share`, 0 to 1, is the total part of the grant that is taken
 * back; it is smaller than before if a dispute was won.
 */
export interface Revocation {
  kind: 'revocation';
  grant: string;
  at: number;
  share: number;
  members: number;
}

export type LedgerEntry = Grant | Revocation;

/**
 * A time in which one plan runs. The next period follows without a gap, unless all plans had ended. `to` is exclusive.
 */
export interface Period {
  terms: PlanTerms;
  from: number;
  to: number;
  /** The grants that it consists of, oldest first. */
  grants: readonly string[];
}

/** The arithmetic uses rates with this many times the precision of the stated ones. */
const rateScale = 1_000_000n;
const shareScale = 1_000_000_000_000;

/** What is left of a grant, and what was taken back; a value is a time multiplied by a rate. */
interface Line {
  grant: Grant;
  left: bigint;
  takenBack: bigint;
}

/** Lines that run together, under the terms of the one that was added last. */
interface Run {
  terms: PlanTerms;
  rate: bigint;
  lines: Line[];
}

/**
 * The periods that follow from a ledger, in order. The ledger is in the order in which its entries arrived.
 *
 * A grant whose daily value is at least that of the current plan starts at once: what is left of that plan is converted
 * into time of the new one, at the stated rates. A grant that is worth less waits until the plans that are worth more
 * have ended. Time is used from the oldest grant first. A revocation takes what is left of its grant, up to its share
 * of the whole grant; grants that were converted into it get their own plan back. Nothing else changes the value of a
 * grant.
 */
export function periodsOf(ledger: readonly LedgerEntry[]): Period[] {
  const periods: Period[] = [];
  let runs: Run[] = [];
  let now = -Infinity;
  let from = -Infinity;
  let grants = new Set<string>();
  /** A plan that ended at the moment when it began; it leaves no period unless it was the last. */
  let instant: Period | undefined;
  const lines: Line[] = [];
  const shares = new Map<string, number>();

  function close(run: Run | undefined, to: number): void {
    if (!run) return;
    const period = { terms: run.terms, from, to, grants: [...grants] };
    if (to > from) periods.push(period);
    else instant = period;
  }

  function begin(at: number): void {
    from = at;
    grants = new Set(runs[0]?.lines.map(({ grant }) => grant.id));
  }

  function advance(to: number): void {
    for (let [first] = runs; first; [first] = runs) {
      const end = now + Number(valueOf(first) / first.rate);
      if (end > to) {
        take(first, BigInt(to - now) * first.rate);
        break;
      }
      take(first, valueOf(first));
      close(first, end);
      runs.shift();
      now = end;
      begin(end);
    }
    now = to;
  }

  /** In the order in which they run. Used-up ones come last, where they would be put back if a dispute was won. */
  function linesInOrder(): Line[] {
    const running = runs.flatMap((run) => run.lines.filter(({ left }) => left > 0n));
    return [...running, ...lines.filter((line) => !running.includes(line))];
  }

  /** Replaces the runs; the current period ends unless the current run keeps its terms. */
  function replace(next: Run[]): void {
    const [before] = runs;
    const [after] = next;
    runs = next;
    if (before && after && sameTerms(before.terms, after.terms)) {
      for (const { grant } of after.lines) grants.add(grant.id);
      return;
    }
    close(before, now);
    begin(now);
  }

  for (const entry of ledger) {
    // If the clock was set back, the past does not change.
    advance(Math.max(entry.at, now));
    if (entry.kind === 'grant') {
      const line = { grant: entry, left: worth(entry), takenBack: 0n };
      lines.push(line);
      takeBack(line, shares.get(entry.id) ?? 0);
      if (line.left > 0n) replace(place(runs, line, entry.members));
    } else {
      shares.set(entry.grant, entry.share);
      const order = linesInOrder();
      const line = lines.find(({ grant }) => grant.id === entry.grant);
      if (!line) continue;
      takeBack(line, entry.share);
      const left = order.filter((one) => one.left > 0n);
      replace(left.reduce<Run[]>((placed, one) => place(placed, one, entry.members), []));
    }
  }
  advance(Infinity);
  if (instant && instant.from >= (periods.at(-1)?.to ?? -Infinity)) periods.push(instant);
  return periods;
}

/** The plan that runs, or else the last one that did; undefined if there was none. */
export function periodAt(periods: readonly Period[], now: number): Period | undefined {
  return periods.findLast(({ from }) => from <= now);
}

/**
 * How many members an account may have: the seats that it has now, or fewer if a waiting plan has fewer, so that nobody
 * is without a seat when that plan starts. 0 while no plan runs, since a trial has no seats.
 */
export function seatsOf(periods: readonly Period[], now: number): number {
  const current = periods.find(({ from, to }) => from <= now && now < to);
  if (!current) return 0;
  return Math.min(...periods.filter(({ to }) => to > now).map(({ terms }) => terms.seats));
}

const worth = ({ durationMs, rate }: Grant) => BigInt(durationMs) * BigInt(rate) * rateScale;
const valueOf = ({ lines }: Run) => lines.reduce((sum, { left }) => sum + left, 0n);

function place([first, ...rest]: readonly Run[], line: Line, members: number): Run[] {
  const own = runOf(line, members);
  if (!first) return [own];
  if (own.rate < first.rate) return [first, ...place(rest, line, members)];
  return [{ ...own, lines: [...first.lines, line] }, ...rest];
}

/**
 * There are never fewer seats than members. Seats that a plan does not include cost as much as its others, so it ends
 * sooner.
 */
function runOf(line: Line, members: number): Run {
  const { plan, seats, serverLevel, devices, traffic, rate } = line.grant;
  const terms = { plan, seats: Math.max(seats, members), serverLevel, devices, traffic, rate };
  const perSeat = (BigInt(rate) * rateScale) / BigInt(Math.max(seats, 1));
  const exact = terms.seats === seats ? BigInt(rate) * rateScale : perSeat * BigInt(terms.seats);
  return { terms, rate: exact, lines: [line] };
}

/** Time that was used stays used, whatever the share. */
function takeBack(line: Line, share: number): void {
  const available = line.left + line.takenBack;
  const wanted = (worth(line.grant) * BigInt(Math.round(share * shareScale))) / BigInt(shareScale);
  line.takenBack = wanted < available ? wanted : available;
  line.left = available - line.takenBack;
}

function take(run: Run, value: bigint): void {
  let wanted = value;
  for (const line of run.lines) {
    const taken = line.left < wanted ? line.left : wanted;
    line.left -= taken;
    wanted -= taken;
  }
  run.lines = run.lines.filter(({ left }) => left > 0n);
}

function sameTerms(one: PlanTerms, other: PlanTerms): boolean {
  return (
    one.plan === other.plan &&
    one.seats === other.seats &&
    one.serverLevel === other.serverLevel &&
    one.devices === other.devices &&
    one.traffic === other.traffic &&
    one.rate === other.rate
  );
}
