import { crc32, deflateSync } from 'node:zlib';

type Colour = readonly [red: number, green: number, blue: number];

/** A PNG file (RFC 2083) of `width` × `height` pixels, each in the colour that `colourAt` gives. */
export function pngPicture(
  width: number,
  height: number,
  colourAt: (x: number, y: number) => Colour,
): Buffer {
  const rows = Array.from({ length: height }, (_, y) =>
    // Filter type 0: the bytes as they are.
    [0, ...Array.from({ length: width }, (__, x) => colourAt(x, y)).flat()],
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits a sample, red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([size, typed, checksum]);
}

/** The size of a PNG data URL's picture, and the colours of some of its pixels, as the browser draws it. */
export interface DrawnPicture {
  width: number;
  height: number;
  colours: Colour[];
}

/** Runs in a page: draws a data URL and reads the pixels at the given places. */
export async function drawPicture({
  url,
  places,
}: {
  url: string;
  places: readonly (readonly [x: number, y: number])[];
}): Promise<DrawnPicture> {
  const image = new Image();
  image.src = url;
  await image.decode();
  const { naturalWidth: width, naturalHeight: height } = image;
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas');
  context.drawImage(image, 0, 0);
  const colours = places.map(([x, y]): Colour => {
    const [red = 0, green = 0, blue = 0] = context.getImageData(x, y, 1, 1).data;
    return [red, green, blue];
  });
  return { width, height, colours };
}
