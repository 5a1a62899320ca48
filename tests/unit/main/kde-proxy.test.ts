import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { endProcess, eventually } from '../../lab/process.ts';
import { startDesktopSession, startSystemProxy, type DesktopSession } from './support/desktop-session.ts';
import { createTestFile } from './support/key-value-file.ts';
