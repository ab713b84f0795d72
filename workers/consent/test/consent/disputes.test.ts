import type { Dispute, DisputePage } from '@svc/protocol/operator/reads'
import { expectRefusal } from '@svc/service/testing'
import { expect, it } from 'vitest'
import { caller, creation, DISALLOW, dataOf, deletion, put, rootKey, withdrawal } from '../harness.ts'
import { act, readDisputes, STRANGER, settlement } from './settlement.fixture.ts'

const owner = async () => rootKey(await caller())
const tag = crypto.randomUUID()
const hashOf = (i: number) => `disputed ${tag} ${String(i).padStart(4, '0')}`

async function disputes(): Promise<Dispute[]> {
  const found: Dispute[] = []
  for (let after: string | null = null, isLast = false; !isLast; ) {
    const page = dataOf(await readDisputes(after)) as unknown as DisputePage
    expect(page.disputes.length).toBeLessThanOrEqual(50)
    found.push(...page.disputes)
    after = page.next
    isLast = after === null
  }
  return found.filter(({ contentHash }) => contentHash.includes(tag))
}

it('disputes are listed in pages, until they are settled or withdrawn', async () => {
  const [holder, first, second] = [await owner(), await owner(), await owner()]
  const hashes = Array.from({ length: 53 }, (_, i) => hashOf(i))
  for (const hash of hashes) {
    await put(await creation(holder, hash, { ai_training: 'allow' }))
    await put(await creation(first, hash))
  }
  const [a = '', b = '', c = ''] = hashes
  await put(await creation(second, a))
  await put(await deletion(holder, b))
  const listed = await disputes()
  expect(listed.map(({ contentHash }) => contentHash)).toEqual(hashes)
  const recordedAt = expect.any(Number) as unknown
  expect(listed[0]).toEqual({
    contentHash: a,
    holderDid: holder.did,
    preferences: { ai_training: 'allow' },
    declaredAt: recordedAt,
    claims: [
      { creatorDid: first.did, preferences: DISALLOW, recordedAt },
      { creatorDid: second.did, preferences: DISALLOW, recordedAt },
    ],
  })
  expect(listed[1]).toMatchObject({ holderDid: holder.did, preferences: null })
  dataOf(await act(await settlement(a, first.did)))
  dataOf(await act(await settlement(b, holder.did)))
  dataOf(await put(await withdrawal(first, c)))
  expect((await disputes()).map(({ contentHash }) => contentHash)).toEqual(hashes.slice(3))
})

it('nobody but the operator reads them', async () => {
  expectRefusal(await readDisputes(null, STRANGER), 'invalid_signature')
  expectRefusal(await readDisputes('short'), 'invalid_request')
})
