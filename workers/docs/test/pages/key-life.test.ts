/** The pages on rotation, devices and pairing: their identifiers, hashes and codes, and what the law makes of them. */
import { GENERAL_NONCE, signPayload, verifyAssertion } from '@svc/assertion'
import { Client, Device } from '@svc/client'
import { mlDsa65, xWing } from '@svc/pqc'
import { hkdfSha3_384, hmacSha3_384 } from '@svc/pqc/sha3'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { deviceIdOf } from '@svc/protocol/base/device'
import { fromHex, hashHex, hashTextHex } from '@svc/protocol/base/hash'
import * as names from '@svc/protocol/base/identity'
import { type Json, jcsBytes } from '@svc/protocol/base/jcs'
import { ciphertextOf, hybridCiphertextOf } from '@svc/protocol/base/key-agreement'
import { signStatement, statementHash } from '@svc/protocol/base/statement'
import { keyHistorySchema, rotationIdOf, signedRotationRequestSchema } from '@svc/protocol/chain/rotation'
import { verifyKeyHistory } from '@svc/protocol/chain/rotation-verification'
import { crockford, grouped } from '@svc/protocol/devices/crockford'
import * as inception from '@svc/protocol/devices/inception'
import { readInvitation } from '@svc/protocol/devices/invitation'
import { OfferKeys } from '@svc/protocol/devices/offer-keys'
import * as rendezvous from '@svc/protocol/devices/rendezvous'
import { InceptionVerifier } from '@svc/protocol/devices/verifier'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import coreApi from '../../../core/openapi.json'
import didApi from '../../../did/openapi.json'
import keysApi from '../../../keys/openapi.json'
import payApi from '../../../pay/openapi.json'
import provenanceApi from '../../../provenance/openapi.json'
import { pagesText, REALMS, value, vector } from './examples.ts'

/** The services that take assertions. */
const APIS = { core: coreApi, did: didApi, keys: keysApi, pay: payApi, provenance: provenanceApi }
const T = 1_790_000_000_000
const rootKey = vector('publicKeyB64u')
const secondKey = vector('operatorPublicKeyB64u')
const deviceId = deviceIdOf(secondKey)
const byRoot = (message: Uint8Array) => mlDsa65.sign(fromHex(vector('signingSeedHex')), message)
const bySecond = (message: Uint8Array) => mlDsa65.sign(fromHex(vector('operatorSeedHex')), message)
const data = <S extends z.ZodType>(name: string, schema: S): z.output<S> =>
  schema.parse((value(name) as { data: unknown }).data)

/** The attestation of the page with real signatures in place of the stand-ins. */
async function signedAttestation(example: inception.AttestDevice): Promise<inception.AttestDevice> {
  const acceptance = await signStatement(example.acceptance.statement, bySecond)
  return { ...(await signStatement(example.statement, byRoot)), acceptance }
}

/** The history before the first rotation. */
function genesisHistory() {
  const { keys, ...history } = data('key-history', keyHistorySchema)
  return { ...history, keys: keys.slice(0, 1) }
}

/** The keys of the page's history with real signatures in place of the stand-ins. */
async function signedHistory() {
  const { keys, ...history } = data('key-history', keyHistorySchema)
  const signed = await Promise.all(
    keys.map(async (key) => {
      if (!key.request) return key
      const { statement } = key.request
      const { signatureB64u: newKeySignatureB64u } = await signStatement(statement, bySecond)
      return { ...key, request: { ...(await signStatement(statement, byRoot)), newKeySignatureB64u } }
    }),
  )
  return { ...history, keys: signed }
}

const [INVITATION = ''] = /7Q3K-9ZXN-0V4T(?:-[0-9A-Z]{4}){7}/.exec(pagesText) ?? []

/** The part of a delivery's key that comes from the invitation of the page. */
function sealKey(): Uint8Array {
  const ascii = (text: string) => new TextEncoder().encode(text)
  const secret = INVITATION.replaceAll('-', '').slice(12, -2)
  return hkdfSha3_384(ascii(secret), new Uint8Array(), ascii('svc/offer-seal/v1'), 32)
}

