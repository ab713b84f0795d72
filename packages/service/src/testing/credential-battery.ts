import { PURPOSE, SCHEME } from '@svc/assertion'
import { SESSION_HEADER } from '@svc/protocol/auth/session'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { userIdOf } from '@svc/protocol/base/identity'
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from '@svc/protocol/base/labels'
import { TICKET_HEADER } from '@svc/protocol/events/socket'
import { errorEntry } from '@svc/protocol/http/errors'
import { describe, expect, it } from 'vitest'
import { type AssertedOperation, type Operation, takesAssertion } from '../app/operation.ts'
import type { RefusalNames } from '../auth/gate.ts'
import { exemplarsOf } from './exemplars.ts'
import type { Exchange, Prober } from './prober.ts'

/** One request of a route with an Authorization header, or without. */
type Present = (authorization?: string, headers?: Readonly<Record<string, string>>) => Promise<Exchange>

const b64u = (text: string) => encodeBase64url(new TextEncoder().encode(text))

/** Credentials that are not a ServiceAssertion at all. */
const GARBLED = [
  'Basic dXNlcjpwYXNz',
  ...[
    'abc.def',
    'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.AAAA',
    `${b64u('{}')}.AAAA`,
    `${b64u('{"aud":"chain","nonce":"n"}')}.AAAA`,
    `${b64u('{"version":2,"purpose":"auth/device-session","aud":"city"}')}.${'A'.repeat(4412)}`,
    `${b64u('{"version":1,"purpose":"auth/session","aud":"city","nonce":"n"}')}.${'A'.repeat(4412)}`,
  ].map((token) => `Bearer ${token}`),
  SCHEME,
  `${SCHEME} `,
  `${SCHEME} abc`,
  `${SCHEME} .`,
  `${SCHEME} !!!.???`,
  `${SCHEME} ${b64u('{}')}.A=`,
  `${SCHEME} ${b64u('not json')}.AAAA`,
  `${SCHEME} ${b64u('null')}.AAAA`,
  `${SCHEME} ${b64u('[1]')}.AAAA`,
  `${SCHEME} ${b64u('{}')}.AAAA.AAAA`,
  `${SCHEME} ${'A'.repeat(33 * 1024)}.AAAA`,
]

/** A well-formed assertion whose signature is nobody's. */
export function forgedAssertion(audience: unknown, members: Record<string, unknown> = {}): string {
  const publicKey = new Uint8Array(PUBLIC_KEY_BYTES)
  const key = encodeBase64url(publicKey)
  const issuedAt = Date.now()
  const payload = {
    version: 1,
    purpose: PURPOSE,
    userId: userIdOf(publicKey),
    chainId: key,
    publicChainKey: key,
    issuedAt,
    expiresAt: issuedAt + 60_000,
    nonce: crypto.randomUUID(),
    aud: audience,
    ...members,
  }
  return `${SCHEME} ${b64u(JSON.stringify(payload))}.${encodeBase64url(new Uint8Array(SIGNATURE_BYTES))}`
}

/**
 * Nothing gets past a route that takes assertions but an assertion for it. Each route shows it in one test; every way
 * to write a bad credential is tried on one route of each kind.
 */
export function credentialBattery(prober: Prober): void {
  const { description, routes } = prober.service
  const { refusals } = description
  const exemplars = exemplarsOf(prober)

  for (const { operation } of routes) {
    const method = operation.method.toUpperCase()
    const path = prober.pathOf(operation)
    const present: Present = (authorization, headers) =>
      prober.send({
        method,
        path,
        headers: {
          ...prober.originFor(method, path),
          ...(authorization === undefined ? {} : { authorization }),
          ...headers,
        },
        body: operation.body ? '{}' : undefined,
      })
    if (takesAssertion(operation) && refusals) {
      assertedRoute(`${method} ${operation.path}`, operation, refusals, present)
      if (exemplars.has(operation)) {
        assertedExemplar(`${method} ${operation.path}`, operation, refusals, present)
        underEitherName(prober, operation)
      }
    }
    if (operation.auth === 'token')
      tokenRoute(operation, present, (token) =>
        prober.send({
          method,
          path,
          headers: { [operation.tokenHeader ?? '']: token },
          body: operation.body ? '{}' : undefined,
        }),
      )
    if (operation.auth === 'signature') signedRoute(`${method} ${operation.path}`, present)
    if (operation.auth === 'optional-assertion') optionalRoute(`${method} ${operation.path}`, present)
    if (operation.auth === 'internal') internalRoute(`${method} ${operation.path}`, present)
  }
}

/** What a route answers without any credential: one that takes a token too asks for that. */
const missingOf = ({ tokenHeader }: AssertedOperation, names: RefusalNames) =>
  tokenHeader ? 'token_required' : names.missing

