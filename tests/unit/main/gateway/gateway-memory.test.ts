import { expect, test } from 'vitest';
import { createTestMemory } from '../support/memory.ts';

const entry = { host: 'entry.example.net', port: 443 };
const member = { host: 'member.example.net', port: 4443 };

test('what is chosen for a gateway holds where it redirects to, and the user knows that one by it', () => {
  const memory = createTestMemory();
  memory.rememberRedirect(entry, member, '/in');
  expect(memory.listed(member)).toEqual(entry);
  expect(memory.path(member)).toBe('/in');
  memory.setGroup(member, { value: 'a', label: 'A' });
  memory.setCertificate(entry, 'pem');
  expect(memory.group(entry)).toEqual({ value: 'a', label: 'A' });
  expect(memory.certificate(member)).toBe('pem');
});

test('a gateway that the user goes to by itself is no other’s member any more', () => {
  const memory = createTestMemory();
  memory.setCertificate(entry, 'pem');
  memory.rememberRedirect(entry, member, '/');
  memory.setPath(member, '/');
  expect(memory.listed(member)).toEqual(member);
  expect(memory.certificate(member)).toBeUndefined();
});

test('a group is one of those that the path offers', () => {
  const memory = createTestMemory();
  expect(memory.setPath(entry, '/')).toBe(false);
  memory.setGroup(entry, { value: 'a', label: 'A' });
  expect(memory.setPath(entry, '/')).toBe(false);
  expect(memory.group(entry)).toBeDefined();
  expect(memory.setPath(entry, '/sales')).toBe(true);
  expect(memory.group(entry)).toBeUndefined();
});

test('names are compared as the internet does', () => {
  const memory = createTestMemory();
  memory.setRead({ ...entry, host: 'Entry.Example.NET' }, 'text');
  expect(memory.hasRead(entry, 'text')).toBe(true);
  expect(memory.hasRead(entry, 'another')).toBe(false);
  expect(memory.hasRead({ ...entry, host: 'constructor' }, 'text')).toBe(false);
});

test('the next user gets nothing that this one chose or read, and what gateways are like stays', () => {
  const memory = createTestMemory();
  memory.rememberRedirect(entry, member, '/in');
  memory.setGroup(entry, { value: 'a', label: 'A' });
  memory.setCertificate(entry, 'pem');
  memory.setWantsCertificate(entry);
  memory.setRead(member, 'text');
  memory.setAgent(member, 'compatible');
  expect(memory.withCertificate()).toEqual(['entry.example.net']);
  memory.forgetUser();
  expect(memory.group(entry)).toBeUndefined();
  expect(memory.certificate(entry)).toBeUndefined();
  expect(memory.withCertificate()).toEqual([]);
  expect(memory.hasRead(member, 'text')).toBe(false);
  expect(memory.path(member)).toBe('/in');
  expect(memory.listed(member)).toEqual(entry);
  expect(memory.wantsCertificate(entry)).toBe(true);
  expect(memory.agent(member)).toBe('compatible');
});

test('a gateway that the user goes to by itself keeps its group when another one redirects to it', () => {
  const memory = createTestMemory();
  memory.setPath(member, '/sales');
  memory.setGroup(member, { value: 'b', label: 'B' });
  memory.rememberRedirect(entry, member, '/in');
  expect(memory.group(member)).toBeUndefined();
  // What was prepared there since began elsewhere.
  expect(memory.setPath(member, '/sales')).toBe(true);
  expect([memory.path(member), memory.group(member)?.value]).toEqual(['/sales', 'b']);
  expect(memory.setPath(member, '/sales')).toBe(false);
});

test('members of a cluster come and go, and what the user has chosen elsewhere stays', () => {
  const memory = createTestMemory();
  memory.setCertificate(entry, 'pem');
  memory.setGroup(entry, { value: 'a', label: 'A' });
  for (let number = 0; number < 200; number += 1)
    memory.rememberRedirect(entry, { ...member, host: `node-${number}.example.net` }, '/in');
  expect([memory.certificate(entry), memory.group(entry)?.value]).toEqual(['pem', 'a']);
  expect(memory.listed({ ...member, host: 'node-199.example.net' })).toEqual(entry);
});
