import { expect, test } from 'vitest';
import { describeDevice } from '../../../../src/main/session/device.ts';

test.each([
  ['', 'zh-cn'],
  ['de-CH', 'de-CH'],
])("spec §9: default device language zh-cn: of '%s' it is %s", (lang, told) => {
  expect(describeDevice({ version: '1.0.0', lang }).lang).toBe(told);
});
