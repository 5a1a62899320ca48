import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servePage } from '../../../../src/main/page/page-files.ts';

let folder: string;
let root: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymaker-pages-'));
  root = path.join(folder, 'renderer');
  await mkdir(path.join(root, 'assets'), { recursive: true });
  await mkdir(path.join(folder, 'renderer-private'));
  await writeFile(path.join(root, 'index.html'), 'the index');
  await writeFile(path.join(root, 'assets/app.js'), 'the script');
  await writeFile(path.join(folder, 'secret.txt'), 'secret');
  await writeFile(path.join(folder, 'renderer-private/secret.txt'), 'secret');
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

const get = (url: string, method = 'GET') =>
  servePage({ root, reportOrigin: undefined, probePages: [] }, { method, url });

describe('the app’s own pages', () => {
  test.each(['/', '/dashboard', '/auth-verify?email=a%40b.co&authId=1', '/apps/7'])(
    '%s is the index',
    async (page) => {
      const response = await get(`waymaker://app${page}`);
      expect(await response.text()).toBe('the index');
      expect(response.headers.get('content-type')).toContain('text/html');
    },
  );

  test('files come with their type', async () => {
    const response = await get('waymaker://app/assets/app.js');
    expect(await response.text()).toBe('the script');
    expect(response.headers.get('content-type')).toContain('text/javascript');
  });

  test('a missing file is missing, not the index', async () => {
    expect((await get('waymaker://app/assets/gone.js')).status).toBe(404);
  });

  test.each([
    'waymaker://app/../secret.txt',
    'waymaker://app/%2e%2e/secret.txt',
    'waymaker://app/%2e%2e%2fsecret.txt',
    'waymaker://app/..%5csecret.txt',
    'waymaker://app/assets/..%2f..%2fsecret.txt',
    'waymaker://app/%2fetc%2fhosts.txt',
    'waymaker://app/..%2frenderer-private%2fsecret.txt',
    'waymaker://app/secret.txt%00.js',
    'waymaker://app/%ff.txt',
    'waymaker://other/index.html',
    'not a url',
  ])('%s is not found', async (url) => {
    const response = await get(url);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('secret');
  });

  test('nothing but GET and HEAD is answered', async () => {
    expect((await get('waymaker://app/', 'POST')).status).toBe(405);
    const head = await get('waymaker://app/', 'HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('the policy allows no foreign script, frame, form or base', async () => {
    const policy = (await get('waymaker://app/')).headers.get('content-security-policy') ?? '';
    const directives = new Map(policy.split('; ').map((directive) => [directive.split(' ')[0], directive]));
    expect(directives.get('default-src')).toBe("default-src 'none'");
    expect(directives.get('script-src')).toBe("script-src 'self'");
    expect(directives.get('connect-src')).toBe("connect-src 'self'");
    for (const name of ['form-action', 'base-uri', 'frame-ancestors']) {
      expect(directives.get(name)).toBe(`${name} 'none'`);
    }
  });

  test('reports may go to the address of a build that has one, and there only', async () => {
    const pages = { root, reportOrigin: 'https://reports.example', probePages: [] };
    const { headers } = await servePage(pages, { method: 'GET', url: 'waymaker://app/' });
    expect(headers.get('content-security-policy')).toContain("connect-src 'self' https://reports.example;");
  });

  test('hidden frames are for the pages that the service named, and for none before', async () => {
    const policyWith = async (probePages: readonly string[]) => {
      const pages = { root, reportOrigin: undefined, probePages };
      const { headers } = await servePage(pages, { method: 'GET', url: 'waymaker://app/' });
      return headers.get('content-security-policy');
    };
    expect(await policyWith([])).toContain("object-src 'none'; frame-src 'none';");
    const named = 'https://probe.example/a https://probe.example/b';
    expect(await policyWith(named.split(' '))).toContain(`object-src ${named}; frame-src ${named};`);
  });
});
