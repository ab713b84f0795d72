import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.ts'
import { Identity } from '../identity/identity.ts'
import { newKeyFor } from '../identity/new-key.ts'
import { ProcessSigner, type ProcessSignerOptions } from './process-signer.ts'

const seeds = { signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) }
const alice = await Identity.fromSeeds(seeds)
const { publicKeyB64u, kemPublicKeyB64u, x25519B64u } = alice
const KEYS = { publicKeyB64u, kemPublicKeyB64u, x25519B64u }
const about = { realm: REALM, audience: 'login.example.com', content: 'hello' }

let folder = ''
const started: ProcessSigner[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-process-signer-'))
})
afterEach(() => {
  for (const one of started.splice(0)) one.close()
})
afterAll(() => rm(folder, { recursive: true }))

/** A program that answers each request by `answer`, an expression of `request`; a string is sent as it is. */
async function programOf(answer: string, options?: ProcessSignerOptions): Promise<ProcessSigner> {
  const file = join(folder, `${crypto.randomUUID()}.mjs`)
  const source = `
    import { createInterface } from 'node:readline'
    const keys = ${JSON.stringify(KEYS)}
    const signers = () => import(${JSON.stringify(import.meta.resolve('../signers.ts'))})
    const pqc = () => import(${JSON.stringify(import.meta.resolve('@svc/pqc'))})
    const signing = new Uint8Array(32).fill(1), kem = new Uint8Array(32).fill(2)
    const bytes = (text) => new Uint8Array(Buffer.from(text, 'base64url'))
    const text = (bytes) => Buffer.from(bytes).toString('base64url')
    createInterface({ input: process.stdin }).on('line', async (line) => {
      const request = JSON.parse(line)
      const { id } = request
      const answer = request.act === 'keys' && !${JSON.stringify(answer)}.includes('first') ? { id, ...keys } : await (${answer})
      if (answer !== undefined) process.stdout.write(typeof answer === 'string' ? answer : JSON.stringify(answer) + '\\n')
    })`
  await writeFile(file, source)
  const signer = await ProcessSigner.start(process.execPath, [file], options)
  started.push(signer)
  return signer
}

const SIGNS = `request.act === 'sign'
  ? pqc().then(async ({ mlDsa65 }) => ({ id, signatureB64u: text(await mlDsa65.sign(signing, bytes(request.bytesB64u))) }))
  : signers().then(async ({ memoryKeyAgreement }) => {
      const { label, infoB64u, ciphertextB64u } = request
      const purpose = { label, info: bytes(infoB64u) }
      return { id, keyB64u: text(await (await memoryKeyAgreement(kem)).unwrap(bytes(ciphertextB64u), purpose)) }
    })`

describe('a signer in another program', () => {
  it('signs and unwraps, several at a time', async () => {
    const { signer, keyAgreement } = await programOf(SIGNS)
    const identity = await Identity.fromSigner(signer, { keyAgreement: keyAgreement! })
    expect([identity.did, identity.kemPublicKeyB64u, identity.x25519B64u]).toEqual([
      alice.did,
      kemPublicKeyB64u,
      x25519B64u,
    ])
    const signed = await Promise.all([1, 2, 3].map((n) => identity.signMessage({ ...about, content: `${n}` })))
    expect(signed.map(({ statement }) => statement.text)).toEqual(['1', '2', '3'])
    const purpose = { label: 'a test', info: new Uint8Array([1, 2, 3]) }
    const { key, ciphertext } = await newKeyFor(identity, purpose)
    expect(await identity.unwrap(ciphertext, purpose)).toEqual(key)
  })

  it('is told the purpose, and can refuse with a text', async () => {
    const { signer } = await programOf(`{ id, error: 'refused', message: 'Not ' + request.purpose }`)
    const identity = await Identity.fromSigner(signer)
    await expect(identity.signMessage(about)).rejects.toMatchObject({
      name: 'SignerError',
      reason: 'refused',
      message: 'Not svc/message/v1',
      purpose: 'svc/message/v1',
    })
  })

  it('is not asked to sign bytes that are not of their purpose', async () => {
    const { signer } = await programOf(SIGNS)
    await expect(signer.sign(new Uint8Array(3), 'block')).rejects.toMatchObject({ reason: 'wrong_purpose' })
  })

  it('is noticed if it signs something else', async () => {
    const wrong = encodeBase64url(await mlDsa65.sign(seeds.signing, new Uint8Array(3)))
    const { signer } = await programOf(`{ id, signatureB64u: '${wrong}' }`)
    const identity = await Identity.fromSigner(signer)
    await expect(identity.signMessage(about)).rejects.toMatchObject({ reason: 'wrong_signature' })
  })

  it.each([
    ['does not answer', 'undefined', 'timeout', { timeoutMs: 5000 }],
    ['ends', 'process.exit(0)', 'unavailable', {}],
    ['says something else', `'hello\\n'`, 'unavailable', {}],
    ['says null', `'null\\n'`, 'unavailable', {}],
    ['answers in another form', '{ id, signatureB64u: 5 }', 'unavailable', {}],
    ['answers more', `{ id, signatureB64u: 'AA', more: 1 }`, 'unavailable', {}],
    ['answers a line that is too long', `{ id, signatureB64u: 'A'.repeat(70000) }`, 'unavailable', {}],
    ['never ends a line', `'x'.repeat(70000)`, 'unavailable', {}],
  ])('that %s is an error', async (_, answer, reason, options) => {
    const { signer } = await programOf(answer, options)
    const identity = await Identity.fromSigner(signer)
    await expect(identity.signMessage(about)).rejects.toMatchObject({ name: 'SignerError', reason })
  })

  it('has to say its keys', async () => {
    await expect(programOf(`'first' && { id, publicKeyB64u: 'AA' }`)).rejects.toMatchObject({ reason: 'unavailable' })
    const half = `'first' && { id, ...keys, x25519B64u: undefined }`
    await expect(programOf(half)).rejects.toMatchObject({ reason: 'unavailable' })
    await expect(ProcessSigner.start(join(folder, 'nothing'))).rejects.toMatchObject({ reason: 'unavailable' })
  })

  it('need not have key agreement, and answers nothing once it is closed', async () => {
    const program = await programOf(`'first' && { id, publicKeyB64u: keys.publicKeyB64u }`)
    expect(program.keyAgreement).toBeUndefined()
    program.close()
    const identity = await Identity.fromSigner(program.signer)
    await expect(identity.signMessage(about)).rejects.toMatchObject({ reason: 'unavailable' })
  })
})
