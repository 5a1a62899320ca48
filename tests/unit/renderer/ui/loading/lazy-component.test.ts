import { createElement, Suspense, type ComponentType } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import { lazyComponent } from '../../../../../src/renderer/ui/loading/lazy-component.ts';

const Greeting: ComponentType<{ name: string }> = ({ name }) => `Hello ${name}`;
const render = (Page: ComponentType<{ name: string }>) =>
  renderToString(createElement(Suspense, { fallback: 'loading' }, createElement(Page, { name: 'Ada' })));

test('a page that was loaded before is there at once', async () => {
  const Page = lazyComponent(() => Promise.resolve(Greeting));
  await Page.preload();
  expect(render(Page)).toContain('Ada');
});

test('a page that was not loaded before is loaded when it is to be shown', () => {
  const load = vi.fn(() => Promise.resolve(Greeting));
  const Page = lazyComponent(load);
  expect(load).not.toHaveBeenCalled();
  expect(render(Page)).toContain('loading');
  expect(load).toHaveBeenCalledOnce();
});

test('a failure to load it before is no failure: it is tried again when it is to be shown', async () => {
  const load = vi.fn(() => Promise.reject(new Error('offline')));
  const Page = lazyComponent<{ name: string }>(load);
  await Page.preload();
  expect(render(Page)).toContain('loading');
  expect(load).toHaveBeenCalledTimes(2);
});