function assertedRoute(name: string, operation: AssertedOperation, names: RefusalNames, present: Present): void {
  it(`${name} takes an assertion for it and nothing else`, async () => {
    expectRefusal(await present(), missingOf(operation, names))
    expectRefusal(await present('Bearer abc.def'), names.rejected)
    expectRefusal(await present(forgedAssertion('city')), names.audience)
    for (const audience of operation.audiences) expectRefusal(await present(forgedAssertion(audience)), names.rejected)
  })
}

function assertedExemplar(name: string, operation: AssertedOperation, names: RefusalNames, present: Present): void {
  const { audiences } = operation
  describe(name, () => {
    it.each(GARBLED.map((value) => [value.slice(0, 40), value]))('refuses the credential %s', async (_, value) => {
      expectRefusal(await present(value), names.rejected)
    })
    it('takes no session of the sign-in service, in whatever form', async () => {
      const token = `signin_${'A'.repeat(43)}`
      for (const value of [token, `Bearer ${token}`, `${SCHEME} ${token}`, `${SCHEME} ${token}.${token}`]) {
        expectRefusal(await present(value), names.rejected)
      }
      expectRefusal(await present(undefined, { [SESSION_HEADER]: token }), missingOf(operation, names))
    })
    it.each([undefined, '', '*', 'city', [...audiences], `${audiences[0]} `, audiences[0].toUpperCase()])(
      'refuses the audience %j before anything else in the assertion',
      async (audience) => {
        expectRefusal(await present(forgedAssertion(audience, { nonce: '', expiresAt: 0 })), names.audience)
      },
    )
  })
}

/** Generated clients know no scheme but Bearer. */
function underEitherName(prober: Prober, operation: AssertedOperation): void {
  const method = operation.method.toUpperCase()
  it(`${method} ${operation.path} takes an assertion under the name Bearer as under its own`, async () => {
    const answers = []
    for (const name of [SCHEME, 'Bearer', 'bearer']) {
      const { path, headers } = await prober.callFor(operation)
      const authorization = (headers['authorization'] ?? '').replace(SCHEME, name)
      const body = operation.body ? '{}' : undefined
      const { status, error } = await prober.send({ method, path, headers: { ...headers, authorization }, body })
      answers.push({ status, error })
    }
    expect(answers[0]?.status).not.toBe(401)
    expect(answers.slice(1)).toEqual([answers[0], answers[0]])
  })
}

/** A token is asked for by its own header, and an assertion does not stand in for it. */
function tokenRoute(
  operation: Operation,
  present: (authorization?: string) => Promise<Exchange>,
  withToken: (token: string) => Promise<Exchange>,
): void {
  describe(`${operation.method.toUpperCase()} ${operation.path}`, () => {
    it('refuses a request without its token', async () => {
      expectRefusal(await present(), 'token_required')
      expectRefusal(await present(forgedAssertion('chain')), 'token_required')
    })
    it.each(['', 'short', 'A'.repeat(129), 'with space'.repeat(4)])('refuses the token %j', async (token) => {
      // The runtime drops an empty list of subprotocols.
      const isDropped = token === '' && operation.tokenHeader === TICKET_HEADER
      expectRefusal(await withToken(token), isDropped ? 'token_required' : 'token_rejected')
    })
  })
}

/** A detached signature is asked for before anything else is looked at, and no assertion stands in for it. */
function signedRoute(name: string, present: Present): void {
  it(`${name} refuses a request without its signature`, async () => {
    expectRefusal(await present(), 'signature_required')
    expectRefusal(await present(undefined, { 'x-svc-signature': '' }), 'signature_required')
    expectRefusal(await present(forgedAssertion('chain')), 'signature_required')
  })
}

function optionalRoute(name: string, present: (authorization?: string) => Promise<Exchange>): void {
  it(`${name} takes a broken credential for none`, async () => {
    for (const value of [undefined, ...GARBLED]) {
      const { status } = await present(value)
      expect([401, 403], value).not.toContain(status)
    }
  })
}

/** The internal routes answer nobody who does not hold the secret. */
function internalRoute(name: string, present: (authorization?: string) => Promise<Exchange>): void {
  it(`${name} refuses a caller without the secret`, async () => {
    expectRefusal(await present(), 'forbidden')
    expectRefusal(await present(forgedAssertion('chain')), 'forbidden')
  })
}

export function expectRefusal({ status, error, headers }: Exchange, name: Parameters<typeof errorEntry>[0]): void {
  expect({ status, error }).toEqual({ status: errorEntry(name).status, error: name })
  expect(headers.get('cache-control')).toBe('no-store')
}
