import { Client } from '@svc/client'
import { LogAuditor } from '@svc/client/audit'
import { mlDsa65 } from '@svc/client/functions'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { userIdOf } from '@svc/protocol/base/identity'
import { signStatement } from '@svc/protocol/base/statement'
import type { SignedCosignature } from '@svc/protocol/keys/cosignature'
import { fetchOf, REALM, SERVICE_KEYS } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { publishedDevice } from '../directory/directory.fixture.ts'
import { BASE, call, caller, dataOf, ORIGIN, passOn } from '../harness.ts'
import { LIST_KEYS, logged, transport, WITNESS_SEED } from '../transparency/log.fixture.ts'
import { mapped } from './map.fixture.ts'

const publicKey = await mlDsa65.publicKeyOf(WITNESS_SEED)
const WITNESS = encodeBase64url(publicKey)
const auditor = new LogAuditor(transport(), BASE, LIST_KEYS)

/** What a witness does: it recomputes everything, and signs what it has found. */
async function cosign(verifies?: 'log'): Promise<SignedCosignature['statement']['verifies']> {
  const report = await auditor.follow(null)
  const { log, size, root } = report.state.checkpoint.statement
  const type = 'svc/transparency-cosignature/v1'
  const head = { type, realm: REALM, log, size, root, witness: userIdOf(publicKey) } as const
  const statement = { ...head, verifies: verifies ?? report.verifies, issuedAt: Date.now() }
  const signed = await signStatement(statement, (message) => mlDsa65.sign(WITNESS_SEED, message))
  dataOf(await call(null, 'POST', '/api/transparency/cosignatures', { body: { ...signed, publicKeyB64u: WITNESS } }))
  return report.verifies
}

describe('a contact who trusts a witness', () => {
  it('reserves once it has recomputed the map', async () => {
    const { owner, device } = await publishedDevice(await caller(), { count: 5 })
    await logged(owner)
    await mapped()
    const { identity } = await caller()
    const { keyDirectory } = new Client({
      core: 'https://core.test',
      did: 'https://did.test',
      keys: BASE,
      ...SERVICE_KEYS,
      logListKeys: LIST_KEYS,
      origin: ORIGIN,
      fetch: fetchOf(passOn),
      identity,
      realm: REALM,
      witnesses: { threshold: 1, publicKeysB64u: [WITNESS] },
      mapPatience: { attempts: 1, pauseMs: 1 },
    })
    const reserve = (options = {}) => keyDirectory.reserve(owner.identity.did, device.deviceId, options)
    await expect(reserve()).rejects.toMatchObject({ reason: 'not_cosigned' })
    await cosign('log')
    await expect(reserve()).rejects.toMatchObject({ reason: 'not_cosigned' })
    expect((await reserve({ unwitnessed: true })).usedFallback).toBe(false)
    expect(await cosign()).toBe('log+map')
    expect((await reserve()).usedFallback).toBe(false)
  }, 60_000)
})
