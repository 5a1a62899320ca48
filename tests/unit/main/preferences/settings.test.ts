import { expect, test } from 'vitest';
import { readDeviceId } from '../../../../src/main/session/device.ts';
import { createSettings } from '../../../../src/main/preferences/settings.ts';
import { createTestFile } from '../support/key-value-file.ts';

test('a damaged setting is as if it were absent', () => {
  const settings = createSettings(createTestFile({ deviceId: 7, killSwitch: 'yes', gatewayPins: [] }));
  expect(settings.get('deviceId')).toBeUndefined();
  expect(settings.get('killSwitch')).toBe(false);
  expect(settings.get('gatewayPins')).toEqual({});
});

test('on a disk that takes nothing, a setting holds until the app ends', () => {
  const file = createTestFile();
  file.broken = true;
  const settings = createSettings(file);
  expect(settings.set('killSwitch', true)).toBe(false);
  expect(settings.get('killSwitch')).toBe(true);
  expect(readDeviceId(settings)).toBe(readDeviceId(settings));
});

test('a trusted network whose name is damaged does not take the others with it', () => {
  const settings = createSettings(createTestFile({ trustedNetworks: ['686f6d65', 'HOME', 7, null, 'ff'] }));
  expect(settings.get('trustedNetworks')).toEqual(['686f6d65', 'ff']);
  const many = createSettings(createTestFile({ trustedNetworks: Array.from({ length: 500 }, () => 'ff') }));
  expect(many.get('trustedNetworks')).toHaveLength(100);
});
