import { toHex } from '@svc/protocol/base/hash'
import { expect, it } from 'vitest'
import { everyName, KeyedMacs, type MacUse } from './keyed-macs.ts'

const [ONE, TWO, TWELVE] = ['1c'.repeat(32), '2c'.repeat(32), '3c'.repeat(32)]
const seeds = new Map([
  [1, ONE],
  [12, TWELVE],
  [2, TWO],
])

/** HKDF-SHA-256 and HMAC-SHA-256 of `node:crypto`, over `é` for the use `contact`. */
const VECTORS = [
  { version: 12, mac: '8a2486001774c1cd265be52d90cb0b336e5f489224a5ce07a8290e8f4262c447' },
  { version: 2, mac: '3629729118f6dd817bd9726818846261d9f9eb80508a32f44a9c67b819fc23d0' },
  { version: 1, mac: 'b3f289aa091ff56fd101cda671433200a5e5572f41cdea3453209a650b081160' },
]

it('are made under a key from each version of the seed, the newest first', async () => {
  const macs = new KeyedMacs(seeds, 'contact')
  const all = await macs.all('é')
  expect(all.map(({ version, mac }) => ({ version, mac: toHex(mac) }))).toEqual(VECTORS)
  expect(await macs.newest('é')).toEqual(all[0])
})

it('differ by use and by version, also where the seed is the same', async () => {
  const same = new Map([
    [1, ONE],
    [2, ONE],
  ])
  const uses: readonly MacUse[] = ['contact', 'offer-code', 'invite-question', 'text-claimant']
  const made = await Promise.all(uses.map((use) => new KeyedMacs(same, use).all('x')))
  expect(new Set(made.flat().map(({ mac }) => mac.toString())).size).toBe(8)
})

it('are not made without a seed', async () => {
  const macs = new KeyedMacs(new Map(), 'offer-code')
  expect([await macs.all('x'), await macs.newest('x')]).toEqual([[], null])
})

it('give a thing a name under each version', async () => {
  const names = await new KeyedMacs(seeds, 'text-claimant').names('x')
  expect(names && JSON.parse(everyName(names))).toEqual([
    names?.newest,
    expect.stringMatching(/^2\.[\w-]{43}$/),
    expect.stringMatching(/^1\.[\w-]{43}$/),
  ])
  expect(names?.newest).toMatch(/^12\./)
  expect(await new KeyedMacs(new Map(), 'text-claimant').names('x')).toBeNull()
})
