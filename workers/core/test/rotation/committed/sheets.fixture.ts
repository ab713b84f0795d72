/** Identities with sheets of words, and a resolver that stores their registrations like the DID Worker. */
import { Client, type ClientOptions, Device, type Fetch } from '@svc/client'
import { SuccessorSheet } from '@svc/client/recovery-words'
import type { Capability } from '@svc/protocol/base/device'
import { didDocumentOf, didTime } from '@svc/protocol/did/did'
import type { RegisterRequest } from '@svc/protocol/did/registration'
import type { Authority } from '@svc/protocol/internal/core'
import { byHost, fetchOf } from '@svc/testing'
import { send } from '../../harness.ts'
import { internal } from '../rotation.fixture.ts'
import { sends } from './committed.fixture.ts'

type Resolved = Pick<Authority, 'did' | 'scope' | 'epoch' | 'publicKeyB64u' | 'keyAgreement'>

let strangers = 0
/** Returns a client with an address of its own. `shown` changes the data of core before its resolver returns it. */
export function stranger(
  options: Partial<ClientOptions> = {},
  shown: (authority: Resolved) => Resolved = (authority) => authority,
): Client {
  strangers += 1
  const headers = { 'cf-connecting-ip': `2001:db8:fffe:${strangers}::1` }
  const fetch: Fetch = fetchOf(byHost({ core: send, did: (request) => resolve(request, shown) }))
  return new Client({ core: 'https://core.test', did: 'https://did.test', fetch, headers, retries: false, ...options })
}

async function resolve(request: Request, shown: (authority: Resolved) => Resolved): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (request.method === 'GET') return documentOf(decodeURIComponent(pathname.split('/').at(-1) ?? ''), shown)
  const { status, body } = pathname === '/1.0/register' ? await registers(request) : await rotates(request)
  return Response.json(body, { status })
}

async function rotates(request: Request) {
  const signed = JSON.parse(await request.text())
  return sends({ bob: { identity: { did: signed.statement.did } } as never }, signed)
}

async function registers(request: Request) {
  const { did, ...body } = await request.json<RegisterRequest>()
  return internal('PUT', `/api/internal/registration/${did}`, { body })
}

async function documentOf(did: string, shown: (authority: Resolved) => Resolved): Promise<Response> {
  const { body } = await internal('GET', `/api/internal/authority/${did}`)
  const authority = body as unknown as Authority
  return Response.json({
    '@context': 'https://w3id.org/did-resolution/v1',
    didDocument: authority.registration ? didDocumentOf(shown(authority), []) : null,
    didDocumentMetadata: {},
    didResolutionMetadata: { retrieved: didTime(Date.now()) },
  })
}

export function newDevice(capabilities: readonly Capability[] = ['rotation:cosign']): Promise<Device> {
  return Device.create({ origin: 'app:phone', capabilities: [...capabilities] })
}

/** Creates an identity with two sheets, and returns it with all that an owner keeps. */
export async function created(sheets = [SuccessorSheet.create(), SuccessorSheet.create()]) {
  const made = await stranger().createIdentity({ device: await newDevice(), sheets, keep: () => null })
  return { ...made, papers: sheets, words: sheets.map((sheet) => sheet.revealWords()) }
}

/** Creates an identity whose assertions send the statements of others. */
export async function lender() {
  const { identity } = await stranger().createIdentity({ device: await newDevice(), keep: () => null })
  return identity
}
