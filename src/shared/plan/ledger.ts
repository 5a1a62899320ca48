/**
 * The arithmetic of plans. What an account was granted is a ledger that only grows; what it may use, and when, follows
 * from it. Times are milliseconds since 1970.
 */

/** What a plan allows while it runs. */
export interface PlanTerms {
  /** The plan's name. */
  plan: string;
  /** Members that a payer can have. */
  seats: number;
  /** The highest level of a server item that may be used; null: every level. */
  serverLevel: number | null;
  /** Devices of each person that may use it at once; null: any number. */
  devices: number | null;
  /** Bytes for every 30 days of it; 0: unlimited. */
  traffic: number;
  /** What a day of it is worth beside other plans: the stated rate by which time left is converted. Positive. */
  rate: number;
}

/** So many days of a plan, from an order or a license key. `members` is what the account had then. */
export interface Grant extends PlanTerms {
  id: string;
  kind: 'grant';
  at: number;
  durationMs: number;
  members: number;
}

/**
 * A refund or a dispute; it may come before its grant. `share`, 0 to 1, is how much of what was granted is taken back
 * altogether: less than before if a dispute was won.
 */
export interface Revocation {
  kind: 'revocation';
  grant: string;
  at: number;
  share: number;
  members: number;
}

export type LedgerEntry = Grant | Revocation;

/** A time in which one plan runs, without a gap to the next one unless all had ended. `to` is not in it. */
export interface Period {
  terms: PlanTerms;
  from: number;
  to: number;
  /** The grants that it is made of, the oldest first. */
  grants: readonly string[];
}

/** Rates in the arithmetic are this much finer than the stated ones. */
const rateScale = 1_000_000n;
const shareScale = 1_000_000_000_000;

/** Of a grant, what is left and what was taken back; a value is a time multiplied by a rate. */
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
 * The periods, in their order, that a ledger makes. It is in the order in which its entries came.
 *
 * A grant that is worth as much a day as the plan that runs, or more, holds at once: what is left of that plan is
 * converted, at the stated rates, into time of the new one. One that is worth less waits until what is worth more has
 * ended. Time is taken from the oldest grant first. A revocation takes what is left of its grant, at most its share of
 * what was granted; grants that were converted into it get their own plan back. Nothing else changes what a grant is
 * worth.
 */
export function periodsOf(ledger: readonly LedgerEntry[]): Period[] {
  const periods: Period[] = [];
  let runs: Run[] = [];
  let now = -Infinity;
  let from = -Infinity;
  let grants = new Set<string>();
  /** A plan that ended when it began, which leaves no period behind unless it was the last. */
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

  /** In the order in which they run; what is used up comes last, as it would be put back if a dispute was won. */
  function linesInOrder(): Line[] {
    const running = runs.flatMap((run) => run.lines.filter(({ left }) => left > 0n));
    return [...running, ...lines.filter((line) => !running.includes(line))];
  }

  /** The runs become others; a period ends unless the one that runs keeps its terms. */
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
    // A clock that was set back moves nothing that has been.
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

/** The plan that runs, or else the last that did; undefined where there was none. */
export function periodAt(periods: readonly Period[], now: number): Period | undefined {
  return periods.findLast(({ from }) => from <= now);
}

/**
 * How many members an account may have: what it has now, or will have in a plan that waits, as nobody is to be without
 * a seat when that one begins. None while no plan runs: a trial has no seats to give.
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

/** Seats are never below members: those that a plan does not have cost what its others do, and it ends sooner. */
function runOf(line: Line, members: number): Run {
  const { plan, seats, serverLevel, devices, traffic, rate } = line.grant;
  const terms = { plan, seats: Math.max(seats, members), serverLevel, devices, traffic, rate };
  const perSeat = (BigInt(rate) * rateScale) / BigInt(Math.max(seats, 1));
  const exact = terms.seats === seats ? BigInt(rate) * rateScale : perSeat * BigInt(terms.seats);
  return { terms, rate: exact, lines: [line] };
}

/** What was used stays used, whatever the share is. */
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