/** `svc/seal/v1` from the words of the page alone. */
async function keyAsWritten(secret: Uint8Array, ciphertext: Uint8Array, use: 'encrypt' | 'decrypt') {
  const info = fromHex(hashHex(ciphertext) + hashHex(sealContext()))
  const label = new TextEncoder().encode('svc/seal/v1')
  const derived = hkdfSha3_384(secret, label, info, 32)
  const raw = new Uint8Array(hkdfSha3_384(derived, sealKey(), label, 32))
  return crypto.subtle.importKey('raw', raw, 'AES-GCM', false, [use])
}

const sealContext = () => new Uint8Array(jcsBytes(value('seal-context') as Json))

async function sealAsWritten(plaintext: Uint8Array): Promise<rendezvous.Sealed> {
  const { ciphertext, sharedSecret } = await xWing.encapsulate(bytesOf(vector('xWingPublicKeyB64u')))
  const iv = new Uint8Array(12).fill(1)
  const key = await keyAsWritten(sharedSecret, ciphertext, 'encrypt')
  const parameters = { name: 'AES-GCM', iv, additionalData: sealContext() }
  const sealed = await crypto.subtle.encrypt(parameters, key, new Uint8Array(plaintext))
  const [nonceB64u, ciphertextB64u] = [iv, new Uint8Array(sealed)].map(encodeBase64url)
  return rendezvous.sealedSchema.parse({ ...hybridCiphertextOf(ciphertext), nonceB64u, ciphertextB64u })
}

describe('the page rotation', () => {
  it('names the rotation by its request', () => {
    const { statement } = signedRotationRequestSchema.parse(value('rotation-request'))
    const rotationId = rotationIdOf(statement)
    expect(pagesText).toContain(`here \`${rotationId}\``)
    const named = ['activate-rotation', 'rotation-summary', 'rotation-noted'].map(value)
    for (const shown of named) expect(shown).toMatchObject({ rotationId })
    const statements = ['rotation-freeze', 'rotation-cancel', 'rotation-cosign', 'rotation-approval'].map(value)
    for (const shown of statements) expect(shown).toMatchObject({ statement: { rotationId, did: vector('did') } })
    const newUserId = names.userIdOfKey(secondKey)
    expect(value('rotation-summary')).toMatchObject({ newUserId })
    expect(value('rotation-record')).toMatchObject({ data: { rotationId, newUserId } })
  })

  it('shows a history that leads from the DID to the new key, once it is signed', async () => {
    const { keys } = await signedHistory()
    const verified = await verifyKeyHistory(keys, vector('did'), REALMS)
    expect(verified.ok && verified.value.map(({ publicKeyB64u }) => publicKeyB64u)).toEqual([rootKey, secondKey])
    const shown = await verifyKeyHistory(data('key-history', keyHistorySchema).keys, vector('did'), REALMS)
    expect(shown).toEqual({ ok: false, error: { reason: 'invalid_signature', epoch: 1 } })
  })
})

describe('the page devices', () => {
  const attestation = inception.attestDeviceSchema.parse(value('attest-device'))
  const change = inception.changeDeviceSchema.parse(value('device-event'))
  const org = inception.inceptOrgSchema.parse(value('org-inception'))

  it('names the device by its key and links the events by their hashes', () => {
    expect(attestation.statement.deviceId).toBe(deviceId)
    expect(attestation.statement.previousHash).toBe(vector('genesisHash'))
    const hash = inception.eventHash(attestation)
    expect(change.statement.previousHash).toBe(hash)
    expect(value('inception-appended')).toMatchObject({ data: { sequence: 1, hash } })
    const head = { sequence: 2, hash: inception.eventHash(change) }
    expect(value('inception-events')).toMatchObject({ data: { events: [change], head } })
    expect(org.acceptances[0]?.statement.rosterHash).toBe(statementHash(org.statement))
    const officers = inception.rotateOfficersSchema.parse(value('org-officers'))
    expect(officers.statement.previousHash).toBe(inception.eventHash(org))
    expect(officers.statement.officers).toEqual([names.didOf(names.userIdOfKey(secondKey))])
  })

  it('shows an attestation that the log takes, once it is signed', async () => {
    const keys = [{ epoch: 0, userId: vector('userId'), publicKeyB64u: rootKey }] as const
    const verifier = new InceptionVerifier(keys, vector('genesisHash'), REALMS)
    expect(await verifier.next(attestation)).toMatchObject({ error: { reason: 'invalid_signature' } })
    expect(await verifier.next(await signedAttestation(attestation))).toMatchObject({ ok: true })
    expect(verifier.devices).toMatchObject([
      { deviceId, status: 'active', capabilities: ['chain:read', 'rotation:cosign'] },
    ])
  })
})

