import { appIconPixels } from '#shared/constants.ts';

/** A square of a picture, in the picture's own pixels. */
export interface Square {
  x: number;
  y: number;
  side: number;
}

/** A chosen file as a data URL, or undefined if the browser cannot show it as a picture. */
export async function readPicture(file: Blob): Promise<string | undefined> {
  try {
    // Not an object URL: the pages' Content-Security-Policy does not allow `blob:`.
    const url = await readAsDataUrl(file);
    const image = await loadImage(url);
    return image.naturalWidth > 0 && image.naturalHeight > 0 ? url : undefined;
  } catch {
    return undefined;
  }
}

/** The square part of a picture, scaled to the size of an icon (specification §9): a PNG data URL. */
export async function cutIcon(picture: string, { x, y, side }: Square): Promise<string> {
  const image = await loadImage(picture);
  const canvas = document.createElement('canvas');
  canvas.width = appIconPixels;
  canvas.height = appIconPixels;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser has no canvas to draw on');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, x, y, side, side, 0, 0, appIconPixels, appIconPixels);
  return canvas.toDataURL('image/png');
}

function readAsDataUrl(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      if (typeof reader.result === 'string') resolve(reader.result);
    });
    reader.addEventListener('error', () =>
      reject(new Error('the file cannot be read', { cause: reader.error })),
    );
    reader.readAsDataURL(file);
  });
}

async function loadImage(url: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = url;
  await image.decode();
  return image;
}
