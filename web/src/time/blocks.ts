// Blocks of a lane that are a few pixels wide: bars of stripes by cause, set as pixels, since a long run has tens of
// thousands of them in sight and each would be several rectangles.
import { partStyles } from '../colour';
import { causes, type Cause } from '../model';
import { drawnOrder } from '../series';

/** Busy at the bottom, then the waits in their order. */
const stripes: { index: number; cause: Cause; pixel: number }[] = (['busy', ...drawnOrder.filter((one) => one !== 'busy')] as Cause[])
  .map((cause) => ({ index: causes.indexOf(cause), cause, pixel: pixelOf(partStyles[cause].colour) }));

/** '#rrggbb' as a pixel of ImageData, whose bytes are red, green, blue, alpha. */
function pixelOf(colour: string): number {
  const rgb = parseInt(colour.slice(1), 16);
  return (0xff000000 | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
}

export class Blocks {
  private readonly canvas = document.createElement('canvas');
  private image: ImageData | undefined;
  private pixels = new Uint32Array();
  private used = false;

  /** Forgets all blocks; sizes are pixels of the screen. */
  start(width: number, height: number): void {
    if (this.image?.width !== width || this.image.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
      this.image = new ImageData(Math.max(1, width), Math.max(1, height));
      this.pixels = new Uint32Array(this.image.data.buffer);
    } else if (this.used) this.pixels.fill(0);
    this.used = false;
  }
  /** A block from `left` to `right`, at least one pixel wide, divided upwards from `bottom` by the cycles of each cause. */
  add(parts: number[], left: number, right: number, top: number, bottom: number, only: string | undefined): void {
    const { image, pixels } = this;
    if (!image) return;
    const width = image.width, x0 = Math.max(0, Math.round(left)), x1 = Math.min(width, Math.max(x0 + 1, Math.round(right)));
    if (x0 >= x1) return;
    let sum = 0;
    for (const part of parts) sum += part;
    const perCycle = (bottom - top) / Math.max(1, sum);
    let cycles = 0, y = Math.round(bottom);
    this.used = true;
    for (const { index, cause, pixel } of stripes) {
      const part = parts[index] ?? 0;
      if (part <= 0) continue;
      cycles += part;
      const next = Math.round(bottom - cycles * perCycle);
      if (!only || only === cause) {
        const last = Math.min(image.height, y);
        for (let row = Math.max(0, next); row < last; ++row) for (let at = row * width + x0, end = row * width + x1; at < end; ++at) pixels[at] = pixel;
      }
      y = next;
    }
  }
  draw(pen: CanvasRenderingContext2D): void {
    if (!this.used || !this.image) return;
    this.canvas.getContext('2d')?.putImageData(this.image, 0, 0);
    pen.save();
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(this.canvas, 0, 0);
    pen.restore();
  }
}
