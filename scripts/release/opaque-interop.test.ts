import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as opaque from '@serenity-kit/opaque'
import { describe, expect, it } from 'vitest'
import { RistrettoGroup } from '../../workers/auth/src/opaque/group.ts'
import { isFinish, type OpaqueRecord, OpaqueServer } from '../../workers/auth/src/opaque/rules.ts'

const assembled = readFileSync(new URL('../../workers/auth/src/opaque/ristretto.wasm', import.meta.url))
const server = new OpaqueServer(new RistrettoGroup(new WebAssembly.Module(assembled)))

const SECRET = new Uint8Array(32).fill(5)
const ADA = new Uint8Array(32).fill(1)
const keys = server.deriveKeys(SECRET)
const keyStretching = { 'argon2id-custom': { iterations: 1, memory: 64, parallelism: 1 } } as const
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const bytes = (encoded: string) => new Uint8Array(Buffer.from(encoded, 'base64url'))
const chance = () => ({
  maskingNonce: randomBytes(32),
  serverNonce: randomBytes(32),
  keyshareSeed: randomBytes(32),
})

function value<T>(result: { ok: true; value: T } | { ok: false; error: { reason: string } }): T {
  if (!result.ok) throw new Error(result.error.reason)
  return result.value
}

async function register(password: string) {
  await opaque.ready
  const { clientRegistrationState, registrationRequest } = opaque.client.startRegistration({ password })
  const registrationResponse = text(value(server.registrationResponse(keys, ADA, bytes(registrationRequest))))
  const finished = opaque.client.finishRegistration({
    password,
    registrationResponse: registrationResponse,
    clientRegistrationState,
    keyStretching,
  })
  return { ...finished, record: value(server.parseRecord(bytes(finished.registrationRecord))) }
}

function logIn(password: string, record: OpaqueRecord) {
  const { clientLoginState, startLoginRequest } = opaque.client.startLogin({ password })
  const context = new Uint8Array()
  const answer = value(server.answerLogin(keys, ADA, record, bytes(startLoginRequest), chance(), { context }))
  const loginResponse = text(answer.ke2)
  return { answer, finished: opaque.client.finishLogin({ password, clientLoginState, loginResponse, keyStretching }) }
}

describe('an independent OPAQUE client', () => {
  it('registers and logs in here, and derives the same export key and session key', async () => {
    const { record, exportKey, serverStaticPublicKey } = await register('correct horse')
    expect(serverStaticPublicKey).toBe(text(keys.publicKey))
    const { answer, finished } = logIn('correct horse', record)
    expect(finished?.exportKey).toBe(exportKey)
    expect(finished?.sessionKey).toBe(text(answer.sessionKey))
    expect(isFinish(bytes(finished?.finishLoginRequest ?? ''), answer.expectedClientMac)).toBe(true)
  })

  it('cannot tell a wrong password from a user without a record', async () => {
    const { record } = await register('correct horse')
    expect(logIn('wrong', record).finished).toBeUndefined()
    expect(logIn('correct horse', server.fakeRecord(SECRET, ADA)).finished).toBeUndefined()
  })

  it('stretches the password with Argon2id itself', async () => {
    const { record } = await register('correct horse')
    const { clientLoginState, startLoginRequest } = opaque.client.startLogin({ password: 'correct horse' })
    const answer = value(
      server.answerLogin(keys, ADA, record, bytes(startLoginRequest), chance(), { context: new Uint8Array() }),
    )
    const other = { 'argon2id-custom': { iterations: 2, memory: 64, parallelism: 1 } } as const
    const finished = opaque.client.finishLogin({
      password: 'correct horse',
      clientLoginState,
      loginResponse: text(answer.ke2),
      keyStretching: other,
    })
    expect(finished).toBeUndefined()
  })
})
