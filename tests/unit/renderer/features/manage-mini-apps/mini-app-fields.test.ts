import { describe, expect, test } from 'vitest';
import {
  emptyMiniAppFields,
  fieldsOf,
  readMiniAppFields,
  type MiniAppFields,
} from '../../../../../src/renderer/features/manage-mini-apps/mini-app-fields.ts';

const wiki: MiniAppFields = {
  ...emptyMiniAppFields,
  name: 'Wiki',
  link: 'https://wiki.example.com',
  priority: '40',
};
const errorsOf = (changed: Partial<MiniAppFields>) => {
  const read = readMiniAppFields({ ...wiki, ...changed });
  return read.ok ? {} : read.errors;
};

describe('what stands in the form of an app entry', () => {
  test('makes an entry', () => {
    expect(readMiniAppFields({ ...wiki, name: ' Wiki ', link: ' https://wiki.example.com ' })).toEqual({
      ok: true,
      draft: {
        name: 'Wiki',
        type: 'browser',
        link: 'https://wiki.example.com',
        icon: '',
        priority: 40,
        requireLabels: [],
      },
    });
  });

  test('is what the entry was made of', () => {
    const draft = {
      name: 'Wiki',
      type: 'native',
      link: 'http://wiki.example.com',
      icon: 'data:image/png;base64,AAAA',
      priority: 7,
      requireLabels: ['staff'],
    } as const;
    const read = readMiniAppFields(fieldsOf({ id: '1', ...draft, requireLabels: [...draft.requireLabels] }));
    expect(read).toEqual({ ok: true, draft });
  });

  test('a label that was typed last counts, once', () => {
    const labels = (newLabel: string) => {
      const read = readMiniAppFields({ ...wiki, requireLabels: ['staff'], newLabel });
      return read.ok && read.draft.requireLabels;
    };
    expect(labels(' berlin ')).toEqual(['staff', 'berlin']);
    expect(labels('staff')).toEqual(['staff']);
    expect(labels('  ')).toEqual(['staff']);
    expect(labels('berlin, ops,staff')).toEqual(['staff', 'berlin', 'ops']);
    expect(labels('柏林，运维、')).toEqual(['staff', '柏林', '运维']);
  });
});

describe('the rules of specification §5', () => {
  test.each(['', '   '])('%j is no name', (name) => {
    expect(errorsOf({ name })).toEqual({ name: 'appForm.nameMissing' });
  });
  test.each([
    '',
    'wiki.example.com',
    'ftp://wiki.example.com',
    'javascript:alert(1)',
    'http',
    'http://',
    'https-wiki',
  ])('%j is no link', (link) => expect(errorsOf({ link })).toEqual({ link: 'appForm.linkInvalid' }));
  test.each(['http://wiki.example.com', 'https://wiki.example.com/a b'])('%j is a link', (link) =>
    expect(errorsOf({ link })).toEqual({}),
  );
  test.each(['', ' ', '-1', '101', '1.5', '1e1', '0x10', 'ten', '∞'])('%j is no priority', (priority) => {
    expect(errorsOf({ priority })).toEqual({ priority: 'appForm.priorityRange' });
  });
  test.each(['0', '40', '100', ' 7 '])('%j is a priority', (priority) => {
    expect(errorsOf({ priority })).toEqual({});
  });
  test.each(['https://example.com/icon.png', 'data:image/svg+xml;base64,AAAA', 'javascript:alert(1)'])(
    '%j is no icon',
    (icon) => expect(errorsOf({ icon })).toEqual({ icon: 'appForm.iconUnreadable' }),
  );
  test('everything that is wrong is told at once', () => {
    expect(Object.keys(errorsOf({ name: '', link: '', priority: '' })).sort()).toEqual([
      'link',
      'name',
      'priority',
    ]);
  });
});

test.each(['40', ' 40 ', '４０', '\u0664\u0660', '40\u200b'])('%j is a priority', (priority) => {
  const read = readMiniAppFields({ ...wiki, priority });
  expect(read.ok && read.draft.priority).toBe(40);
});
