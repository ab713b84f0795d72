/** Who meets over the fake relay: an owner with a client, and a device whose client has no identity. */

import { signStatement } from '@svc/protocol/base/statement'
import type { AttestDevice } from '@svc/protocol/devices/inception'
import type { JoinRequest } from '@svc/protocol/devices/rendezvous'
import { signGenesis } from '../src/chain/new-block.ts'
import { Client } from '../src/client.ts'
import { Device } from '../src/identity/device.ts'
import { Identity } from '../src/identity/identity.ts'
import { CORE, FakeRelay, HEAD, NOW, OFFER, OFFER_KEYS } from './fake-relay.ts'
import { fetchOf } from './fetch.ts'
import { REALM } from './realm.ts'
import { signerOf } from './signer.ts'

export { HEAD } from './fake-relay.ts'
export const KEY = new Uint8Array(32).fill(9)
export const FLOW_NAMES = ['pairing', 'authorization'] as const
export type FlowName = (typeof FLOW_NAMES)[number]

export const seeds = (byte: number) => ({
  signing: new Uint8Array(32).fill(byte),
  kem: new Uint8Array(32).fill(byte),
})
export const alice = await Identity.fromSeeds(seeds(1))
export const mallory = await Identity.fromSeeds(seeds(2))
export const tablet = await Device.fromSeeds(seeds(3), { origin: 'app:test', capabilities: ['chain:read'] })
export const theirs = await Device.fromSeeds(seeds(4), { origin: 'app:test', capabilities: ['chain:read'] })
export const { invitation } = OFFER

/** Both sides of an offer over one relay. */
export function sides(root = alice) {
  const relay = new FakeRelay(root)
  const options = { core: CORE, did: 'https://did.test', fetch: fetchOf(relay.fetch), now: () => NOW }
  return { relay, owner: new Client({ ...options, identity: root }), device: new Client(options) }
}

export async function attested(owner: Client, device: Device, did = alice.did): Promise<AttestDevice> {
  return owner.devices.makeAttestation(await device.acceptance(did, { realm: REALM, now: NOW }), HEAD)
}

/** The request of a device that has the invitation, as the service keeps it. */
export async function requestOf(device: Device, root = alice): Promise<JoinRequest> {
  const acceptance = await device.acceptance(root.did, { realm: REALM, now: NOW })
  const joining = { code: OFFER.code, rootPublicKeyB64u: root.publicKeyB64u, acceptance }
  return { acceptance, proofB64u: OFFER_KEYS.joinProof(joining) }
}

/** What the owner leaves for the device, in either flow. */
export function deliver(owner: Client, flow: FlowName, attestation: AttestDevice, payload = KEY): Promise<void> {
  return flow === 'pairing'
    ? owner.pairing.seal(invitation, attestation, payload)
    : owner.authorization.grant(invitation, attestation, payload)
}

/** The next root key of alice, and the evidence that it descends from the one that her DID names. */
export async function heirOfAlice() {
  const heir = await alice.successor()
  const statement = {
    type: 'svc/rotation-request/v1' as const,
    realm: REALM,
    did: alice.did,
    scope: alice.scope,
    version: 2 as const,
    epoch: 1,
    newPublicKeyB64u: heir.publicKeyB64u,
    next: [],
    replaceable: false,
    nonce: 'n_000000000000-1',
    inception: null,
    issuedAt: NOW,
  }
  const { signatureB64u } = await signStatement(statement, signerOf(alice))
  const { signatureB64u: newKeySignatureB64u } = await signStatement(statement, signerOf(heir))
  const request = { statement, signatureB64u, newKeySignatureB64u }
  const { userId, publicKeyB64u } = heir
  const genesis = { block: await signGenesis(alice, NOW), commitment: null }
  const first = {
    epoch: 0,
    userId: alice.userId,
    publicKeyB64u: alice.publicKeyB64u,
    activatedAt: NOW,
    request: null,
    genesis,
  }
  const evidence = { epoch: 1, userId, publicKeyB64u, activatedAt: NOW, request, genesis: null }
  return { heir, evidence, keys: [first, evidence] as [typeof first, typeof evidence] }
}
