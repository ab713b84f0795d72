import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type PendingChange, pendingChangeSchema, pendingMember } from '../../src/chain/pending.ts'
import { pendingChangeOf } from '../../src/chain/pending-summary.ts'

const change: PendingChange = {
  rotationId: 'a7'.repeat(48),
  kind: 'rotation',
  version: 2,
  requestedAt: 1_790_000_000_000,
  deadline: 1_790_086_400_000,
  isCosigned: false,
  isApproved: false,
}
const { isCosigned: _, isApproved: __, ...told } = change

describe('a pending change', () => {
  it.each<[number, number | null, Pick<PendingChange, 'isCosigned' | 'isApproved'>]>([
    [0, null, { isCosigned: false, isApproved: false }],
    [1, null, { isCosigned: true, isApproved: false }],
    [2, null, { isCosigned: true, isApproved: false }],
    [0, 0, { isCosigned: false, isApproved: true }],
    [1, 1_790_000_000_001, { isCosigned: true, isApproved: true }],
  ])('with %i co-signatures, approved at %s, is told as %j', (cosignatures, approvedAt, said) => {
    expect(pendingChangeOf({ ...told, cosignatures, approvedAt })).toEqual({ ...told, ...said })
  })

  it.each<Partial<PendingChange>>([
    {},
    { kind: 'deactivation', isCosigned: true },
    { version: 1, deadline: null, isApproved: true },
  ])('is accepted with %j', (changed) => {
    expect(pendingChangeSchema.parse({ ...change, ...changed })).toEqual({ ...change, ...changed })
  })

  it.each<[string, object]>([
    ['another kind', { kind: 'recovery' }],
    ['another version', { version: 3 }],
    ['a member more', { by: 'root' }],
    ...Object.keys(change).map((member): [string, object] => [`no ${member}`, { [member]: undefined }]),
  ])('is refused with %s', (_what, changed) => {
    expect(pendingChangeSchema.safeParse({ ...change, ...changed }).success).toBe(false)
  })

  it('is told to owners, if there is one', () => {
    const answer = z.strictObject(pendingMember)
    expect(answer.parse({})).toEqual({})
    expect(answer.parse({ pending: change })).toEqual({ pending: change })
    expect(answer.safeParse({ pending: {} }).success).toBe(false)
    expect(answer.safeParse({ changes: {} }).success).toBe(false)
  })
})
