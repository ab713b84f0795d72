/** Shared by the tests of inception: keys for devices, and requests to the inception routes. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { deviceIdOf, type SignedDeviceAcceptance } from '@svc/protocol/base/device'
import type { InceptionHead } from '@svc/protocol/base/inception-head'
import type { HybridKey } from '@svc/protocol/base/key-agreement'
import { signStatement } from '@svc/protocol/base/statement'
import { type AttestDevice, type ChangeDevice, eventHash, type InceptionEvent } from '@svc/protocol/devices/inception'
import type { KeyHolder } from '@svc/testing'
import { REALM, signerOf, type TestCaller, testIdentity } from '@svc/testing'
import { expect } from 'vitest'
import { DEVICES } from '../../src/inception/device-store.ts'
import { INCEPTION, ROSTERS } from '../../src/inception/store.ts'
import { CORE, send } from '../harness.ts'

export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}
export type DeviceEvent = AttestDevice | ChangeDevice
type Send = (request: Request) => Promise<Response>

/** The keys of a device or an identity. */
export type Keys = KeyHolder & HybridKey & { readonly publicKeyB64u: string }

/** Fresh keys, without an identity. */
export function freshKeys(): Promise<TestCaller['identity']> {
  return testIdentity(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0)
}

/** Some of them. */
export const manyKeys = (count: number): Promise<Keys[]> =>
  Promise.all(Array.from({ length: count }, () => freshKeys()))

/** The acceptance that the keys sign to join an identity; `members` override those of a valid one. */
export function acceptanceBy(keys: Keys, did: string, members: object = {}): Promise<SignedDeviceAcceptance> {
  const statement = {
    type: 'svc/device-acceptance/v1' as const,
    realm: REALM,
    did,
    deviceId: deviceIdOf(keys.publicKeyB64u),
    devicePublicKeyB64u: keys.publicKeyB64u,
    kemPublicKeyB64u: keys.kemPublicKeyB64u,
    x25519B64u: keys.x25519B64u,
    origin: 'app:testing',
    capabilities: ['chain:read' as const],
    inception: null,
    issuedAt: Date.now(),
    ...members,
  }
  return signStatement(statement, signerOf(keys))
}

/** A valid attestation of the keys that follows `head`, which the acceptance names. */
export async function attestationOf(caller: TestCaller, keys: Keys, head?: InceptionHead): Promise<AttestDevice> {
  const { devices } = caller.client
  const { sequence, hash } = head ?? (await devices.head())
  const acceptance = await acceptanceBy(keys, caller.identity.did, { inception: { sequence, hash } })
  return devices.makeAttestation(acceptance, { sequence, hash })
}

/** The same statement with members changed, signed by the caller’s key. */
export async function resigned<E extends InceptionEvent>(caller: TestCaller, event: E, members: object): Promise<E> {
  const statement = { ...event.statement, ...members }
  return { ...event, ...(await signStatement(statement, signerOf(caller.identity))) }
}

export const following = (event: InceptionEvent): InceptionHead => ({
  sequence: event.statement.sequence,
  hash: eventHash(event),
})

/** Attestations and changes, each following the one before it. */
export async function chained(
  head: InceptionHead,
  makes: readonly ((head: InceptionHead) => Promise<DeviceEvent>)[],
): Promise<DeviceEvent[]> {
  const events: DeviceEvent[] = []
  let last = head
  for (const make of makes) {
    const event = await make(last)
    events.push(event)
    last = following(event)
  }
  return events
}

/** One request to an inception route with a valid assertion. */
export async function post(caller: TestCaller, path: string, body: unknown, fetch: Send = send): Promise<Answer> {
  const url = `${CORE}/api/inception/${path}`
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  const { identity, address } = caller
  const assertion = { audience: 'genesis', method: 'POST', url, body: bytes, now: Date.now() }
  const authorization = await identity.assertion(assertion)
  const headers = { authorization, 'cf-connecting-ip': address, 'content-type': 'application/json' }
  const response = await fetch(new Request(url, { method: 'POST', headers, body: bytes }))
  return { status: response.status, body: await response.json() }
}

export const attest = async (caller: TestCaller, event: AttestDevice, fetch?: Send) =>
  post(caller, 'device', event, fetch)
export const change = async (caller: TestCaller, event: ChangeDevice, fetch?: Send) =>
  post(caller, 'device-event', event, fetch)
export const batch = async (caller: TestCaller, events: readonly InceptionEvent[], fetch?: Send) =>
  post(caller, 'device-batch', { events }, fetch)

/** Everything that the caller’s object stores about inception. */
export function storedInception({ identity }: Pick<TestCaller, 'identity'>) {
  return runInDurableObject(env.IDENTITIES.getByName(identity.did), ({ stored }) => ({
    events: stored.tables(INCEPTION).exec('SELECT sequence, hash FROM inception_events ORDER BY sequence').toArray(),
    devices: stored
      .tables(DEVICES)
      .exec('SELECT device_id, status, capabilities FROM devices ORDER BY device_id')
      .toArray(),
    rosters: stored.tables(ROSTERS).exec('SELECT version, officers, quorum FROM rosters ORDER BY version').toArray(),
  }))
}

/** Copies the caller’s first device so many times, with names of no real key: a limit counts rows. */
export function seedDevices({ identity }: TestCaller, count: number, status: 'active' | 'revoked') {
  return runInDurableObject(env.IDENTITIES.getByName(identity.did), (_, { storage }) => {
    const columns = 'public_key, root_epoch, origin, capabilities, expires_at, attested_by, changed_by, added_at'
    storage.sql.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO devices (device_id, status, ${columns}) SELECT 'copy-' || i, ?, ${columns} 
       FROM n, (SELECT * FROM devices ORDER BY attested_by LIMIT 1)`,
      count,
      status,
    )
  })
}

/** The bindings with something injected before a call of one method of an identity’s object. */
export function beforeCalling(
  method: string,
  act: (did: string) => Promise<unknown> | undefined,
): { IDENTITIES: unknown } {
  const getByName = (did: string) => {
    const stub = env.IDENTITIES.getByName(did) as unknown as Record<string, (...operands: unknown[]) => unknown>
    const get =
      (_: object, name: string) =>
      async (...operands: unknown[]) => {
        if (name === method) await act(did)
        return stub[name]?.(...operands)
      }
    return new Proxy({}, { get })
  }
  return { IDENTITIES: { getByName } }
}

/** Returns the receipt in the response to an append, without the members about pending changes. */
export function receiptOf({ body }: { readonly body: Record<string, unknown> }): Record<string, unknown> {
  const { changes: _, ...receipt } = body['data'] as Record<string, unknown>
  return receipt
}

/** Matches the changes of a response that reports these devices as added. */
export const added = (...deviceIds: readonly string[]) =>
  deviceIds.map((deviceId) => expect.objectContaining({ kind: 'device_added', deviceId }) as object)
