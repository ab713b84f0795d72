import { expect, it } from 'vitest'
import { KeptTiles } from './kept-tiles.ts'

const read: string[] = []
const reading = (key: string) => async () => {
  read.push(key)
  return new TextEncoder().encode(key)
}

it('reads a tile once, and again when 64 others were used since', async () => {
  const tiles = new KeptTiles()
  const use = (key: string) => tiles.get(key, reading(key))
  await use('first')
  for (let i = 0; i < 63; i++) await use(`tile ${i}`)
  expect(await use('first')).toEqual(new TextEncoder().encode('first'))
  expect(read).toHaveLength(64)
  for (let i = 100; i < 163; i++) await use(`tile ${i}`)
  await use('first')
  expect(read.filter((key) => key === 'first')).toHaveLength(1)
  await use('tile 0')
  expect(read.filter((key) => key === 'tile 0')).toHaveLength(2)
})

it('does not keep a failure', async () => {
  const tiles = new KeptTiles()
  await expect(tiles.get('a', () => Promise.reject(new Error('R2 is down')))).rejects.toThrow('R2 is down')
  expect(await tiles.get('a', async () => new Uint8Array([1]))).toEqual(new Uint8Array([1]))
})
