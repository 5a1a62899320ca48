import type { ServerGroup } from '#shared/entities.ts';

/** Where a large operator has servers. */
const places = [
  ['AT', 'Vienna'],
  ['AU', 'Sydney'],
  ['BE', 'Brussels'],
  ['BR', 'São Paulo'],
  ['CA', 'Toronto'],
  ['CH', 'Zürich'],
  ['CL', 'Santiago'],
  ['CZ', 'Prague'],
  ['DE', 'Frankfurt'],
  ['DK', 'Copenhagen'],
  ['ES', 'Madrid'],
  ['FI', 'Helsinki'],
  ['FR', 'Paris'],
  ['GB', 'London'],
  ['GR', 'Athens'],
  ['HK', 'Hong Kong'],
  ['IE', 'Dublin'],
  ['IN', 'Mumbai'],
  ['IT', 'Milan'],
  ['JP', 'Tokyo'],
  ['KR', 'Seoul'],
  ['MX', 'Querétaro'],
  ['NL', 'Amsterdam'],
  ['NO', 'Oslo'],
  ['NZ', 'Auckland'],
  ['PL', 'Warsaw'],
  ['PT', 'Lisbon'],
  ['SE', 'Stockholm'],
  ['SG', 'Singapore'],
  ['TW', 'Taipei'],
  ['US', 'New York'],
  ['ZA', 'Johannesburg'],
] as const;

/** So many servers of one plan, spread over the world. */
export function manyServers(count: number): ServerGroup {
  const servers = Array.from({ length: count }, (_, index) => {
    const [country, city] = places[index % places.length] ?? places[0];
    const number = Math.floor(index / places.length) + 1;
    return {
      serverId: `server-${index}`,
      name: `${city} ${number}`,
      domain: `gw${index}.example.net`,
      country,
      city,
      load: (index % 20) / 20,
    };
  });
  return {
    id: 'family',
    name: 'Family',
    isTrial: false,
    trialExpiredAt: null,
    items: [{ id: 'all', level: 1, servers }],
  };
}
