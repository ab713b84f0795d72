import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import { caller } from '../harness.ts'

const SUBJECT = 'a7'.repeat(48)
const DAY = 86_400_000
const WEEK = 7 * DAY
const TABLES = ['guardian_requests', 'guardian_attestations']

afterEach(() => vi.useRealTimers())

async function rowsOf(requestId: string): Promise<number[]> {
  const counts = TABLES.map((table) => env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE request_id = ?`))
  const results = await env.DB.batch<{ n: number }>(counts.map((count) => count.bind(requestId)))
  return results.map((result) => result.results[0]?.n ?? -1)
}

it('a request to guardians and their answers are forgotten with the first one that comes 30 days after its end', async () => {
  const [owner, guardian, somebody] = [await caller(), await caller(), await caller()]
  const terms = { subjectHash: SUBJECT, guardians: [guardian.identity.did], threshold: 1 }
  const open = async (by: typeof owner) => by.client.guardians.open(await by.client.guardians.makeRequest(terms))
  const begun = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: begun })
  const { requestId } = await open(owner)
  await guardian.client.guardians.attest(requestId, SUBJECT)
  vi.setSystemTime(begun + WEEK + 30 * DAY - 60_000)
  await open(somebody)
  expect(await rowsOf(requestId)).toEqual([1, 1])
  expect(await owner.client.guardians.status(requestId)).toMatchObject({ state: 'met' })
  vi.setSystemTime(begun + WEEK + 30 * DAY + 60_000)
  await open(somebody)
  expect(await rowsOf(requestId)).toEqual([0, 0])
  await expect(owner.client.guardians.status(requestId)).rejects.toMatchObject({ status: 404 })
})
