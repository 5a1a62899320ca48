import path from 'node:path';
import { readBounded } from './read-bounded.ts';

const maxIconBytes = 128 * 1024;
/** Maximum edge of a bitmap in pixels: a small file can contain an image that takes gigabytes when it is decoded. */
const maxEdge = 1024;
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** An image as a data URL; undefined if there is none, or if it is not safe to display. */
export async function readIcon(file: string): Promise<string | undefined> {
  const type = path.extname(file).toLowerCase();
  if (type !== '.png' && type !== '.svg') return undefined;
  const bytes = await readBounded(file, maxIconBytes);
  if (!bytes) return undefined;
  if (type === '.png') return isSmallPng(bytes) ? dataUrl('image/png', bytes) : undefined;
  return isPlainSvg(bytes.toString('utf8')) ? dataUrl('image/svg+xml', bytes) : undefined;
}

const dataUrl = (type: string, bytes: Buffer): string => `data:${type};base64,${bytes.toString('base64')}`;

/** The first chunk is the header with width and height (PNG specification, 11.2.2). */
function isSmallPng(bytes: Buffer): boolean {
  if (bytes.length < 33 || !bytes.subarray(0, 8).equals(pngSignature)) return false;
  const edges = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  return bytes.toString('latin1', 12, 16) === 'IHDR' && edges.every((edge) => edge > 0 && edge <= maxEdge);
}

/**
 * As an image in a page, an SVG runs no scripts and loads nothing (SVG Integration, "secure static mode"). What has to
 * be refused is exponential growth: entities of entities, and copies of copies.
 */
function isPlainSvg(text: string): boolean {
  return (
    /<svg[\s>]/.test(text) &&
    !/<!ENTITY/i.test(text) &&
    (text.match(/<(?:\w+:)?use[\s/>]/g) ?? []).length <= 64
  );
}
