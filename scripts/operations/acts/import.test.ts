import { commitmentImportSchema, consentImportSchema } from '@svc/protocol/operator/imports'
import { expect, it } from 'vitest'
import { importActs, isImport } from './import.ts'

const commitment = { commitmentHash: 'x', algorithm: 'SHA-256', did: null, createdAt: 1_600_000_000_000, record: null }
const envelope = { realm: 'https://core.example', nonce: 'A'.repeat(22), issuedAt: 1_790_000_000_000 }

it('a file of commitments is imported in pages of 64', () => {
  const lines = Array.from({ length: 130 }, (_, i) => JSON.stringify({ id: `old-${i}`, ...commitment }))
  const acts = importActs('commitments', `${lines.join('\n')}\n\n`)
  expect(acts.map(({ members }) => (members['commitments'] as unknown[]).length)).toEqual([64, 64, 2])
  for (const { type, service, members } of acts) {
    expect(commitmentImportSchema.safeParse({ type, service, ...envelope, ...members }).success).toBe(true)
  }
})

it('a file of consent records goes to consent', () => {
  const record = {
    contentHash: `sha3-384:${'a'.repeat(96)}`,
    preferences: { search: 'allow' },
    declaredAt: 1_600_000_000_000,
  }
  const [act] = importActs('consent', JSON.stringify(record))
  expect(consentImportSchema.safeParse({ ...act, members: undefined, ...envelope, ...act?.members }).success).toBe(
    false,
  )
  const { type, service, members } = act ?? { members: {} }
  expect(consentImportSchema.safeParse({ type, service, ...envelope, ...members }).success).toBe(true)
})

it.each([
  ['{', 'Line 2'],
  ['{"id":"x"}', 'Line 2'],
  [JSON.stringify({ id: `commitment-${'0'.repeat(32)}`, ...commitment }), 'Line 2'],
])('nothing is sent of a file with the line %s', (line, named) => {
  const good = JSON.stringify({ id: 'old-1', ...commitment })
  expect(() => importActs('commitments', `${good}\n${line}`)).toThrow(named)
})

it('other names do not import', () => {
  expect([isImport('commitments'), isImport('consent'), isImport('toString'), isImport(undefined)]).toEqual([
    true,
    true,
    false,
    false,
  ])
})
