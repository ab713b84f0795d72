import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { RECORD_DELAY_MS } from '@svc/objects/records'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { signStatement } from '@svc/protocol/base/statement'
import { ALLOWED_ORIGIN } from '@svc/service/testing'
import { REALM } from '@svc/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { StoredMember } from '../../src/organizations/member-table.ts'
import { BASE, caller, freshAddress, send } from '../harness.ts'

const OPERATOR_SEED = new Uint8Array(32).fill(7)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterEach(() => {
  vi.useRealTimers()
})

async function rebuild(name: string, seed = OPERATOR_SEED) {
  const now = Date.now()
  const about = { objects: 'memberships', name, after: null, replaces: false, lostAt: now }
  const nonce = encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
  const statement = { type: 'svc/operator-rebuild-objects/v1', realm: REALM, service: 'did', ...about, nonce } as const
  const act = await signStatement({ ...statement, issuedAt: now }, (message) => mlDsa65.sign(seed, message))
  const headers = { 'content-type': 'application/json', origin: ALLOWED_ORIGIN, 'cf-connecting-ip': freshAddress() }
  const request = new Request(`${BASE}/api/operator/acts`, { method: 'POST', headers, body: JSON.stringify(act) })
  const response = await send(request)
  return { status: response.status, body: await response.json() }
}

it('an operator rebuilds the memberships of somebody from their records', async () => {
  const { identity } = await caller({ genesis: false })
  const memberships = env.MEMBERSHIPS.getByName(identity.did)
  const binding = { org: 'did:svc:org', member: { latest: { sequence: 3 } } } as unknown as StoredMember
  await memberships.take(binding)
  vi.setSystemTime(Date.now() + RECORD_DELAY_MS)
  await runInDurableObject(memberships, (object) => object.keepRecords())
  await runInDurableObject(memberships, (object) => object.stored.deleteAll())
  await evictDurableObject(memberships)
  expect(await memberships.list('', 5)).toEqual([])
  const { status, body } = await rebuild(identity.did)
  expect([status, body]).toMatchObject([200, { rebuilt: 1, failed: [], next: null }])
  expect(await memberships.list('', 5)).toEqual([binding])
  expect((await rebuild(identity.did)).body).toMatchObject({ rebuilt: 0, unchanged: 1 })
})

it('nobody else does, and nothing is made of what has no records', async () => {
  const { identity } = await caller({ genesis: false })
  expect(await rebuild(identity.did, new Uint8Array(32).fill(9))).toMatchObject({ status: 403 })
  expect(await rebuild(identity.did)).toMatchObject({ status: 404 })
})
