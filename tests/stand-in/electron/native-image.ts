import type Electron from 'electron';
import { strict } from './strict.ts';

type Implemented = Pick<
  Electron.NativeImage,
  'addRepresentation' | 'setTemplateImage' | 'isTemplateImage' | 'isEmpty' | 'toDataURL'
>;

const prefix = 'data:image/png;base64,';
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Width and height of a PNG (its IHDR chunk stands first); undefined if it is none, as which Electron takes it
 * silently.
 */
function sizeOf(url: string): [number, number] | undefined {
  const bytes = url.startsWith(prefix) ? Buffer.from(url.slice(prefix.length), 'base64') : Buffer.alloc(0);
  return bytes.subarray(0, 8).equals(signature)
    ? [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
    : undefined;
}

class NativeImage implements Implemented {
  private isTemplate = false;
  private readonly url: string;

  constructor(url: string) {
    this.url = url;
  }
  addRepresentation = ({ scaleFactor = 1, dataURL = '' }: Electron.AddRepresentationOptions): void => {
    const [own, other] = [sizeOf(this.url), sizeOf(dataURL)];
    if (!own || !other || other[0] !== own[0] * scaleFactor || other[1] !== own[1] * scaleFactor)
      throw new Error(`stand-in: this is no picture of ${scaleFactor} times the size`);
  };
  setTemplateImage = (option: boolean): void => {
    this.isTemplate = option;
  };
  isTemplateImage = () => this.isTemplate;
  isEmpty = () => sizeOf(this.url) === undefined;
  toDataURL = () => this.url;
}

export const nativeImage = strict('nativeImage', {
  createFromDataURL: (url: string) =>
    strict('NativeImage', new NativeImage(url)) as unknown as Electron.NativeImage,
} satisfies Pick<typeof Electron.nativeImage, 'createFromDataURL'>);
