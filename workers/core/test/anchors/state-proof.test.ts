import { toHex } from '@svc/protocol/base/hash'
import { anchorLeafHash } from '@svc/protocol/ledger/anchors'
import { beforeAll, describe, expect, it } from 'vitest'
import { anonymous } from '../harness.ts'
import { anchored, fill, reader } from './anchors.fixture.ts'

const HELD = 2_050
const EMPTY_ROOT = '0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2ac3713831264adb47fb6bd1e058d5f004'
const stateProof = (query: string) => anonymous('GET', `/api/anchors/state-proof${query}`)

describe('the state proof without anchors', () => {
  it.each([
    ['', 256],
    ['?window=1', 1],
    ['?window=2048', 2048],
    ['?window=0', 1],
  ])('is the empty tree for %s', async (query, window) => {
    const { status, body } = await stateProof(query)
    expect(status).toBe(200)
    expect(body).toEqual({
      window,
      count: 0,
      root: EMPTY_ROOT,
      leaves: [],
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      hashAlg: 'sha3-384',
      anchors: [],
      withheld: [],
    })
  })
})

describe('the state proof of 2,050 anchors', () => {
  let all: readonly string[] = []

  beforeAll(async () => {
    await fill(HELD - 1)
    await anchored()
    all = (await reader().stateProof(2_048)).leaves
  })

  it.each([
    [1, 1],
    [2, 2],
    [3, 3],
    [255, 255],
    [256, 256],
    [2_047, 2_047],
    [2_048, 2_048],
    [2_049, 2_048],
    [999_999, 2_048],
    [0, 1],
    [-5, 1],
  ])('has for a window of %i the newest %i, oldest first', async (asked, window) => {
    const proof = await reader().stateProof(asked)
    expect(proof).toMatchObject({ window, count: window, hashAlg: 'sha3-384' })
    expect(proof.leaves).toEqual(all.slice(-window))
    expect(proof.anchors.map((anchor) => toHex(anchorLeafHash(anchor)))).toEqual(proof.leaves)
  })

  it('has a window of 256 by default', async () => {
    const { body } = await stateProof('')
    expect(body).toMatchObject({ window: 256, count: 256 })
    expect(body['leaves']).toEqual(all.slice(-256))
  })

  it('has other leaves and another root after the next anchor', async () => {
    const before = await reader().stateProof(3)
    const { anchorId } = await anchored()
    const after = await reader().stateProof(3)
    expect(after.leaves.slice(0, 2)).toEqual(before.leaves.slice(1))
    expect(after.anchors.at(-1)?.anchorId).toBe(anchorId)
    expect(after.root).not.toBe(before.root)
  })

  it('holds one leaf, equal to its root, in a window of one', async () => {
    const { root, leaves } = await reader().stateProof(1)
    expect(leaves).toEqual([root])
  })
})

describe('a window that is not an integer', () => {
  it.each(['x', '1.5', '', '1e3', '0x10', ' 7', 'NaN'])('is rejected: "%s"', async (window) => {
    expect(await stateProof(`?window=${encodeURIComponent(window)}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
  })
})
