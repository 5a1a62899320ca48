/** One line of the benchmark: a figure of ours beside the same figure of a named peer, measured in one run. */
export interface Row {
  readonly name: string;
  readonly ours: number;
  readonly peer: number;
  /** The median of what ours / peer was in each turn, so that what the machine did meanwhile falls on both. */
  readonly ratio: number;
  readonly unit: string;
  readonly better: 'lower' | 'higher';
}

/** A row of two samples' medians; the samples were taken by turns, or the peer's is one fixed value. */
export function row(
  name: string,
  samples: { ours: readonly number[]; peer: readonly number[] },
  kind: Pick<Row, 'unit' | 'better'>,
): Row {
  const { ours, peer } = samples;
  const ratios = ours.map((value, turn) => value / (peer[turn % peer.length] ?? Number.NaN));
  return { name, ours: median(ours), peer: median(peer), ratio: median(ratios), ...kind };
}

export function median(sample: readonly number[]): number {
  if (sample.length === 0) throw new Error('no median of nothing');
  const sorted = [...sample].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return Number.isInteger(middle) ? (at(middle - 1) + at(middle)) / 2 : at(Math.floor(middle));
}

/** Measures both by turns, so that whatever else the machine does falls on both; who begins changes too. */
export async function byTurns<Sample>(
  rounds: number,
  measure: { ours: () => Promise<Sample>; peer: () => Promise<Sample> },
): Promise<{ ours: Sample[]; peer: Sample[] }> {
  const samples: { ours: Sample[]; peer: Sample[] } = { ours: [], peer: [] };
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? (['ours', 'peer'] as const) : (['peer', 'ours'] as const);
    for (const who of order) samples[who].push(await measure[who]());
  }
  return samples;
}

/** The rows as a table for people. */
export function table(rows: readonly Row[]): string {
  const cells = [
    ['row', 'ours', 'peer', 'ratio', 'unit', 'better'],
    ...rows.map(({ name, ours, peer, ratio, unit, better }) => [
      name,
      figure(ours),
      figure(peer),
      ratio.toFixed(2),
      unit,
      better,
    ]),
  ];
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((line) => line[column]?.length ?? 0)),
  );
  return cells
    .map((line) =>
      line
        .map((cell, column) =>
          [1, 2, 3].includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
