import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readDictionary, writeDictionary } from '../../../../helper/macos/dns/property-list.ts';

test('resolvers are read as configd writes them', () => {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
\t<key>ServerAddresses</key>
\t<array>
\t\t<string>192.168.1.1</string>
\t\t<string>fe80::1%en0</string>
\t</array>
\t<key>DomainName</key>
\t<string>a&amp;b.example</string>
\t<key>ServerPort</key>
\t<integer>53</integer>
\t<key>__FLAGS__</key>
\t<dict>
\t\t<key>ServerAddresses</key>
\t\t<string>nested</string>
\t</dict>
\t<key>ConfirmedServiceID</key>
\t<true/>
\t<key>Empty</key>
\t<array/>
</dict>
</plist>`;
  expect({ ...readDictionary(xml) }).toEqual({
    ServerAddresses: ['192.168.1.1', 'fe80::1%en0'],
    DomainName: 'a&b.example',
    ServerPort: 53,
    __FLAGS__: undefined,
    ConfirmedServiceID: true,
    Empty: [],
  });
});

test('anything but a dictionary is read as undefined', () => {
  expect(readDictionary('<plist version="1.0"><array><string>x</string></array></plist>')).toBeUndefined();
  expect(readDictionary('')).toBeUndefined();
  expect(readDictionary('bplist00')).toBeUndefined();
});

test('what was written is read again, whatever is in it', () => {
  // XML has no other control characters.
  const text = fc.string({ unit: 'grapheme' }).map((one) => one.replace(/\p{Cc}/gu, ''));
  const key = fc.string({ unit: fc.constantFrom('a', 'b', 'X', 'Y', '_'), minLength: 1 });
  fc.assert(
    fc.property(
      fc.dictionary(key, fc.oneof(text, fc.boolean(), fc.array(text)), { noNullPrototype: true }),
      (values) => {
        expect({ ...readDictionary(writeDictionary(values)) }).toEqual(values);
      },
    ),
  );
});
