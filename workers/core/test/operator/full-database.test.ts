import { env } from 'cloudflare:workers'
import { databaseAround } from '@svc/service/testing'
import { expect, it } from 'vitest'
import { firstPolicyAct, freshSigners, policyOf } from '../governance/governance.fixture.ts'
import { CORE, freshAddress, freshCaller, sendWith } from '../harness.ts'

/** What callers have filled answers nothing any more. */
const full = () =>
  databaseAround(env.DB, async () => {
    throw new Error('D1_ERROR: Exceeded maximum DB size')
  })

async function sendFull(method: 'GET' | 'POST', path: string, body?: unknown, headers = {}): Promise<number> {
  const request = new Request(CORE + path, {
    method,
    headers: { 'cf-connecting-ip': freshAddress(), 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return (await sendWith(full())(request)).status
}

it('a full database of callers stops neither policies, nor operator acts, nor licences', async () => {
  const caller = await freshCaller()
  const signers = await freshSigners(1)
  expect(await sendFull('POST', '/api/operator/acts', await firstPolicyAct(policyOf(signers)))).toBe(200)
  const asCaller = async () => ({ authorization: await caller.assertion('chain') })
  expect(await sendFull('GET', '/api/governance/policy', undefined, await asCaller())).toBe(200)
  expect(await sendFull('POST', '/api/user/verify', undefined, await asCaller())).toBe(200)
  expect(await sendFull('GET', '/api/ipfs/pins', undefined, await asCaller())).toBe(503)
})
