import { mix } from '../hash.ts'
import type { Pixels } from './pixels.ts'

/**
 * A picture that depends on its seed alone, in integers, so that it has the same bytes everywhere: clouds of four sizes in
 * three colours, and shapes in front of them.
 */
export function picture(seed: number, width: number, height: number): Pixels {
  const data = new Uint8Array(4 * width * height).fill(255)
  // Those in front first.
  const shapes = Array.from({ length: 12 }, (_, i) => shapeOf(mix(seed * 64 + i))).toReversed()
  const clouds = [0, 1, 2].map((channel) => cloudsOf(mix(seed * 4 + channel)))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      // Places in 4,096ths of the side, so that a picture looks the same in every size.
      const [u, v] = [Math.floor((4096 * x) / width), Math.floor((4096 * y) / height)]
      const front = shapes.find((shape) => covers(shape, u, v))
      const at = 4 * (y * width + x)
      for (let channel = 0; channel < 3; channel++)
        data[at + channel] = front?.colour[channel] ?? cloudAt(clouds[channel] ?? [], u, v)
    }
  return { data, width, height }
}

/** Every byte is chance. */
export function noise(seed: number, width: number, height: number): Pixels {
  const data = new Uint8Array(4 * width * height)
  for (let at = 0; at < data.length; at++) data[at] = at % 4 === 3 ? 255 : mix(seed + at) & 255
  return { data, width, height }
}

/** One colour, opaque unless told. */
export function plain(width: number, height: number, grey = 128, alpha = 255): Pixels {
  const data = new Uint8Array(4 * width * height).fill(grey)
  if (alpha !== grey) for (let at = 3; at < data.length; at += 4) data[at] = alpha
  return { data, width, height }
}

/** The pixels moved to where `from` takes them: for each place of the result, the place in the image. */
export function moved(
  { data, width, height }: Pixels,
  size: { width: number; height: number },
  from: (x: number, y: number) => readonly [number, number],
): Pixels {
  const out = new Uint8Array(4 * size.width * size.height)
  for (let y = 0; y < size.height; y++)
    for (let x = 0; x < size.width; x++) {
      const [sourceX, sourceY] = from(x, y)
      const at = 4 * (Math.min(sourceY, height - 1) * width + Math.min(sourceX, width - 1))
      out.set(data.subarray(at, at + 4), 4 * (y * size.width + x))
    }
  return { data: out, ...size }
}

interface Shape {
  readonly isRound: boolean
  readonly x: number
  readonly y: number
  readonly half: number
  readonly colour: readonly number[]
}

function shapeOf(chance: number): Shape {
  const next = (i: number) => mix(chance + i) >>> 0
  return {
    isRound: (chance & 1) === 1,
    x: next(1) % 4096,
    y: next(2) % 4096,
    half: 120 + (next(3) % 700),
    colour: [next(4) & 255, next(5) & 255, next(6) & 255],
  }
}

function covers({ isRound, x, y, half }: Shape, u: number, v: number): boolean {
  const [dx, dy] = [u - x, v - y]
  return isRound ? dx * dx + dy * dy <= half * half : Math.abs(dx) <= half && Math.abs(dy) <= half
}

const ROW = 256

/** Four lattices of chance, each twice as fine as the one before. */
function cloudsOf(seed: number): Uint8Array[] {
  return [0, 1, 2, 3].map((octave) => {
    const lattice = new Uint8Array(18 * ROW)
    for (let at = 0; at < lattice.length; at++) lattice[at] = mix(seed + octave * 65_536 + at) & 255
    return lattice
  })
}

/** Each lattice blended between its points, and half as strong as the one before. */
function cloudAt(lattices: readonly Uint8Array[], u: number, v: number): number {
  let sum = 0
  lattices.forEach((lattice, octave) => {
    const cell = 2048 >> octave
    const [right, down] = [u % cell, v % cell]
    const at = Math.floor(v / cell) * ROW + Math.floor(u / cell)
    const top = lattice[at]! * (cell - right) + lattice[at + 1]! * right
    const bottom = lattice[at + ROW]! * (cell - right) + lattice[at + ROW + 1]! * right
    sum += Math.floor((top * (cell - down) + bottom * down) / (cell * cell)) << (3 - octave)
  })
  return Math.floor(sum / 15)
}
