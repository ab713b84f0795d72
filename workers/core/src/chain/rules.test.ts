import type { ChainBlock } from '@svc/protocol/chain/chain'
import { describe, expect, it } from 'vitest'
import { type AppendClaim, type ChainPosition, checkAppend, claimOf } from './rules.ts'

const ALICE = 'a1'.repeat(48)
const SCOPE = '3c'.repeat(48)
const HEAD = { index: '7', hash: 'b2'.repeat(48) }
const position: ChainPosition = { scope: SCOPE, epoch: 2, ownerUserId: ALICE, head: HEAD, held: false }
const claim: AppendClaim = { ownerUserId: ALICE, index: '8', previousHash: HEAD.hash, scope: SCOPE, epoch: 2 }
const EARLIER = { did: `did:svc:${'PDw8'.repeat(8)}`, index: '8', hash: 'c3'.repeat(48) } as never

const verdict = (at: Partial<ChainPosition>, claimed: Partial<AppendClaim>, earlier = () => EARLIER) =>
  checkAppend({ ...position, ...at }, { ...claim, ...claimed }, earlier)
const refused = (error: object) => ({ ok: false, error })
const unasked = () => {
  throw new Error('the chain was searched')
}

describe('what a block claims', () => {
  const block = { version: 4, index: '8', previousHash: HEAD.hash, scope: SCOPE, epoch: 2 } as ChainBlock

  it('has scope and epoch in version 4', () => {
    expect(claimOf(block, ALICE)).toEqual(claim)
  })

  it('has neither before', () => {
    expect(claimOf({ ...block, version: 3 } as unknown as ChainBlock, ALICE)).toEqual({
      ...claim,
      scope: null,
      epoch: null,
    })
  })
})

describe('checkAppend', () => {
  it('takes the next block of the owner', () => {
    expect(verdict({}, {}, unasked)).toEqual({ ok: true, value: undefined })
    expect(verdict({}, { scope: null, epoch: null }, unasked)).toEqual({ ok: true, value: undefined })
  })

  it.each<[string, Partial<AppendClaim>]>([
    ['another key', { ownerUserId: 'd4'.repeat(48) }],
    ['another scope', { scope: 'd4'.repeat(48) }],
  ])('refuses one of %s', (_, claimed) => {
    expect(verdict({}, claimed, unasked)).toEqual(refused({ reason: 'owner_mismatch' }))
  })

  it.each([0, 1, 3])('refuses one of epoch %i in epoch 2', (epoch) => {
    expect(verdict({}, { epoch }, unasked)).toEqual(refused({ reason: 'stale_epoch', epoch: 2 }))
  })

  it.each<[string, Partial<AppendClaim>]>([
    ['the index of the head', { index: '7' }],
    ['a later index', { index: '9' }],
    ['an index spelled otherwise', { index: '08' }],
    ['another block before it', { previousHash: 'd4'.repeat(48) }],
  ])('refuses one with %s, and says whether it is in the chain already', (_, claimed) => {
    expect(verdict({}, claimed)).toEqual(refused({ reason: 'stale_head', head: HEAD, appended: EARLIER }))
    expect(verdict({}, claimed, () => null as never)).toMatchObject({ error: { appended: null } })
  })

  it('appends nothing under a hold, whatever it is', () => {
    for (const claimed of [{}, { ownerUserId: 'd4'.repeat(48) }, { epoch: 1 }]) {
      expect(verdict({ held: true }, claimed)).toEqual(refused({ reason: 'security_hold', appended: EARLIER }))
    }
  })
})
