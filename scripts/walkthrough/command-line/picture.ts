/**
 * Paints a picture of a seed: soft areas of colour in front of each other.
 *
 *   node picture.ts SEED WIDTH HEIGHT FILE [coarse|mirrored|plain]
 */
import { writeFileSync } from 'node:fs'
import { crc32, deflateSync } from 'node:zlib'

const [seed = '0', wide = '1', high = '1', file = 'picture.png', how = ''] = process.argv.slice(2)
const [width, height] = [Number(wide), Number(high)]
writeFileSync(file, png(how === 'plain' ? () => [200, 200, 200] : painted(Number(seed))))

type Colour = readonly [number, number, number]

function painted(start: number): (x: number, y: number) => Colour {
  let state = Math.imul(start, 2_654_435_761) | 1
  const next = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  const areas = Array.from({ length: 24 }, () => ({
    x: next(),
    y: next(),
    across: 0.05 + 0.3 * next(),
    colour: [255 * next(), 255 * next(), 255 * next()] as Colour,
  }))
  return (x, y) => {
    let colour: Colour = [255, 255, 255]
    for (const area of areas) {
      const away = Math.hypot(x - area.x, y - area.y) / area.across
      const [red, green, blue] = area.colour
      if (away < 1) colour = [red * (1 - away / 3), green * (1 - away / 3), blue * (1 - away / 3)]
    }
    return colour
  }
}

/** Eight bits for each of three colours, each line unfiltered. */
function png(colourAt: (x: number, y: number) => Colour): Buffer {
  const lines = Buffer.alloc(height * (1 + 3 * width))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const shown = how === 'mirrored' ? width - 1 - x : x
      for (const [channel, value] of colourAt(shown / width, y / height).entries())
        lines[y * (1 + 3 * width) + 1 + 3 * x + channel] = how === 'coarse' ? (value & 0xf8) + 4 : value
    }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}
