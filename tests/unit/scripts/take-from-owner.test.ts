import { chown, lstat, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { takeFromOwner } from '../../../scripts/start/desktop-app.ts';
import { controlPlace } from '../../../src/main/control/control-place.ts';

const isRoot = process.getuid?.() === 0;

test.runIf(isRoot)(
  "the app starts as root where its folder was given back to the clone's owner",
  async () => {
    const profile = await mkdtemp(path.join(tmpdir(), 'waymaker-'));
    try {
      await takeFromOwner(profile);
      const control = path.join(profile, 'control');
      await mkdir(control, { mode: 0o700 });
      await chown(control, 54_321, 54_321);
      await takeFromOwner(profile);
      expect((await lstat(control)).uid).toBe(0);
      expect(() => controlPlace(profile, { env: {}, platform: process.platform })).not.toThrow();
    } finally {
      await rm(profile, { recursive: true });
    }
  },
);
