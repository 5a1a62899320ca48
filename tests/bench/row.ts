/** One line of the benchmark: a figure of ours beside the same figure of a named peer, measured in one run. */
export interface Row {
  readonly name: string;
  readonly ours: number;
  readonly peer: number;
  /** The median of what ours / peer was in each turn, so that what the machine did meanwhile falls on both. */
  readonly ratio: number;
  readonly unit: string;
  readonly better: 'lower' | 'higher';
  /** How far, up or down, the ratio of another run like this one may be, with a confidence of 95 %. */
  readonly noise: number;
}

/** Some rows that are measured together. */
export interface Group {
  readonly rows: readonly string[];
  /** Measures the rows that are wanted, and those that come with them; yields each as soon as it is known. */
  measure(isWanted: (row: string) => boolean): AsyncIterable<Row>;
}

/** A row of two samples' medians; the samples were taken by turns, or the peer's is one fixed value. */
export function row(
  name: string,
  samples: { ours: readonly number[]; peer: readonly number[] },
  kind: Pick<Row, 'unit' | 'better'>,
): Row {
  const { ours, peer } = samples;
  const ratios = ours.map((value, turn) => value / (peer[turn % peer.length] ?? Number.NaN));
  return {
    name,
    ours: median(ours),
    peer: median(peer),
    ratio: median(ratios),
    ...kind,
    noise: noiseOfMedian(ratios),
  };
}

export function median(sample: readonly number[]): number {
  if (sample.length === 0) throw new Error('no median of nothing');
  const sorted = [...sample].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return Number.isInteger(middle) ? (at(middle - 1) + at(middle)) / 2 : at(Math.floor(middle));
}

/** The standard deviation, estimated so that a few outliers do not matter: 1.4826 times the median deviation. */
export function spread(sample: readonly number[]): number {
  const middle = median(sample);
  return 1.4826 * median(sample.map((value) => Math.abs(value - middle)));
}

/** Twice the standard error of a median, which is 1.2533 times that of a mean. */
function noiseOfMedian(sample: readonly number[]): number {
  return (2 * 1.2533 * spread(sample)) / Math.sqrt(sample.length);
}

/** Measures all by turns, so that whatever else the machine does falls on each; who begins changes too. */
export async function byTurns<Who extends string, Sample>(
  rounds: number,
  measure: Readonly<Record<Who, () => Promise<Sample>>>,
): Promise<Record<Who, Sample[]>> {
  const everyone = Object.keys(measure) as Who[];
  const samples = Object.fromEntries(everyone.map((who) => [who, [] as Sample[]])) as Record<Who, Sample[]>;
  for (let round = 0; round < rounds; round += 1) {
    const first = round % everyone.length;
    for (const who of [...everyone.slice(first), ...everyone.slice(0, first)]) {
      samples[who].push(await measure[who]());
    }
  }
  return samples;
}

/** Lines of a table for people: its head, and one for each row. */
export function tableOf(names: readonly string[]): { head: string; line: (row: Row) => string } {
  const width = Math.max(3, ...names.map((name) => name.length));
  const columns = (name: string, figures: readonly string[], unit: string, better: string) =>
    [name.padEnd(width), ...figures.map((text) => text.padStart(7)), unit.padEnd(6), better].join('  ');
  return {
    head: columns('row', ['ours', 'peer', 'ratio', '±'], 'unit', 'better'),
    line: ({ name, ours, peer, ratio, noise, unit, better }) =>
      columns(name, [figure(ours), figure(peer), ratio.toFixed(2), noise.toFixed(2)], unit, better),
  };
}

function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
