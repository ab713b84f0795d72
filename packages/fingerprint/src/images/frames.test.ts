import { describe, expect, it } from 'vitest'
import { evenly, sampleFrames } from './frames.ts'
import { fingerprintImage } from './pdq.ts'
import { picture, plain } from './pictures.fixture.ts'
import { thumbnailOf } from './thumbnail.ts'

const scene = (seed: number, atMs: number) => ({ atMs, pixels: picture(seed, 96, 64) })

describe('the frames of a video', () => {
  it('are kept when the picture changes, and only then', async () => {
    const frames = [scene(1, 0), scene(1, 1000), scene(2, 2000), scene(2, 3000), scene(1, 4000)]
    const kept = await sampleFrames(frames)
    expect(kept.map(({ atMs }) => atMs)).toEqual([0, 2000, 4000])
    expect(kept[1]?.values).toEqual(fingerprintImage(picture(2, 96, 64)).values)
  })

  it('are left out without detail, and do not make the next one new', async () => {
    const black = { atMs: 500, pixels: plain(160, 90, 0) }
    expect((await sampleFrames([black, scene(1, 1000), black, scene(1, 2000)])).map(({ atMs }) => atMs)).toEqual([1000])
    expect(await sampleFrames([black])).toEqual([])
    expect(await sampleFrames([])).toEqual([])
  })

  it('may come one after the other, and are thinned evenly', async () => {
    async function* frames() {
      for (let i = 0; i < 30; i++) yield scene(i + 1, i * 1000)
    }
    const all = await sampleFrames(frames())
    expect(all).toHaveLength(30)
    const few = await sampleFrames(frames(), { maxFrames: 4 })
    expect(few.map(({ atMs }) => atMs)).toEqual([0, 10_000, 19_000, 29_000])
    expect(evenly([1, 2, 3], 1)).toEqual([1])
  })
})

it('a thumbnail has the luminance of each cell, 0 to 1', () => {
  const small = thumbnailOf(picture(4, 300, 200), 16)
  expect(small).toHaveLength(256)
  expect(small.every((value) => value >= 0 && value <= 1)).toBe(true)
  expect([...thumbnailOf(plain(50, 20, 255), 3)]).toEqual(Array(9).fill(1))
  expect(() => thumbnailOf(plain(5, 5), 0)).toThrow(RangeError)
})
