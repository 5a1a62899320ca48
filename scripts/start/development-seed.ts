import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { names } from '../../tests/lab/network/addresses.ts';
import type { Seed } from '../../src/service/seed.ts';

const seed: Seed = {
  serverGroups: [
    {
      id: 'starter',
      name: 'Starter',
      isTrial: true,
      items: [
        {
          id: 'starter-laboratory',
          level: 1,
          servers: [
            { serverId: 'laboratory', name: 'Laboratory', domain: names.gateway },
            {
              serverId: 'untrusted',
              name: 'Laboratory, unknown certificate',
              domain: names.untrustedGateway,
            },
          ],
        },
      ],
    },
    {
      id: 'laboratories',
      name: 'All laboratories',
      isTrial: false,
      items: [
        {
          id: 'laboratories-all',
          level: 2,
          servers: [{ serverId: 'laboratory-plan', name: 'Laboratory, with a plan', domain: names.gateway }],
        },
      ],
    },
  ],
  products: [
    {
      id: 'personal-month',
      service: 'Personal',
      titles: { en: 'Personal, one month', 'zh-hans': '个人版，一个月', 'zh-hant': '個人版，一個月' },
      days: 30,
      seats: 1,
      price: 499,
    },
    {
      id: 'family-month',
      service: 'Family',
      titles: { en: 'Family, one month', 'zh-hans': '家庭版，一个月', 'zh-hant': '家庭版，一個月' },
      days: 30,
      seats: 5,
      price: 999,
    },
    {
      id: 'family-year',
      service: 'Family',
      titles: { en: 'Family, one year', 'zh-hans': '家庭版，一年', 'zh-hant': '家庭版，一年' },
      days: 365,
      seats: 5,
      price: 8999,
    },
  ],
  plans: [
    { service: 'Personal', devices: 5, gigabytes: 200, rate: 1 },
    { service: 'Family', devices: 5, gigabytes: 'unlimited', rate: 2 },
  ],
  licenseKeys: [
    { key: 'WAYMAKER-TRY-ONE-MONTH', service: 'Personal', days: 30, seats: 1 },
    { key: 'WAYMAKER-TRY-ONE-YEAR', service: 'Family', days: 365, seats: 5 },
  ],
  routeApps: ['firefox', 'google-chrome', 'chromium', 'com.android.chrome', 'org.mozilla.firefox'],
  pageNotes: [
    {
      id: 'try-license-key',
      pageName: 'vpn-coupon-consume',
      language: null,
      title: 'Keys to try',
      htmlBody:
        '<p><code>WAYMAKER-TRY-ONE-MONTH</code> and <code>WAYMAKER-TRY-ONE-YEAR</code> work once each.</p>',
      clickAction: null,
      redisplayLockSeconds: 86_400,
    },
  ],
};

/** Writes what a new service offers in development: gateways, plans, license keys. Returns the file's path. */
export async function writeDevelopmentSeed(directory: string): Promise<string> {
  const file = path.join(directory, 'seed.json');
  await writeFile(file, JSON.stringify(seed));
  return file;
}
