import { hashMlDsa65 } from '@svc/pqc'
import { sha3_384 } from '@svc/pqc/sha3'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { prepareHeader } from '@svc/protocol/notes/headers'
import { signerOf, testIdentity } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { anonymous, call, freshCaller } from '../harness.ts'

const message = new TextEncoder().encode('a message')
const signer = await testIdentity(42)
const good = {
  alg: 'ml-dsa-65',
  messageB64u: encodeBase64url(message),
  signatureB64u: encodeBase64url(await signerOf(signer)(message)),
  publicKeyB64u: signer.publicKeyB64u,
}
const digest = sha3_384(message)
const { messageB64u: _, ...withoutMessage } = good
const prehash = {
  ...withoutMessage,
  hashAlg: 'sha3-384',
  hashB64u: encodeBase64url(digest),
  signatureB64u: encodeBase64url(await hashMlDsa65.sign(signer.revealSeeds().signing, digest)),
}
const verify = (body: unknown) => anonymous('POST', '/api/pqc/verify', body)

describe('POST /api/pqc/verify', () => {
  it.each([
    ['a message', good, true],
    ['a digest', prehash, true],
    ['a digest without hashAlg', { ...prehash, hashAlg: undefined }, true],
    ['an unknown alg', { ...good, alg: 'dilithium3' }, false],
    ['an uppercase alg', { ...good, alg: 'ML-DSA-65' }, false],
    ['no alg', { ...good, alg: undefined }, false],
    ['an alg of another type', { ...good, alg: 65 }, false],
    ['another message', { ...good, messageB64u: 'AAAA' }, false],
    ['an empty message', { ...good, messageB64u: '' }, false],
    ['a pure signature over the digest form', { ...prehash, signatureB64u: good.signatureB64u }, false],
    ['a short signature', { ...good, signatureB64u: good.signatureB64u.slice(0, 4) }, false],
    ['a short key', { ...good, publicKeyB64u: 'AAAA' }, false],
    ['a short digest', { ...prehash, hashB64u: 'AAAA' }, false],
    ['a signature of 30 kB', { ...good, signatureB64u: 'AAAA'.repeat(10_000) }, false],
  ])('says of %s: valid %s', async (_name, body, valid) => {
    expect(await verify(body)).toMatchObject({ status: 200, body: { valid } })
  })

  it.each([
    ['no signature', { ...good, signatureB64u: undefined }, 'invalid_request', 'signatureB64u'],
    ['no key', { ...good, publicKeyB64u: undefined }, 'invalid_request', 'publicKeyB64u'],
    ['neither message nor hash', withoutMessage, 'invalid_request', 'exactly one'],
    ['both message and hash', { ...good, hashB64u: prehash.hashB64u }, 'invalid_request', 'exactly one'],
    ['padding', { ...good, messageB64u: 'AAA=' }, 'invalid_request', 'messageB64u'],
    ['the standard alphabet', { ...good, messageB64u: '+/+/' }, 'invalid_request', 'messageB64u'],
    ['stray trailing bits', { ...good, messageB64u: 'AB' }, 'invalid_request', 'messageB64u'],
    ['another hash', { ...prehash, hashAlg: 'sha-256' }, 'unsupported_alg', 'sha3-384'],
    ['another hash and no alg', { ...prehash, alg: undefined, hashAlg: 'sha-256' }, 'unsupported_alg', 'sha3-384'],
    ['an unknown member', { ...good, hash: 'x' }, 'invalid_request', 'Unrecognized key'],
    ['an array', [good], 'invalid_request', 'body'],
  ])('refuses %s', async (_name, body, code, named) => {
    const refused = await verify(body)
    expect(refused).toMatchObject({ status: 400, body: { code, details: { error: code } } })
    expect(refused.body['message']).toContain(named)
  })
})

describe('POST /api/headers/prepare', () => {
  const headerOf = (userId: string) => ({
    userId,
    noteId: 'note-1',
    deviceId: 'laptop',
    operation: 'create' as const,
    contentType: 'text/plain',
    contentLength: 5,
    timestamp: '2026-11-21T12:00:00Z',
    app: { name: 'tests', version: '1.0.0' },
    ext: { pinned: true, order: 3, colour: 'red' },
  })

  it('digests the canonical header, whatever the order of its members', async () => {
    const caller = await freshCaller()
    const header = headerOf(caller.identity.userId)
    const reversed = Object.fromEntries(Object.entries(header).toReversed())
    const prepared = await call(caller, 'POST', '/api/headers/prepare', { header: reversed })
    expect(prepared).toMatchObject({
      status: 200,
      body: {
        success: true,
        data: { aadB64u: prepareHeader(header).aadB64u, policyVersion: 'v2', aadHashAlg: 'sha3-384' },
      },
    })
  })

  it('rejects a header of someone else', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const body = { header: headerOf(bob.identity.userId) }
    expect(await call(alice, 'POST', '/api/headers/prepare', body)).toMatchObject({
      status: 403,
      body: { error: 'owner_mismatch' },
    })
  })

  it.each([
    ['a local time', { timestamp: '2026-11-21T12:00:00+01:00' }],
    ['a nested ext', { ext: { deep: { er: 1 } } }],
    ['an unknown operation', { operation: 'read' }],
    ['a negative length', { contentLength: -1 }],
    ['a title', { title: 'plaintext' }],
    ['a member that a record would drop', { ext: JSON.parse('{"__proto__":"x","a":1}') as unknown }],
  ])('refuses %s', async (_name, changes) => {
    const caller = await freshCaller()
    const header = { ...headerOf(caller.identity.userId), ...changes }
    expect((await call(caller, 'POST', '/api/headers/prepare', { header })).status).toBe(400)
  })
})
