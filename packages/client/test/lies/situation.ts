/** What a method that verifies is asked in, honestly and by a service that lies. */
import { type Signed, signStatement } from '@svc/protocol/base/statement'
import { Client } from '../../src/client.ts'
import type { ClientOptions } from '../../src/client-options.ts'
import type { Device } from '../../src/identity/device.ts'
import type { Identity } from '../../src/identity/identity.ts'
import type { Fetch } from '../../src/transport/fetch.ts'
import type { VerificationReason } from '../../src/verification/reasons.ts'
import type { VerificationSubject } from '../../src/verification/subjects.ts'
import type { Where } from '../../src/verification/verification-error.ts'
import { fetchOf } from '../fetch.ts'
import { signerOf } from '../signer.ts'

export const NOW = 1_790_000_000_000
export const OTHER_REALM = 'https://other.test'

export interface Situation {
  /** What the services answer, by path, or by method and path: a body, or what makes one of the query. */
  readonly answers?: () => Readonly<Record<string, unknown>>
  readonly options?: Partial<ClientOptions>
  readonly args: () => readonly unknown[]
  /** What has the method; by default, what its name says. */
  readonly of?: (client: Client) => object | Promise<object>
  /** How the client sees the truth before a lie; by default, with the same call. */
  readonly see?: (client: Client) => Promise<unknown>
  /** The clock of the client. */
  now?: number
  /** What becomes of an answer on its way, such as one of a page of somebody else. */
  distort?: (answer: Response, path: string) => Promise<Response>
}

export interface Lie<S extends Situation = Situation> {
  /** What the service does, for the table of the page: it completes "The service …". */
  readonly lie: string
  /** Changes what is shown. */
  readonly tell: (situation: S) => unknown
  readonly subject: VerificationSubject
  readonly reason: VerificationReason
  readonly where?: Where
  /** The client has seen the truth before. */
  readonly afterTruth?: true
}

/** A public method that verifies, and every lie that it finds. */
export interface VerifyingMethod<S extends Situation = Situation> {
  /** As callers write it: `client.chain.verify`. */
  readonly name: string
  /** What it is asked with, if the table has the method more than once. */
  readonly given?: string
  readonly honest: () => S | Promise<S>
  readonly lies: readonly Lie<S>[]
}

export const verifying = <S extends Situation>(method: VerifyingMethod<S>): VerifyingMethod => {
  const { lies, ...asked } = method
  return { ...asked, lies: lies.map((lie) => ({ ...lie, tell: (situation) => lie.tell(situation as S) })) }
}

/** A body of the services that wrap their data. */
export const data = (value: unknown) => ({ success: true, data: value, timestamp: NOW })

export function fetchIn(situation: Situation): Fetch {
  return distorted(situation, honestFetchIn(situation))
}

function distorted(situation: Situation, fetch: Fetch): Fetch {
  return async (url, init) => {
    const answer = await fetch(url, init)
    return situation.distort ? situation.distort(answer, new URL(url).pathname) : answer
  }
}

function honestFetchIn(situation: Situation): Fetch {
  return fetchOf(async ({ url, method }) => {
    const { pathname, searchParams } = new URL(url)
    const answers = situation.answers?.() ?? {}
    const answer = answers[`${method} ${pathname}`] ?? answers[pathname]
    const body: unknown = typeof answer === 'function' ? answer(searchParams) : answer
    if (body instanceof Response) return body.clone()
    if (body instanceof Uint8Array) return new Response(new Uint8Array(body))
    if (body !== undefined) return Response.json(body)
    return Response.json({ success: false, error: 'not_found', message: pathname, timestamp: NOW }, { status: 404 })
  })
}

export function clientIn(situation: Situation): Client {
  return new Client({
    core: 'https://core.test',
    did: 'https://did.test',
    keys: 'https://keys.test',
    consent: 'https://consent.test',
    provenance: 'https://provenance.test',
    fetch: fetchIn(situation),
    now: () => situation.now ?? NOW,
    sleep: async () => {},
    ...situation.options,
    ...(situation.options?.fetch && { fetch: distorted(situation, situation.options.fetch) }),
  })
}

/** Calls the method, or its twin. */
export async function ask(name: string, situation: Situation, client: Client, isSafe = false): Promise<unknown> {
  const steps = name.split('.')
  const last = steps.pop() ?? ''
  const of = situation.of ? await situation.of(client) : steps.slice(1).reduce<object>(member, client)
  const method = isSafe ? `safe${last[0]?.toUpperCase() ?? ''}${last.slice(1)}` : last
  const call = member(of, method) as (...args: readonly unknown[]) => unknown
  return Reflect.apply(call, of, situation.args())
}

const member = (of: object, name: string) => (of as Record<string, object>)[name] ?? {}

/** Returns a statement with changed members, signed by this identity or device. */
export async function signedBy<T extends object>(
  by: Identity | Device,
  statement: T,
  changes: Partial<T> = {},
): Promise<Signed<T>> {
  const signed = await signStatement(
    { ...statement, ...changes } as T & Parameters<typeof signStatement>[0],
    signerOf(by),
  )
  return signed
}

/** The root keys of an identity that was never rotated, as core has them. */
export const keysOf = ({ did, scope, userId, publicKeyB64u }: Identity) => ({
  did,
  scope,
  keys: [{ epoch: 0, userId, publicKeyB64u, activatedAt: NOW, request: null as unknown, genesis: null as unknown }],
  next: null as number | null,
  rotation: null as unknown,
})

export const keyAnswers = (...identities: readonly Identity[]) =>
  Object.fromEntries(identities.map((one) => [`/api/chain/root/${one.did}/history`, data(keysOf(one))]))