describe('the page assertions', () => {
  const policy = {
    expectedAudiences: ['chain'],
    skewMs: 120_000,
    noncePattern: GENERAL_NONCE,
    expectedOrigins: ['https://core.example'],
    acceptsDevices: true,
    requiredCapability: 'chain:read',
  } as const
  const request = async (origin: string | undefined) => ({
    authorization: await signPayload({ sign: bySecond }, value('assertion-payload-v2') as Record<string, unknown>),
    method: 'GET',
    target: '/api/chain/head',
    origin,
    bodyHash: async () => hashTextHex(''),
  })

  it('shows a device assertion of the length that it names', async () => {
    const sent = await request('https://app.example')
    const verdict = await verifyAssertion(sent, policy, T)
    expect(verdict).toMatchObject({ ok: true, value: { signer: `dev:${deviceId}`, keyDid: vector('did') } })
    expect(pagesText).toContain(`has ${sent.authorization.length.toLocaleString('en')}.`)
  })

  it('states the rule of the origin as it is', async () => {
    expect((await verifyAssertion(await request(undefined), policy, T)).ok).toBe(true)
    const elsewhere = await verifyAssertion(await request('https://other.example'), policy, T)
    expect(elsewhere).toEqual({ ok: false, error: { reason: 'binding', member: 'origin' } })
  })

  it('lists the capability of every route', () => {
    const rows = [...pagesText.matchAll(/^\| ([a-z]+) \| `([A-Z]+) (\/[^`]+)` \| `([a-z:]+)` \|$/gm)]
    const shown = rows.map(([, service, method, path, capability]) => `${service} ${method} ${path} ${capability}`)
    const declared = Object.entries(APIS).flatMap(([service, { paths }]) =>
      Object.entries(paths).flatMap(([path, item]) =>
        Object.entries<{ 'x-device-capability'?: string }>(item)
          .filter(([method, operation]) => method !== 'head' && operation['x-device-capability'] !== undefined)
          .map(
            ([method, operation]) => `${service} ${method.toUpperCase()} ${path} ${operation['x-device-capability']}`,
          ),
      ),
    )
    expect(shown.toSorted()).toEqual(declared.toSorted())
  })
})

describe('the page pairing', () => {
  it('shows an invitation, and what both devices derive from it', async () => {
    const read = readInvitation(INVITATION)
    if (!read.ok) throw new Error(read.error.reason)
    const { code, secret } = read.value
    expect(code).toBe(data('offer', rendezvous.offerSchema).code)
    const ascii = (text: string) => new TextEncoder().encode(text)
    const derived = (info: string, bytes: number) => hkdfSha3_384(ascii(secret), new Uint8Array(), ascii(info), bytes)
    const token = encodeBase64url(derived('svc/offer-token/v1', 32))
    expect(pagesText).toContain(`For the invitation above the token is \`${token}\`.`)
    const key = derived('svc/offer-mac/v1', 48)
    const mac = (name: string) => hmacSha3_384(key, jcsBytes(value(name) as Json))
    const opened = rendezvous.openOfferSchema.parse(value('open-offer'))
    expect(opened).toEqual({ tokenHash: hashTextHex(token), proofB64u: encodeBase64url(mac('offer-proof')) })
    expect(data('offerer', rendezvous.offererSchema).proofB64u).toBe(opened.proofB64u)
    const request = rendezvous.joinRequestSchema.parse(value('join-request'))
    expect(request.proofB64u).toBe(encodeBase64url(mac('join-proof')))
    expect(data('offer-state', rendezvous.offerStateSchema).request).toEqual(request)
    expect(value('join-proof')).toMatchObject({ code, acceptance: request.acceptance })
    const shown = grouped(crockford(mac('confirmation')).slice(0, 12))
    expect(pagesText).toContain(`The code of this example is \`${shown}\`.`)
    const { issuedAt: _, ...accepted } = request.acceptance.statement
    expect(value('confirmation')).toMatchObject({ code, accepted })
    expect(accepted).toMatchObject({ deviceId, devicePublicKeyB64u: secondKey })
    const joining = { code, rootPublicKeyB64u: rootKey, acceptance: request.acceptance }
    const keys = new OfferKeys(secret)
    expect([keys.token, keys.joinProof(joining), keys.confirmationCode(joining)]).toEqual([
      token,
      request.proofB64u,
      shown,
    ])
    const bytes = JSON.stringify(request).length
    expect(pagesText).toContain(`A request to join has ${bytes.toLocaleString('en')} bytes`)
    const { devicePublicKeyB64u } = request.acceptance.statement
    const signed = devicePublicKeyB64u.length + request.acceptance.signatureB64u.length
    expect(pagesText).toContain(`an ML-DSA-65 key and a signature take ${signed.toLocaleString('en')} of these.`)
  })

  it('seals as the SDK opens', async () => {
    const { attestation, payloadB64u, delivery } = rendezvous.sealedContentsSchema.parse(value('sealed-contents'))
    const { code, deviceId: to, contentsHash } = delivery.statement
    expect(value('seal-context')).toEqual({ type: 'svc/seal/v1', code, deviceId: to })
    expect(contentsHash).toBe(rendezvous.contentsHash({ attestation, payloadB64u }))
    const signed = { attestation: await signedAttestation(attestation), payloadB64u }
    const statement = { ...delivery.statement, contentsHash: rendezvous.contentsHash(signed) }
    const contents = { ...signed, delivery: await signStatement(statement, byRoot) }
    const answers: Record<string, unknown> = {
      [`/api/pair/seal/${code}`]: await sealAsWritten(new TextEncoder().encode(JSON.stringify(contents))),
      [`/api/chain/root/${vector('did')}/history`]: genesisHistory(),
      [`/api/pair/offer/${code}/join`]: data('offerer', rendezvous.offererSchema),
    }
    const fetch = async (url: string) =>
      Response.json({ success: true, data: answers[new URL(url).pathname], timestamp: T })
    const client = new Client({ core: 'https://core.example', did: 'https://did.example', fetch })
    const seeds = { signing: fromHex(vector('operatorSeedHex')), kem: fromHex(vector('kemSeedHex')) }
    const device = await Device.fromSeeds(seeds, { origin: 'https://app.example', capabilities: ['chain:read'] })
    const welcome = await client.pairing.take(INVITATION.toLowerCase(), device)
    expect(new TextDecoder().decode(welcome.payload ?? undefined)).toBe('hello')
    expect(welcome.device.did).toBe(vector('did'))
  })

  it('shows an envelope that opens as it says', async () => {
    const { code, grant } = rendezvous.grantRequestSchema.parse(value('grant-request'))
    const { wrappedKey: sealed } = grant
    expect(value('seal-request')).toEqual({ code, sealed })
    expect(value('sealed')).toMatchObject({ data: sealed })
    const ciphertext = ciphertextOf(sealed)
    const secret = await xWing.decapsulate(fromHex(vector('kemSeedHex')), ciphertext)
    const key = await keyAsWritten(secret, ciphertext, 'decrypt')
    const parameters = { name: 'AES-GCM', iv: new Uint8Array(bytesOf(sealed.nonceB64u)), additionalData: sealContext() }
    const opened = await crypto.subtle.decrypt(parameters, key, new Uint8Array(bytesOf(sealed.ciphertextB64u)))
    expect(new TextDecoder().decode(opened)).toBe('hello')
  })

  it('has both parts of the encapsulation', () => {
    expect(bytesOf(vector('sealedKemCiphertext'))).toHaveLength(1088)
    expect(bytesOf(vector('sealedEphemeral'))).toHaveLength(32)
  })
})
