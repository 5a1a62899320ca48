import { describe, expect, test } from 'vitest';
import { structure } from '#node/os/windows/structure.ts';
import { constants, elsewhere, identifiers, structures } from './compared.ts';
import { compareWithHeaders, identifierInHeaders, isInHeaders } from './windows-headers.ts';

// The compiler is one of Debian's packages.
describe.skipIf(process.platform !== 'linux')("Windows' headers", () => {
  test('every structure and constant of the calls is as in the headers', () => {
    const { compared, differences } = compareWithHeaders(structures, constants);
    expect(differences).toEqual([]);
    expect(structures).toHaveLength(67);
    expect(compared).toBeGreaterThan(600);
  });

  test('every identifier is as in the headers', () => {
    for (const [name, value] of Object.entries(identifiers)) expect(identifierInHeaders(name)).toBe(value);
    expect(identifierInHeaders('FOLDERID_None')).toBeUndefined();
  });

  test('a member in the wrong place, a wrong width and a wrong constant are found', () => {
    const wrong = structure('FWP_V4_ADDR_AND_MASK', { mask: 'uint32', addr: 'uint64' });
    expect(compareWithHeaders([wrong], [{ ERROR_NOT_FOUND: 2 }, { HKEY_USERS: -1 }]).differences).toEqual([
      'size of FWP_V4_ADDR_AND_MASK: 16, in the headers 8',
      'place of FWP_V4_ADDR_AND_MASK.mask: 0, in the headers 4',
      'place of FWP_V4_ADDR_AND_MASK.addr: 8, in the headers 0',
      'size of FWP_V4_ADDR_AND_MASK.addr: 8, in the headers 4',
      'ERROR_NOT_FOUND: 2, in the headers 1168',
      'HKEY_USERS: 18446744073709551615, in the headers 18446744071562067971',
    ]);
  });

  test('only what the headers lack is taken from elsewhere', () => {
    const names = [...elsewhere.flatMap((list) => Object.keys(list)), 'DnsFlushResolverCache'];
    expect(names.filter(isInHeaders)).toEqual([]);
    expect(['FwpmFilterAdd0', 'FWP_CONDITION_FLAG_IS_LOOPBACK'].filter(isInHeaders)).toHaveLength(2);
  });
});
