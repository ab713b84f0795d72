import { expect, it } from 'vitest'
import { projected, type StoredCommitment } from './rules.ts'

const native: StoredCommitment = {
  id: 'c-1',
  did: null,
  commitmentHash: 'a7'.repeat(48),
  algorithm: 'sha3-384',
  profile: 'native',
  createdAt: 1_790_000_000_000,
}
const reason = 'The record is historical: how it was salted is not known here'

it('shows how a commitment is verified', () => {
  expect(projected(native)).toEqual({
    id: 'c-1',
    commitment_hash: 'a7'.repeat(48),
    algorithm: 'sha3-384',
    did: null,
    created_at_ms: 1_790_000_000_000,
    profile: 'native',
    verification: {
      verifiable: true,
      rule: 'SHA3-384(UTF-8 "svc/commitment/v1" ‖ 0x00 ‖ 32 bytes of salt ‖ SHA3-384(content))',
      reason: null,
    },
  })
})

it.each([
  ['a historical record', { profile: 'historical' }],
  ['a hash of another form', { commitmentHash: 'A7'.repeat(48) }],
  ['a hash with something before it', { commitmentHash: `x${'a7'.repeat(48)}` }],
  ['a hash with something after it', { commitmentHash: `${'a7'.repeat(48)}x` }],
] as const)('does not verify %s', (_, changed) => {
  expect(projected({ ...native, ...changed })).toMatchObject({
    algorithm: 'sha3-384',
    verification: { verifiable: false, reason },
  })
})

it('does not show another algorithm, nor verify by it', () => {
  expect(projected({ ...native, algorithm: 'SHA-256' })).toMatchObject({
    algorithm: null,
    verification: { verifiable: false, reason },
  })
})
