import { describe, expect, it } from 'vitest'
import type { Kind } from '../detect/formats.ts'
import { withComparison } from './comparison.ts'
import { type CheckName, checked, type Verdict, verdictOf } from './verdict.ts'

const FILE = new TextEncoder().encode('a file')

/** What compares the file of each kind of evidence; null for a kind that is about no file. */
const COMPARED_BY: Readonly<Record<Kind, readonly CheckName[] | null>> = {
  anchor: ['anchored_file'],
  asset: null,
  beacon: null,
  capsule: ['proof'],
  chain: null,
  checkpoints: null,
  commitment: ['opening'],
  content: ['proof', 'anchored_file'],
  did: null,
  draft: null,
  export: null,
  hash: ['same_hash'],
  keys: null,
  message: ['signed_content'],
  notes: null,
  page: null,
  proof: ['proof'],
  receipt: null,
  sealed: null,
  stamp: ['anchored_file'],
  statement: null,
}
const KINDS = Object.keys(COMPARED_BY) as readonly Kind[]
const valid = (kind: Kind, ...checks: readonly CheckName[]): Verdict =>
  verdictOf(
    kind,
    null,
    [...checks, 'signed' as const].map((check) => checked(check, check === 'proof' ? { part: 'content_hash' } : {})),
  )

describe.each(KINDS)('a verdict on evidence of the kind %s', (kind) => {
  const comparisons = COMPARED_BY[kind]

  it('is not valid with a file that nothing compared', () => {
    const { verdict, needs, notCompared } = withComparison(kind, valid(kind), FILE)
    expect(verdict).toBe('undecided')
    expect(needs).toBe(comparisons === null || kind === 'content' ? 'no_file' : 'file')
    expect(notCompared).toHaveLength(1)
  })

  it('without a file is valid only if it is about none', () => {
    const { verdict, needs } = withComparison(kind, valid(kind), null)
    expect([verdict, needs]).toEqual(comparisons === null ? ['valid', null] : ['undecided', 'file'])
  })

  it.each(comparisons ?? [])('is valid if %s compared it', (check) => {
    const file = kind === 'content' || kind === 'hash' ? null : FILE
    expect(withComparison(kind, valid(kind, check), file).verdict).toBe('valid')
  })

  it('keeps what else is missing, and that nothing is known', () => {
    const waiting = verdictOf(kind, null, [checked('signed')], { needs: 'network' })
    expect(withComparison(kind, waiting, null).needs).toBe('network')
    expect(withComparison(kind, { ...valid(kind), verdict: 'unknown' }, null).verdict).toBe('unknown')
  })
})

it('another part of a proof compares nothing', () => {
  const verdict = verdictOf('proof', null, [checked('proof', { part: 'capsule_signature' })])
  expect(withComparison('proof', verdict, null)).toMatchObject({ verdict: 'undecided', needs: 'file' })
})
