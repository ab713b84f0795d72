import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { REALMS } from '../../test/realm.fixture.ts'
import { bytesOf } from '../base/base64url.ts'
import { DeploymentSigner } from '../base/deployment-signer.ts'
import { verifyStatement } from '../base/statement.ts'
import { quotaReceiptSchema, verifyQuotaReceipt } from '../pay/quota.ts'
import { answerSchema } from './answer-schema.ts'

const strict = z.strictObject({
  list: z.array(z.strictObject({ a: z.int() })),
  pair: z.tuple([z.strictObject({ a: z.int() })]),
  named: z.record(z.string(), z.strictObject({ a: z.int() })),
  maybe: z.strictObject({ a: z.int() }).nullable().optional(),
})
const later = { a: 1, later: { b: [2] } }
const answer = { list: [later], pair: [later], named: { x: later }, maybe: later, later: null }

describe('answerSchema', () => {
  it('keeps members that the schema does not name, at every depth, and leaves the schema strict', () => {
    expect(answerSchema(strict).parse(answer)).toEqual(answer)
    expect(strict.safeParse(answer).success).toBe(false)
    expect(answerSchema(strict)).toBe(answerSchema(strict))
  })

  it('still checks the members that the schema names, and the refinements', () => {
    expect(answerSchema(strict).safeParse({ ...answer, list: [{ a: '1' }] }).success).toBe(false)
    const ordered = z.strictObject({ from: z.int(), to: z.int() }).refine(({ from, to }) => from <= to)
    expect(answerSchema(ordered).safeParse({ from: 1, to: 1, later: true }).success).toBe(true)
    expect(answerSchema(ordered).safeParse({ from: 2, to: 1, later: true }).success).toBe(false)
  })

  it('does not take a faulty alternative for a smaller one', () => {
    const union = z.union([z.strictObject({ a: z.int() }), z.strictObject({ a: z.int(), b: z.int() })])
    const read = answerSchema(union)
    for (const good of [
      { a: 1, later: 1 },
      { a: 1, b: 2, later: 1 },
    ])
      expect(read.parse(good)).toEqual(good)
    expect(read.safeParse({ a: 1, b: 'x' }).success).toBe(false)
  })
})

describe('a signed statement with a member that the schema does not name', () => {
  const signer = new DeploymentSigner('0b'.repeat(32), REALMS)
  const facts = {
    type: 'svc/quota-receipt/v1',
    operation: 'consume',
    did: `did:svc:${'A'.repeat(32)}`,
    key: 'k',
    kind: 'search',
    amount: 1,
    used: 1,
    limit: 100,
    tier: 'notes',
    period: '2026-09',
    issuedAt: 1_790_000_000_000,
  } as const
  const read = (receipt: unknown) => answerSchema(quotaReceiptSchema).parse(JSON.parse(JSON.stringify(receipt)))

  it('verifies if it was signed with the member, and not if it was added or removed later', async () => {
    const key = (await signer.publicKey(0)) ?? ''
    const signed = await signer.sign({ ...facts, later: { note: 'x' } })
    const { later: _, ...without } = signed!.statement
    const verdicts = [signed, { ...signed, statement: { ...without, later: {} } }, { ...signed, statement: without }]
    expect(await Promise.all(verdicts.map((one) => verifyQuotaReceipt(read(one), key, REALMS)))).toEqual([
      true,
      false,
      false,
    ])
    const plain = await signer.sign(facts)
    const added = read({ ...plain, statement: { ...plain!.statement, later: 1 } })
    expect(await verifyStatement(added, bytesOf(key), REALMS)).toBe(false)
  })
})
